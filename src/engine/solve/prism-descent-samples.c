#include "config.h"

#include "base/prism-random.h"
#include "solve/prism-descent.h"

/* Which pixels of the frames a pass looks at.
 *
 * A field through a box of W columns has W frequencies in a row, its intensity 2W - 1: so many
 * points hold all of a frame that has no noise, and each pass looks at the same ones: the misfit of
 * others has another slope until the image is found, and a descent that meets another one in each
 * pass loses its momentum. Noise is another one in every pixel, and none where it is dark; so the
 * pixels are taken as they were recorded, every step-th one, and others of each frame in each pass,
 * until all have had their turn. What was recorded has noise, whether it is stated or not.
 *
 * n = image_size, N = samples, q = n/step. */

/* Of frames that are visited in one step, which takes some milliseconds: of samples, and of whole
 * frames on a device that takes many at once, and on a processor. */
#define PIXELS_OF_SAMPLES (1u << 22)
#define PIXELS_AT_ONCE (1u << 28)
#define PIXELS_ON_CPU (1u << 23)
#define FEW_VISITS 32
/* Of frames that are held small: so many times as many pixels as the transforms of the image, which
 * are taken once for all of them. */
#define PIXELS_OF_HELD 2
/* Points in a row that any device has transforms for. */
#define LEAST_SIDE 16

static gboolean
can_sample (PrismBackend *backend)
{
  return backend->spec.samples && backend->ops->samples_frames;
}

/* Passes look at samples of the frames; else at the whole frames. */
static gboolean
uses_samples (PrismDescent *self)
{
  return can_sample (self->backend)
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
  const guint n = backend->spec.image_size;
  const guint held = prism_measurements_get_step (measurements);
  guint width = 1, side = LEAST_SIDE;

  if (!can_sample (backend))
    return n;
  if (held > 0)
    return n / held;
  for (guint i = 0; i < measurements->n_measurements; i++)
    {
      const PrismMask *mask = prism_measurements_get_mask (measurements, i);
      const PrismMask *part = prism_mask_get_part (mask, 0);

      width = MAX (width, MAX (part->width, part->height));
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
  return self->backend->spec.image_size
         / prism_descent_find_side (self->backend, self->measurements);
}

/**
 * prism_descent_count_visits:
 * @self: a descent with samples
 *
 * What is added up together must be the same in every run, to be rounded alike; on a processor it
 * is some milliseconds of work, so that a pause does not wait.
 *
 * Returns: measurements to visit in one step
 */
guint
prism_descent_count_visits (PrismDescent *self)
{
  const gboolean samples = uses_samples (self), is_host = self->backend->ops->chunk_size <= 1;
  const guint step = samples ? get_step (self) : 1;
  const guint side = self->backend->spec.image_size / step;
  guint n_visits
      = (samples ? PIXELS_OF_SAMPLES : is_host ? PIXELS_ON_CPU
                                               : PIXELS_AT_ONCE)
        / (side * side);

  if (!samples && is_host)
    return CLAMP (n_visits, 1, FEW_VISITS);
  if (samples && prism_measurements_get_step (self->measurements) > 0)
    n_visits = MAX (n_visits, PIXELS_OF_HELD * step * step);
  return CLAMP (n_visits, FEW_VISITS, PRISM_DESCENT_MOST_VISITS);
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
  const guint step = uses_samples (self) ? get_step (self) : 0;

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
