#include "config.h"

#include "solve/prism-descent-private.h"

#include "base/prism-arena.h"
#include "base/prism-error.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Dimensions of this file: n = image_size, m = object_size, N = samples. */

#define MAX_VISITS 32     /* measurements of one step */
#define EARLY_OFFSET 0.1  /* of √ρ */
#define SUDDEN_CHANGE 0.1 /* of the exponent; a smaller one leaves the momentum */
/* The longest safe step is 1/(2·max Σ w·P) for any image; images that end at the object's square
 * smear that maximum out. 2.5 needs half as many passes, and 4 never diverged; should it, the
 * step is halved. */
#define STEP_FACTOR 2.5
#define MISFIT_OF_DIVERGENCE 2.0 /* times that of the pass before */
/* Weight of the total variation, with noise in multiples of what makes the image the most probable
 * one, without noise over twice the largest overlap. 64 px in 256 px, 10 dB, with 1 and 3: moon
 * r 10 40.9 and 42.8 dB, phantom r 10 41.8 and 44.6, photograph r 20 42.0 and 41.0; without noise
 * 1e-7 to 1e-6 are within 0.5 dB of each other, and 1e-5 is up to 4 dB worse. */
#define VARIATION_IN_NOISE 2.0
#define VARIATION 1e-6
#define LEAST_MEAN_VARIATION 1e-3 /* of an image that has next to none */
/* Factors of the total variation in the first of the passes that end a search. */
#define FIRST_SMOOTHNESS_IN_NOISE 4.0
#define FIRST_SMOOTHNESS 10.0
#define MISFIT_OF_ROUNDING 1e-13 /* Σ(|φ|-A)²/ΣA² that single precision leaves */

static gsize
count_pixels (PrismDescent *self)
{
  return (gsize) self->backend->spec.object_size * self->backend->spec.object_size;
}

static void
begin_pass (PrismDescent *self)
{
  self->sample = 0;
  self->misfit = 0.0;
  memset (self->gradient, 0, count_pixels (self) * sizeof (float));
}

static void
forget_momentum (PrismDescent *self)
{
  self->momentum = 1.0;
  self->last_misfit = NAN;
  memcpy (self->point, self->image, count_pixels (self) * sizeof (float));
}

/* Adds weight to overlap [n][n] where the mask is, and returns the largest sum there. */
static float
add_overlap (const PrismMask *mask,
             float weight,
             float *overlap)
{
  gsize n = mask->image_size;
  float largest = 0.0f;

  for (int y = 0; y < mask->height; y++)
    for (int x = 0; x < mask->width; x++)
      if (mask->bits[(gsize) y * mask->width + x])
        {
          float *sum = &overlap[(mask->y0 + y + n / 2) * n + mask->x0 + x + n / 2];

          *sum += weight;
          largest = MAX (largest, *sum);
        }
  return largest;
}

static gboolean
choose_step_size (PrismDescent *self,
                  GError **error)
{
  gsize n = self->backend->spec.image_size;
  float *overlap = prism_arena_new_array (n * n * sizeof (float), "the overlap", error);
  float largest = 0.0f;

  if (overlap == NULL)
    return FALSE;
  memset (overlap, 0, n * n * sizeof (float));
  for (guint i = 0; i < self->n_samples; i++)
    largest = MAX (largest, add_overlap (prism_measurements_get_mask (self->measurements, i),
                                         self->terms[i].weight, overlap));
  prism_arena_free_array (overlap);
  self->overlap = MAX (largest, FLT_MIN);
  self->step_size = STEP_FACTOR / (2.0 * self->overlap);
  return TRUE;
}

static double
get_weight (PrismDescent *self,
            guint i)
{
  double scale = self->estimates[i].scale;

  return scale > 0.0 ? pow (self->least_noise / scale, self->exponent) : 1.0;
}

