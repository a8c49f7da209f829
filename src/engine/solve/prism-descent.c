#include "config.h"

#include "solve/prism-descent.h"

#include "base/prism-arena.h"
#include "base/prism-error.h"
#include "base/prism-number.h"
#include "num/prism-tuning.h"
#include "num/prism-variation.h"
#include "profile/prism-profile.h"
#include "solve/prism-method-state.h"

#include <float.h>

/* Accelerated descent on the misfit of all frames. With φ_j = F⁻¹{P_j·F{a}} behind frame j,
 *
 *   E (a) = Σ_j w_j·Σ (H (|φ_j|) - T_j)²,   w_j = (min v / v_j)^p,
 *
 * where T is the recorded amplitude, its noise of the variance v evened out, and H the mean that T
 * has when the truth is |φ|. A pass goes once through the frames for the slope and ends with
 *
 *   b ← lower (y - s·∇E (y)),   y ← b + ((t - 1)/t')·(b - a),   a ← b,   t' = (1 + √(1 + 4t²))/2,
 *
 * where lower is the image in [0, 1] for which ½|b - x|² + s·τ·Σ|∇b| is least (Beck and Teboulle,
 * 2009; Nesterov, 1983), found by its dual problem, which goes on from the pass before. Where the
 * slope leads uphill t is 1 again (O'Donoghue and Candès, 2015). The step s is 2.5/(2·max Σ w·P);
 * where E has doubled the image stays, and s is halved.
 *
 * p = 1 is the likeliest image, but what is bright then comes in slowly and a basin is missed; what
 * begins far away begins with p = 0 (0.3 to 0.7 dB in the median). Source: numerics.md,
 * “Refinement”. Dimensions of this file: n = image_size, m = object_size, N = samples. */

#define FIELD(...) PRISM_RECORD_FIELD (PrismDescent, __VA_ARGS__)

/* What decides how a pass that begins goes on, beside the images. */
static const PrismRecordField fields[] = {
  FIELD (n_samples, INTEGER),
  FIELD (exponent, REAL, 0, 1),
  FIELD (step_size, REAL),
  FIELD (momentum, REAL, 1, DBL_MAX),
  FIELD (last_misfit, REAL),
  FIELD (power, REAL),
  FIELD (overlap, REAL),
  { NULL },
};

#define PLANE(...) PRISM_METHOD_PLANE (PrismDescent, __VA_ARGS__)

static const PrismMethodState state = {
  ".json",
  fields,
  {
      PLANE ("-image.npy", planes.image),
      PLANE ("-point.npy", planes.point),
      PLANE ("-across.npy", planes.across),
      PLANE ("-down.npy", planes.down),
  },
};

/* ---- Where the image is ---- */

static gboolean
allocate (PrismDescent *self,
          PrismIterate *planes,
          GError **error)
{
  const gsize n = PRISM_ALIGNMENT, stride = (self->n_pixels + n - 1) / n * n;

  planes->image = prism_arena_new_array (5 * stride * sizeof (float), "the refined image", error);
  if (planes->image == NULL)
    return FALSE;
  planes->point = planes->image + stride;
  planes->across = planes->point + stride;
  planes->down = planes->across + stride;
  planes->slope = planes->down + stride;
  return TRUE;
}

/* A device that works on the host's arrays always has image, momentum and dual field there. One
 * with memory of its own goes on from copies. */
static void
put (PrismDescent *self)
{
  if (self->backend->ops->put_iterate == NULL || self->is_put)
    return;
  self->backend->ops->put_iterate (self->backend, &self->planes);
  self->is_put = TRUE;
}

/* After each pass the host has everything: a device that is lost takes no whole pass with it. What
 * was there stays until all of it has arrived. */
static gboolean
fetch (PrismDescent *self,
       GError **error)
{
  PrismIterate *planes = &self->arriving, former = self->planes;
  const gsize n = self->n_pixels;
  gboolean arrived;

  if (!self->is_put)
    return TRUE;
  planes->place = former.place;
  arrived = self->backend->ops->get_iterate (self->backend, planes);
  if (!self->backend->ops->finish (self->backend, error))
    return FALSE;
  if (!prism_backend_check_finite (
          arrived && prism_finite_all (planes->image, n) && prism_finite_all (planes->point, n)
              && prism_finite_all (planes->across, n) && prism_finite_all (planes->down, n),
          error))
    return FALSE;
  self->planes = *planes;
  *planes = former;
  return TRUE;
}

/* ---- Weights and steps ---- */

