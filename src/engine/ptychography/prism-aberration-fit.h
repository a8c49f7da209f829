/* prism-aberration-fit: what frames say of a pupil's low aberrations, which is a system of linear
 * equations for a step of Gauss and Newton. Thread: one at a time. */
#pragma once

#include "kernels/prism-cpu-ptychography.h"
#include "ptychography/prism-pupil.h"

#include <glib.h>

G_BEGIN_DECLS

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
