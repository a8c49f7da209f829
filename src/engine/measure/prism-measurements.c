#include "config.h"

#include "measure/prism-measurements.h"

#include "base/prism-arena.h"
#include "base/prism-error.h"
#include "num/prism-fft.h"
#include "profile/prism-profile.h"

/* noise.photon follows when it is first needed. */
static void
take_noise (PrismMeasurements *self,
            const PrismConfig *config)
{
  self->photons = config->photons;
  self->noise = (PrismNoise) {
    .snr = config->photons > 0.0 ? 0.0 : config->snr,
    .read_snr = config->read_snr,
  };
}

/**
 * prism_measurements_new:
 * @config: aperture, noise and seed
 * @backend: where the images live; its slots 0…N-1 are taken
 * @cache: shared between runs
 * @scene: what is measured; the device was shown it
 *
 * Prepares the measurements; none is taken yet.
 *
 * Returns: (transfer full) (nullable): the measurements; %NULL without memory for their apertures
 */
PrismMeasurements *
prism_measurements_new (const PrismConfig *config,
                        PrismBackend *backend,
                        PrismCache *cache,
                        PrismScene *scene)
{
  g_autoptr (PrismMeasurements) self = g_new0 (PrismMeasurements, 1);
  PrismPattern *pattern = scene->pattern;

  self->backend = backend;
  self->cache = cache;
  self->scene = prism_scene_ref (scene);
  take_noise (self, config);
  self->seed = config->seed;
  self->motion_blur = config->motion_blur;
  self->motion_angle = config->motion_angle * G_PI / 180.0;
  self->pattern = pattern;
  self->n_measurements = pattern->n_points;
  if (scene->problem == NULL)
    self->step = prism_measurements_choose_step (config, backend->ops, pattern->n_points);
  self->measurements = g_new0 (PrismMeasurement, pattern->n_points);
  prism_aperture_init_config (&self->aperture, config);
  prism_line_init_config (&self->line, config);
  for (guint i = 0; i < pattern->n_points; i++)
    {
      self->measurements[i].mask = prism_line_get_mask (&self->line, &self->aperture,
                                                        config->image_size,
                                                        &pattern->points[i]);
      if (self->measurements[i].mask == NULL)
        return NULL;
    }
  return g_steal_pointer (&self);
}

static void
let_go_of_points (PrismMeasurements *self,
                  guint i)
{
  PrismMeasurement *measurement = &self->measurements[i];

  if (measurement->points != NULL)
    prism_cache_hold_small (self->cache, -(gint64) measurement->points->n_bytes);
  g_clear_pointer (&measurement->points, prism_buffer_unref);
}

static void
unbind (PrismMeasurements *self,
        guint i)
{
  PrismMeasurement *measurement = &self->measurements[i];

  if (measurement->target == NULL && !measurement->has_points)
    return;
  self->backend->ops->bind (self->backend, i, NULL, NULL, NULL, NULL);
  measurement->has_points = FALSE;
  g_clear_pointer (&measurement->target, prism_buffer_unref);
}

/**
 * prism_measurements_free:
 * @self: (nullable): measurements
 *
 * Unbinds the slots; what the cache holds stays there.
 */
void
prism_measurements_free (PrismMeasurements *self)
{
  if (self == NULL)
    return;
  for (guint i = 0; i < self->n_measurements; i++)
    {
      unbind (self, i);
      let_go_of_points (self, i);
      prism_mask_unref (self->measurements[i].mask);
    }
  g_free (self->measurements);
  prism_scene_unref (self->scene);
  g_free (self);
}

/**
 * prism_measurements_set_noise:
 * @self: measurements
 * @config: with other values of snr, photons or read_snr
 *
 * Changes the camera's noise from now on. Images are exposed anew when they are next asked for,
 * from the noise-free ones in the cache.
 */
void
prism_measurements_set_noise (PrismMeasurements *self,
                              const PrismConfig *config)
{
  const PrismNoise old = self->noise;
  const double photons = self->photons;

  take_noise (self, config);
  if (self->noise.snr == old.snr && self->noise.read_snr == old.read_snr
      && self->photons == photons)
    {
      self->noise = old;
      return;
    }
  self->max_energy = 0.0;
  for (guint i = 0; i < self->n_measurements; i++)
    {
      unbind (self, i);
      self->measurements[i].energy = 0.0;
      self->measurements[i].estimate = (PrismNoiseEstimate) { 0 };
    }
}

