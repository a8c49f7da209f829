#include "config.h"

#include "solve/prism-descent-private.h"

#include "base/prism-arena.h"
#include "base/prism-error.h"
#include "base/prism-number.h"

#include <math.h>
#include <string.h>

/* Where the image of a descent, its momentum and its dual field are. A device that works on the
 * host's arrays always has them there. One with memory of its own goes on from copies and is asked
 * for them only when somebody wants to see them, and now and then so that a device that fails takes
 * a few passes with it at most.
 *
 * Dimensions of this file: m = object_size. */

#define PASSES_TO_KEEP 16 /* until planes are fetched: 16 bytes a pixel in the time of so many */

static gsize
count_pixels (PrismDescent *self)
{
  return (gsize) self->backend->spec.object_size * self->backend->spec.object_size;
}

static gsize
count_bytes (PrismDescent *self)
{
  return count_pixels (self) * sizeof (float);
}

static gboolean
allocate (PrismDescent *self,
          PrismIterate *planes,
          GError **error)
{
  float **arrays[] = { &planes->image, &planes->point, &planes->across, &planes->down };

  for (gsize i = 0; i < G_N_ELEMENTS (arrays); i++)
    {
      if (*arrays[i] == NULL)
        *arrays[i] = prism_arena_new_array (count_bytes (self), "the refined image", error);
      if (*arrays[i] == NULL)
        return FALSE;
    }
  return TRUE;
}

static void
free_all (PrismIterate *planes)
{
  prism_arena_free_array (planes->image);
  prism_arena_free_array (planes->point);
  prism_arena_free_array (planes->across);
  prism_arena_free_array (planes->down);
  prism_arena_free_array (planes->slope);
}

/**
 * prism_descent_allocate_planes:
 * @self: a descent
 * @error: return location
 *
 * Errors: PRISM_ERROR_MEMORY.
 * Thread: engine.
 *
 * Returns: whether there was memory for what every device needs
 */
gboolean
prism_descent_allocate_planes (PrismDescent *self,
                               GError **error)
{
  return allocate (self, &self->planes, error);
}

/**
 * prism_descent_free_planes:
 * @self: a descent
 *
 * Thread: engine.
 */
void
prism_descent_free_planes (PrismDescent *self)
{
  free_all (&self->planes);
  free_all (&self->arriving);
}

/**
 * prism_descent_set_planes:
 * @self: a descent
 * @image: (nullable) (array): where to begin; NULL for 0.5 everywhere
 *
 * Lets everything that was go.
 *
 * Shape: @image [m][m].
 * Thread: engine.
 */
void
prism_descent_set_planes (PrismDescent *self,
                          const float *image)
{
  gsize n_pixels = count_pixels (self);

  for (gsize i = 0; i < n_pixels; i++)
    self->planes.image[i] = image != NULL ? image[i] : 0.5f;
  memset (self->planes.across, 0, count_bytes (self));
  memset (self->planes.down, 0, count_bytes (self));
  self->is_put = FALSE;
  self->restarts = FALSE;
  self->n_ahead = 0;
  self->n_owed = 0;
}

/**
 * prism_descent_restart:
 * @self: a descent between two passes
 *
 * Lets the next pass begin without momentum.
 *
 * Thread: engine.
 */
void
prism_descent_restart (PrismDescent *self)
{
  self->restarts = TRUE;
  if (self->n_ahead == 0)
    memcpy (self->planes.point, self->planes.image, count_bytes (self));
}

static gboolean
has_copies (PrismDescent *self)
{
  return self->backend->ops->put_iterate != NULL;
}

/**
 * prism_descent_put:
 * @self: a descent
 * @error: return location
 *
 * Makes sure that the device has what it goes on from.
 *
 * Errors: PRISM_ERROR_MEMORY.
 * Thread: engine.
 *
 * Returns: whether there was memory for it
 */
gboolean
prism_descent_put (PrismDescent *self,
                   GError **error)
{
  if (!has_copies (self) && self->planes.slope == NULL)
    self->planes.slope = prism_arena_new_array (count_bytes (self), "the refined image", error);
  if (!has_copies (self))
    return self->planes.slope != NULL;
  if (self->is_put)
    return TRUE;
  if (!allocate (self, &self->arriving, error))
    return FALSE;
  self->backend->ops->put_iterate (self->backend, &self->planes);
  self->is_put = TRUE;
  return TRUE;
}