static void
forget_momentum (PrismDescent *self)
{
  self->momentum = 1.0;
  self->last_misfit = NAN;
  memcpy (self->planes.point, self->planes.image, self->n_pixels * sizeof (float));
  self->is_put = FALSE;
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
      if (mask->bits[y * mask->width + x])
        {
          float *sum = &overlap[(mask->y0 + y + n / 2) * n + mask->x0 + x + n / 2];

          *sum += weight;
          largest = MAX (largest, *sum);
        }
  return largest;
}

/* The longest safe step is 1/(2·max Σ w·P) for any image; images that end at the object's square
 * smear that maximum out, so that a longer one does. Should it diverge, the step is shortened. */
static gboolean
choose_step_size (PrismDescent *self,
                  GError **error)
{
  gsize n = self->backend->spec.image_size;
  prism_autofree_array float *overlap
      = prism_arena_new_array (n * n * sizeof (float), "the overlap", error);
  float largest = 0.0f;

  if (overlap == NULL)
    return FALSE;
  memset (overlap, 0, n * n * sizeof (float));
  /* A frame that reaches the maximum counts twice, so that steps are half as long while frames
   * arrive, and longer after that. With plain sums the medians of 20 scenes lose 0.5 dB where
   * apertures are apart and 1.4 where sparse (a factor of 1.25 in place of 2.5), and two of 18 lose
   * 10 dB (1.7). */
  for (guint i = 0; i < self->n_samples; i++)
    {
      const PrismMask *mask = prism_measurements_get_mask (self->measurements, i);

      if (add_overlap (mask, self->terms[i].weight, overlap) >= largest)
        largest = add_overlap (mask, self->terms[i].weight, overlap);
    }
  self->overlap = MAX (largest, FLT_MIN);
  self->step_size = prism_tuning_get (PRISM_TUNING_DESCENT_STEP) / (2.0 * self->overlap);
  return TRUE;
}

static double
get_weight (PrismDescent *self,
            guint i)
{
  const double scale = self->measurements->measurements[i].estimate.scale;

  return scale > 0.0 ? pow (self->least_noise / scale, self->exponent) : 1.0;
}

/* With read noise an offset that evens the noise out would have what is faint hardly count: good
 * for the likeliest image, but not for the search of a basin, so that there is hardly any. A bar
 * target of 64 px in 256 px, r = 14, 20 dB of read noise, ends at 20 dB with the whole offset from
 * the beginning and at 37 dB without. */
static void
fill_terms (PrismDescent *self)
{
  const double offset = prism_tuning_get (PRISM_TUNING_DESCENT_OFFSET);

  for (guint i = 0; i < self->n_samples; i++)
    {
      const PrismNoiseEstimate *estimate = &self->measurements->measurements[i].estimate;

      self->terms[i] = (PrismMisfitTerm) {
        .slot = i,
        .weight = get_weight (self, i),
        .noise = estimate->noise,
        .read = estimate->read,
        .offset = 0.25 * estimate->noise + offset * sqrt (estimate->read),
      };
    }
}

/**
 * prism_descent_set_exponent:
 * @self: a descent with samples
 * @exponent: p of the weights (min v / v)^p: 0 for equal ones, 1 for the likeliest image
 * @error: return location
 *
 * Begins a pass in which the measurements are weighted by their noise, those that were added
 * included. The image goes on with its momentum: without it the first passes hardly move, and
 * would pass for an image that stands still.
 *
 * Errors: PRISM_ERROR_MEMORY.
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
  self->last_misfit = NAN;
  self->sample = 0;
  fill_terms (self);
  self->power = 0.0;
  for (guint i = 0; i < self->n_samples; i++)
    self->power += get_weight (self, i) * self->measurements->measurements[i].energy;
  return choose_step_size (self, error);
}

/**
 * prism_descent_new:
 * @backend: a device that has descend
 * @measurements: of the run
 * @place: of its copies on a device, below PRISM_N_ITERATES and its own
 * @error: return location
 *
 * Makes a descent without samples, from a blank image.
 *
 * Errors: PRISM_ERROR_MEMORY.
 * Source: numerics.md, “Refinement”.
 *
 * Returns: (transfer full) (nullable): the descent
 */
PrismDescent *
prism_descent_new (PrismBackend *backend,
                   PrismMeasurements *measurements,
                   guint place,
                   GError **error)
{
  g_autoptr (PrismDescent) self = g_new0 (PrismDescent, 1);

  self->backend = backend;
  self->measurements = measurements;
  self->n_pixels = backend->spec.object_size * backend->spec.object_size;
  self->smoothness = 1.0;
  self->looks_at_all = TRUE;
  self->planes.place = place;
  self->terms = g_new0 (PrismMisfitTerm, measurements->n_measurements);
  if (!allocate (self, &self->planes, error)
      || (backend->ops->put_iterate != NULL && !allocate (self, &self->arriving, error)))
    return NULL;
  prism_descent_set_image (self, NULL);
  return g_steal_pointer (&self);
}

