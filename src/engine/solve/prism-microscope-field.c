#include "config.h"

#include "solve/prism-microscope-field.h"

#include "base/prism-error.h"
#include "ptychography/prism-ptychography-device.h"
#include "ptychography/prism-ptychography-state.h"

#define OF_MIDDLE "middle-" /* before the names of its estimate */

/* What explains the tile under way, or the whole field, where it is not there yet. */
static gboolean
make_solver (PrismMicroscopeField *self,
             GError **error)
{
  const PrismRecording *recording = self->problem->recording;
  g_autoptr (PrismPtychography) solver = NULL;

  if (self->solver != NULL)
    return TRUE;
  if (self->mosaic != NULL)
    solver = prism_mosaic_new_solver (self->mosaic, self->tile, error);
  else
    solver = prism_ptychography_new (prism_ptychogram_ref (self->problem->frames),
                                     self->problem->settings, recording->wavelength,
                                     recording->na, error);
  if (solver == NULL
      || (self->mosaic == NULL && !prism_ptychography_start_load (solver, error)))
    return FALSE;
  self->solver = g_steal_pointer (&solver);
  return TRUE;
}

/**
 * prism_microscope_field_init:
 * @self: zeroes
 * @problem: its frames, which must stay
 *
 * Errors: PRISM_ERROR_MEMORY; those of prism_mosaic_new_solver().
 *
 * Returns: whether there is room for it
 */
gboolean
prism_microscope_field_init (PrismMicroscopeField *self,
                             PrismProblem *problem,
                             GError **error)
{
  self->problem = problem;
  self->n_tiles = prism_problem_get_n_tiles (problem);
  if (problem->mosaic != NULL)
    self->mosaic = prism_mosaic_new_planned (problem->mosaic);
  return make_solver (self, error);
}

/**
 * prism_microscope_field_clear:
 * @self: what to free
 */
void
prism_microscope_field_clear (PrismMicroscopeField *self)
{
  prism_microscope_field_leave (self);
  prism_mosaic_ahead_free (self->ahead);
  prism_ptychography_free (self->middle);
  prism_mosaic_free (self->mosaic);
  prism_bundle_free (self->of_middle);
  g_free (self->device);
  g_free (self->why_cpu);
}

/**
 * prism_microscope_field_is_ahead:
 *
 * Has other threads begin with tiles behind the one under way, unless a device takes the passes.
 *
 * Returns: whether another thread is at the one under way, or has done it
 */
gboolean
prism_microscope_field_is_ahead (PrismMicroscopeField *self)
{
  if (self->mosaic == NULL || self->solver != NULL || self->device != NULL)
    return FALSE;
  if (self->ahead == NULL)
    self->ahead = prism_mosaic_ahead_new (self->mosaic);
  prism_mosaic_ahead_begin (self->ahead, self->tile);
  return prism_mosaic_ahead_has (self->ahead, self->tile);
}

/**
 * prism_microscope_field_open:
 * @owner: says which device it is, and whether somebody insists on it
 *
 * Makes a solver for the tile under way, or the whole field, where there is none, and lets a device
 * take its passes. One that cannot leaves them to the CPU where nobody insists on it, and is not
 * tried again.
 *
 * Errors: those of prism_mosaic_new_solver() and prism_ptychography_device_open().
 *
 * Returns: whether it can begin
 */
gboolean
prism_microscope_field_open (PrismMicroscopeField *self,
                             const PrismSolver *owner,
                             GError **error)
{
  g_autoptr (GError) problem = NULL;

  if (!make_solver (self, error))
    return FALSE;
  self->is_open = TRUE;
  if (!prism_backend_can_be_lost (owner->backend->ops) || self->why_cpu != NULL)
    return TRUE;
  if (owner->spec.recorded == NULL)
    self->why_cpu = g_strdup ("the GPU's module does not know recorded frames.");
  else if (!prism_ptychography_device_open (self->solver, owner->spec.recorded, &problem))
    {
      if (owner->spec.insists)
        {
          g_propagate_error (error, g_steal_pointer (&problem));
          return FALSE;
        }
      self->why_cpu = g_strdup (problem->message);
    }
  return TRUE;
}

/**
 * prism_microscope_field_begin:
 * @self: one whose solver is open
 *
 * Finds what its passes begin with, unless they are done. The solver's watch may end that.
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: whether there is an object
 */
gboolean
prism_microscope_field_begin (PrismMicroscopeField *self,
                              GError **error)
{
  if (!prism_microscope_field_is_through (self) && !prism_ptychography_begin (self->solver))
    return FALSE;
  self->has_begun = TRUE;
  return prism_microscope_field_keep (self, error);
}

/**
 * prism_microscope_field_keep:
 * @self: one between two passes
 *
 * Keeps the estimate to go back to where the run is written down or finished in the middle of a
 * pass, and notes what took the passes.
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: whether it is kept
 */