static void
init_key (PrismMeasurements *self,
          guint i,
          gboolean noisy,
          PrismCacheKey *key)
{
  memset (key, 0, sizeof *key);
  key->object = self->scene->id;
  key->center_y = self->pattern->points[i].y;
  key->center_x = self->pattern->points[i].x;
  key->radius = self->aperture.radius;
  key->obscuration = self->aperture.obscuration;
  key->vane_width = self->aperture.vane_width;
  key->shape = self->aperture.shape;
  key->vanes = self->aperture.vanes;
  if (self->line.n_points > 1)
    {
      key->line_length = self->line.length;
      key->line_angle = self->pattern->points[i].angle;
      key->line_points = self->line.n_points;
    }
  key->motion_blur = self->motion_blur;
  key->motion_angle = self->motion_angle;
  key->image_size = self->backend->spec.image_size;
  key->object_size = self->backend->spec.object_size;
  if (noisy)
    {
      key->snr = self->noise.snr;
      key->photon = self->noise.photon;
      key->read_snr = self->noise.read_snr;
      key->seed = self->seed;
      key->sample = i;
    }
}

/* What the camera records of an object that moves by b px while the shutter is open. It adds up
 * intensities, each a little further on,
 *
 *   I'(r) = 1/b ∫ I(r - s·u) ds, |s| ≤ b/2, u = (cos θ, sin θ),
 *
 * so that the spectrum of the intensity is multiplied by sin(πbf)/(πbf), f = (k·u)/n. Where the
 * sine is negative contrast is reversed.
 * Source: Boreman, Modulation Transfer Function in Optical and Electro-Optical Systems, motion MTF.
 *
 * Returns: (transfer full) (nullable): the frame, amplitude, instead of @sharp, which it frees */
static PrismBuffer *
blur (PrismMeasurements *self,
      PrismBuffer *sharp,
      const PrismMask *mask,
      GError **error)
{
  PrismBackend *backend = self->backend;
  const int n = backend->spec.image_size;
  const gsize n_pixels = (gsize) n * n;
  const double y = sin (self->motion_angle) * self->motion_blur / n;
  const double x = cos (self->motion_angle) * self->motion_blur / n;
  prism_autofree_array float *frame
      = prism_arena_new_array (3 * n_pixels * sizeof *frame, "a frame and its spectrum", error);
  PrismBuffer *blurred = NULL;

  if (frame != NULL)
    {
      float *spectrum = frame + n_pixels;

      backend->ops->read_buffer (backend, sharp, mask, frame);
      for (gsize i = 0; i < n_pixels; i++)
        {
          spectrum[2 * i] = frame[i] * frame[i];
          spectrum[2 * i + 1] = 0;
        }
      prism_fft_complex_transform (spectrum, n, TRUE);
      for (gsize i = 0; i < 2 * n_pixels; i++)
        {
          const int row = (int) (i / 2 / n), column = (int) (i / 2 % n);
          const double ky = row < n / 2 ? row : row - n, kx = column < n / 2 ? column : column - n;
          const double angle = G_PI * (ky * y + kx * x);

          spectrum[i] *= (float) ((angle != 0 ? sin (angle) / angle : 1) / (double) n_pixels);
        }
      prism_fft_complex_transform (spectrum, n, FALSE);
      for (gsize i = 0; i < n_pixels; i++)
        frame[i] = sqrtf (MAX (spectrum[2 * i], 0));
      blurred = backend->ops->load_buffer (backend, mask, frame, error);
    }
  prism_buffer_unref (sharp);
  return blurred;
}

static PrismBuffer *
get_clean (PrismMeasurements *self,
           guint i,
           GError **error)
{
  PrismCacheKey key;
  PrismBuffer *buffer;
  gint64 begun;

  init_key (self, i, FALSE, &key);
  buffer = prism_cache_get (self->cache, &key);
  if (buffer != NULL)
    return buffer;

  begun = prism_profile_begin ();
  self->measurements[i].is_new = TRUE;
  buffer = self->backend->ops->measure (self->backend, self->measurements[i].mask, error);
  if (buffer != NULL && self->motion_blur > 0.0)
    buffer = blur (self, buffer, self->measurements[i].mask, error);
  prism_profile_end_with (PRISM_STAGE_MEASURE, begun, 1, buffer != NULL ? buffer->n_bytes : 0, 0.0);
  if (buffer != NULL)
    prism_cache_set (self->cache, &key, buffer);
  return buffer;
}