/* With read noise the offset evens the noise out, and what is faint hardly counts any more: good
 * for the likeliest image, but not for the search of a basin, which begins with hardly any offset.
 * A bar target of 64 px in 256 px, r = 14, 20 dB of read noise, ends at 20 dB with the whole offset
 * from the beginning and at 37 dB without. */
static double
get_offset (PrismDescent *self,
            const PrismNoiseEstimate *estimate)
{
  if (self->exponent >= 1.0)
    return estimate->offset;
  return 0.25 * estimate->noise + EARLY_OFFSET * sqrt (estimate->read);
}

static void
fill_terms (PrismDescent *self)
{
  for (guint i = 0; i < self->n_samples; i++)
    {
      const PrismNoiseEstimate *estimate = &self->estimates[i];

      self->terms[i] = (PrismMisfitTerm) {
        .slot = i,
        .weight = (float) get_weight (self, i),
        .noise = (float) estimate->noise,
        .read = (float) estimate->read,
        .offset = (float) get_offset (self, estimate),
      };
    }
}

static gboolean
choose_weights (PrismDescent *self,
                GError **error)
{
  fill_terms (self);
  self->power = 0.0;
  for (guint i = 0; i < self->n_samples; i++)
    self->power += get_weight (self, i) * prism_measurements_get_energy (self->measurements, i);
  return choose_step_size (self, error);
}

/**
 * prism_descent_set_exponent:
 * @self: a descent with samples
 * @exponent: p of the weights (min v / v)^p: 0 for equal ones, 1 for the likeliest image
 * @error: return location
 *
 * Begins a pass in which the measurements are weighted by their noise, those that were added
 * included. The image goes on with its momentum unless the exponent changes by more than 0.1.
 *
 * Errors: PRISM_ERROR_MEMORY.
 * Thread: engine.
 * Source: numerics.md, “Refinement”.
 *
 * Returns: whether there was memory for it
 */
gboolean
prism_descent_set_exponent (PrismDescent *self,
                            double exponent,
                            GError **error)
{
  if (fabs (exponent - self->exponent) > SUDDEN_CHANGE)
    forget_momentum (self);
  self->exponent = exponent;
  self->last_misfit = NAN;
  begin_pass (self);
  return choose_weights (self, error);
}

static gboolean
allocate (PrismDescent *self,
          GError **error)
{
  float **arrays[] = { &self->image, &self->point, &self->gradient, &self->across, &self->down };
  guint n = prism_measurements_get_n (self->measurements);

  for (gsize i = 0; i < G_N_ELEMENTS (arrays); i++)
    {
      *arrays[i] = prism_arena_new_array (count_pixels (self) * sizeof (float),
                                          "the refined image", error);
      if (*arrays[i] == NULL)
        return FALSE;
    }
  self->estimates = g_new0 (PrismNoiseEstimate, n);
  self->terms = g_new0 (PrismMisfitTerm, n);
  return TRUE;
}

/**
 * prism_descent_new:
 * @backend: a device that has add_misfit_gradient
 * @measurements: of the run
 * @error: return location
 *
 * Makes a descent without samples, from a blank image.
 *
 * Errors: PRISM_ERROR_MEMORY.
 * Thread: engine.
 * Source: numerics.md, “Refinement”.
 *
 * Returns: (transfer full) (nullable): the descent
 */
PrismDescent *
prism_descent_new (PrismBackend *backend,
                   PrismMeasurements *measurements,
                   GError **error)
{
  g_autoptr (PrismDescent) self = g_new0 (PrismDescent, 1);

  self->backend = backend;
  self->measurements = measurements;
  self->smoothness = 1.0;
  self->variation = prism_variation_new (backend->spec.object_size, NULL, error);
  if (self->variation == NULL || !allocate (self, error))
    return NULL;
  prism_descent_set_image (self, NULL);
  return g_steal_pointer (&self);
}

/**
 * prism_descent_free:
 * @self: (nullable): a descent
 *
 * Thread: engine.
 */
