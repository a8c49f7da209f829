#include "config.h"

#include "solve/prism-descent-choice.h"

#include "num/prism-tuning.h"
#include "num/prism-variation.h"
#include "solve/prism-descent-private.h"

/* Dimensions of this file: n = image_size, m = object_size, N = samples. */

/* By how much the misfits of two images may differ that explain the data equally well: so many
 * times what as many unknowns as m² can fit of the noise, or without noise a part of Σ w·ΣA². */
static double
get_tolerance (PrismDescent *self)
{
  double n = self->backend->spec.image_size, m = self->backend->spec.object_size;

  if (!prism_descent_has_noise (self))
    return prism_tuning_get (PRISM_TUNING_DESCENT_EQUAL) * self->power;
  return prism_tuning_get (PRISM_TUNING_DESCENT_EQUAL_IN_NOISE) * (m * m)
         / (n * n * self->n_samples)
         * prism_descent_get_noise_misfit (self);
}

/**
 * prism_descent_meets_data:
 * @self: a descent with samples
 * @misfit: of an image with these weights
 *
 * Returns: whether there is no noise and so small a misfit that nothing is left to be found
 */
gboolean
prism_descent_meets_data (PrismDescent *self,
                          double misfit)
{
  return !prism_descent_has_noise (self)
         && misfit < prism_tuning_get (PRISM_TUNING_DESCENT_MET) * self->power;
}

/**
 * prism_descent_explains_better:
 * @self: a descent with samples
 * @misfit: of an image with these weights
 * @misfit_of_other: of another one with the same weights
 *
 * Returns: whether @misfit is smaller by more than fitted noise can feign
 */
gboolean
prism_descent_explains_better (PrismDescent *self,
                               double misfit,
                               double misfit_of_other)
{
  return misfit_of_other - misfit > get_tolerance (self);
}

/**
 * prism_descent_prefers:
 * @self: a descent with samples
 * @image: (array): an image
 * @misfit: of @image with these weights
 * @other: (array): another one
 * @misfit_of_other: of @other with the same weights
 *
 * Decides between two images: by the misfit, or where that says nothing by the total variation. In
 * every case that was looked at the one of two equal explanations that varies less was nearer to
 * the truth.
 *
 * Shape: @image and @other [m][m].
 *
 * Returns: whether @image is to be preferred
 */
gboolean
prism_descent_prefers (PrismDescent *self,
                       const float *image,
                       double misfit,
                       const float *other,
                       double misfit_of_other)
{
  int m = self->backend->spec.object_size;

  if (prism_descent_explains_better (self, misfit, misfit_of_other)
      || prism_descent_explains_better (self, misfit_of_other, misfit))
    return misfit < misfit_of_other;
  return prism_variation_get_mean (m, image) < prism_variation_get_mean (m, other);
}