/**
 * prism_measurements_has_noise:
 * @self: measurements
 *
 * Returns: whether the camera has any noise
 */
gboolean
prism_measurements_has_noise (PrismMeasurements *self)
{
  return self->photons > 0.0 || prism_noise_is_on (&self->noise);
}

/* The energy of an exposure at the centre is that of the photons stated. */
static gboolean
ensure_photon (PrismMeasurements *self,
               GError **error)
{
  double energy;

  if (self->photons <= 0.0 || self->noise.photon > 0.0)
    return TRUE;
  if (!prism_scene_compute_center (self->backend, &self->aperture, &energy, error))
    return FALSE;
  /* A black object has no photons to count; any value will do. */
  self->noise.photon = energy > 0.0 ? energy / self->photons : 1.0 / self->photons;
  return TRUE;
}

static PrismBuffer *
get_exposed (PrismMeasurements *self,
             guint i,
             GError **error)
{
  PrismExposure exposure = { .seed = self->seed, .sample = i };
  g_autoptr (PrismBuffer) clean = NULL;
  PrismCacheKey key;
  PrismBuffer *buffer;
  gint64 begun;

  exposure.snr = self->noise.snr;
  exposure.photon = self->noise.photon;
  exposure.read_snr = self->noise.read_snr;
  init_key (self, i, TRUE, &key);
  buffer = prism_cache_get (self->cache, &key);
  if (buffer != NULL)
    return buffer;

  clean = get_clean (self, i, error);
  if (clean == NULL)
    return NULL;
  begun = prism_profile_begin ();
  buffer = self->backend->ops->expose (self->backend, clean, self->measurements[i].mask, &exposure,
                                       error);
  prism_profile_end_with (PRISM_STAGE_EXPOSE, begun, 1, buffer != NULL ? buffer->n_bytes : 0, 0.0);
  if (buffer != NULL)
    prism_cache_set (self->cache, &key, buffer);
  return buffer;
}

/* A slot keeps its image alive: without this the cache's budget would bound nothing. */
static void
unbind_evicted (PrismMeasurements *self,
                guint except)
{
  PrismCacheStatistics statistics;

  prism_cache_get_statistics (self->cache, &statistics);
  if (statistics.evictions == self->n_evictions)
    return;
  self->n_evictions = statistics.evictions;
  for (guint i = 0; i < self->n_measurements; i++)
    {
      PrismCacheKey key;

      if (i == except || self->measurements[i].target == NULL)
        continue;
      init_key (self, i, prism_measurements_has_noise (self), &key);
      if (!prism_cache_has (self->cache, &key))
        unbind (self, i);
    }
}

/* Gives the slot of a sample its whole frame, or points of it. */
static gboolean
bind (PrismMeasurements *self,
      guint i,
      PrismBuffer *buffer,
      GError **error)
{
  PrismMeasurement *measurement = &self->measurements[i];
  double energy = 0.0;

  if (!self->backend->ops->bind (self->backend, i, measurement->mask, buffer, &energy, error))
    return FALSE;
  g_clear_pointer (&measurement->target, prism_buffer_unref);
  measurement->has_points = buffer->step > 0;
  if (!measurement->has_points)
    measurement->target = prism_buffer_ref (buffer);
  if (!isfinite (energy))
    {
      unbind (self, i);
      /* A device that is lost says so only when asked. */
      return self->backend->ops->finish (self->backend, error)
             && prism_backend_check_finite (FALSE, error);
    }
  measurement->energy = energy;
  self->max_energy = MAX (self->max_energy, energy);
  return TRUE;
}

static gboolean
acquire (PrismMeasurements *self,
         guint i,
         GError **error)
{
  PrismMeasurement *measurement = &self->measurements[i];
  g_autoptr (PrismBuffer) target = NULL;

  if (!ensure_photon (self, error))
    return FALSE;
  target = prism_measurements_has_noise (self) ? get_exposed (self, i, error)
                                               : get_clean (self, i, error);
  if (target == NULL)
    return FALSE;
  if (target == measurement->target)
    return TRUE;

  unbind_evicted (self, i);
  return bind (self, i, target, error);
}

