#include "config.h"

#include "num/prism-tuning.h"
#include "solve/prism-refine-private.h"

#include <string.h>

/* What the attempts of a refinement have in common: how long they last, what is kept. */

/**
 * prism_refine_count_pixels:
 * @self: a refinement
 *
 * Returns: m²
 */
gsize
prism_refine_count_pixels (PrismRefine *self)
{
  return (gsize) self->parent.backend->spec.object_size * self->parent.backend->spec.object_size;
}

/**
 * prism_refine_has_clean_fields:
 * @self: a refinement
 *
 * Returns: whether the image under way is that of fields that are exact
 */
gboolean
prism_refine_has_clean_fields (PrismRefine *self)
{
  return self->is_aligned && !prism_descent_has_noise (self->descent);
}

/**
 * prism_refine_has_noisy_fields:
 * @self: a refinement
 *
 * Returns: whether it is that of fields with noise
 */
gboolean
prism_refine_has_noisy_fields (PrismRefine *self)
{
  return self->is_aligned && prism_descent_has_noise (self->descent);
}

/**
 * prism_refine_stops_early:
 * @self: a refinement
 *
 * Returns: whether the attempt may have fewer passes than planned, where nothing moves any more
 */
gboolean
prism_refine_stops_early (PrismRefine *self)
{
  return self->attempt == PRISM_ATTEMPT_FINAL && (self->parent.spec.is_brief || self->is_aligned);
}

/**
 * prism_refine_runs_on:
 * @self: a refinement
 *
 * Returns: whether it has more than planned, until nothing moves any more
 */
gboolean
prism_refine_runs_on (PrismRefine *self)
{
  return self->attempt == PRISM_ATTEMPT_FINAL && self->parent.spec.until > 0.0
         && self->n_questions == 0;
}

/**
 * prism_refine_count_passes:
 * @self: a refinement
 *
 * Returns: passes of the attempt under way, at most
 */
guint
prism_refine_count_passes (PrismRefine *self)
{
  const guint planned = prism_refine_count_planned (self);

  if (prism_refine_runs_on (self))
    return MAX (planned, PRISM_SOLVER_MOST_PASSES);
  return planned;
}

/**
 * prism_refine_count_planned:
 * @self: a refinement
 *
 * Returns: passes of the attempt under way that its weights and its smoothness are planned for
 */
guint
prism_refine_count_planned (PrismRefine *self)
{
  if (self->attempt == PRISM_ATTEMPT_LIVE)
    return PRISM_REFINE_PASSES_OF_LIVE;
  if (prism_refine_stops_early (self))
    return prism_tuning_get_count (prism_refine_has_clean_fields (self) ? PRISM_TUNING_ALIGN_FINAL
                                                                        : PRISM_TUNING_BRIEF_FINAL)
           * self->parent.spec.n_passes;
  if (self->attempt == PRISM_ATTEMPT_ALIGN)
    return 1 + prism_tuning_get_count (PRISM_TUNING_ALIGN_ITERATIONS)
           + prism_tuning_get_count (PRISM_TUNING_ALIGN_AGAIN);
  if (self->attempt == PRISM_ATTEMPT_SETTLE)
    return prism_tuning_get_count (PRISM_TUNING_SETTLE_ROUNDS) + 1;
  if (self->attempt == PRISM_ATTEMPT_FILL)
    return prism_tuning_get_count (PRISM_TUNING_FILL_PASSES) * self->parent.spec.n_passes;
  if (self->attempt == PRISM_ATTEMPT_LONG)
    return prism_tuning_get_count (PRISM_TUNING_REFINE_LONG) * self->parent.spec.n_passes;
  return self->parent.spec.n_passes;
}

/**
 * prism_refine_get_most_misfit:
 * @self: a refinement without noise
 *
 * An image that fields led to is in the right basin, and its misfit falls for a long time; one that
 * passes alone have led to may be stuck with the same misfit.
 *
 * Returns: what a right image leaves of Σ A² at most
 */
double
prism_refine_get_most_misfit (PrismRefine *self)
{
  return prism_tuning_get (self->is_aligned ? PRISM_TUNING_ALIGN_EXPLAINED
                                            : PRISM_TUNING_BRIEF_EXPLAINED);
}

/**
 * prism_refine_keep:
 * @self: a refinement
 *
 * Makes the image of the descent the best one.
 */
void
prism_refine_keep (PrismRefine *self)
{
  memcpy (self->best, prism_descent_get_image (self->descent),
          prism_refine_count_pixels (self) * sizeof (float));
  self->best_misfit = prism_descent_get_misfit (self->descent);
  self->best_power = prism_descent_get_power (self->descent);
  self->best_is_live = self->attempt == PRISM_ATTEMPT_LIVE;
  self->is_rescued = prism_refine_has_noisy_fields (self);
}

/**
 * prism_refine_keep_nearer:
 * @self: a refinement
 *
 * The same where its misfit is less.
 */
void
prism_refine_keep_nearer (PrismRefine *self)
{
  if (!(prism_descent_get_misfit (self->descent) >= self->best_misfit))
    prism_refine_keep (self);
}