void
prism_descent_free (PrismDescent *self)
{
  if (self == NULL)
    return;
  prism_variation_free (self->variation);
  prism_arena_free_array (self->image);
  prism_arena_free_array (self->point);
  prism_arena_free_array (self->gradient);
  prism_arena_free_array (self->across);
  prism_arena_free_array (self->down);
  g_free (self->estimates);
  g_free (self->terms);
  g_free (self);
}

/**
 * prism_descent_begin_pass:
 * @self: a descent whose state was restored
 *
 * Begins the pass with what the weights follow from.
 */
void
prism_descent_begin_pass (PrismDescent *self)
{
  fill_terms (self);
  begin_pass (self);
}

/**
 * prism_descent_add_samples:
 * @self: a descent
 * @n_samples: how many of the measurements take part from now on, the first ones; all acquired once
 * @error: return location
 *
 * Learns how strong the noise of new measurements is; prism_descent_set_exponent() lets them count.
 *
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_DEVICE_LOST, PRISM_ERROR_BACKEND.
 * Thread: engine.
 *
 * Returns: whether they take part
 */
gboolean
prism_descent_add_samples (PrismDescent *self,
                           guint n_samples,
                           GError **error)
{
  for (guint i = self->n_samples; i < n_samples; i++)
    if (!prism_measurements_estimate_noise (self->measurements, i, &self->estimates[i], error))
      return FALSE;
  self->n_samples = n_samples;
  self->least_noise = 0.0;
  for (guint i = 0; i < n_samples; i++)
    {
      double scale = self->estimates[i].scale;

      if (scale > 0.0 && (self->least_noise == 0.0 || scale < self->least_noise))
        self->least_noise = scale;
    }
  return TRUE;
}

/**
 * prism_descent_forget_samples:
 * @self: a descent
 *
 * Leaves no sample taking part: what is known of their noise no longer holds.
 *
 * Thread: engine.
 */
void
prism_descent_forget_samples (PrismDescent *self)
{
  self->n_samples = 0;
  begin_pass (self);
}

/**
 * prism_descent_repeat_pass:
 * @self: a descent
 *
 * Does the visits of the pass under way again: a pass must not see two exposures of its
 * measurements.
 *
 * Thread: engine.
 */
void
prism_descent_repeat_pass (PrismDescent *self)
{
  begin_pass (self);
}

/**
 * prism_descent_set_image:
 * @self: a descent
 * @image: (nullable) (array): where to begin, in [0, 1]; NULL for 0.5 everywhere
 *
 * Begins anew from an image.
 *
 * Shape: @image [m][m].
 * Thread: engine.
 */
void
prism_descent_set_image (PrismDescent *self,
                         const float *image)
{
  gsize n_pixels = count_pixels (self);

  for (gsize i = 0; i < n_pixels; i++)
    self->image[i] = image != NULL ? image[i] : 0.5f;
  memset (self->across, 0, n_pixels * sizeof (float));
  memset (self->down, 0, n_pixels * sizeof (float));
  forget_momentum (self);
  begin_pass (self);
}

/**
 * prism_descent_set_smoothness:
 * @self: a descent
 * @factor: at least 0; 1 by default
 *
 * Multiplies the weight of the total variation from the next pass on. More of it brings sooner what
 * was not measured, and less of it is nearer to the data in the end.
 *
 * Thread: engine.
 */
void
prism_descent_set_smoothness (PrismDescent *self,
                              double factor)
{
  self->smoothness = factor;
}

/**
 * prism_descent_cool:
 * @self: a descent with samples
 * @factor: at least 0; 1 by default
 * @pass: from 0
 * @n_passes: of those that end a search, at least 1
 *
 * Sets the total variation of one of the passes that end a search: it begins with more of it, to
 * fill what was not measured, and comes down to @factor. Without noise the last quarter has none:
 * the data are met exactly, and what was not measured stays where it is.
 *
 * Thread: engine.
 * Source: numerics.md, “Total variation”.
 */