/**
 * prism_measurements_note_use:
 * @self: measurements
 * @i: number of a sample that was acquired
 *
 * Counts that a step or a pass looks at a frame; see #PrismCacheStatistics. It is at hand when
 * nothing was simulated or read for it since its last use, even if it had to be exposed.
 */
void
prism_measurements_note_use (PrismMeasurements *self,
                             guint i)
{
  PrismMeasurement *measurement = &self->measurements[i];

  prism_cache_count (self->cache, PRISM_CACHE_FRAMES, !measurement->is_new);
  prism_cache_count (self->cache, PRISM_CACHE_APERTURES, measurement->is_used);
  prism_cache_count (self->cache, PRISM_CACHE_TRANSFORMS,
                     prism_cache_note_transforms (self->cache));
  measurement->is_new = FALSE;
  measurement->is_used = TRUE;
}

/**
 * prism_measurements_get_step:
 * @self: measurements
 *
 * Returns: of the points that are held of each frame; 0 where whole frames are
 */
guint
prism_measurements_get_step (PrismMeasurements *self)
{
  gboolean can = self->backend->ops->measure_points != NULL && self->backend->spec.samples;

  return can && !prism_measurements_has_noise (self) ? self->step : 0;
}

/**
 * prism_measurements_acquire_points:
 * @self: measurements
 * @i: number of the sample
 * @error: return location
 *
 * As prism_measurements_acquire(), for passes: where frames are held small its points are bound
 * instead of the whole one.
 *
 * Errors: as prism_measurements_acquire().
 *
 * Returns: whether the slot is ready
 */
gboolean
prism_measurements_acquire_points (PrismMeasurements *self,
                                   guint i,
                                   GError **error)
{
  PrismMeasurement *measurement = &self->measurements[i];
  const guint step = prism_measurements_get_step (self);

  if (step == 0)
    return prism_measurements_acquire (self, i, error);
  if (measurement->points == NULL)
    {
      measurement->is_new = TRUE;
      measurement->points = self->backend->ops->measure_points (self->backend, measurement->mask,
                                                                step, error);
      if (measurement->points == NULL)
        return FALSE;
      prism_cache_hold_small (self->cache, (gint64) measurement->points->n_bytes);
    }
  return measurement->has_points || bind (self, i, measurement->points, error);
}

/**
 * prism_measurements_forget:
 * @self: measurements
 * @i: number of the sample
 *
 * Lets go of a measurement that is of no use, in the slot and in the cache; it is taken again when
 * it is wanted.
 */
void
prism_measurements_forget (PrismMeasurements *self,
                           guint i)
{
  for (int noisy = 0; noisy <= 1; noisy++)
    {
      PrismCacheKey key;

      init_key (self, i, noisy, &key);
      prism_cache_forget (self->cache, &key);
    }
  unbind (self, i);
  let_go_of_points (self, i);
}

/**
 * prism_measurements_acquire:
 * @self: measurements
 * @i: number of the sample
 * @error: return location
 *
 * Makes sure that sample @i is bound to slot @i: taken from the cache where it is there, otherwise
 * simulated. One that is not finite is taken again, once.
 *
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_BACKEND for an image that is not finite, whatever the
 * device says.
 *
 * Returns: whether the slot is ready
 */
gboolean
prism_measurements_acquire (PrismMeasurements *self,
                            guint i,
                            GError **error)
{
  g_autoptr (GError) reason = NULL;

  if (acquire (self, i, &reason))
    return TRUE;
  if (reason->code != PRISM_ERROR_CONFIG && reason->code != PRISM_ERROR_BACKEND)
    {
      g_propagate_error (error, g_steal_pointer (&reason));
      return FALSE;
    }
  prism_measurements_forget (self, i);
  if (!acquire (self, i, error))
    return FALSE;
  self->renewed = i + 1;
  return TRUE;
}

/**
 * prism_measurements_take_renewed:
 * @self: measurements
 * @sample: (out): number of a sample
 *
 * Finds out whether an image was not finite when it came, and was taken again.
 *
 * Returns: whether there was one since the last call
 */
gboolean
prism_measurements_take_renewed (PrismMeasurements *self,
                                 guint *sample)
{
  if (self->renewed == 0)
    return FALSE;
  *sample = self->renewed - 1;
  self->renewed = 0;
  return TRUE;
}

