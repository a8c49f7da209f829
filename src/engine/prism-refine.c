#include "config.h"

#include "prism-refine.h"

#include "prism-arena.h"
#include "prism-error.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Dimensions of this file: n = image_size, m = object_size, N = samples. */

#define MAX_VISITS 32 /* measurements of one step */
/* The longest safe step is 1/(2·max Σ w·P) for any image; images that end at the object's square
 * smear that maximum out. 2.5 needs half as many passes, and 4 never diverged; should it, the
 * step is halved. */
#define STEP_FACTOR 2.5
#define MISFIT_OF_DIVERGENCE 2.0 /* times that of the pass before */
#define BAND_DAMPING 0.5
/* An image explains the data when its misfit is at most so many times what the noise alone leaves,
 * or without noise this part of Σ w·ΣA². In the right basin it is 0.9 to 1.05 times, or 1e-5. */
#define UNEXPLAINED_BY_NOISE 1.1
#define UNEXPLAINED 1e-3
#define LONG_FACTOR 4 /* times the passes of another attempt */
/* Σ(|φ|-A)²/ΣA² that single precision leaves. */
#define MISFIT_OF_ROUNDING 1e-13
/* The variance of the decoder's image about the truth, over its mean square distance from the
 * image that explains the data: part of its errors cannot be seen in them. Between 2 and 20 the
 * result moves by 0.3 dB. */
#define ANCHOR_VARIANCE 4.0

typedef enum
{
  ATTEMPT_DECODER, /* from the decoder's image */
  ATTEMPT_BLANK,   /* from a blank one */
  ATTEMPT_LONG,    /* from a blank one again, with more patience, when neither explains the data */
  ATTEMPT_FINAL,   /* from the best of them, held to the decoder's image by noise */
  ATTEMPT_NONE,
} Attempt;

struct _PrismRefine
{
  PrismBackend *backend;
  PrismMeasurements *measurements;
  guint n_samples;
  guint n_passes;
  Attempt attempt;
  gboolean needs_long;
  guint sample;        /* next measurement of the pass */
  guint pass;          /* of the attempt under way */
  guint passes_before; /* of the attempts before it */
  double exponent;     /* of the weights: (min v / v)^exponent */
  double step_size;
  double momentum;        /* t of Nesterov's sequence */
  double hold;            /* factor of image - anchor in the gradient */
  double misfit;          /* Σ w·Σ(H(|φ|)-T)² so far in this pass */
  double last_misfit;     /* of the last whole pass; NAN before */
  double power;           /* Σ w·ΣA² */
  double best_misfit;     /* of best; NAN before the first attempt ended */
  double least_noise;     /* min v, 0 without noise */
  double noise_misfit;    /* what noise leaves of it with the exponent 1 */
  double *noise;          /* [N] v */
  PrismMisfitTerm *terms; /* [N] */
  float *image;           /* [m][m] after the last whole pass */
  float *point;           /* [m][m] where the gradient is taken: image and momentum */
  float *gradient;        /* [m][m] of the pass under way */
  float *anchor;          /* [m][m] the decoder's image, held to the band */
  float *best;            /* [m][m] */
};

static gsize
count_pixels (PrismRefine *self)
{
  return (gsize) self->backend->spec.object_size * self->backend->spec.object_size;
}

static void
begin_pass (PrismRefine *self)
{
  self->sample = 0;
  self->misfit = 0.0;
  memset (self->gradient, 0, count_pixels (self) * sizeof (float));
}

