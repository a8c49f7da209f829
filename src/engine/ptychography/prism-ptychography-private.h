/* prism-ptychography-private: what the files that explain frames share. Thread: one at a time. */
#pragma once

#include "backend/prism-recorded.h"
#include "base/prism-pool.h"
#include "cpu/prism-cpu-decoder.h"
#include "kernels/prism-cpu-ptychography.h"
#include "num/prism-fft.h"
#include "ptychography/prism-ptychography.h"

#include <math.h>

G_BEGIN_DECLS

/* How well a predicted amplitude meets a recorded one. */

/* Sums over the pixels of one frame, or of some. */
typedef struct
{
  guint64 n;
  double predicted;                     /* Σ|φ| */
  double recorded;                      /* ΣA */
  double predicted_squares;             /* Σ|φ|² */
  double recorded_squares;              /* ΣA² */
  double products;                      /* Σ|φ|A */
} PrismHeldOut;

void   prism_held_out_add             (PrismHeldOut *self,
                                       const float  *field,
                                       const float  *amplitude,
                                       int           n);
void   prism_held_out_join            (PrismHeldOut       *self,
                                       const PrismHeldOut *other);
double prism_held_out_get_error       (const PrismHeldOut *self);
double prism_held_out_get_correlation (const PrismHeldOut *self);

/* What all frames teach about object and pupil together, instead of one
 * after the other, and how sure of it they are.
 *
 * n = grid of a frame, M = grid of the object. */

typedef struct
{
  double gain;                          /* of the model's amplitude for the recorded one */
  double error;                         /* Σ(|φ| - gain·A)² */
  double energy;                        /* Σ(gain·A)² */
  double shift[2];                      /* pixels that the pupil's place is off, by one step */
} PrismPtychographyLesson;

typedef struct
{
  int side;                             /* M */
  int grid;                             /* n */
  float *object;                        /* [M][M][2]: Σ conj(P)·D */
  float *object_weights;                /* [M][M]: Σ |P|² */
  float *pupil;                         /* [n][n][2]: Σ conj(O)·D */
  float *pupil_weights;                 /* [n][n]: Σ |O|² */
  guint *frames;                        /* [n_frames]: that are taken together, in this order */
  PrismPtychographyLesson *lessons;     /* [n_frames]: of those before next */
  guint n_frames;
  guint next;                           /* where it goes on; 0: it begins */
} PrismPtychographySums;

PrismPtychographySums *prism_ptychography_sums_new   (const PrismPtychogram  *frames,
                                                      GError                **error);
void prism_ptychography_sums_free        (PrismPtychographySums *self);
void prism_ptychography_sums_clear       (PrismPtychographySums *self);
void prism_ptychography_sums_add_row     (PrismPtychographySums         *self,
                                          gsize                          start,
                                          const PrismCpuPtychographyRow *row,
                                          float                         *squares);
void prism_ptychography_sums_add_squares (PrismPtychographySums *self,
                                          gsize                  start,
                                          const float           *squares,
                                          int                    n);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismPtychographySums, prism_ptychography_sums_free)

/* What frames say of a pupil's low aberrations, which is a system of linear
 * equations for a step of Gauss and Newton. Thread: one at a time. */

/* Normal equations of the aberrations, of all frames since they were cleared. */
typedef struct
{
  double slopes[PRISM_PUPIL_N_MODES];
  double curvatures[PRISM_PUPIL_N_MODES][PRISM_PUPIL_N_MODES];
} PrismAberrationFit;

void prism_aberration_fit_add (PrismAberrationFit       *self,
                               const PrismAberrationFit *other,
                               double                    n_points);

/* One frame at a time: its window of the object's spectrum goes through
 * the pupil to the camera, and what differs there comes back to object, pupil and place.
 *
 * Rows and columns go in blocks of sizes that do not depend on the number of threads: neither do
 * the bits. */

typedef struct
{
  double object_step;                   /* 0…1 */
  double pupil_step;                    /* 0: the pupil stays */
  double gain;                          /* NAN: the one that fits best */
  PrismAberrationFit *fit;              /* (nullable): to be added to */
  PrismPtychographySums *sums;          /* (nullable): to be added to; object and pupil stay */
  gboolean wants_shift;
} PrismPtychographyVisit;

