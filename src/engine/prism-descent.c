#include "config.h"

#include "prism-descent.h"

#include "prism-arena.h"
#include "prism-error.h"
#include "prism-record.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Dimensions of this file: n = image_size, m = object_size, N = samples. */

#define MAX_VISITS 32 /* measurements of one step */
/* The longest safe step is 1/(2·max Σ w·P) for any image; images that end at the object's square
 * smear that maximum out. 2.5 needs half as many passes, and 4 never diverged; should it, the
 * step is halved. */
#define N_COLUMNS 5      /* of the saved noise */
#define EARLY_OFFSET 0.1 /* of √ρ */
#define STEP_FACTOR 2.5
#define MISFIT_OF_DIVERGENCE 2.0 /* times that of the pass before */
#define MISFIT_OF_ROUNDING 1e-13 /* Σ(|φ|-A)²/ΣA² that single precision leaves */
/* The variance of the decoder's image about the truth, over its mean square distance from the
 * image that explains the data: part of its errors cannot be seen in them. Between 2 and 20 the
 * result moves by 0.3 dB. */
#define ANCHOR_VARIANCE 4.0
#define FIELD(member, type, minimum, maximum)                                                    \
  {                                                                                              \
#member, PRISM_RECORD_##type, G_STRUCT_OFFSET(PrismDescent, member), minimum, maximum, FALSE \
  }

struct _PrismDescent
{
  PrismBackend *backend;
  PrismMeasurements *measurements;
  guint n_samples; /* that take part: the first ones */
  guint sample;    /* next measurement of the pass */
  double exponent; /* of the weights: (min v / v)^exponent */
  double step_size;
  double momentum;               /* t of Nesterov's sequence */
  double hold;                   /* factor of image - anchor in the gradient */
  double misfit;                 /* Σ w·Σ(H(|φ|)-T)² so far in this pass */
  double last_misfit;            /* of the last whole pass; NAN before */
  double power;                  /* Σ w·ΣA² */
  double least_noise;            /* min v, 0 without noise */
  gboolean exact;                /* the last pass found nothing that single precision could mend */
  PrismNoiseEstimate *estimates; /* [N] */
  PrismMisfitTerm *terms;        /* [N] */
  float *image;                  /* [m][m] after the last whole pass */
  float *point;                  /* [m][m] where the gradient is taken: image and momentum */
  float *gradient;               /* [m][m] of the pass under way */
  float *anchor;                 /* [m][m] what noise holds the image to */
};

/* What decides how a pass that begins goes on, beside the images. */
static const PrismRecordField fields[] = {
  FIELD (n_samples, INTEGER, 0, G_MAXINT32),
  FIELD (exponent, REAL, 0, 1),
  FIELD (step_size, REAL, 0, DBL_MAX),
  FIELD (momentum, REAL, 1, DBL_MAX),
  FIELD (hold, REAL, 0, DBL_MAX),
  FIELD (last_misfit, REAL, 0, DBL_MAX),
  FIELD (power, REAL, 0, DBL_MAX),
  FIELD (least_noise, REAL, 0, DBL_MAX),
  FIELD (exact, SWITCH, 0, 1),
  { NULL },
};

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
  self->step_size = 1.0 / (2.0 * MAX (largest, FLT_MIN) / STEP_FACTOR + self->hold);
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
 * Weights the measurements by their noise from the next pass on, which begins without momentum.
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
  self->exponent = exponent;
  begin_pass (self);
  forget_momentum (self);
  return choose_weights (self, error);
}

/**
 * prism_descent_update_weights:
 * @self: a descent with samples
 * @error: return location
 *
 * Lets samples that were added count from now on, in a new pass; the image goes on with its
 * momentum.
 *
 * Errors: PRISM_ERROR_MEMORY.
 * Thread: engine.
 *
 * Returns: whether there was memory for it
 */
gboolean
prism_descent_update_weights (PrismDescent *self,
                              GError **error)
{
  begin_pass (self);
  self->last_misfit = NAN;
  return choose_weights (self, error);
}

