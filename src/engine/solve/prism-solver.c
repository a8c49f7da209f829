#include "config.h"

#include "solve/prism-solver.h"

#include "base/prism-arena.h"
#include "num/prism-tuning.h"

/**
 * prism_solver_new:
 * @kind: which method
 * @backend: the device
 * @measurements: of the run
 * @error: return location
 *
 * Makes room for a method, which prism_solver_begin() begins.
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the method
 */
PrismSolver *
prism_solver_new (const PrismSolverKind *kind,
                  PrismBackend *backend,
                  PrismMeasurements *measurements,
                  GError **error)
{
  g_autoptr (PrismSolver) self = g_malloc0 (kind->size);

  self->kind = kind;
  self->backend = backend;
  self->measurements = measurements;
  self->n_pixels = backend->spec.object_size * backend->spec.object_size;
  return kind->init (self, error) ? g_steal_pointer (&self) : NULL;
}

/**
 * prism_solver_free:
 * @self: (nullable): a method
 */
void
prism_solver_free (PrismSolver *self)
{
  if (self == NULL)
    return;
  self->kind->clear (self);
  prism_arena_free_array (self->before);
  g_free (self);
}

/**
 * prism_solver_begin:
 * @self: a method that is new, or whose round is done or was given up
 * @spec: what is wanted; the measurements are all acquired once where there is a start image
 * @error: return location
 *
 * Begins, or where the method goes in rounds, begins the next one. A method that fails to is done.
 *
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_DEVICE_LOST, PRISM_ERROR_BACKEND.
 *
 * Returns: whether it has begun
 */
gboolean
prism_solver_begin (PrismSolver *self,
                    const PrismSolverSpec *spec,
                    GError **error)
{
  self->spec = *spec;
  self->spec.start = NULL;
  self->spec.live = NULL;
  if (self->kind->begin (self, spec, error))
    return TRUE;
  self->kind->finish (self);
  return FALSE;
}

/**
 * prism_solver_describe:
 * @self: a method
 *
 * Returns: where it is
 */
PrismSolverReport
prism_solver_describe (PrismSolver *self)
{
  PrismSolverReport report = { 0 };

  self->kind->describe (self, &report);
  return report;
}

/**
 * prism_solver_get_image:
 * @self: a method
 *
 * The best image so far: it never falls back to that of a worse attempt.
 *
 * Shape: [m][m].
 *
 * Returns: (transfer none) (nullable): the image, valid until the next step; %NULL before the first
 */
const float *
prism_solver_get_image (PrismSolver *self)
{
  return self->kind->get_image (self);
}

/**
 * prism_solver_new_image:
 * @self: a method
 * @error: return location
 *
 * Makes room for an image of the method.
 *
 * Shape: [m][m].
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): memory for prism_arena_free_array()
 */
float *
prism_solver_new_image (PrismSolver *self,
                        GError **error)
{
  return prism_arena_new_array (self->n_pixels * sizeof (float), "an image of the method", error);
}

/**
 * prism_solver_watch:
 * @self: a method with room for an image before
 * @image: (array): what its passes begin with
 *
 * Begins to see whether they still move the image.
 *
 * Shape: @image [m][m].
 */
void
prism_solver_watch (PrismSolver *self,
                    const float *image)
{
  self->n_watched = 0;
  self->window_change = 0.0;
  memcpy (self->before, image, self->n_pixels * sizeof (float));
}

/**
 * prism_solver_stands_still:
 * @self: a method that is watched
 * @image: (array): after another pass
 * @least: part of the image's norm that is a move
 *
 * A search gathers speed before it slows down: what moves little and then more has not arrived.
 *
 * Shape: @image [m][m].
 * Source: numerics.md, “Effort”.
 *
 * Returns: whether the last passes moved it by next to nothing
 */
gboolean
prism_solver_stands_still (PrismSolver *self,
                           const float *image,
                           double least)
{
  const double last = self->window_change;
  double change = 0.0, power = 0.0;

  if (++self->n_watched < prism_tuning_get_count (PRISM_TUNING_BRIEF_WINDOW))
    return FALSE;
  for (gsize i = 0; i < self->n_pixels; i++)
    {
      const double difference = image[i] - self->before[i];

      change += difference * difference;
      power += (double) image[i] * image[i];
    }
  prism_solver_watch (self, image);
  self->window_change = sqrt (change / MAX (power, G_MINDOUBLE));
  return self->window_change < last && self->window_change < least;
}

#define FIELD(...) PRISM_RECORD_FIELD (PrismSolver, __VA_ARGS__)

/* How it was begun, for live settings may have changed since, and whether it still moves. */
static const PrismRecordField fields[] = {
  FIELD (spec.n_passes, INTEGER, 1, G_MAXINT32),
  FIELD (spec.step_size, REAL),
  FIELD (spec.smoothness, REAL),
  FIELD (spec.questions, SWITCH),
  FIELD (settling.change, REAL),
  FIELD (settling.limit, REAL, 0, 1),
  FIELD (settling.kind, INTEGER, PRISM_SETTLING_OPEN, PRISM_SETTLING_MET),
  FIELD (n_watched, INTEGER),
  FIELD (window_change, REAL),
  { NULL },
};

static const PrismMethodState state = {
  "solver.json",
  fields,
  { PRISM_METHOD_PLANE (PrismSolver, "solver-before.npy", before, FALSE, TRUE) },
};

/**
 * prism_solver_save:
 * @self: a method that ends a run
 * @bundle: where to
 * @error: return location
 *
 * Adds how it was begun, and its state.
 *
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_DEVICE_LOST, PRISM_ERROR_BACKEND.
 * Thread: engine.
 *
 * Returns: whether it has been added
 */
gboolean
prism_solver_save (PrismSolver *self,
                   PrismBundle *bundle,
                   GError **error)
{
  const PrismSolverKind *kind = self->kind;
  const PrismBackendSpec *spec = &self->backend->spec;

  return prism_method_state_save (&state, self, "", spec, bundle, error)
         && prism_method_state_save (kind->state, self, "", spec, bundle, error)
         && (kind->save == NULL || kind->save (self, bundle, error));
}

/**
 * prism_solver_load:
 * @self: a method that was begun
 * @bundle: what prism_solver_save() added to
 * @error: return location
 *
 * Goes on from there. A method that was over before methods had this state in common, as that of
 * recorded frames, has none of it.
 *
 * Errors: PRISM_ERROR_FORMAT: it is then of no use.
 * Thread: engine.
 *
 * Returns: whether everything was good
 */
gboolean
prism_solver_load (PrismSolver *self,
                   PrismBundle *bundle,
                   GError **error)
{
  const PrismSolverKind *kind = self->kind;
  const PrismBackendSpec *spec = &self->backend->spec;

  return (!prism_bundle_has (bundle, state.numbers)
          || prism_method_state_load (&state, self, "", spec, bundle, error))
         && prism_method_state_load (kind->state, self, "", spec, bundle, error)
         && (kind->load == NULL || kind->load (self, bundle, error));
}
