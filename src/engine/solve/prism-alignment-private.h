/* prism-alignment-private: the fields of an alignment, for the files that are its parts.
 *
 * n = image_size, m = object_size, w = n/2 + 1, N = samples, q = n/step, H × W = the box of a mask.
 * The object's middle lies at the field's origin. Spectra are unitary: so are boxes of them. */
#pragma once

#include "base/prism-arena.h"
#include "base/prism-pool.h"
#include "num/prism-variation.h"
#include "solve/prism-alignment.h"
#include "solve/prism-field.h"

G_BEGIN_DECLS

/* Frames whose fields are searched at once; of whole ones as many as there are threads. */
#define PRISM_ALIGNMENT_FRAMES_AT_ONCE 16

typedef struct
{
  const PrismMask *mask;
  float *box;                           /* [H][W][2] its field's spectrum, but for the phase */
  float *amplitude;                     /* (nullable) [q][q] of one whose field was not found */
  double misfit;                        /* that its field left of it, of ΣA² */
  gboolean has_twin;                    /* the box could be its mirrored conjugate */
} PrismAlignmentFrame;

struct _PrismAlignment
{
  PrismBackend *backend;
  PrismMeasurements *measurements;
  guint64 seed;
  int n;
  int m;
  guint step;                           /* of the points of a frame that are looked at */
  guint side;                           /* q */
  gboolean has_noise;                   /* whole frames are looked at, too */
  guint n_samples;
  guint n_retrieved;                    /* frames whose fields were searched */
  gboolean is_counted;                  /* all were once: the next time is not another pass */
  guint iteration;                      /* of the start under way, */
  guint n_most;                         /* and at which it ends at the latest */
  double target;                        /* or with this residual */
  double relaxation;                    /* β of the start under way */
  double residual;                      /* Σ|Q - F|² / Σ|Q|² of the image, with noise the mean of
                                         * that of each frame; NAN before it is known */
  double least;                         /* of best; NAN before there is one */
  PrismPool *pool;
  PrismFftSquare *fft;
  PrismFieldWork *works;                /* [threads] */
  PrismFftSquare *whole_fft;            /* (nullable) with noise */
  PrismFieldWork *wholes;               /* [threads] for whole frames, with noise */
  float **low_passed;                   /* [threads] (nullable) [q][q] */
  PrismAlignmentFrame *frames;          /* [N] */
  float *boxes;                         /* all of them */
  float *points;                        /* [n_at_once][q][q], with noise [n_at_once][n][n] */
  guint n_at_once;
  float *box;                           /* [H][W][2] of the largest mask, */
  float *before;                        /* [H][W][2] and as it was */
  float *field;                         /* [n][n] z of the search */
  float *plane;                         /* [n][n] */
  float *half;                          /* [n][w][2] */
  float *sum;                           /* [n][w][2] what the frames say of the spectrum, */
  float *count;                         /* [n][w] and how many of them */
  float *image;                         /* [m][m] what came out last, */
  float *best;                          /* [m][m] and with noise the nearest to the fields so far */
  PrismArena *arena;
  PrismVariation *variation;
  double momentum;                      /* of the fill: t of Nesterov's sequence */
  float *point;                         /* [m][m] where its slope is taken */
  float *slope;                         /* [m][m] */
  float *across;                        /* [m][m] dual field of the total variation, along rows */
  float *down;                          /* [m][m] and along columns */
};

static inline gsize
prism_alignment_count_box (const PrismMask *mask)
{
  return (gsize) mask->height * mask->width;
}

static inline gsize
prism_alignment_count_half (PrismAlignment *self)
{
  return (gsize) self->n * (self->n / 2 + 1);
}

gboolean prism_alignment_retrieve_some (PrismAlignment  *self,
                                        guint            n_samples,
                                        GError         **error);
double   prism_alignment_compare       (PrismAlignment *self);
void     prism_alignment_transform     (PrismAlignment *self,
                                        float          *plane,
                                        gboolean        forward);
gsize    prism_alignment_get_place     (PrismAlignment *self,
                                        int             y,
                                        int             x);
void     prism_alignment_spread        (PrismAlignment *self,
                                        const float    *image,
                                        float          *plane);

G_END_DECLS