typedef struct _PrismPtychographyFrame PrismPtychographyFrame;

PrismPtychographyFrame *prism_ptychography_frame_new     (const PrismPtychogram  *frames,
                                                          PrismPool              *pool,
                                                          GError                **error);
void                    prism_ptychography_frame_free    (PrismPtychographyFrame *self);
void                    prism_ptychography_frame_describe (const PrismPtychographyFrame *self,
                                                           PrismRecordedSpec            *spec,
                                                           double                        limits[2]);
void                    prism_ptychography_frame_set_rim (PrismPtychographyFrame *self,
                                                          double                  width);
void                    prism_ptychography_frame_begin   (PrismPtychographyFrame *self,
                                                          const double           *aberrations);
void                    prism_ptychography_frame_set_aberrations (PrismPtychographyFrame *self,
                                                                  const double *aberrations);
void                    prism_ptychography_frame_begin_with (PrismPtychographyFrame *self,
                                                             const float            *pupil);
PrismPtychographyLesson prism_ptychography_frame_visit   (PrismPtychographyFrame       *self,
                                                          guint                         j,
                                                          const double                  place[2],
                                                          const PrismPtychographyVisit *visit);
PrismHeldOut            prism_ptychography_frame_compare (PrismPtychographyFrame *self,
                                                          guint                   j,
                                                          const double            place[2],
                                                          const float           **field);
float                  *prism_ptychography_frame_get_object (PrismPtychographyFrame *self);
float                  *prism_ptychography_frame_get_pupil  (PrismPtychographyFrame *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismPtychographyFrame, prism_ptychography_frame_free)

/* How far descent on all frames has come; private to its file. */
typedef struct _PrismPtychographyDescent PrismPtychographyDescent;

/* A network with two outputs, amplitude and phase of the object; m = their side. */
typedef struct
{
  PrismDecoderPlan plan;
  gsize n_pixels;                       /* m² */
  PrismCpuDecoder *network;
  const float *outputs;                 /* [2][m][m]: amplitude less 1, and phase, of now */
  PrismFftSquare *transform;
  PrismPtychographySums *sums;
  float *field;                         /* [m][m][2]: the object, then the loss's slope by it */
  float *start;                         /* [m][m][2]: what the passes have found */
  float *slopes;                        /* [2][m][m]: of the loss, by the outputs */
  guint step;                           /* Adam steps since the beginning; 0: nothing is known */

  /* Of the pass under way: where it goes on. */
  guint i;                              /* step */

  /* Of a device that has weights and moments of now, and of the network, which has them of before
   * the pass. */
  gboolean is_lent;
  guint n_before;                       /* steps */
} PrismPtychographyDecoder;

/* Visits to the frames at the rim that were left in their middle; private to its file. */
typedef struct _PrismPtychographyRim PrismPtychographyRim;

/* Of a device that takes passes; private to its file. */
typedef struct _PrismPtychographyDevice PrismPtychographyDevice;

typedef enum
{
  PRISM_PASSING_DONE,
  PRISM_PASSING_ENDED,                  /* by the watch */
  PRISM_PASSING_FAILED,                 /* the device is given up: the pass is the CPU's */
} PrismPtychographyPassing;

typedef enum
{
  PRISM_STRAY_NONE,
  PRISM_STRAY_FOUND,                    /* met far worse than others as far out */
  PRISM_STRAY_AT_RIM,                   /* half bright, and the search has not met it */
} PrismStray;