void
prism_descent_cool (PrismDescent *self,
                    double factor,
                    guint pass,
                    guint n_passes)
{
  gboolean has_noise = prism_descent_has_noise (self);
  double first = has_noise ? FIRST_SMOOTHNESS_IN_NOISE : FIRST_SMOOTHNESS;

  self->smoothness = factor * prism_variation_cool (first, pass, n_passes);
  if (!has_noise && 4 * pass >= 3 * n_passes)
    self->smoothness = 0.0;
}

/* With noise that of the most probable image: |∇a| is distributed exponentially about its mean, the
 * measurements about the truth with the variance min v / 4 per unit of weight. */
static double
get_variation_weight (PrismDescent *self)
{
  double mean;

  if (self->least_noise <= 0.0)
    return self->smoothness * VARIATION * 2.0 * self->overlap;
  mean = prism_variation_get_mean (self->backend->spec.object_size, self->image);
  return self->smoothness * VARIATION_IN_NOISE * self->least_noise
         / MAX (mean, LEAST_MEAN_VARIATION);
}

/* One step of Nesterov's method, kept in [0, 1] and lowered in total variation (Beck and Teboulle,
 * 2009); the momentum is forgotten where it leads uphill (O'Donoghue and Candès, 2015). */
static void
update_image (PrismDescent *self)
{
  gsize n_pixels = count_pixels (self);
  double uphill = 0.0, next = 0.5 * (1.0 + sqrt (1.0 + 4.0 * self->momentum * self->momentum));
  float step = (float) self->step_size;
  float inertia = (float) ((self->momentum - 1.0) / next);
  float *values = self->gradient;

  for (gsize i = 0; i < n_pixels; i++)
    values[i] = self->point[i] - step * self->gradient[i];
  prism_variation_lower (self->variation, step * (float) get_variation_weight (self), self->across,
                         self->down, values);
  for (gsize i = 0; i < n_pixels; i++)
    {
      float value = values[i];

      uphill += (double) (self->point[i] - value) * (value - self->image[i]);
      values[i] = value - self->image[i];
      self->image[i] = value;
    }
  self->momentum = uphill > 0.0 ? 1.0 : next;
  for (gsize i = 0; i < n_pixels; i++)
    self->point[i] = self->image[i] + (uphill > 0.0 ? 0.0f : inertia * values[i]);
}

static gboolean
is_finite (PrismDescent *self)
{
  gsize n_pixels = count_pixels (self);
  double sum = self->misfit;

  for (gsize i = 0; i < n_pixels; i++)
    sum += self->gradient[i];
  return isfinite (sum);
}

static gboolean
end_pass (PrismDescent *self,
          GError **error)
{
  if (!is_finite (self))
    {
      g_set_error (error, PRISM_ERROR, PRISM_ERROR_BACKEND,
                   "The device returned numbers that are not finite in a pass of the refinement.");
      return FALSE;
    }
  self->exact = self->least_noise == 0.0 && self->misfit <= MISFIT_OF_ROUNDING * self->power;
  if (self->misfit > MISFIT_OF_DIVERGENCE * self->last_misfit
      && self->misfit > MISFIT_OF_ROUNDING * self->power)
    {
      self->step_size *= 0.5;
      forget_momentum (self);
    }
  else
    {
      self->last_misfit = self->misfit;
      update_image (self);
    }
  begin_pass (self);
  return TRUE;
}

/**
 * prism_descent_step:
 * @self: a descent with samples and weights
 * @n_samples: measurements to visit at most, at least 1; not for a device that takes steps at once
 * @pass_done: (out): whether a pass ended with this step
 * @error: return location
 *
 * Visits some measurements of a pass.
 *
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_DEVICE_LOST, PRISM_ERROR_BACKEND.
 * Thread: engine.
 *
 * Returns: whether it went well
 */
