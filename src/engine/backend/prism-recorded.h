/* prism-recorded: what a device does for recorded frames: it visits one after the other, and object
 * and pupil, or the sums of what frames teach together, stay with it meanwhile; and it trains a
 * network that makes the object. The CPU's way, which is the reference and knows the formulas, is
 * prism-ptychography-frame, -sums and prism-cpu-decoder.
 *
 * Dimensions as there: N frames of q×q, n = grid of a frame, M = grid of the object. Complex
 * numbers are pairs of floats. Thread: one at a time. */
#pragma once

#include "model/prism-decoder.h"

G_BEGIN_DECLS

#define PRISM_RECORDED_ABI 4
#define PRISM_RECORDED_MOST_VISITS 32

typedef struct _PrismRecorded PrismRecorded;

typedef struct
{
  guint n_frames;                       /* N */
  int side;                             /* q */
  int border;                           /* (n - q) / 2 */
  int grid;                             /* n */
  int object_side;                      /* M */
  int first;                            /* row and column at which the pupil may begin */
  int length;                           /* rows and columns that it may have */
  double radius;                        /* of the pupil */
  double floor;                         /* of |O|² where the pupil learns, of the brightest */
  const float *amplitudes;              /* [N][q][q]; below 0 where noise is darker than the
                                         * background, NAN where a pixel is not used; they stay */
  const PrismDecoderPlan *network;      /* (nullable): of two outputs, P = its parameters, m = its
                                         * object_size */
} PrismRecordedSpec;

/* Where a frame's pupil lies between the points of its grid. */
typedef struct
{
  int whole[2];                         /* column and row of the window, from the middle */
  int base[2];                          /* to the second of the four points that it is mixed of */
  float weights[2][4];                  /* of these, along and down */
  double back[2];                       /* from the place to its whole pixels */
} PrismRecordedPlace;

typedef struct
{
  guint frame;
  PrismRecordedPlace place;
  double gain;                          /* NAN: the one that fits best */
  double energy;                        /* Σ A·|A| */
  double floor;                         /* added to the intensities that are compared */
  double object_step;                   /* 0, as pupil_step: it is only compared */
  double pupil_step;                    /* 0: the pupil stays */
} PrismRecordedVisit;

typedef struct
{
  double sums[5];                       /* Σ|φ|², Σ|φ|A, before the change; where it is only
                                         * compared Σ|φ|, ΣA and the number of pixels, too */
  double forces[5];                     /* of the place: x, y, and the curvatures xx, yy, xy */
} PrismRecordedLesson;

/* What is done with the network, by way of values. */
typedef enum
{
  PRISM_NETWORK_PUT,                    /* parameters and Adam's moments [3][P]; number: steps of
                                         * Adam so far */
  PRISM_NETWORK_GET,                    /* these */
  PRISM_NETWORK_DECODE,                 /* outputs [2][m][m] */
  PRISM_NETWORK_LEARN,                  /* slopes of a loss by the outputs that were decoded last;
                                         * number: rate of a step of Adam, which is left out where
                                         * the gradient is not finite */
} PrismNetworkTask;

typedef struct
{
  guint abi;                            /* PRISM_RECORDED_ABI */

  /* Frames and all memory. (transfer full) (nullable) */
  PrismRecorded *(*open) (const PrismRecordedSpec  *spec,
                          GError                  **error);
  void (*close) (PrismRecorded *self);
  /* (transfer full) */
  char *(*dup_device_name) (PrismRecorded *self);
  /* object [M][M][2], pupil [n][n][2]; farthest: from its middle that the pupil may change; rim:
   * its width, in points. together: visits that follow leave both as they are, and add what they
   * would change, of the pupil where their pupil_step is not 0, to sums that are 0 now. */
  gboolean (*put) (PrismRecorded  *self,
                   const float    *object,
                   const float    *pupil,
                   double          farthest,
                   double          rim,
                   gboolean        together,
                   GError        **error);
  /* PRISM_RECORDED_MOST_VISITS at most, in their order. Of n_next behind them, as many at most, the
   * frames come to the device meanwhile. After a failure object and pupil are nobody's. */
  gboolean (*visit) (PrismRecorded             *self,
                     const PrismRecordedVisit  *visits,
                     guint                      n_visits,
                     guint                      n_next,
                     PrismRecordedLesson       *lessons,
                     GError                   **error);
  /* Object and pupil, or of visits together the sums: Σ conj(P)·D [M][M][2] with Σ|P|² [M][M]
   * behind it, and Σ conj(O)·D [n][n][2] with Σ|O|² [n][n]. Both are as they were after a
   * failure. */
  gboolean (*get) (PrismRecorded  *self,
                   float          *object,
                   float          *pupil,
                   GError        **error);
  gboolean (*run_network) (PrismRecorded     *self,
                           PrismNetworkTask   task,
                           float             *values,
                           double             number,
                           GError           **error);
} PrismRecordedOps;

G_END_DECLS