static gboolean
is_finite (PrismDescent *self,
           const PrismIterate *planes)
{
  gsize n_pixels = count_pixels (self);

  return prism_finite_all (planes->image, n_pixels) && prism_finite_all (planes->point, n_pixels)
         && prism_finite_all (planes->across, n_pixels)
         && prism_finite_all (planes->down, n_pixels);
}

/* The planes that have arrived take the place of the old ones, but for the place on the device. */
static void
take_arrived (PrismDescent *self)
{
  PrismIterate planes = self->planes;

  self->planes = self->arriving;
  self->arriving = planes;
  self->planes.slope = planes.slope;
  self->arriving.slope = NULL;
  self->n_ahead = 0;
  self->has_image = FALSE;
  if (self->restarts)
    memcpy (self->planes.point, self->planes.image, count_bytes (self));
}

/**
 * prism_descent_fetch:
 * @self: a descent between two passes
 * @error: return location
 *
 * Brings everything to the host; what was there stays until all of it has arrived.
 *
 * Errors: PRISM_ERROR_DEVICE_LOST, PRISM_ERROR_BACKEND.
 * Thread: engine.
 *
 * Returns: whether the host has the state after the last whole pass
 */
gboolean
prism_descent_fetch (PrismDescent *self,
                     GError **error)
{
  gboolean arrived;

  if (self->n_ahead == 0)
    return TRUE;
  self->arriving.place = self->planes.place;
  arrived = self->backend->ops->get_iterate (self->backend, &self->arriving);
  self->has_image = FALSE;
  if (!self->backend->ops->finish (self->backend, error))
    return FALSE;
  if (!arrived || !is_finite (self, &self->arriving))
    {
      g_set_error (error, PRISM_ERROR, PRISM_ERROR_BACKEND,
                   "The device returned an image of the refinement that is not finite.");
      return FALSE;
    }
  take_arrived (self);
  return TRUE;
}

/**
 * prism_descent_note_pass:
 * @self: a descent that has ended a pass, with momentum and last_misfit of the one before
 * @error: return location
 *
 * Takes note of what the device is ahead by, and fetches it when that is much.
 *
 * Errors: PRISM_ERROR_DEVICE_LOST, PRISM_ERROR_BACKEND.
 * Thread: engine.
 *
 * Returns: whether it went well
 */
gboolean
prism_descent_note_pass (PrismDescent *self,
                         GError **error)
{
  self->has_image = FALSE;
  if (!has_copies (self))
    return TRUE;
  if (self->n_ahead == 0)
    {
      self->kept_momentum = self->momentum;
      self->kept_misfit = self->last_misfit;
    }
  self->n_ahead++;
  return self->n_ahead < PASSES_TO_KEEP || prism_descent_fetch (self, error);
}

/**
 * prism_descent_leave_device:
 * @self: a descent whose device is given up
 *
 * Goes on from what the host has: passes that the device was ahead by are owed.
 *
 * Thread: engine.
 */
void
prism_descent_leave_device (PrismDescent *self)
{
  self->is_put = FALSE;
  self->has_image = FALSE;
  if (self->n_ahead == 0)
    return;
  self->n_owed += self->n_ahead;
  self->n_ahead = 0;
  self->momentum = isnan (self->kept_misfit) ? 1.0 : self->kept_momentum;
  self->last_misfit = self->kept_misfit;
  self->restarts = FALSE;
  if (isnan (self->kept_misfit))
    prism_descent_restart (self);
}

/**
 * prism_descent_get_image:
 * @self: a descent
 *
 * Where the device cannot give it any more this is an earlier one; the next step tells.
 *
 * Shape: [m][m].
 * Thread: engine.
 *
 * Returns: (transfer none): the image after the last whole pass, valid until the next step
 */
const float *
prism_descent_get_image (PrismDescent *self)
{
  const PrismIterate wanted = { .place = self->planes.place, .image = self->arriving.image };

  if (self->n_ahead == 0)
    return self->planes.image;
  if (!self->has_image)
    self->has_image = self->backend->ops->get_iterate (self->backend, &wanted)
                      && prism_finite_all (wanted.image, count_pixels (self));
  return self->has_image ? wanted.image : self->planes.image;
}
