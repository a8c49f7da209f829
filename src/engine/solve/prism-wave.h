/* prism-wave: the exit wave behind one frame, found from its amplitude and the aperture alone. The
 * frame does not say its phase as a whole, nor, where the aperture is its own mirror image, which
 * of two waves it is: the other is the conjugate, mirrored. Source: numerics.md, “Alignment”.
 *
 * q = points along a side of the frame, H × W = the mask's box. Thread: any, with points of its
 * own. */
#pragma once

#include "backend/prism-backend.h"
#include "num/prism-fft.h"

G_BEGIN_DECLS

/* Misfit of a wave that is the right one, of ΣA². */
#define PRISM_WAVE_FOUND 1e-10
/* Iterations of a search and of a descent at most, and what is near enough before, of ΣA². With
 * noise nothing is near enough: starts have a trial, and the best one goes on. */
#define PRISM_WAVE_PASSES 150
#define PRISM_WAVE_TRIAL 60
#define PRISM_WAVE_SEARCH_CLOSE 3e-5
#define PRISM_WAVE_DESCENT_CLOSE 1e-11

/* Numbers of a buffer, for each point along a side. */
#define PRISM_WAVE_BUFFER (PRISM_FFT_SQUARE_BLOCK * 4)

/* What one thread looks at a frame on. */
typedef struct
{
  const PrismFftSquare *fft;            /* of q × q */
  guint side;                           /* q */
  float *state;                         /* [q][q][2] of a search */
  float *other;                         /* [q][q][2] for columns of boxes, and a whole frame */
  float *buffer;                        /* [2][PRISM_FFT_SQUARE_BLOCK][q][2] of transforms */
} PrismWavePoints;

double   prism_wave_project  (const PrismWavePoints *points,
                              const PrismWaveJob    *job);
void     prism_wave_move     (const PrismWavePoints *points,
                              const PrismWaveMove   *move,
                              PrismWaveJob          *job);
double   prism_wave_sum_squares (const float *values,
                                 gsize        n_values);
void     prism_wave_draw     (const PrismMask       *mask,
                              double                 energy,
                              guint64                seed,
                              guint32                frame,
                              guint                  attempt,
                              float                 *box);
void     prism_wave_low_pass (const PrismWavePoints *points,
                              const PrismWavePoints *few,
                              const float           *amplitude,
                              float                 *low_passed);
gboolean prism_wave_has_twin (const PrismMask *mask);

G_END_DECLS