struct _PrismPtychography
{
  PrismPtychogram *frames;
  PrismConfig *settings;
  double defocus_phase;                 /* rad from centre to rim, of one µm */
  PrismIllumination light;
  PrismPool *crew;                      /* of starts that are tried */
  PrismPtychographyFrame *frame;
  guint n_workers;                      /* of the crew */
  PrismPtychographyFrame **frames_of_workers; /* [n_workers], the first one frame */
  PrismPool **pools;                    /* [n_workers]: of their frames */
  double aberrations[PRISM_PUPIL_N_MODES]; /* radians, that the passes began with */
  double rim;                           /* width of the pupil's, pixels */
  guint pass;
  gboolean is_searching;                /* for the pupil, with the crew's threads */
  gboolean is_passing;                  /* a pass was ended in its middle, which goes on */
  guint next;                           /* of the order: the frame that it goes on with */
  PrismPtychographyRim *at_rim;         /* (nullable): the visits that it goes on with */
  guint first;                          /* pass that the last search came before */
  double *misfits;                      /* [N]: of every frame, when it was visited last */
  guint8 *strays;                       /* [N] of PrismStray: frames that are left out for now */
  gboolean unsettled;                   /* LEDs are found far from where they were recorded */
  PrismPtychographyStart *start;        /* (nullable): what the passes begin with */
  PrismPtychographyDescent *descent;    /* (nullable) */
  PrismPtychographyDecoder *decoder;    /* (nullable): it is trained after the passes */
  PrismPtychographyDevice *device;      /* (nullable): that takes the passes */
  PrismPrediction held;                 /* frames that are held out, as the estimate is now */
  double earlier;                       /* their largest correlation after an earlier pass; 0: there
                                         * is none, NAN: a former version has not written it */
  double misfit;                        /* of those, or where there are none of the others */
  PrismBundle *best;                    /* (nullable): the best estimate */
  guint best_pass;                      /* passes that it took */
  double least;                         /* its misfit; INFINITY: there is none */
  guint n_worse;                        /* passes in a row that were worse */
  guint turned_at;                      /* pass after which all frames are taken together; 0 */
  gboolean is_part;                     /* of a field, which is judged as a whole first */
  gboolean is_trial;                    /* a few passes that tell whether something fits */
  PrismPrediction judged;               /* held-out frames, what noise allows, and why they are not
                                         * predicted */
  guint judged_at;                      /* pass that this is known of */
  char *remedy;                         /* (nullable): what was tried then and fits better */
  PrismPtychographyWatch watch;         /* (nullable) */
  gpointer watch_data;
};

/* Of a frame whose gain is known, or NAN: the one that gives frame and model the same energy, which
 * noise changes little. By least squares, Σ|φ|A/ΣA², all that the model misses would make what it
 * knows fainter, pass by pass. The error is that of A, which is 0 where noise is darker than the
 * background; that would add to the energy. sums: Σ|φ|², Σ|φ|A. */
static inline PrismPtychographyLesson
prism_ptychography_make_lesson (const PrismPtychogram *frames,
                                guint                  j,
                                const double          *sums,
                                double                 gain)
{
  const double energy = frames->energies[j], square = frames->squares[j];
  const double best = energy > 0 ? sqrt (sums[0] / energy) : 1, g = isnan (gain) ? best : gain;

  return (PrismPtychographyLesson) {
    .gain = g,
    .energy = g * g * square,
    .error = sums[0] - 2 * g * sums[1] + g * g * square,
  };
}

/* Whether to go on; fraction: of the pass or the search, 0…1. Thread: any of the crew; where nobody
 * watches, the one that calls is asked. */
static inline gboolean
prism_ptychography_go_on (PrismPtychography *self,
                          double fraction)
{
  return self->watch != NULL ? self->watch (fraction, self->watch_data)
                             : prism_parallel_go_on (NULL);
}

/* Begins to look for the best anew. */
static inline void
prism_ptychography_forget_best (PrismPtychography *self)
{
  g_clear_pointer (&self->best, prism_bundle_free);
  self->least = INFINITY;
  self->n_worse = 0;
}

gboolean prism_ptychography_pass (PrismPtychography *self);
void prism_ptychography_visit (PrismPtychography *self,
                               guint              from);
gboolean prism_ptychography_fit_aberrations (PrismPtychography  *self,
                                             PrismAberrationFit *fit,
                                             double              turn[PRISM_PUPIL_N_MODES]);
gboolean prism_ptychography_is_looking (PrismPtychography *self);
gboolean prism_ptychography_is_decoding (PrismPtychography *self);
gboolean prism_ptychography_save_estimate (PrismPtychography  *self,
                                           PrismBundle        *bundle,
                                           GError            **error);
gboolean prism_ptychography_load_estimate (PrismPtychography  *self,
                                           PrismBundle        *bundle,
                                           GError            **error);
