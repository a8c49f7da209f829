#include "config.h"

#include "base/prism-arena.h"
#include "base/prism-error.h"
#include "base/prism-number.h"
#include "base/prism-random.h"
#include "solve/prism-descent-private.h"

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
    return prism_error_set (error, PRISM_ERROR_BACKEND,
                            "The device returned an image of the refinement that is not finite.");
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

/* Which pixels of the frames a pass looks at.
 *
 * A field through a box of W columns has W frequencies in a row, its intensity 2W - 1: so many
 * points hold all of a frame that has no noise, and each pass looks at the same ones: the misfit of
 * others has another slope until the image is found, and a descent that meets another one in each
 * pass loses its momentum. Noise is another one in every pixel, and none where it is dark; so the
 * pixels are taken as they were recorded, every step-th one, and others of each frame in each pass,
 * until all have had their turn. What was recorded has noise, whether it is stated or not.
 *
 * Dimensions of this file: n = image_size, N = samples, q = n/step. */

#define PIXELS_AT_ONCE (1u << 22) /* of frames that are visited in one step: some milliseconds */
/* Of frames that are held small: so many times as many pixels as the transforms of the image, which
 * are taken once for all of them. */
#define PIXELS_OF_HELD 2
/* Points in a row that any device has transforms for. */
#define LEAST_SIDE 16

static gboolean
uses_samples (PrismBackend *backend)
{
  return backend->spec.samples && backend->ops->samples_frames;
}

/**
 * prism_descent_uses_samples:
 * @self: a descent
 *
 * Thread: engine.
 *
 * Returns: whether passes look at samples of the frames; else at the whole frames
 */
gboolean
prism_descent_uses_samples (PrismDescent *self)
{
  return uses_samples (self->backend)
         && (self->samples_noise || self->backend->spec.samples_noise
             || self->least_noise == 0.0);
}

/**
 * prism_descent_find_side:
 * @backend: a device
 * @measurements: of the run
 *
 * Finds out how many points hold a frame; with noise there are more, as each pass sees the noise of
 * its pixels alone. The boxes of all apertures have nearly the same sides; at the edge of the field
 * they are less.
 *
 * Thread: engine.
 *
 * Returns: points along each side that a pass looks at; n where it takes whole frames
 */
guint
prism_descent_find_side (PrismBackend *backend,
                         PrismMeasurements *measurements)
{
  const guint n = (guint) backend->spec.image_size;
  const guint held = prism_measurements_get_step (measurements);
  guint width = 1, side = LEAST_SIDE;

  if (!uses_samples (backend))
    return n;
  if (held > 0)
    return n / held;
  for (guint i = 0; i < measurements->n_measurements; i++)
    {
      const PrismMask *mask = prism_measurements_get_mask (measurements, i);
      const PrismMask *part = prism_mask_get_part (mask, 0);

      width = MAX (width, (guint) MAX (part->width, part->height));
    }
  while (side < MIN (2 * width - 1, n))
    side *= 2;
  if (prism_measurements_has_noise (measurements))
    side *= 2;
  return MIN (side, n);
}

static guint
get_step (PrismDescent *self)
{
  if (self->looks_at_all && prism_measurements_get_step (self->measurements) == 0)
    return 1;
  return (guint) self->backend->spec.image_size
         / prism_descent_find_side (self->backend, self->measurements);
}

/**
 * prism_descent_count_visits:
 * @self: a descent that uses samples
 *
 * What is added up together must be the same in every run, to be rounded alike.
 *
 * Returns: measurements to visit in one step
 */
guint
prism_descent_count_visits (PrismDescent *self)
{
  const guint step = get_step (self), side = (guint) self->backend->spec.image_size / step;
  guint n_visits = PIXELS_AT_ONCE / (side * side);

  if (prism_measurements_get_step (self->measurements) > 0)
    n_visits = MAX (n_visits, PIXELS_OF_HELD * step * step);
  return CLAMP (n_visits, PRISM_DESCENT_FEW_VISITS, PRISM_DESCENT_MOST_VISITS);
}

/* Neighbours in time are far from each other on the frame: the bits of a number that goes through
 * all offsets, in reverse, go to the two coordinates by turns. */
static void
choose_offset (PrismMisfitTerm *term,
               guint step,
               guint turn)
{
  term->step = step;
  term->offset_y = 0;
  term->offset_x = 0;
  for (guint bit = step / 2; bit > 0; bit /= 2, turn /= 4)
    {
      term->offset_y += turn & 1 ? bit : 0;
      term->offset_x += (turn ^ turn >> 1) & 1 ? bit : 0;
    }
}

/**
 * prism_descent_choose_samples:
 * @self: a descent that begins a pass
 *
 * Chooses the pixels of its terms; they follow from the number of the pass alone.
 *
 * Thread: engine.
 */
void
prism_descent_choose_samples (PrismDescent *self)
{
  const gboolean uses_samples = prism_descent_uses_samples (self);
  const guint step = uses_samples ? get_step (self) : 0;

  for (guint i = 0; i < self->n_samples; i++)
    {
      const guint32 counter[4] = { i }, key[2] = { 0 };
      guint32 words[4];

      if (step > 1)
        prism_random_philox (counter, key, words);
      choose_offset (&self->terms[i], step,
                     step > 1 && self->least_noise > 0.0 ? words[0] + self->pass : 0);
    }
}

/**
 * prism_descent_look_at:
 * @self: a descent with samples
 * @pass: a number that differs from pass to pass
 * @all: whether it looks at all pixels where there is noise, so that nothing depends on chance and
 *   misfits can be compared
 *
 * Says which pixels the pass that begins next looks at. Of no effect where whole frames are used.
 *
 * Thread: engine.
 */
void
prism_descent_look_at (PrismDescent *self,
                       guint pass,
                       gboolean all)
{
  self->looks_at_all = all && self->least_noise > 0.0;
  self->pass = pass;
}
