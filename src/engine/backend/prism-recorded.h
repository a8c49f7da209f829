/* prism-recorded: what a device does for recorded frames: it visits one after the other, and object
 * and pupil stay with it meanwhile. The CPU's way, which is the reference and knows the formulas,
 * is prism-ptychography-frame.
 *
 * Dimensions as there: N frames of q×q, n = grid of a frame, M = grid of the object. Complex
 * numbers are pairs of floats. Thread: one at a time. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define PRISM_RECORDED_ABI 1
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
  const float *amplitudes;              /* [N][q][q]; -1 where a pixel is not used */
} PrismRecordedSpec;

typedef struct
{
  guint frame;
  int whole[2];                         /* column and row of the window, from the middle */
  int base[2];                          /* to the second of the four points that it is mixed of */
  float weights[2][4];                  /* of these, along and down */
  float back[2];                        /* from the place to its whole pixels */
  double gain;                          /* NAN: the one that fits best */
  double energy;                        /* Σ A² */
  double object_step;
  double pupil_step;                    /* 0: the pupil stays */
} PrismRecordedVisit;

typedef struct
{
  double sums[2];                       /* Σ|φ|², Σ|φ|A, before the change */
  double forces[5];                     /* of the place: x, y, and the curvatures xx, yy, xy */
} PrismRecordedLesson;

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
   * its width, in points. */
  gboolean (*put) (PrismRecorded  *self,
                   const float    *object,
                   const float    *pupil,
                   double          farthest,
                   double          rim,
                   GError        **error);
  /* PRISM_RECORDED_MOST_VISITS at most, in their order. After a failure object and pupil are
   * nobody's. */
  gboolean (*visit) (PrismRecorded             *self,
                     const PrismRecordedVisit  *visits,
                     guint                      n_visits,
                     PrismRecordedLesson       *lessons,
                     GError                   **error);
  /* Both are as they were after a failure. */
  gboolean (*get) (PrismRecorded  *self,
                   float          *object,
                   float          *pupil,
                   GError        **error);
} PrismRecordedOps;

G_END_DECLS
