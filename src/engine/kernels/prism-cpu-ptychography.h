/* prism-cpu-ptychography: the inner loops of Fourier ptychography with a complex object and pupil.
 * Complex numbers lie as pairs of floats; n is a number of them in a row. Thread: any. */
#pragma once

#include "base/prism-isa.h"

G_BEGIN_DECLS

/* A row of what one frame teaches about object and pupil. */
typedef struct
{
  int n;
  float *object;                        /* [n][2], the frame's window of the spectrum; changed */
  const float *pupil;                   /* [n][2], at its place */
  const float *before;                  /* [n][2], the pupil's row above */
  const float *after;                   /* [n][2], and below */
  const float *difference;              /* [n][2], of the exit wave */
  const float *clear;                   /* [n]: share of a point that is inside the pupil */
  float *pupil_step;                    /* (nullable) [n][2]: what it teaches about the pupil */
  float object_rate;
  float pupil_rate;
  float pupil_floor;                    /* added to |O|² */
} PrismCpuPtychographyRow;

/* Σ rows[i][k + j]·down[i]·along[j] for i and j below 4, by way of a row that has 3 points more. */
typedef struct
{
  const float *rows[4];                 /* [n + 3][2] */
  float down[4];
  float along[4];
  float *scratch;                       /* [n + 3][2] */
} PrismCpuPtychographyMix;

typedef struct
{
  /* clear = share of each point of a row, x0 … from the centre and y above or below it, that a disk
   * has whose rim is so many points wide */
  void (*fill_disk) (float *clear,
                     int    n,
                     float  x0,
                     float  y,
                     float  radius,
                     float  rim);
  /* shifted = clear·what lies between the points of the pupil; wave = shifted·object; returns the
   * largest |shifted|² */
  float (*pass) (const PrismCpuPtychographyMix *mix,
                 const float                   *clear,
                 const float                   *object,
                 int                            n,
                 float                         *shifted,
                 float                         *wave);
  /* sums[0] += Σ|φ|², sums[1] += Σ|φ|·A of those of n points that are seen; A is NAN of
   * the others, and below 0 where noise is darker than the background, which counts as 0 */
  void (*compare) (const float *field,
                   const float *amplitude,
                   int          n,
                   double       sums[2]);
  /* φ·(√((A·|A| + floor) / (|φ|²/gain² + floor)) - 1), 0 where A is NAN */
  void (*replace) (float       *field,
                   const float *amplitude,
                   int          n,
                   float        gain,
                   float        floor);
  float (*find_largest) (const float *values,
                         int          n);
  /* forces: +=, the gradient for x, for y, and the curvatures xx, yy, xy */
  void (*push) (const PrismCpuPtychographyRow *row,
                double                         forces[5]);
  /* slopes [n_modes]: += Σ Z·Im(conj(ψ)·D) of each mode Z, which begin stride floats apart;
   * curvatures [n_modes][n_modes]: += Σ Z·Z'·|ψ|², Z' not after Z */
  void (*fit) (const PrismCpuPtychographyRow *row,
               const float                   *modes,
               gsize                          stride,
               int                            n_modes,
               double                        *slopes,
               double                        *curvatures);
  void (*update) (const PrismCpuPtychographyRow *row);
  /* pupil += mask·mix at n points, mix of steps */
  void (*gather) (const PrismCpuPtychographyMix *mix,
                  const float                   *mask,
                  int                            n,
                  float                         *pupil);
} PrismCpuPtychographyKernels;

PRISM_ISA_DECLARE (PrismCpuPtychographyKernels, prism_cpu_ptychography_kernels);

G_END_DECLS