gboolean
prism_descent_step (PrismDescent *self,
                    guint n_samples,
                    gboolean *pass_done,
                    GError **error)
{
  guint samples[MAX_VISITS];

  *pass_done = FALSE;
  /* What is added up together must be the same in every run, to be rounded alike. */
  n_samples = self->backend->ops->chunk_size > 1 ? MAX_VISITS : n_samples;
  n_samples = CLAMP (n_samples, 1, MIN (self->n_samples - self->sample, MAX_VISITS));
  for (guint i = 0; i < n_samples; i++)
    samples[i] = self->sample + i;
  if (!prism_measurements_acquire_many (self->measurements, samples, &n_samples, error))
    return FALSE;
  self->backend->ops->add_misfit_gradient (self->backend, self->point, self->terms + self->sample,
                                           n_samples, self->gradient, &self->misfit);
  if (!self->backend->ops->finish (self->backend, error))
    return FALSE;
  self->sample += n_samples;
  if (self->sample < self->n_samples)
    return TRUE;
  *pass_done = TRUE;
  return end_pass (self, error);
}

/**
 * prism_descent_move:
 * @self: a descent
 * @backend: another device, to which the measurements have moved
 *
 * Goes on there from the last whole pass; the old device is not touched.
 *
 * Thread: engine.
 */
void
prism_descent_move (PrismDescent *self,
                    PrismBackend *backend)
{
  self->backend = backend;
  begin_pass (self);
}

/**
 * prism_descent_get_sample:
 * @self: a descent
 *
 * Returns: the number of the measurement that comes next
 */
guint
prism_descent_get_sample (PrismDescent *self)
{
  return self->sample;
}

/**
 * prism_descent_get_exponent:
 * @self: a descent
 *
 * Returns: the exponent of the weights
 */
double
prism_descent_get_exponent (PrismDescent *self)
{
  return self->exponent;
}

/**
 * prism_descent_get_misfit:
 * @self: a descent
 *
 * Returns: Σ w·Σ(H(|φ|)-T)² of the last whole pass; NAN before the first with these weights
 */
double
prism_descent_get_misfit (PrismDescent *self)
{
  return self->last_misfit;
}

/**
 * prism_descent_get_power:
 * @self: a descent
 *
 * Returns: Σ w·ΣA², what the misfit is measured by
 */
double
prism_descent_get_power (PrismDescent *self)
{
  return self->power;
}

/**
 * prism_descent_get_noise_misfit:
 * @self: a descent
 *
 * Returns: what noise leaves of the misfit of the truth with these weights; 0 without noise
 */
double
prism_descent_get_noise_misfit (PrismDescent *self)
{
  double sum = 0.0;

  for (guint i = 0; i < self->n_samples; i++)
    sum += self->terms[i].weight * self->estimates[i].misfit;
  return sum;
}

/**
 * prism_descent_has_noise:
 * @self: a descent with samples
 *
 * Returns: whether the camera has noise
 */
gboolean
prism_descent_has_noise (PrismDescent *self)
{
  return self->least_noise > 0.0;
}

/**
 * prism_descent_is_exact:
 * @self: a descent
 *
 * Returns: whether the last pass found nothing that single precision could still mend
 */
gboolean
prism_descent_is_exact (PrismDescent *self)
{
  return self->exact;
}

/**
 * prism_descent_get_image:
 * @self: a descent
 *
 * Shape: [m][m].
 *
 * Returns: (transfer none): the image after the last whole pass, valid until the next step
 */
const float *
prism_descent_get_image (PrismDescent *self)
{
  return self->image;
}

/**
 * prism_descent_has_read_noise:
 * @self: a descent with samples
 *
 * Returns: whether the camera has noise that does not depend on the light
 */
gboolean
prism_descent_has_read_noise (PrismDescent *self)
{
  return self->n_samples > 0 && self->estimates[0].read > 0.0;
}
