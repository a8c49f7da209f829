/* prism-phase-sync: an image from the exit waves behind the frames. Each frame gives its wave but
 * for its phase as a whole; these phases are synchronised by what an object is: real, of a known
 * square, between 0 and 1. Neighbouring apertures need not touch. Source: numerics.md,
 * “Alignment”.
 *
 * n = image_size, m = object_size, w = n/2 + 1, N = samples, H × W = the box of a mask. Of a frame
 * p × p points are read: as many as hold it, with noise all, p = n. Its wave is searched on q × q,
 * with noise on as few as have the frequencies of the intensity, without on all that are read.
 * The object's middle lies at the plane's origin. Spectra are unitary: so are boxes of them.
 * Thread: engine. */
#pragma once

#include "base/prism-arena.h"
#include "base/prism-pool.h"
#include "measure/prism-measurements.h"
#include "num/prism-fft.h"
#include "num/prism-variation.h"
#include "solve/prism-control.h"
#include "solve/prism-method-state.h"
#include "solve/prism-wave.h"

G_BEGIN_DECLS

/* Residual that ends a search, and that of one which found the image. */
#define PRISM_PHASE_SYNC_CLOSE 1e-6
#define PRISM_PHASE_SYNC_FOUND 4e-5
/* Passes of a search at most; without noise twice as many. */
#define PRISM_PHASE_SYNC_MOST_IN_NOISE 750
/* Passes of a fill, as multiples of “polish”: so many more for so much farther down. */
#define PRISM_PHASE_SYNC_FILL 9
#define PRISM_PHASE_SYNC_FILL_IN_NOISE 3

typedef struct
{
  const PrismMask *mask;
  float *box;                           /* [H][W][2] spectrum of its wave, but for the phase */
  float *given;                         /* [H][W][2] what it gave for a spectrum last, Q, or while
                                         * its wave is searched the box of an attempt */
  double difference;                    /* Σ|Q - F|² from that one, */
  double energy;                        /* and Σ|Q|² */
  double misfit;                        /* that its wave left of it, of ΣA²; INFINITY at first */
  gboolean is_doubtful;                 /* its wave may be a wrong one, so that it gives */
  float *amplitude;                     /* (nullable) this instead: [q][q] */
  gboolean has_twin;                    /* the box could be its mirrored conjugate */

  /* While its wave is searched. */
  float *low_passed;                    /* [q][q] amplitude */
  double sum;                           /* ΣA² */
  double noise;                         /* what the true wave leaves of all pixels, of that */
} PrismPhaseSyncFrame;

/* What one thread needs. */
typedef struct
{
  PrismWavePoints few;                  /* q × q, for what is searched on, */
  PrismWavePoints points;               /* p × p, and for what is read; without a state */
  float *box;                           /* [H][W][2] of any mask */
} PrismPhaseSyncWork;

/* To be read by others, but changed by the functions below alone. */
typedef struct
{
  PrismBackend *backend;                /* the device */
  PrismMeasurements *measurements;
  guint64 seed;                         /* of random starts */
  int n;
  int m;
  gsize n_pixels;                       /* m·m */
  guint read_side;                      /* p */
  guint side;                           /* q */
  gboolean has_noise;
  guint n_samples;                      /* N */
  double doubt;                         /* with noise: misfit of a doubtful wave, of the median */
  gboolean looks_again;                 /* with noise: for those that few starts left doubtful */
  guint n_retrieved;                    /* frames whose waves were searched */
  guint iteration;                      /* of the start under way, */
  guint n_most;                         /* at which it ends at the latest */
  double relaxation;                    /* β of the start under way */
  double residual;                      /* Σ|Q - F|² / Σ|Q|² of the image, with noise the mean of
                                         * that of each frame; NAN before it is known */
  double least;                         /* of best; NAN before there is one */
  double momentum;                      /* of the fill: t of Nesterov's sequence */
  float most;                           /* frames that give one number, at least 1 */
  gboolean is_put;                      /* the device has frames, and copies of the state */
  gboolean searches_on_host;            /* it has no room for passes */
  PrismPool *pool;
  PrismFftField *fft;                   /* of n × n, */
  PrismFftSquare *few_fft;              /* q × q, */
  PrismFftSquare *points_fft;           /* p × p */
  PrismPhaseSyncWork *works;            /* [threads] */
  PrismPhaseSyncFrame *frames;          /* [N] */
  PrismVariation *variation;
  PrismArena *arena;
  guint n_at_once;                      /* frames that are read at once */
  float *points;                        /* [n_at_once][p][p] */
  float *boxes;                         /* [2] all that frames have */
  float *field;                         /* [n][n] z of the search */
  float *plane;                         /* [n][n] */
  float *half;                          /* [n][w][2] n·F */
  float *sum;                           /* [n][w][2] ΣQ, what the frames give for it, */
  float *count;                         /* [n][w] and how many of them do */
  float *guess;                         /* [m][m] whose waves may be near; 0 where there is none */
  float *image;                         /* [m][m] what came out last, */
  float *best;                          /* [m][m] and with noise the nearest to the waves so far */
  float *point;                         /* [m][m] where the slope of the fill is taken */
  float *slope;                         /* [m][m] */
  float *across;                        /* [m][m] dual field of the total variation, along rows */
  float *down;                          /* [m][m] and along columns */
} PrismPhaseSync;

guint64         prism_phase_sync_get_bytes (const PrismConfig *config,
                                            guint              n_samples);
gboolean        prism_phase_sync_can       (PrismMeasurements *measurements);
PrismPhaseSync *prism_phase_sync_new       (PrismBackend       *backend,
                                            PrismMeasurements  *measurements,
                                            guint64             seed,
                                            GError            **error);
void            prism_phase_sync_free      (PrismPhaseSync *self);
void            prism_phase_sync_begin     (PrismPhaseSync *self,
                                            guint           start,
                                            const float    *guess);
gboolean        prism_phase_sync_retrieve  (PrismPhaseSync  *self,
                                            PrismControl    *control,
                                            GError         **error);
gboolean        prism_phase_sync_search    (PrismPhaseSync  *self,
                                            PrismControl    *control,
                                            guint           *n_passes,
                                            GError         **error);
gboolean        prism_phase_sync_fill      (PrismPhaseSync  *self,
                                            PrismControl    *control,
                                            guint           *pass,
                                            guint            n_passes,
                                            double           smoothness,
                                            GError         **error);
gboolean        prism_phase_sync_redraw    (PrismPhaseSync *self,
                                            const float    *image,
                                            double         *left,
                                            guint           attempt);
extern const PrismMethodState prism_phase_sync_state;

/* What its files do for each other. */

/* One frame after the other. */
#define PRISM_PHASE_SYNC_EACH(frame, self)                                                         \
  for (PrismPhaseSyncFrame *frame = self->frames; frame < self->frames + self->n_samples; frame++)
void            prism_phase_sync_transform (PrismPhaseSync  *self,
                                            const float     *image);
void            prism_phase_sync_transform_back (PrismPhaseSync *self,
                                                 float           scale,
                                                 float          *image);
gsize           prism_phase_sync_get_place (PrismPhaseSync *self,
                                            gsize           pixel);
void            prism_phase_sync_gather    (PrismPhaseSync  *self,
                                            const PrismMask *mask,
                                            float           *box);
void            prism_phase_sync_count_givers (PrismPhaseSync *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismPhaseSync, prism_phase_sync_free)

G_END_DECLS
