/* prism-alignment-private: the fields of an alignment, for the files that are its parts.
 *
 * n = image_size, m = object_size, w = n/2 + 1, N = samples, H × W = the box of a mask. Of a frame
 * p × p points are read: as many as hold it, with noise all, p = n. Its field is searched on q × q.
 * The object's middle lies at the field's origin. Spectra are unitary: so are boxes of them. */
#pragma once

#include "base/prism-arena.h"
#include "base/prism-pool.h"
#include "num/prism-fft-field.h"
#include "num/prism-tuning.h"
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
  float *said;                          /* [H][W][2] what it said of a spectrum last, */
  double difference;                    /* Σ|Q - F|² from it, */
  double energy;                        /* and Σ|Q|² */
  float *amplitude;                     /* (nullable) of one whose field was not found: [p][p]; with
                                         * noise [q][q] of each */
  gboolean is_doubtful;                 /* with noise: its field may be a wrong one */
  double misfit;                        /* that its field left of it, of ΣA²; INFINITY at first */
  gboolean has_twin;                    /* the box could be its mirrored conjugate */
} PrismAlignmentFrame;

struct _PrismAlignment
{
  PrismBackend *backend;
  PrismMeasurements *measurements;
  guint64 seed;
  int n;
  int m;
  guint read_side;                      /* p */
  guint side;                           /* q */
  gboolean has_noise;
  guint n_samples;
  guint n_field_starts;                 /* of one frame at most */
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
  PrismFftField *field_fft;
  PrismFftSquare *fft;
  PrismFieldWork *works;                /* [threads] for what is searched on, */
  PrismFftSquare *read_fft;
  PrismFieldWork *readers;              /* [threads] and for what is read; without a state */
  float **low_passed;                   /* [threads] [q][q] */
  PrismAlignmentFrame *frames;          /* [N] */
  float *boxes;                         /* [2] all that frames have */
  float *points;                        /* [n_at_once][p][p] */
  guint n_at_once;
  float **before;                       /* [threads][H][W][2] a box as it was, for any mask */
  float *field;                         /* [n][n] z of the search */
  float *plane;                         /* [n][n] */
  float *half;                          /* [n][w][2] */
  float *sum;                           /* [n][w][2] what the frames say of the spectrum, */
  float *count;                         /* [n][w] and how many of them */
  float *guess;                         /* [m][m] whose fields may be near; 0 where there is none */
  float *image;                         /* [m][m] what came out last, */
  float *best;                          /* [m][m] and with noise the nearest to the fields so far */
  PrismArena *arena;
  PrismVariation *variation;
  float most;                           /* the largest count; 0 before it is known */
  double momentum;                      /* of the fill: t of Nesterov's sequence */
  float *point;                         /* [m][m] where its slope is taken */
  float *slope;                         /* [m][m] */
  float *across;                        /* [m][m] dual field of the total variation, along rows */
  float *down;                          /* [m][m] and along columns */
};

static inline gboolean
prism_alignment_is_sure (PrismAlignment *self,
                         guint           frame)
{
  return !self->has_noise
         && self->frames[frame].misfit <= prism_tuning_get (PRISM_TUNING_FIELD_FOUND);
}

static inline gsize
prism_alignment_count_box (const PrismMask *mask)
{
  return (gsize) mask->height * mask->width;
}

static inline gsize
prism_alignment_count_points (PrismAlignment *self)
{
  return (gsize) self->read_side * self->read_side;
}

static inline gsize
prism_alignment_count_half (PrismAlignment *self)
{
  return (gsize) self->n * (self->n / 2 + 1);
}

gboolean prism_alignment_retrieve_some (PrismAlignment  *self,
                                        guint            n_samples,
                                        GError         **error);
gboolean prism_alignment_read_points   (PrismAlignment  *self,
                                        guint            i,
                                        float           *points,
                                        GError         **error);
void     prism_alignment_gather        (PrismAlignment  *self,
                                        const PrismMask *mask,
                                        float           *box);
void     prism_alignment_add_up        (PrismAlignment *self);
double   prism_alignment_compare       (PrismAlignment *self);
void     prism_alignment_transform     (PrismAlignment *self,
                                        float          *plane,
                                        int             near);
void     prism_alignment_return        (PrismAlignment *self,
                                        float          *plane,
                                        int             near);
gsize    prism_alignment_get_place     (PrismAlignment *self,
                                        int             y,
                                        int             x);
void     prism_alignment_spread        (PrismAlignment *self,
                                        const float    *image,
                                        float          *plane);

G_END_DECLS
