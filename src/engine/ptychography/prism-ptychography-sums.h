/* prism-ptychography-sums: what all frames teach about object and pupil together, instead of one
 * after the other, and how sure of it they are.
 *
 * n = grid of a frame, M = grid of the object. Thread: one at a time, several on different rows. */
#pragma once

#include "kernels/prism-cpu-ptychography.h"
#include "ptychography/prism-pupil.h"

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  int side;                             /* M */
  int grid;                             /* n */
  float *object;                        /* [M][M][2]: Σ conj(P)·D */
  float *object_weights;                /* [M][M]: Σ |P|² */
  float *pupil;                         /* [n][n][2]: Σ conj(O)·D */
  float *pupil_weights;                 /* [n][n]: Σ |O|² */
} PrismPtychographySums;

PrismPtychographySums *prism_ptychography_sums_new   (int      side,
                                                      int      grid,
                                                      GError **error);
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

void prism_aberration_fit_add_row (PrismAberrationFit            *self,
                                   const float                   *modes,
                                   gsize                          stride,
                                   const PrismCpuPtychographyRow *row);
void prism_aberration_fit_add     (PrismAberrationFit            *self,
                                   const PrismAberrationFit      *other,
                                   double                         n_points);

G_END_DECLS