/**
 * prism_descent_free:
 * @self: (nullable): a descent
 */
void
prism_descent_free (PrismDescent *self)
{
  if (self == NULL)
    return;
  prism_arena_free_array (self->planes.image);
  prism_arena_free_array (self->arriving.image);
  g_free (self->terms);
  g_free (self);
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
 *
 * Returns: whether they take part
 */
gboolean
prism_descent_add_samples (PrismDescent *self,
                           guint n_samples,
                           GError **error)
{
  self->n_samples = n_samples;
  self->least_noise = 0.0;
  for (guint i = 0; i < n_samples; i++)
    {
      const PrismNoiseEstimate *estimate
          = prism_measurements_estimate_noise (self->measurements, i, error);

      if (estimate == NULL)
        return FALSE;
      if (estimate->scale > 0.0
          && (self->least_noise == 0.0 || estimate->scale < self->least_noise))
        self->least_noise = estimate->scale;
    }
  return TRUE;
}

/**
 * prism_descent_set_image:
 * @self: a descent
 * @image: (nullable) (array): where to begin; NULL for 0.5 everywhere
 *
 * Begins anew from an image, held to [0, 1]. What is no number is 0: it would stay.
 *
 * Shape: @image [m][m].
 */
void
prism_descent_set_image (PrismDescent *self,
                         const float *image)
{
  for (gsize i = 0; i < self->n_pixels; i++)
    {
      self->planes.image[i] = image != NULL ? fminf (fmaxf (image[i], 0.0f), 1.0f) : 0.5f;
      self->planes.across[i] = self->planes.down[i] = 0.0f;
    }
  self->sample = 0;
  forget_momentum (self);
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
 * Source: numerics.md, “Total variation”.
 */
void
prism_descent_cool (PrismDescent *self,
                    double factor,
                    guint pass,
                    guint n_passes)
{
  double first = prism_tuning_get (PRISM_TUNING_VARIATION_FIRST);

  self->smoothness = factor * prism_variation_cool (first, pass, n_passes);
  if (self->least_noise == 0.0
      && pass >= prism_tuning_get (PRISM_TUNING_VARIATION_COOLING) * n_passes)
    self->smoothness = 0.0;
}

static double
get_next_momentum (PrismDescent *self)
{
  return 0.5 * (1.0 + sqrt (1.0 + 4.0 * self->momentum * self->momentum));
}

/* The misfit that single precision leaves. */
static double
get_rounding (PrismDescent *self)
{
  return 10.0 * FLT_EPSILON * FLT_EPSILON * self->power;
}

/* With noise the weight of the total variation is that of the most probable image: |∇a| is
 * distributed exponentially about its mean, the measurements about the truth with the variance
 * min v / 4 per unit of weight. */
static PrismPassPart
make_part (PrismDescent *self,
           guint n_samples)
{
  const gboolean has_noise = self->least_noise > 0.0;
  const double most = prism_tuning_get (PRISM_TUNING_DESCENT_DIVERGENCE) * self->last_misfit;

  return (PrismPassPart) {
    .begins = self->sample == 0,
    .terms = self->terms + self->sample,
    .n_terms = n_samples,
    .ends = self->sample + n_samples >= self->n_samples,
    /* An image whose misfit is above this has diverged. */
    .most_misfit = isnan (most) ? INFINITY : MAX (most, get_rounding (self)),
    .step_size = self->step_size,
    .inertia = (self->momentum - 1.0) / get_next_momentum (self),
    .variation
    = has_noise ? self->smoothness * prism_tuning_get (PRISM_TUNING_VARIATION_IN_NOISE)
                      * self->least_noise
                : self->smoothness * prism_tuning_get (PRISM_TUNING_VARIATION) * 2.0
                      * self->overlap,
    .least_mean = has_noise ? 1e-3 : 0.0,
  };
}

static gboolean
end_pass (PrismDescent *self,
          const PrismPassResult *result,
          GError **error)
{
  if (!prism_backend_check_finite (result->finite, error) || !fetch (self, error))
    return FALSE;
  self->exact = self->least_noise == 0.0
                && self->misfit <= get_rounding (self);
  if (result->moved)
    {
      self->last_misfit = self->misfit;
      self->momentum = result->uphill ? 1.0 : get_next_momentum (self);
    }
  else
    {
      self->step_size *= 0.5;
      forget_momentum (self);
    }
  self->sample = 0;
  return TRUE;
}

static gboolean
acquire (PrismDescent *self,
         guint *n_samples,
         GError **error)
{
  guint samples[PRISM_DESCENT_MOST_VISITS];

  if (prism_measurements_get_step (self->measurements) > 0)
    {
      for (guint i = 0; i < *n_samples; i++)
        if (!prism_measurements_acquire_points (self->measurements, self->sample + i, error))
          return FALSE;
      return TRUE;
    }
  for (guint i = 0; i < *n_samples; i++)
    samples[i] = self->sample + i;
  return prism_measurements_acquire_many (self->measurements, samples, n_samples, error);
}

/* Bytes are the pixels that were looked at. */
static void
note_part (PrismDescent *self,
           const PrismPassPart *part,
           gint64 begun)
{
  double operations = 0.0;
  guint64 n_pixels = 0;

  for (guint i = 0; i < part->n_terms; i++)
    {
      const guint side = self->backend->spec.image_size / MAX (part->terms[i].step, 1);

      n_pixels += (guint64) side * side;
      operations += prism_mask_count_operations (
          prism_measurements_get_mask (self->measurements, self->sample + i), side);
    }
  prism_profile_end_with (PRISM_STAGE_PASS, begun, part->n_terms, n_pixels * sizeof (float),
                          operations);
}

static gboolean
visit_frames (PrismDescent *self,
              PrismControl *control,
              GError **error)
{
  PrismPassResult result = { .misfit = self->sample > 0 ? self->misfit : 0.0 };
  guint n_frames = MIN (prism_descent_count_visits (self), self->n_samples - self->sample);
  PrismPassPart part;
  gint64 begun;

  if (!acquire (self, &n_frames, error))
    return FALSE;
  put (self);
  for (guint i = 0; i < n_frames; i++)
    prism_measurements_note_use (self->measurements, self->sample + i);
  part = make_part (self, n_frames);
  begun = prism_profile_begin ();
  self->backend->ops->descend (self->backend, &self->planes, &part, &result);
  if (!self->backend->ops->finish (self->backend, error))
    return FALSE;
  if (begun != 0)
    note_part (self, &part, begun);
  self->misfit = result.misfit;
  self->sample += n_frames;
  control->n_frames += n_frames;
  return !part.ends || end_pass (self, &result, error);
}

/**
 * prism_descent_pass:
 * @self: a descent with samples and weights
 * @control: asked between some frames and the next
 * @error: return location
 *
 * Visits every measurement once, or what is left of the pass under way, and takes a step.
 *
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_DEVICE_LOST, PRISM_ERROR_BACKEND.
 *
 * Returns: whether the pass is through
 */
gboolean
prism_descent_pass (PrismDescent *self,
                    PrismControl *control,
                    GError **error)
{
  do
    {
      if (!prism_control_yield (control))
        return FALSE;
      if (self->sample == 0)
        prism_descent_choose_samples (self);
      if (!visit_frames (self, control, error))
        return FALSE;
    }
  while (self->sample > 0);
  return TRUE;
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
 * Returns: whether it has been added
 */
gboolean
prism_descent_save (PrismDescent *self,
                    PrismBundle *bundle,
                    const char *name,
                    GError **error)
{
  return prism_method_state_save (&state, self, name, &self->backend->spec, bundle, error);
}

/**
 * prism_descent_load:
 * @self: a descent
 * @bundle: what prism_descent_save() added to
 * @name: what the names of its parts begin with
 * @goes_on: whether passes go on with the weights as they are
 * @error: return location
 *
 * Goes on from there, bit for bit. Without @goes_on the noise of no frame is asked for before
 * prism_descent_add_samples().
 *
 * Errors: PRISM_ERROR_FORMAT, and as prism_descent_add_samples(); the descent is then of no use.
 * Thread: engine.
 *
 * Returns: whether everything was good
 */
gboolean
prism_descent_load (PrismDescent *self,
                    PrismBundle *bundle,
                    const char *name,
                    gboolean goes_on,
                    GError **error)
{
  const guint n = self->measurements->n_measurements;

  prism_descent_set_image (self, NULL);
  if (!prism_method_state_load (&state, self, name, &self->backend->spec, bundle, error))
    return FALSE;
  if (self->n_samples > n)
    {
      prism_error_format (error, _ ("%s.json speaks of %u measurements, but the run has %u."), name,
                          self->n_samples, n);
      self->n_samples = 0;
      return FALSE;
    }
  if (goes_on && !prism_descent_add_samples (self, self->n_samples, error))
    return FALSE;
  fill_terms (self);
  return TRUE;
}
