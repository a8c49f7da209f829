#include "config.h"

#include "solve/prism-solver.h"

#include "base/prism-arena.h"

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
  g_return_val_if_fail (spec->n_passes > 0, FALSE);

  self->spec = *spec;
  self->spec.start = NULL;
  self->spec.live = NULL;
  if (self->kind->begin (self, spec, error))
    return TRUE;
  self->kind->finish (self);
  return FALSE;
}

/**
 * prism_solver_move:
 * @self: a method
 * @backend: another device, to which the measurements have moved
 *
 * Goes on there from the last whole pass; the old device is not touched.
 */
void
prism_solver_move (PrismSolver *self,
                   PrismBackend *backend)
{
  self->backend = backend;
  self->kind->move (self);
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
  PrismSolverReport report = { .change = NAN };

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
 * prism_solver_get_second:
 * @self: a method that is done
 *
 * Shape: [m][m].
 *
 * Returns: (transfer none) (nullable): another image that explains the measurements as well as its
 * image does, where it looked for one and has found it
 */
const float *
prism_solver_get_second (PrismSolver *self)
{
  return self->kind->get_second != NULL ? self->kind->get_second (self) : NULL;
}

/**
 * prism_solver_get_phase:
 * @self: a method
 *
 * Shape: [m][m], rad.
 *
 * Returns: (transfer none) (nullable): the phase that belongs to its image, valid until the next
 * step; %NULL where the object is real
 */
PrismImage *
prism_solver_get_phase (PrismSolver *self)
{
  return self->kind->get_phase != NULL ? self->kind->get_phase (self) : NULL;
}

/**
 * prism_solver_get_finding:
 * @self: a method
 * @settled: whether it must be that of the very step; otherwise one of a moment ago will do, as it
 *   takes as long as a part of a pass
 *
 * Returns: (transfer none) (nullable): what it knows of recorded frames
 */
PrismFinding *
prism_solver_get_finding (PrismSolver *self,
                          gboolean settled)
{
  return self->kind->get_finding != NULL ? self->kind->get_finding (self, settled) : NULL;
}

/**
 * prism_solver_look_at:
 * @self: a method
 * @frame: number of a recorded frame
 *
 * Puts the frame and what is predicted of it into findings from now on.
 */
void
prism_solver_look_at (PrismSolver *self,
                      guint frame)
{
  if (self->kind->look_at != NULL)
    self->kind->look_at (self, frame);
}

/**
 * prism_solver_judge:
 * @self: a method that is done
 * @verdict: (out): what its frames say of it
 *
 * Returns: whether it judges itself, by frames that it has never used
 */
gboolean
prism_solver_judge (PrismSolver *self,
                    PrismVerdict *verdict)
{
  if (self->kind->judge == NULL)
    return FALSE;
  self->kind->judge (self, verdict);
  return TRUE;
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
  gsize m = self->backend->spec.object_size;
  g_autofree char *what = g_strdup_printf ("the %s image", self->kind->name);

  return prism_arena_new_array (m * m * sizeof (float), what, error);
}
