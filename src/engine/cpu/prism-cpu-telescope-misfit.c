#include "config.h"

#include "cpu/prism-cpu-telescope-private.h"

static gboolean
add_term (PrismCpuTelescope *self,
          const PrismMisfitTerm *term)
{
  const PrismCpuTelescopeSlot *slot = &self->slots[term->slot];
  PrismPixelKind kind = term->noise > 0.0f ? PRISM_PIXEL_L2_NOISY : PRISM_PIXEL_L2_AMPLITUDE;

  if (slot->mask->height == 0)
    return TRUE;
  if (!prism_cpu_telescope_add_view (self, slot->mask, slot->target, kind, 2.0f * term->weight))
    return FALSE;
  self->views[self->n_views - 1].noise = term->noise;
  return TRUE;
}

/* What the kernels do not do by themselves. */
static gboolean
is_special (PrismCpuTelescope *self,
            const PrismMisfitTerm *term)
{
  const PrismMask *mask = self->slots[term->slot].mask;

  return mask->n_parts > 0 || (term->read > 0.0f && mask->height > 0);
}

/* Returns its misfit. */
static double
add_special_term (PrismCpuTelescope *self,
                  const PrismMisfitTerm *term,
                  float *gradient)
{
  PrismCpuTelescopeSlot *slot = &self->slots[term->slot];
  const gboolean noisy = term->noise > 0.0f || term->read > 0.0f;
  const PrismCpuTelescopeComparison comparison = {
    .mask = slot->mask,
    .target = slot->target,
    .kind = noisy ? PRISM_PIXEL_L2_NOISY : PRISM_PIXEL_L2_AMPLITUDE,
    .noise = term->noise,
    .expect = prism_cpu_telescope_ensure_expect (slot, term),
  };
  double sums[2];

  prism_cpu_telescope_add_parts (self, &comparison, 2.0f * term->weight, TRUE, gradient, sums);
  return term->weight * sums[0];
}

/* The terms first … end-1, whose views have been visited. */
static double
sum_misfits (PrismCpuTelescope *self,
             const PrismMisfitTerm *terms,
             guint first,
             guint end)
{
  double misfit = 0.0;
  guint view = 0;

  for (guint i = first; i < end; i++)
    {
      const PrismCpuTelescopeSlot *slot = &self->slots[terms[i].slot];
      double sums[2] = { slot->mean_square * self->image_size * self->image_size, 0.0 };

      if (slot->mask->height > 0)
        prism_cpu_telescope_get_sums (self, view++, sums);
      misfit += terms[i].weight * sums[0];
    }
  return misfit;
}

/**
 * prism_cpu_telescope_add_misfit_gradient:
 * @self: a telescope
 * @image: (array): an estimate of the object
 * @terms: (array length=n_terms): measurements that are bound, weights and noise
 * @n_terms: number of terms
 * @gradient: (array) (inout): the derivative of what is added to @misfit is added to it
 * @misfit: (inout): Σ w·Σ(H(|φ|)-T)² is added to it
 *
 * How far an image is from explaining some measurements, and where it would have to go.
 *
 * Shape: @image and @gradient [m][m].
 * Thread: engine.
 * Source: numerics.md, “Refinement”.
 */
void
prism_cpu_telescope_add_misfit_gradient (PrismCpuTelescope *self,
                                         const float *image,
                                         const PrismMisfitTerm *terms,
                                         guint n_terms,
                                         float *gradient,
                                         double *misfit)
{
  gboolean transformed = FALSE;

  for (guint first = 0, end = 0; first < n_terms; first = end)
    {
      if (prism_cpu_telescope_takes_samples (self, &terms[first]))
        {
          while (end < n_terms && prism_cpu_telescope_takes_samples (self, &terms[end]))
            end++;
          prism_cpu_telescope_add_samples (self, image, terms + first, end - first, gradient,
                                           misfit);
          transformed = FALSE;
          continue;
        }
      if (!transformed)
        prism_cpu_telescope_transform_image (self, image);
      transformed = TRUE;
      if (is_special (self, &terms[first]))
        {
          *misfit += add_special_term (self, &terms[end++], gradient);
          continue;
        }
      prism_cpu_telescope_clear_views (self);
      while (end < n_terms && !is_special (self, &terms[end])
             && !prism_cpu_telescope_takes_samples (self, &terms[end])
             && add_term (self, &terms[end]))
        end++;
      prism_cpu_telescope_expand_views (self);
      prism_cpu_telescope_visit_views (self);
      prism_cpu_telescope_reduce_views (self);
      prism_cpu_telescope_restore_views (self, TRUE, gradient);
      *misfit += sum_misfits (self, terms, first, end);
    }
}