static gboolean
allocate (PrismDescent *self,
          GError **error)
{
  float **arrays[] = { &self->image, &self->point, &self->gradient, &self->anchor };
  guint n = prism_measurements_get_n (self->measurements);

  for (gsize i = 0; i < G_N_ELEMENTS (arrays); i++)
    {
      *arrays[i] = prism_arena_new_array (count_pixels (self) * sizeof (float),
                                          "the refined image", error);
      if (*arrays[i] == NULL)
        return FALSE;
    }
  /* Without hold it does not count, but a product with what is not finite would. */
  memset (self->anchor, 0, count_pixels (self) * sizeof (float));
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
  if (!allocate (self, error))
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
  prism_arena_free_array (self->image);
  prism_arena_free_array (self->point);
  prism_arena_free_array (self->gradient);
  prism_arena_free_array (self->anchor);
  g_free (self->estimates);
  g_free (self->terms);
  g_free (self);
}

/**
 * prism_descent_add_samples:
 * @self: a descent
 * @n_samples: how many of the measurements take part from now on, the first ones; all acquired once
 * @error: return location
 *
 * Learns how strong the noise of new measurements is; prism_descent_set_exponent() or
 * prism_descent_update_weights() lets them count.
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
  forget_momentum (self);
  begin_pass (self);
}

/**
 * prism_descent_hold:
 * @self: a descent with samples
 * @anchor: (array): the decoder's image
 * @best: (array): the image that explains the data best
 *
 * Has noise hold the image to the decoder's from the next prism_descent_set_exponent() on: what it
 * hides keeps that answer, with Gaussian errors about it.
 *
 * Shape: @anchor and @best [m][m].
 * Thread: engine.
 */
void
prism_descent_hold (PrismDescent *self,
                    const float *anchor,
                    const float *best)
{
  gsize n_pixels = count_pixels (self);
  double sum = 0.0;

  memcpy (self->anchor, anchor, n_pixels * sizeof (float));
  for (gsize i = 0; i < n_pixels; i++)
    {
      double difference = best[i] - anchor[i];

      sum += difference * difference;
    }
  self->hold = sum > 0.0 ? self->least_noise / (2.0 * ANCHOR_VARIANCE * sum / n_pixels) : 0.0;
}

/* One step of Nesterov's method, kept in [0, 1]; the momentum is forgotten where it leads uphill
 * (O'Donoghue and Candès, 2015). */