static void
forget_momentum (PrismRefine *self)
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
choose_step_size (PrismRefine *self,
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

static guint
count_passes (PrismRefine *self)
{
  return self->attempt == ATTEMPT_LONG ? LONG_FACTOR * self->n_passes : self->n_passes;
}

static gboolean
starts_blank (PrismRefine *self)
{
  return self->attempt == ATTEMPT_BLANK || self->attempt == ATTEMPT_LONG;
}

/* Faint measurements have little noise. Weighted by it they give the likeliest image, but slowly,
 * and from afar into the wrong basin; hence first equal weights, then half the exponent. A 64 px
 * image of two points in 256 px, r = 10, 20 dB, ends at 23 dB without the equal weights and at 48
 * with them. */
static double
get_exponent (PrismRefine *self)
{
  static const double exponents[][4] = {
    [ATTEMPT_DECODER] = { 0.0, 0.5, 1.0, 1.0 },
    [ATTEMPT_BLANK] = { 0.0, 0.0, 0.5, 1.0 },
    [ATTEMPT_LONG] = { 0.0, 0.0, 0.5, 1.0 },
    [ATTEMPT_FINAL] = { 1.0, 1.0, 1.0, 1.0 },
  };

  return exponents[self->attempt][4 * self->pass / count_passes (self)];
}

static gboolean
choose_weights (PrismRefine *self,
                GError **error)
{
  self->exponent = get_exponent (self);
  self->power = 0.0;
  for (guint i = 0; i < self->n_samples; i++)
    {
      double v = self->noise[i];
      double weight = v > 0.0 ? pow (self->least_noise / v, self->exponent) : 1.0;

      self->terms[i] = (PrismMisfitTerm) { i, (float) weight, (float) v };
      self->power += weight * prism_measurements_get_energy (self->measurements, i);
    }
  forget_momentum (self);
  return choose_step_size (self, error);
}

static gboolean
begin_attempt (PrismRefine *self,
               Attempt attempt,
               const float *start,
               GError **error)
{
  gsize n_pixels = count_pixels (self);

  self->attempt = attempt;
  self->passes_before += self->pass;
  self->pass = 0;
  for (gsize i = 0; i < n_pixels; i++)
    self->image[i] = start != NULL ? start[i] : 0.5f;
  begin_pass (self);
  return choose_weights (self, error);
}

static gboolean
allocate (PrismRefine *self,
          GError **error)
{
  float **arrays[]
      = { &self->image, &self->point, &self->gradient, &self->anchor, &self->best };

  for (gsize i = 0; i < G_N_ELEMENTS (arrays); i++)
    {
      *arrays[i] = prism_arena_new_array (count_pixels (self) * sizeof (float),
                                          "the refined image", error);
      if (*arrays[i] == NULL)
        return FALSE;
    }
  self->noise = g_new0 (double, self->n_samples);
  self->terms = g_new0 (PrismMisfitTerm, self->n_samples);
  return TRUE;
}

static gboolean
estimate_noise (PrismRefine *self,
                GError **error)
{
  g_autofree double *misfits = g_new (double, self->n_samples);

  for (guint i = 0; i < self->n_samples; i++)
    {
      double *noise = &self->noise[i];

      if (!prism_measurements_estimate_noise (self->measurements, i, noise, &misfits[i], error))
        return FALSE;
      if (*noise > 0.0 && (self->least_noise == 0.0 || *noise < self->least_noise))
        self->least_noise = *noise;
    }
  for (guint i = 0; i < self->n_samples; i++)
    if (self->noise[i] > 0.0)
      self->noise_misfit += self->least_noise / self->noise[i] * misfits[i];
  return TRUE;
}

/* No pass changes what is beyond the band. The decoder's guess there is about as far from the truth
 * as nothing at all: halved it is nearer than either. On six images of 64 px without noise an
 * empty corner of k-space is 7 dB better to 4 dB worse than the guess, and half of it within 4 dB
 * of the better one, mostly above both. Noise has the image held to the decoder's instead. */
static void
hold_to_band (PrismRefine *self,
              const PrismBand *band)
{
  PrismBand damped = *band;

  damped.damping = self->least_noise == 0.0 ? BAND_DAMPING : 0.0;
  /* Without the memory for it the start image is good enough as it is. */
  prism_band_apply (&damped, self->anchor, NULL);
}

/**
 * prism_refine_new:
 * @backend: a device that has add_misfit_gradient
 * @measurements: of the run; all acquired once
 * @n_passes: of each attempt, at least 1
 * @band: what the decoder's image is held to
 * @start: (array): the decoder's image
 * @error: return location
 *
 * Begins the refinement.
 *
 * Shape: @start [m][m].
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_DEVICE_LOST, PRISM_ERROR_BACKEND.
 * Thread: engine.
 * Source: numerics.md, “Refinement”.
 *
 * Returns: (transfer full) (nullable): the refinement
 */
PrismRefine *
prism_refine_new (PrismBackend *backend,
                  PrismMeasurements *measurements,
                  guint n_passes,
                  const PrismBand *band,
                  const float *start,
                  GError **error)
{
  g_autoptr (PrismRefine) self = g_new0 (PrismRefine, 1);

  g_return_val_if_fail (n_passes > 0, NULL);

  self->backend = backend;
  self->measurements = measurements;
  self->n_samples = prism_measurements_get_n (measurements);
  self->n_passes = n_passes;
  self->best_misfit = NAN;
  if (!allocate (self, error) || !estimate_noise (self, error))
    return NULL;
  memcpy (self->anchor, start, count_pixels (self) * sizeof (float));
  hold_to_band (self, band);
  if (!begin_attempt (self, ATTEMPT_DECODER, self->anchor, error))
    return NULL;
  return g_steal_pointer (&self);
}

/**
 * prism_refine_free:
 * @self: (nullable): a refinement
 *
 * Thread: engine.
 */
void
prism_refine_free (PrismRefine *self)
{
  if (self == NULL)
    return;
  prism_arena_free_array (self->image);
  prism_arena_free_array (self->point);
  prism_arena_free_array (self->gradient);
  prism_arena_free_array (self->anchor);
  prism_arena_free_array (self->best);
  g_free (self->noise);
  g_free (self->terms);
  g_free (self);
}

static void
keep_better (PrismRefine *self)
{
  if (!isnan (self->best_misfit) && !(self->last_misfit < self->best_misfit))
    return;
  memcpy (self->best, self->image, count_pixels (self) * sizeof (float));
  self->best_misfit = self->last_misfit;
}

/* What noise hides keeps the decoder's answer: Gaussian errors about it. */
static void
hold_to_anchor (PrismRefine *self)
{
  gsize n_pixels = count_pixels (self);
  double sum = 0.0;

  for (gsize i = 0; i < n_pixels; i++)
    {
      double difference = self->best[i] - self->anchor[i];

      sum += difference * difference;
    }
  if (sum > 0.0)
    self->hold = self->least_noise / (2.0 * ANCHOR_VARIANCE * sum / n_pixels);
}

static gboolean
is_explained (PrismRefine *self)
{
  return self->best_misfit <= (self->least_noise > 0.0 ? UNEXPLAINED_BY_NOISE * self->noise_misfit
                                                       : UNEXPLAINED * self->power);
}

static gboolean
end_attempt (PrismRefine *self,
             GError **error)
{
  switch (self->attempt)
    {
    case ATTEMPT_DECODER:
      keep_better (self);
      return begin_attempt (self, ATTEMPT_BLANK, NULL, error);
    case ATTEMPT_BLANK:
    case ATTEMPT_LONG:
      keep_better (self);
      if (self->attempt == ATTEMPT_BLANK && !is_explained (self))
        {
          self->needs_long = TRUE;
          return begin_attempt (self, ATTEMPT_LONG, NULL, error);
        }
      hold_to_anchor (self);
      return begin_attempt (self, ATTEMPT_FINAL, self->best, error);
    case ATTEMPT_FINAL:
    case ATTEMPT_NONE:
    default:
      self->attempt = ATTEMPT_NONE;
      return TRUE;
    }
}

/* One step of Nesterov's method, kept in [0, 1]; the momentum is forgotten where it leads uphill
 * (O'Donoghue and Candès, 2015). */
static void
update_image (PrismRefine *self)
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
is_finite (PrismRefine *self)
{
  gsize n_pixels = count_pixels (self);
  double sum = self->misfit;

  for (gsize i = 0; i < n_pixels; i++)
    sum += self->gradient[i];
  return isfinite (sum);
}

static gboolean
end_pass (PrismRefine *self,
          GError **error)
{
  gboolean exact;

  if (!is_finite (self))
    {
      g_set_error (error, PRISM_ERROR, PRISM_ERROR_BACKEND,
                   "The device returned numbers that are not finite in a pass of the refinement.");
      return FALSE;
    }
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
  self->pass++;
  exact = self->least_noise == 0.0 && self->misfit <= MISFIT_OF_ROUNDING * self->power;
  begin_pass (self);
  if (self->pass >= count_passes (self) || exact)
    return end_attempt (self, error);
  return get_exponent (self) == self->exponent || choose_weights (self, error);
}

/**
 * prism_refine_step:
 * @self: a refinement that is not done
 * @n_samples: how many measurements to visit at most, at least 1
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
prism_refine_step (PrismRefine *self,
                   guint n_samples,
                   gboolean *pass_done,
                   GError **error)
{
  guint samples[MAX_VISITS];

  *pass_done = FALSE;
  g_return_val_if_fail (self->attempt != ATTEMPT_NONE, TRUE);

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
 * prism_refine_finish:
 * @self: a refinement
 *
 * Ends it where it is, for a user who does not want to wait.
 *
 * Thread: engine.
 */
void
prism_refine_finish (PrismRefine *self)
{
  if (starts_blank (self))
    memcpy (self->image, self->best, count_pixels (self) * sizeof (float));
  self->attempt = ATTEMPT_NONE;
}

/**
 * prism_refine_move:
 * @self: a refinement
 * @backend: another device, to which the measurements have moved
 *
 * Goes on there from the last whole pass; the old device is not touched.
 *
 * Thread: engine.
 */
void
prism_refine_move (PrismRefine *self,
                   PrismBackend *backend)
{
  self->backend = backend;
  begin_pass (self);
}

/**
 * prism_refine_is_done:
 * @self: a refinement
 *
 * Returns: whether no step is left
 */
gboolean
prism_refine_is_done (PrismRefine *self)
{
  return self->attempt == ATTEMPT_NONE;
}

/**
 * prism_refine_get_pass:
 * @self: a refinement
 *
 * Returns: the number of passes done, all attempts together
 */
guint
prism_refine_get_pass (PrismRefine *self)
{
  return self->passes_before + self->pass;
}

/**
 * prism_refine_get_sample:
 * @self: a refinement
 *
 * Returns: the number of the measurement that comes next
 */
guint
prism_refine_get_sample (PrismRefine *self)
{
  return self->sample;
}

/**
 * prism_refine_get_misfit:
 * @self: a refinement
 *
 * Returns: Σ w·Σ(H(|φ|)-T)² / Σ w·ΣA² of prism_refine_get_image(), NAN before it is known
 */
double
prism_refine_get_misfit (PrismRefine *self)
{
  return (starts_blank (self) ? self->best_misfit : self->last_misfit) / self->power;
}

/**
 * prism_refine_get_image:
 * @self: a refinement
 *
 * While an attempt from a blank image is under way this is the best one before it, so that the
 * picture never falls back.
 *
 * Shape: [m][m].
 *
 * Returns: (transfer none): the image, valid until the next step
 */
const float *
prism_refine_get_image (PrismRefine *self)
{
  return starts_blank (self) ? self->best : self->image;
}

/**
 * prism_refine_get_n_extra_passes:
 * @self: a refinement
 *
 * Returns: passes of the long attempt, once it has turned out to be needed
 */
guint
prism_refine_get_n_extra_passes (PrismRefine *self)
{
  return self->needs_long ? LONG_FACTOR * self->n_passes : 0;
}
