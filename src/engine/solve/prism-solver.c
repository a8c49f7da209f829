#include "config.h"

#include "solve/prism-solver.h"

/**
 * prism_solver_free:
 * @self: (nullable): a method
 */
void
prism_solver_free (PrismSolver *self)
{
  if (self != NULL)
    self->kind->free (self);
}

/**
 * prism_solver_step:
 * @self: a method that is not done
 * @n_samples: how many measurements to visit at most, at least 1
 * @pass_done: (out): whether a pass ended with this step
 * @error: return location
 *
 * Visits some measurements of a pass.
 *
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_DEVICE_LOST, PRISM_ERROR_BACKEND.
 *
 * Returns: whether it went well
 */
gboolean
prism_solver_step (PrismSolver *self,
                   guint n_samples,
                   gboolean *pass_done,
                   GError **error)
{
  return self->kind->step (self, n_samples, pass_done, error);
}

/**
 * prism_solver_finish:
 * @self: a method
 *
 * Ends it where it is, for a user who does not want to wait: the better of what was reached is
 * kept.
 */
void
prism_solver_finish (PrismSolver *self)
{
  self->kind->finish (self);
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
  self->kind->move (self, backend);
}

/**
 * prism_solver_save:
 * @self: a method
 * @bundle: where to
 * @error: return location
 *
 * Adds the state at the beginning of the pass under way: its visits are then done again.
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: whether there was memory for it
 */
gboolean
prism_solver_save (PrismSolver *self,
                   PrismBundle *bundle,
                   GError **error)
{
  return self->kind->save (self, bundle, error);
}

/**
 * prism_solver_load:
 * @self: a method of the same kind, for the same run
 * @bundle: what prism_solver_save() added to
 * @error: return location
 *
 * Goes on from there, bit for bit.
 *
 * Errors: PRISM_ERROR_FORMAT; the method is then of no use.
 *
 * Returns: whether everything was good
 */
gboolean
prism_solver_load (PrismSolver *self,
                   PrismBundle *bundle,
                   GError **error)
{
  return self->kind->load (self, bundle, error);
}

/**
 * prism_solver_get_name:
 * @self: a method
 *
 * Returns: what the field calls it
 */
const char *
prism_solver_get_name (PrismSolver *self)
{
  return self->kind->name;
}

/**
 * prism_solver_is_done:
 * @self: a method
 *
 * Returns: whether no step is left
 */
gboolean
prism_solver_is_done (PrismSolver *self)
{
  return self->kind->is_done (self);
}

/**
 * prism_solver_get_pass:
 * @self: a method
 *
 * Returns: the number of passes done, all attempts together
 */
guint
prism_solver_get_pass (PrismSolver *self)
{
  return self->kind->get_pass (self);
}

/**
 * prism_solver_get_sample:
 * @self: a method
 *
 * Returns: the number of the measurement that comes next
 */
guint
prism_solver_get_sample (PrismSolver *self)
{
  return self->kind->get_sample (self);
}

/**
 * prism_solver_get_n_extra_passes:
 * @self: a method
 *
 * Returns: passes beyond those that the configuration asks for, once they are known to be needed
 */
guint
prism_solver_get_n_extra_passes (PrismSolver *self)
{
  return self->kind->get_n_extra_passes (self);
}

/**
 * prism_solver_get_misfit:
 * @self: a method
 *
 * Returns: Σ(|φ|-A)²/ΣA² of prism_solver_get_image(), NAN before it is known
 */
double
prism_solver_get_misfit (PrismSolver *self)
{
  return self->kind->get_misfit (self);
}

/**
 * prism_solver_get_image:
 * @self: a method
 *
 * The best image so far: it never falls back to that of a worse attempt.
 *
 * Shape: [m][m].
 *
 * Returns: (transfer none): the image, valid until the next step
 */
const float *
prism_solver_get_image (PrismSolver *self)
{
  return self->kind->get_image (self);
}