PrismPtychographyDescent *prism_ptychography_descent_new (PrismPtychography  *self,
                                                          GError            **error);
void     prism_ptychography_descent_free (PrismPtychographyDescent *self);
void     prism_ptychography_descent_begin (PrismPtychography *self);
gboolean prism_ptychography_descent_step (PrismPtychography *self);
guint    prism_ptychography_descent_get_next (PrismPtychography *self);
gboolean prism_ptychography_descent_save (PrismPtychography  *self,
                                          PrismBundle        *bundle,
                                          GError            **error);
gboolean prism_ptychography_descent_load (PrismPtychography  *self,
                                          PrismBundle        *bundle,
                                          GError            **error);
PrismPtychographyDecoder *
         prism_ptychography_decoder_new  (PrismPtychography  *self,
                                          GError            **error);
void     prism_ptychography_decoder_free (PrismPtychographyDecoder *self);
void     prism_ptychography_decoder_begin (PrismPtychography *self);
double   prism_ptychography_decoder_measure (PrismPtychography *self,
                                             guint              stride);
gboolean prism_ptychography_decoder_learn (PrismPtychography *self,
                                           const PrismAdam   *adam);
gboolean prism_ptychography_decoder_step (PrismPtychography *self,
                                          guint              pass);
guint    prism_ptychography_decoder_get_next (PrismPtychography *self);
gboolean prism_ptychography_decoder_save (PrismPtychography  *self,
                                          PrismBundle        *bundle,
                                          GError            **error);
gboolean prism_ptychography_decoder_load (PrismPtychography  *self,
                                          PrismBundle        *bundle,
                                          GError            **error);
void     prism_ptychography_device_free  (PrismPtychographyDevice *self);
PrismPtychographyPassing
         prism_ptychography_device_visit (PrismPtychography            *self,
                                          const PrismPtychographyVisit *visit,
                                          gboolean                      free_gains,
                                          gboolean                      at_rim,
                                          guint                        *next);
gboolean prism_ptychography_device_compare (PrismPtychography *self,
                                            const guint       *frames,
                                            guint              n,
                                            PrismHeldOut      *sums);
gboolean prism_ptychography_device_run_network (PrismPtychography *self,
                                                PrismNetworkTask   task,
                                                float             *values,
                                                double             number);
gboolean prism_ptychography_sum_up          (PrismPtychography      *self,
                                             PrismPtychographyVisit *visit,
                                             gboolean                free_gains,
                                             double                  begin,
                                             double                  length);
void     prism_ptychography_light_take      (PrismPtychography             *self,
                                             guint                          j,
                                             const PrismPtychographyLesson *lesson,
                                             gboolean                       moves);
void     prism_ptychography_light_normalise (PrismPtychography *self);
void     prism_ptychography_light_settle       (PrismPtychography *self);
double   prism_ptychography_light_get_most     (PrismPtychography *self);
void     prism_ptychography_mark_strays  (PrismPtychography *self,
                                          double             worse);
gboolean prism_ptychography_place_strays (PrismPtychography *self);
void     prism_ptychography_mark_at_rim  (PrismPtychography *self,
                                          guint              n_frames);
void     prism_ptychography_judge_frames (PrismPtychography *self,
                                          guint              pass);
gboolean prism_ptychography_wants        (const PrismPtychography *self,
                                          guint                    frame,
                                          gboolean                 at_rim);
void     prism_ptychography_visit_frame  (PrismPtychography      *self,
                                          guint                   j,
                                          PrismPtychographyVisit *visit,
                                          gboolean                free_gains,
                                          gboolean                at_rim);
gboolean prism_ptychography_visit_frames (PrismPtychography      *self,
                                          PrismPtychographyVisit *visit,
                                          gboolean                free_gains,
                                          gboolean                at_rim,
                                          guint                  *next);
gboolean prism_ptychography_visit_rim    (PrismPtychography *self,
                                          guint              pass,
                                          double             step,
                                          gboolean           settled);
void     prism_ptychography_forget_rim   (PrismPtychography *self);
gboolean prism_ptychography_search       (PrismPtychography *self,
                                          gboolean           with_rim);

G_END_DECLS