static void
update_image (PrismDescent *self)
{
  gsize n_pixels = count_pixels (self);
  double uphill = 0.0, next = 0.5 * (1.0 + sqrt (1.0 + 4.0 * self->momentum * self->momentum));
  float step = (float) self->step_size, hold = (float) self->hold;
  float inertia = (float) ((self->momentum - 1.0) / next);

  for (gsize i = 0; i < n_pixels; i++)
    {
      float slope = self->gradient[i] + hold * (self->point[i] - self->anchor[i]);
      float value = CLAMP (self->point[i] - step * slope, 0.0f, 1.0f);

      uphill += (double) (self->point[i] - value) * (value - self->image[i]);
      self->gradient[i] = value - self->image[i];
      self->image[i] = value;
    }
  self->momentum = uphill > 0.0 ? 1.0 : next;
  for (gsize i = 0; i < n_pixels; i++)
    self->point[i] = self->image[i] + (uphill > 0.0 ? 0.0f : inertia * self->gradient[i]);
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
 * prism_descent_predict:
 * @self: a descent with samples and weights, at the beginning of a pass
 * @image: (array): any image
 * @first: the first of the samples to compare with
 * @misfit: (out): Σ w·Σ(H(|φ|)-T)² of @image over the samples from @first on
 * @error: return location
 *
 * Says how well an image, [m][m], explains some measurements. The descent itself does not change.
 *
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_DEVICE_LOST, PRISM_ERROR_BACKEND.
 * Thread: engine.
 *
 * Returns: whether it went well
 */
gboolean
prism_descent_predict (PrismDescent *self,
                       const float *image,
                       guint first,
                       double *misfit,
                       GError **error)
{
  guint samples[MAX_VISITS];

  *misfit = 0.0;
  while (first < self->n_samples)
    {
      guint n_samples = MIN (self->n_samples - first, MAX_VISITS);

      for (guint i = 0; i < n_samples; i++)
        samples[i] = first + i;
      if (!prism_measurements_acquire_many (self->measurements, samples, &n_samples, error))
        return FALSE;
      self->backend->ops->add_misfit_gradient (self->backend, image, self->terms + first, n_samples,
                                               self->gradient, misfit);
      if (!self->backend->ops->finish (self->backend, error))
        return FALSE;
      first += n_samples;
    }
  begin_pass (self);
  return TRUE;
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

static gboolean
save_plane (PrismDescent *self,
            PrismBundle *bundle,
            const char *name,
            const char *part,
            const float *values,
            GError **error)
{
  g_autofree char *full = g_strconcat (name, part, NULL);

  return prism_bundle_add_plane (bundle, full, values, self->backend->spec.object_size, error);
}

/**
 * prism_descent_save:
 * @self: a descent
 * @bundle: where to
 * @name: what the names of its parts begin with
 * @error: return location
 *
 * Adds the state at the beginning of the pass under way: its visits are then done again.
 *
 * Errors: PRISM_ERROR_MEMORY.
 * Thread: engine.
 *
 * Returns: whether there was memory for it
 */
gboolean
prism_descent_save (PrismDescent *self,
                    PrismBundle *bundle,
                    const char *name,
                    GError **error)
{
  g_autofree char *numbers = g_strconcat (name, ".json", NULL);
  g_autofree char *noise = g_strconcat (name, "-noise.csv", NULL);

  prism_bundle_take_text (bundle, numbers, prism_record_to_text (fields, self));
  prism_bundle_take_text (bundle, noise,
                          prism_noise_estimate_to_text (self->estimates, self->n_samples));
  return save_plane (self, bundle, name, "-image.npy", self->image, error)
         && save_plane (self, bundle, name, "-point.npy", self->point, error)
         && save_plane (self, bundle, name, "-anchor.npy", self->anchor, error);
}

static gboolean
load_numbers (PrismDescent *self,
              PrismBundle *bundle,
              const char *name,
              GError **error)
{
  g_autofree char *numbers_name = g_strconcat (name, ".json", NULL);
  g_autofree char *noise_name = g_strconcat (name, "-noise.csv", NULL);
  const char *numbers = prism_bundle_get_text (bundle, numbers_name, error);
  const char *noise = numbers != NULL ? prism_bundle_get_text (bundle, noise_name, error) : NULL;

  if (noise == NULL || !prism_record_parse (fields, self, numbers, numbers_name, error))
    return FALSE;
  if (self->n_samples <= prism_measurements_get_n (self->measurements))
    return prism_noise_estimate_parse (self->estimates, self->n_samples, noise, noise_name,
                                       error);
  g_set_error (error, PRISM_ERROR, PRISM_ERROR_FORMAT,
               "%s speaks of %u measurements, but the run has %u.", numbers_name, self->n_samples,
               prism_measurements_get_n (self->measurements));
  self->n_samples = 0;
  return FALSE;
}

static gboolean
load_plane (PrismDescent *self,
            PrismBundle *bundle,
            const char *name,
            const char *part,
            float *values,
            GError **error)
{
  g_autofree char *full = g_strconcat (name, part, NULL);

  return prism_bundle_copy_plane (bundle, full, values, self->backend->spec.object_size, error);
}

/**
 * prism_descent_load:
 * @self: a descent
 * @bundle: what prism_descent_save() added to
 * @name: what the names of its parts begin with
 * @error: return location
 *
 * Goes on from there, bit for bit.
 *
 * Errors: PRISM_ERROR_FORMAT; the descent is then of no use.
 * Thread: engine.
 *
 * Returns: whether everything was good
 */
gboolean
prism_descent_load (PrismDescent *self,
                    PrismBundle *bundle,
                    const char *name,
                    GError **error)
{
  if (!load_numbers (self, bundle, name, error)
      || !load_plane (self, bundle, name, "-image.npy", self->image, error)
      || !load_plane (self, bundle, name, "-point.npy", self->point, error)
      || !load_plane (self, bundle, name, "-anchor.npy", self->anchor, error))
    return FALSE;
  fill_terms (self);
  begin_pass (self);
  return TRUE;
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
 * Returns: that of the weights
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
