#include "config.h"

#include "cpu/prism-cpu-descent.h"

/* Dimensions of this file: m = object_size. */

/* One step of Nesterov's method, kept in [0, 1] and lowered in total variation (Beck and Teboulle,
 * 2009); the momentum is forgotten where it leads uphill (O'Donoghue and Candès, 2015). */
static gboolean
move_image (PrismVariation *variation,
            const PrismIterate *iterate,
            const PrismPassPart *part)
{
  const int m = prism_variation_get_size (variation);
  const gsize n_pixels = (gsize) m * m;
  const float step = part->step_size;
  float *image = iterate->image, *point = iterate->point, *values = iterate->slope;
  double weight = part->variation, uphill = 0.0;
  float inertia;

  if (part->least_mean > 0.0 && weight > 0.0)
    weight /= MAX (prism_variation_get_mean (m, image), part->least_mean);
  for (gsize i = 0; i < n_pixels; i++)
    values[i] = point[i] - step * values[i];
  prism_variation_lower (variation, step * (float) weight, iterate->across, iterate->down,
                         values);
  for (gsize i = 0; i < n_pixels; i++)
    {
      float value = values[i];

      uphill += (double) (point[i] - value) * (value - image[i]);
      values[i] = value - image[i];
      image[i] = value;
    }
  inertia = uphill > 0.0 ? 0.0f : part->inertia;
  for (gsize i = 0; i < n_pixels; i++)
    point[i] = image[i] + inertia * values[i];
  return uphill > 0.0;
}

/**
 * prism_cpu_descent_run:
 * @telescope: with the measurements bound
 * @variation: of the same size
 * @iterate: what to go on from
 * @part: what to do
 * @result: (inout): what came out
 *
 * As PrismBackendOps.descend.
 *
 * Shape: @iterate's arrays [m][m].
 * Thread: engine.
 * Source: numerics.md, “Refinement”.
 */
void
prism_cpu_descent_run (PrismCpuTelescope *telescope,
                       PrismVariation *variation,
                       const PrismIterate *iterate,
                       const PrismPassPart *part,
                       PrismPassResult *result)
{
  const int m = prism_variation_get_size (variation);
  const gsize n_pixels = (gsize) m * m;
  double sum;

  if (part->begins)
    memset (iterate->slope, 0, n_pixels * sizeof (float));
  prism_cpu_telescope_add_misfit_gradient (telescope, iterate->point, part->terms, part->n_terms,
                                           iterate->slope, &result->misfit);
  result->finite = TRUE;
  result->moved = FALSE;
  result->uphill = FALSE;
  if (!part->ends)
    return;
  sum = result->misfit;
  for (gsize i = 0; i < n_pixels; i++)
    sum += iterate->slope[i];
  result->finite = isfinite (sum);
  result->moved = result->finite && !(result->misfit > part->most_misfit);
  if (result->moved)
    result->uphill = move_image (variation, iterate, part);
}