gboolean
prism_microscope_field_keep (PrismMicroscopeField *self,
                             GError **error)
{
  const char *failure = prism_ptychography_device_get_failure (self->solver);
  g_autoptr (PrismBundle) whole = prism_bundle_new ();

  g_free (self->device);
  self->device = g_strdup (prism_ptychography_device_get_name (self->solver));
  if (failure != NULL)
    {
      g_free (self->why_cpu);
      self->why_cpu = g_strdup (failure);
    }
  if (!prism_ptychography_save (self->solver, whole, error))
    return FALSE;
  prism_bundle_free (self->whole);
  self->whole = g_steal_pointer (&whole);
  return TRUE;
}

/**
 * prism_microscope_field_is_through:
 * @self: one that has a solver
 *
 * Returns: whether its passes are all done
 */
gboolean
prism_microscope_field_is_through (const PrismMicroscopeField *self)
{
  return prism_ptychography_get_pass (self->solver)
         >= prism_ptychography_get_n_passes (self->solver);
}

/* It goes on to be what frames, pupil and lights are known from, and has no pass to take any more:
 * the device's memory is the next tile's. */
static void
take_middle (PrismMicroscopeField *self)
{
  self->middle = g_steal_pointer (&self->solver);
  prism_ptychography_device_close (self->middle);
  self->of_middle = g_steal_pointer (&self->whole);
}

/**
 * prism_microscope_field_add:
 * @self: of tiles, between two passes
 *
 * Puts the tile under way to the others and goes on to the next one, which has no solver yet.
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: whether it is there
 */
gboolean
prism_microscope_field_add (PrismMicroscopeField *self,
                            GError **error)
{
  if (!prism_mosaic_add (self->mosaic, self->tile, self->solver, error))
    return FALSE;
  if (self->tile == 0)
    take_middle (self);
  prism_microscope_field_leave (self);
  self->tile++;
  return TRUE;
}

/**
 * prism_microscope_field_leave:
 *
 * Drops what is known of the tile under way.
 */
void
prism_microscope_field_leave (PrismMicroscopeField *self)
{
  g_clear_pointer (&self->solver, prism_ptychography_free);
  g_clear_pointer (&self->whole, prism_bundle_free);
  self->has_begun = self->is_open = FALSE;
}

/**
 * prism_microscope_field_get_known:
 *
 * Returns: (transfer none) (nullable): what frames, pupil and lights are known from
 */
PrismPtychography *
prism_microscope_field_get_known (const PrismMicroscopeField *self)
{
  return self->middle != NULL ? self->middle : self->has_begun ? self->solver
                                                               : NULL;
}

/**
 * prism_microscope_field_save:
 * @bundle: where to
 *
 * Adds the tiles that are done, and the estimate of the one under way after its last whole pass.
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: whether it has been added
 */
gboolean
prism_microscope_field_save (const PrismMicroscopeField *self,
                             PrismBundle *bundle,
                             GError **error)
{
  if (self->tile > 0)
    {
      if (!prism_mosaic_save (self->mosaic, bundle, error))
        return FALSE;
      prism_bundle_add_bundle (bundle, self->of_middle, "", OF_MIDDLE);
    }
  if (self->whole != NULL)
    prism_bundle_add_bundle (bundle, self->whole, "", "");
  return TRUE;
}

static gboolean
load_solver (PrismMicroscopeField *self,
             PrismBundle *bundle,
             GError **error)
{
  return make_solver (self, error) && prism_ptychography_load (self->solver, bundle, error)
         && prism_microscope_field_keep (self, error);
}

static gboolean
load_tiles (PrismMicroscopeField *self,
            guint n_tiles,
            PrismBundle *bundle,
            GError **error)
{
  g_autoptr (PrismBundle) middle = prism_bundle_new ();

  prism_bundle_add_bundle (middle, bundle, OF_MIDDLE, "");
  if (!load_solver (self, middle, error)
      || !prism_mosaic_load (self->mosaic, n_tiles, bundle, error))
    return FALSE;
  take_middle (self);
  prism_microscope_field_leave (self);
  self->tile = n_tiles;
  return TRUE;
}

/**
 * prism_microscope_field_load:
 * @self: one that was just made, with tile and has_begun of when it was saved
 * @bundle: what prism_microscope_field_save() added to
 *
 * Goes on from there, to the same bits.
 *
 * Errors: PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY; those of prism_mosaic_new_solver(). It is of no
 * use then.
 *
 * Returns: whether everything was good
 */
gboolean
prism_microscope_field_load (PrismMicroscopeField *self,
                             PrismBundle *bundle,
                             GError **error)
{
  const guint n_tiles = self->tile;
  const gboolean has_begun = self->has_begun;

  self->tile = 0;
  self->has_begun = FALSE;
  if (n_tiles > (self->mosaic != NULL ? self->n_tiles : 0)
      || (n_tiles == self->n_tiles && has_begun))
    return prism_error_format (error,
                               "The run cannot be restored: it speaks of more tiles than there"
                               " are.");
  if ((n_tiles > 0 && !load_tiles (self, n_tiles, bundle, error))
      || (has_begun && !load_solver (self, bundle, error)))
    return FALSE;
  self->has_begun = has_begun;
  return TRUE;
}