/**
 * prism_measurements_is_bound:
 * @self: measurements
 * @i: number of a sample
 *
 * A sample that was acquired stays bound until the cache's budget throws it out for another.
 *
 * Returns: whether slot @i has its image, the whole of it
 */
gboolean
prism_measurements_is_bound (PrismMeasurements *self,
                             guint i)
{
  return self->measurements[i].target != NULL;
}

static gboolean
are_bound (PrismMeasurements *self,
           const guint *samples,
           guint n_samples)
{
  for (guint k = 0; k < n_samples; k++)
    if (!prism_measurements_is_bound (self, samples[k]))
      return FALSE;
  return TRUE;
}

/**
 * prism_measurements_acquire_many:
 * @self: measurements
 * @samples: (array): numbers of samples
 * @n_samples: (inout): how many of them are wanted, and how many are ready: the first ones, fewer
 * where the cache's budget does not hold all at once, but at least one
 * @error: return location
 *
 * Makes sure that samples are bound to their slots at the same time.
 *
 * Errors: as prism_measurements_acquire().
 *
 * Returns: whether the slots are ready
 */
gboolean
prism_measurements_acquire_many (PrismMeasurements *self,
                                 const guint *samples,
                                 guint *n_samples,
                                 GError **error)
{
  for (guint k = 0; k < *n_samples; k++)
    {
      gboolean was_bound = prism_measurements_is_bound (self, samples[k]);

      if (!prism_measurements_acquire (self, samples[k], error))
        return FALSE;
      /* Only what comes anew can have taken the room of another. */
      if (!was_bound && !are_bound (self, samples, k + 1))
        {
          *n_samples = 1;
          return prism_measurements_acquire (self, samples[0], error);
        }
    }
  return TRUE;
}

/**
 * prism_measurements_move:
 * @self: measurements
 * @backend: another device for the same task
 *
 * Goes on with another device: what was recorded is gone and will be taken again there, from the
 * same seeds. The old device is not touched, but its buffers are given back; the cache must be
 * cleared before it is closed.
 */
void
prism_measurements_move (PrismMeasurements *self,
                         PrismBackend *backend)
{
  for (guint i = 0; i < self->n_measurements; i++)
    {
      g_clear_pointer (&self->measurements[i].target, prism_buffer_unref);
      let_go_of_points (self, i);
      self->measurements[i].has_points = FALSE;
    }
  self->backend = backend;
}

/**
 * prism_measurements_get_mask:
 * @self: measurements
 * @i: number of the sample
 *
 * Returns: (transfer none): the aperture of sample @i
 */
PrismMask *
prism_measurements_get_mask (PrismMeasurements *self,
                             guint i)
{
  return self->measurements[i].mask;
}

/**
 * prism_measurements_get_weight:
 * @self: measurements
 * @i: number of a sample that was acquired
 * @gamma: γ, the parameter energy_weight
 *
 * The weight (Eᵢ/max E)^γ of a sample's loss: outer apertures are faint, and counting them like
 * the bright ones ruins the low frequencies. The maximum is over what was acquired so far.
 *
 * Source: numerics.md § 8.
 *
 * Returns: the weight, 0…1
 */
double
prism_measurements_get_weight (PrismMeasurements *self,
                               guint i,
                               double gamma)
{
  if (self->max_energy <= 0.0)
    return 1.0;
  return pow (self->measurements[i].energy / self->max_energy, gamma);
}

/**
 * prism_measurements_dup_image:
 * @self: measurements
 * @i: number of a sample
 * @error: return location
 *
 * What the camera recorded, as amplitude.
 *
 * Shape: [n][n].
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the image
 */
PrismImage *
prism_measurements_dup_image (PrismMeasurements *self,
                              guint i,
                              GError **error)
{
  PrismMeasurement *measurement = &self->measurements[i];
  int n = self->backend->spec.image_size;
  g_autoptr (PrismImage) image = NULL;

  if (measurement->target == NULL && !prism_measurements_acquire (self, i, error))
    return NULL;
  image = prism_image_new (n, n, error);
  if (image == NULL)
    return NULL;
  self->backend->ops->read_buffer (self->backend, measurement->target, measurement->mask,
                                   image->pixels);
  return g_steal_pointer (&image);
}
