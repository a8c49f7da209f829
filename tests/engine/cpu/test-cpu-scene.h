/* test-cpu-scene: an object, an image of it, and terms of a misfit; whoever includes it says how
 * many pixels and terms there are: N_PIXELS, N_TERMS. */
#pragma once

#include "test-cpu-telescope-common.h"

typedef struct
{
  Fixture fixture;
  PrismMask *masks[N_TERMS];
  float *targets[N_TERMS];
  PrismMisfitTerm terms[N_TERMS];
  float object[N_PIXELS], image[N_PIXELS];
} Scene;

static inline void
scene_draw (Scene *self)
{
  for (int i = 0; i < N_PIXELS; i++)
    {
      self->object[i] = (float) prism_random_uniform (1, PRISM_STREAM_OBJECT, 0, i);
      self->image[i] = (float) prism_random_uniform (1, PRISM_STREAM_OBJECT, 1, i);
    }
}

static inline double
get_misfit (Scene *self, const float *image, float *gradient)
{
  double misfit = 0.0;

  memset (gradient, 0, N_PIXELS * sizeof *gradient);
  prism_cpu_telescope_add_misfit_gradient (self->fixture.telescope, image, self->terms, N_TERMS,
                                           gradient, &misfit);
  return misfit;
}
