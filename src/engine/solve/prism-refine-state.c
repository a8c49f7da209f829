#include "config.h"

#include "base/prism-arena.h"
#include "base/prism-error.h"
#include "base/prism-record.h"
#include "solve/prism-refine-private.h"

#include <float.h>

/* A refinement as it is written down between two pieces of its work. m = object_size. */

#define FIELD(...) PRISM_RECORD_FIELD (PrismRefine, __VA_ARGS__)

static const PrismRecordField fields[] = {
  FIELD (attempt, INTEGER, ATTEMPT_FIRST, ATTEMPT_NONE),
  FIELD (stage, INTEGER, STAGE_SEARCH, STAGE_TAKE),
  FIELD (pass, INTEGER, 0, G_MAXINT32),
  FIELD (passes_before, INTEGER, 0, G_MAXINT32),
  FIELD (has_live, SWITCH, 0, 1),
  FIELD (has_waves, SWITCH, 0, 1),
  FIELD (smoothness, REAL, 0, DBL_MAX),
  FIELD (n_searches, INTEGER, 0, G_MAXINT32),
  FIELD (n_questions, INTEGER, 0, G_MAXINT32),
  FIELD (distance, REAL, 0, DBL_MAX),
  FIELD (best_misfit, REAL, 0, DBL_MAX),
  FIELD (best_power, REAL, 0, DBL_MAX),
  FIELD (shows_best, SWITCH, 0, 1),
  FIELD (is_from_search, SWITCH, 0, 1),
  FIELD (judged, REAL, 0, DBL_MAX),
  FIELD (explains, SWITCH, 0, 1),
  FIELD (change, REAL, 0, DBL_MAX),
  FIELD (limit, REAL, 0, 1),
  FIELD (is_still, SWITCH, 0, 1),
  FIELD (is_met, SWITCH, 0, 1),
  PRISM_RECORD_PART (PrismRefine, "n_watched", stillness.n, INTEGER, 0, G_MAXINT32, FALSE),
  PRISM_RECORD_PART (PrismRefine, "window_change", stillness.change, REAL, 0, DBL_MAX, FALSE),
  { NULL },
};

/**
 * prism_refine_ensure_alignment:
 * @self: a refinement
 * @error: return location
 *
 * Makes the alignment where there is none yet.
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: whether there is one
 */
gboolean
prism_refine_ensure_alignment (PrismRefine *self,
                               GError **error)
{
  if (self->alignment == NULL)
    self->alignment = prism_phase_sync_new (self->parent.backend, self->parent.measurements,
                                            self->parent.spec.seed, error);
  return self->alignment != NULL;
}

/**
 * prism_refine_save:
 * @solver: a refinement
 * @bundle: where to
 * @error: return location
 *
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_DEVICE_LOST, PRISM_ERROR_BACKEND.
 *
 * Returns: whether it has been added
 */
gboolean
prism_refine_save (PrismSolver *solver,
                   PrismBundle *bundle,
                   GError **error)
{
  PrismRefine *self = (PrismRefine *) solver;
  const gsize m = self->parent.backend->spec.object_size;

  prism_bundle_take_text (bundle, "refine.json", prism_record_to_text (fields, self));
  return (self->alignment == NULL || prism_phase_sync_save (self->alignment, bundle, error))
         && prism_bundle_add_plane (bundle, "refine-best.npy", self->best, m, error)
         && prism_bundle_add_plane (bundle, "refine-second.npy", self->second, m, error)
         && prism_bundle_add_plane (bundle, "refine-decoder.npy", self->decoder, m, error)
         && prism_bundle_add_plane (bundle, PRISM_STILLNESS_PLANE, self->stillness.before, m, error)
         && prism_descent_save (self->descent, bundle, "descent", error);
}

static gboolean
load_plane (PrismRefine *self,
            PrismBundle *bundle,
            const char *name,
            float **image,
            GError **error)
{
  if (!prism_bundle_has (bundle, name))
    return TRUE;
  if (*image == NULL)
    *image = prism_solver_new_image (&self->parent, error);
  return *image != NULL
         && prism_bundle_copy_plane (bundle, name, *image,
                                     (gsize) self->parent.backend->spec.object_size, error);
}

/**
 * prism_refine_load:
 * @solver: a refinement that was begun
 * @bundle: what prism_refine_save() added to
 * @error: return location
 *
 * Errors: PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY.
 *
 * Returns: whether it goes on from there, bit for bit
 */
gboolean
prism_refine_load (PrismSolver *solver,
                   PrismBundle *bundle,
                   GError **error)
{
  PrismRefine *self = (PrismRefine *) solver;
  const char *numbers = prism_bundle_get_text (bundle, "refine.json", error);
  const gboolean has_alignment = prism_bundle_has (bundle, PRISM_PHASE_SYNC_NUMBERS);

  if (numbers == NULL || !prism_record_parse (fields, self, numbers, "refine.json", error))
    return FALSE;
  g_clear_pointer (&self->decoder, prism_arena_free_array);
  if (!has_alignment && self->attempt != ATTEMPT_NONE
      && self->stage < STAGE_DESCEND)
    {
      g_set_error (error, PRISM_ERROR, PRISM_ERROR_FORMAT,
                   "refine.json speaks of a search, but there is none.");
      return FALSE;
    }
  return (!has_alignment
          || (prism_refine_ensure_alignment (self, error)
              && prism_phase_sync_load (self->alignment, bundle, error)))
         && prism_bundle_copy_plane (bundle, PRISM_STILLNESS_PLANE, self->stillness.before,
                                     (gsize) self->parent.backend->spec.object_size, error)
         && load_plane (self, bundle, "refine-best.npy", &self->best, error)
         && load_plane (self, bundle, "refine-second.npy", &self->second, error)
         && load_plane (self, bundle, "refine-decoder.npy", &self->decoder, error)
         && prism_descent_load (self->descent, bundle, "descent", error);
}
