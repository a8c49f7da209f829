#include "config.h"

#include "cpu/prism-cpu-telescope.h"

#include "base/prism-isa.h"
#include "base/prism-system.h"
#include "cpu/prism-cpu-telescope-private.h"
#include "model/prism-noise.h"
#include "profile/prism-profile.h"

#define EPSILON 1e-8 /* of the losses' normalisers */

static const PrismCpuTelescopeKernels *const all_kernels[PRISM_N_ISAS]
    = PRISM_ISA_TABLE (prism_cpu_telescope_kernels);

static void
plan_arrays (PrismCpuTelescope *self,
             guint n_threads)
{
  const gsize n = self->image_size, m = self->object_size, lanes = self->kernels->lanes;
  const gsize element = 2 * lanes, n_blocks = n / lanes;
  const gsize image = m * m * sizeof (float), plane = n * n * sizeof (float);
  const gsize half = (n / 2 + lanes) / lanes * lanes;

  self->half_stride = half * element;
  self->work_size = (2 * n + 2 * lanes) * element;
  self->patch_size = n * element;

  prism_arena_add_array (self->arena, (gpointer *) &self->object, image);
  prism_arena_add_array (self->arena, (gpointer *) &self->scratch_image, image);
  prism_arena_add_array (self->arena, (gpointer *) &self->half_spectrum,
                         (m + lanes - 1) / lanes * self->half_stride * sizeof (float));
  prism_arena_add_array (self->arena, (gpointer *) &self->planes, 2 * plane);
  prism_arena_add_array (self->arena, (gpointer *) &self->spectrum_re, plane);
  prism_arena_add_array (self->arena, (gpointer *) &self->spectrum_im, plane);
  prism_arena_add_array (self->arena, (gpointer *) &self->work,
                         n_threads * (self->work_size + self->patch_size) * sizeof (float));
  prism_arena_add_array (self->arena, (gpointer *) &self->sums,
                         PRISM_CPU_TELESCOPE_MAX_VIEWS * n_blocks * sizeof *self->sums);
  prism_arena_add_array (self->arena, (gpointer *) &self->pyramid, plane);
  prism_arena_add_array (self->arena, (gpointer *) &self->band_sums,
                         (n / PRISM_CPU_TELESCOPE_BAND + 1) * sizeof *self->band_sums);
  self->bands = g_new0 (PrismSsimBand, n_threads);
  for (guint i = 0; i < n_threads; i++)
    prism_ssim_band_plan (&self->bands[i], self->arena, self->image_size);
  prism_arena_add_array (self->arena, (gpointer *) &self->place_y, n * sizeof *self->place_y);
  prism_arena_add_array (self->arena, (gpointer *) &self->place_x, n * sizeof *self->place_x);
}

static PrismCpuTelescope *
telescope_new_planned (int image_size,
                       int object_size,
                       guint n_threads)
{
  PrismCpuTelescope *self = g_new0 (PrismCpuTelescope, 1);

  self->image_size = image_size;
  self->object_size = object_size;
  self->kernels = all_kernels[prism_isa_get ()];
  self->arena = prism_arena_new ();
  plan_arrays (self, n_threads);
  return self;
}

/**
 * prism_cpu_telescope_get_required_bytes:
 * @image_size: n
 * @object_size: m
 *
 * What a telescope will allocate with as many threads as there are processors. Targets are not
 * counted: they belong to the caller.
 *
 * Units: bytes.
 * Thread: any.
 *
 * Returns: the size
 */
guint64
prism_cpu_telescope_get_required_bytes (int image_size,
                                        int object_size)
{
  g_autoptr (PrismCpuTelescope) self = telescope_new_planned (image_size, object_size,
                                                              prism_available_get_processors ());

  return prism_arena_get_size (self->arena) + prism_cpu_fft_tables_get_required_bytes (image_size);
}

/**
 * prism_cpu_telescope_new:
 * @image_size: n, a power of two from 64 to 4096
 * @object_size: m, even, from 16 to n
 * @n_slots: measurements that may be bound at once
 * @pool: worker threads; must outlive the telescope
 *
 * Allocates all that the telescope will ever need. The object is black until
 * prism_cpu_telescope_set_object().
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the telescope
 */
PrismCpuTelescope *
prism_cpu_telescope_new (int image_size,
                         int object_size,
                         guint n_slots,
                         PrismPool *pool,
                         GError **error)
{
  g_autoptr (PrismCpuTelescope) self = NULL;

  g_return_val_if_fail (image_size >= 64 && image_size <= PRISM_CPU_FFT_MAX_LENGTH, NULL);
  g_return_val_if_fail ((image_size & (image_size - 1)) == 0, NULL);
  g_return_val_if_fail (object_size >= 16 && object_size <= image_size, NULL);
  g_return_val_if_fail (object_size % 2 == 0, NULL);

  self = telescope_new_planned (image_size, object_size, prism_pool_get_n_threads (pool));
  self->pool = pool;
  self->tables = prism_cpu_fft_tables_new (image_size, error);
  if (self->tables == NULL || !prism_arena_allocate (self->arena, "the telescope", error))
    return NULL;
  self->n_slots = n_slots;
  self->slots = g_new0 (PrismCpuTelescopeSlot, n_slots);
  return g_steal_pointer (&self);
}

/**
 * prism_cpu_telescope_free:
 * @self: (transfer full) (nullable): a telescope
 *
 * Frees it and lets go of the masks in its slots.
 */
void
prism_cpu_telescope_free (PrismCpuTelescope *self)
{
  if (self == NULL)
    return;
  for (guint i = 0; i < self->n_slots; i++)
    {
      g_clear_pointer (&self->slots[i].mask, prism_mask_unref);
      g_clear_pointer (&self->slots[i].expect, prism_expect_free);
    }
  prism_arena_free_array (self->delta_re);
  prism_arena_free_array (self->delta_im);
  prism_arena_free_array (self->n_points);
  prism_cpu_telescope_free_samples (self);
  g_free (self->slots);
  g_free (self->bands);
  g_clear_pointer (&self->tables, prism_cpu_fft_tables_free);
  prism_arena_free (self->arena);
  g_free (self);
}

/**
 * prism_cpu_telescope_set_object:
 * @amplitude: (array): the object
 *
 * Puts an object in front of the telescope.
 *
 * Shape: [m][m].
 * Errors: PRISM_ERROR_CONFIG when a pixel is not a finite number; then the old object stays.
 *
 * Returns: whether the object was taken
 */
gboolean
prism_cpu_telescope_set_object (PrismCpuTelescope *self,
                                const float *amplitude,
                                GError **error)
{
  const gsize n_pixels = (gsize) self->object_size * self->object_size;

  if (!prism_backend_check_object (amplitude, self->object_size, error))
    return FALSE;
  memcpy (self->object, amplitude, n_pixels * sizeof *amplitude);
  return TRUE;
}

/**
 * prism_cpu_telescope_measure:
 * @mask: aperture
 * @image: (array) (nullable): what to look at, NULL for the object
 * @target: (array) (out caller-allocates): amplitude |F⁻¹{P·F{image}}|
 *
 * What the camera sees through one aperture, without noise; through one that moves, the mean of the
 * intensities.
 *
 * Shape: @image [m][m], @target [n][n] in the telescope's own order for @mask.
 * Source: numerics.md § 4.
 */
void
prism_cpu_telescope_measure (PrismCpuTelescope *self,
                             const PrismMask *mask,
                             const float *image,
                             float *target)
{
  g_return_if_fail (mask->image_size == self->image_size);

  prism_cpu_telescope_transform_image (self, image == NULL ? self->object : image);
  prism_cpu_telescope_see (self, mask, target);
}

/**
 * prism_cpu_telescope_load_target:
 * @mask: aperture
 * @amplitude: (array): detector image in natural order, origin at [n/2][n/2]
 * @target: (array) (out caller-allocates): the same in the telescope's order for @mask
 *
 * Takes a detector image from outside.
 *
 * Shape: both [n][n].
 */
void
prism_cpu_telescope_load_target (PrismCpuTelescope *self,
                                 const PrismMask *mask,
                                 const float *amplitude,
                                 float *target)
{
  const gsize n = self->image_size;

  g_return_if_fail (mask->image_size == self->image_size);

  prism_cpu_telescope_fill_places (self, mask);
  for (gsize y = 0; y < n; y++)
    for (gsize x = 0; x < n; x++)
      target[self->place_y[y] + self->place_x[x]] = amplitude[y * n + x];
}

/**
 * prism_cpu_telescope_read_target:
 * @mask: aperture that @target belongs to
 * @target: (array): detector image in the telescope's order for @mask
 * @amplitude: (array) (out caller-allocates): the same in natural order, origin at [n/2][n/2]
 *
 * Gives a detector image to the outside.
 *
 * Shape: both [n][n].
 */
void
prism_cpu_telescope_read_target (PrismCpuTelescope *self,
                                 const PrismMask *mask,
                                 const float *target,
                                 float *amplitude)
{
  const gsize n = self->image_size;

  g_return_if_fail (mask->image_size == self->image_size);

  prism_cpu_telescope_fill_places (self, mask);
  for (gsize y = 0; y < n; y++)
    for (gsize x = 0; x < n; x++)
      amplitude[y * n + x] = target[self->place_y[y] + self->place_x[x]];
}

/**
 * prism_cpu_telescope_expose:
 * @mask: aperture that the images belong to
 * @exposure: noise
 * @clean: (array): noise-free amplitude
 * @target: (array) (out caller-allocates): noisy amplitude; may be @clean
 *
 * Adds the camera's noise to the intensity. Random numbers belong to the natural pixels, so that
 * every device draws the same.
 *
 * Shape: both [n][n] in the telescope's order for @mask.
 * Source: numerics.md § 4.
 */
void
prism_cpu_telescope_expose (PrismCpuTelescope *self,
                            const PrismMask *mask,
                            const PrismExposure *exposure,
                            const float *clean,
                            float *target)
{
  const gsize n_pixels = (gsize) self->image_size * self->image_size;
  float *image = self->planes;

  const PrismNoise noise = { exposure->snr, exposure->photon, exposure->read_snr };

  if (!prism_noise_is_on (&noise))
    {
      memmove (target, clean, n_pixels * sizeof *target);
      return;
    }
  prism_cpu_telescope_read_target (self, mask, clean, image);
  for (gsize i = 0; i < n_pixels; i++)
    image[i] *= image[i];
  prism_noise_expose (&noise, image, n_pixels, exposure->seed, FALSE, exposure->sample);
  for (gsize i = 0; i < n_pixels; i++)
    image[i] = sqrtf (MAX (image[i], 0.0f));
  prism_cpu_telescope_load_target (self, mask, image, target);
}

static void
slot_compute_means (PrismCpuTelescopeSlot *slot,
                    gsize n_pixels)
{
  double sum = 0.0, sum_square = 0.0, sum_fourth = 0.0;

  for (gsize i = 0; i < n_pixels; i++)
    {
      double amplitude = slot->target[i], square = amplitude * amplitude;

      sum += amplitude;
      sum_square += square;
      sum_fourth += square * square;
    }
  slot->mean = sum / n_pixels;
  slot->mean_square = sum_square / n_pixels;
  slot->mean_fourth = sum_fourth / n_pixels;
}

/* Where the points of a line are added up, from the first mask that moves on. */
static gboolean
ensure_deltas (PrismCpuTelescope *self,
               GError **error)
{
  const gsize bytes = (gsize) self->image_size * self->image_size * sizeof (float);
  float **planes[] = { &self->delta_re, &self->delta_im, &self->n_points };

  for (gsize i = 0; i < G_N_ELEMENTS (planes); i++)
    {
      if (*planes[i] == NULL)
        *planes[i] = prism_arena_new_array (bytes, "the telescope's lines", error);
      if (*planes[i] == NULL)
        return FALSE;
    }
  return TRUE;
}

static gboolean
bind_target (PrismCpuTelescope *self,
             guint slot,
             const PrismMask *mask,
             const float *target,
             guint step,
             double *energy,
             GError **error)
{
  const gsize side = self->image_size / MAX (step, 1);
  PrismCpuTelescopeSlot bound = { .target = target, .step = step };

  if (mask != NULL && mask->n_parts > 0 && !ensure_deltas (self, error))
    return FALSE;
  if (mask != NULL && !prism_cpu_telescope_fit_samples (self, mask, error))
    return FALSE;
  if (mask != NULL)
    slot_compute_means (&bound, side * side);
  if (!prism_backend_check_power (bound.mean_square, slot, error))
    return FALSE;
  if (mask != NULL)
    bound.mask = prism_mask_ref ((PrismMask *) mask);
  if (energy != NULL)
    *energy = bound.mean_square * self->image_size * self->image_size;
  g_clear_pointer (&self->slots[slot].mask, prism_mask_unref);
  g_clear_pointer (&self->slots[slot].expect, prism_expect_free);
  self->slots[slot] = bound;
  return TRUE;
}

/**
 * prism_cpu_telescope_bind:
 * @slot: number of a slot
 * @mask: (nullable): aperture, NULL to free the slot
 * @target: (array) (nullable): amplitude that was measured through it
 * @energy: (out) (optional): Σ of the target's intensity
 *
 * Ties a measurement to a slot. The slot keeps a reference on the mask and the address of the
 * target, which must stay as it is; it may be bound to several slots.
 *
 * Shape: @target [n][n] in the telescope's order for @mask.
 * Errors: PRISM_ERROR_CONFIG when the target holds a value that is not finite; PRISM_ERROR_MEMORY.
 *
 * Returns: whether the slot is bound
 */
gboolean
prism_cpu_telescope_bind (PrismCpuTelescope *self,
                          guint slot,
                          const PrismMask *mask,
                          const float *target,
                          double *energy,
                          GError **error)
{
  g_return_val_if_fail (slot < self->n_slots, FALSE);
  g_return_val_if_fail (mask == NULL || mask->image_size == self->image_size, FALSE);
  g_return_val_if_fail (mask == NULL || target != NULL, FALSE);

  return bind_target (self, slot, mask, target, 0, energy, error);
}

/**
 * prism_cpu_telescope_bind_points:
 * @slot: number of a slot
 * @mask: aperture
 * @points: (array): of prism_cpu_telescope_measure_points() through it
 * @step: of the points
 * @energy: (out) (optional): Σ of the target's intensity, by its points
 *
 * As prism_cpu_telescope_bind(), for a slot that only terms of a misfit with this step and no
 * offset look at.
 *
 * Shape: @points [n/@step][n/@step] in the telescope's order for @mask.
 * Errors: as prism_cpu_telescope_bind().
 *
 * Returns: whether the slot is bound
 */
gboolean
prism_cpu_telescope_bind_points (PrismCpuTelescope *self,
                                 guint slot,
                                 const PrismMask *mask,
                                 const float *points,
                                 guint step,
                                 double *energy,
                                 GError **error)
{
  g_return_val_if_fail (slot < self->n_slots, FALSE);
  g_return_val_if_fail (mask->image_size == self->image_size, FALSE);

  return bind_target (self, slot, mask, points, step, energy, error);
}

/* Mean of the loss's function of the target: the loss of a black image, and the normaliser. */
static double
slot_get_target_loss (const PrismCpuTelescopeSlot *slot,
                      const PrismStep *step)
{
  gboolean intensity = step->domain == PRISM_DOMAIN_INTENSITY;

  if (step->loss == PRISM_LOSS_L2)
    return intensity ? slot->mean_fourth : slot->mean_square;
  return intensity ? slot->mean_square : slot->mean;
}

static PrismPixelKind
get_pixel_kind (const PrismStep *step)
{
  gboolean intensity = step->domain == PRISM_DOMAIN_INTENSITY;

  if (step->loss == PRISM_LOSS_L2)
    return intensity ? PRISM_PIXEL_L2_INTENSITY : PRISM_PIXEL_L2_AMPLITUDE;
  return intensity ? PRISM_PIXEL_L1_INTENSITY : PRISM_PIXEL_L1_AMPLITUDE;
}

/* What Σ|d| or Σd² of a term is multiplied by to be its weighted loss. */
static double
get_term_factor (PrismCpuTelescope *self,
                 const PrismStep *step,
                 const PrismTerm *term)
{
  const PrismCpuTelescopeSlot *slot = &self->slots[term->slot];
  double norm = step->normalise ? slot_get_target_loss (slot, step) + EPSILON : 1.0;

  return term->weight / (norm * self->image_size * self->image_size);
}

static const PrismTerm *
get_term (const PrismStep *step,
          guint term)
{
  return term == 0 ? &step->new_term : &step->old_terms[term - 1];
}

static float
get_gain (PrismCpuTelescope *self,
          const PrismStep *step,
          const PrismTerm *term)
{
  double gain = get_term_factor (self, step, term);

  if (step->loss == PRISM_LOSS_L2)
    gain *= 2.0;
  if (step->domain == PRISM_DOMAIN_INTENSITY)
    gain *= 2.0;
  return (float) gain;
}

static gboolean
moves (PrismCpuTelescope *self,
       const PrismTerm *term)
{
  return self->slots[term->slot].mask->n_parts > 0;
}

/* Adds the term's view; a term that sees nothing needs none. */
static gboolean
add_term (PrismCpuTelescope *self,
          const PrismStep *step,
          const PrismTerm *term)
{
  const PrismCpuTelescopeSlot *slot = &self->slots[term->slot];

  if (slot->mask->height == 0)
    return TRUE;
  return prism_cpu_telescope_add_view (self, slot->mask, slot->target, get_pixel_kind (step),
                                       get_gain (self, step, term));
}

/* Weighted losses of the terms first … end-1, whose views have been visited. */
static void
add_losses (PrismCpuTelescope *self,
            const PrismStep *step,
            guint first,
            guint end,
            PrismStepResult *result)
{
  guint view = 0;

  for (guint i = first; i < end; i++)
    {
      const PrismTerm *term = get_term (step, i);
      const PrismCpuTelescopeSlot *slot = &self->slots[term->slot];
      double sums[2];

      if (slot->mask->height == 0)
        sums[0] = slot_get_target_loss (slot, step) * self->image_size * self->image_size;
      else
        prism_cpu_telescope_get_sums (self, view++, sums);
      sums[0] *= get_term_factor (self, step, term);
      *(i == 0 ? &result->loss_new : &result->loss_old) += sums[0];
    }
}

/* A term whose aperture moves. */
static void
add_moving_loss (PrismCpuTelescope *self,
                 const PrismStep *step,
                 guint i,
                 gboolean accumulate,
                 float *gradient,
                 PrismStepResult *result)
{
  const PrismTerm *term = get_term (step, i);
  const PrismCpuTelescopeSlot *slot = &self->slots[term->slot];
  const PrismCpuTelescopeComparison comparison = {
    .mask = slot->mask,
    .target = slot->target,
    .kind = get_pixel_kind (step),
  };
  double sums[2];

  prism_cpu_telescope_add_parts (self, &comparison, get_gain (self, step, term), accumulate,
                                 gradient, sums);
  *(i == 0 ? &result->loss_new : &result->loss_old) += sums[0] * get_term_factor (self, step, term);
}

/* Terms go together as far as their planes fit. */
static void
add_pixel_losses (PrismCpuTelescope *self,
                  const PrismStep *step,
                  gboolean accumulate,
                  float *gradient,
                  PrismStepResult *result)
{
  const guint n_terms = 1 + step->n_old;
  gint64 begun;

  for (guint first = 0, end = 0; first < n_terms; first = end)
    {
      if (moves (self, get_term (step, first)))
        {
          add_moving_loss (self, step, end++, accumulate || first > 0, gradient, result);
          continue;
        }
      prism_cpu_telescope_clear_views (self);
      while (end < n_terms && !moves (self, get_term (step, end))
             && add_term (self, step, get_term (step, end)))
        end++;
      prism_cpu_telescope_expand_views (self);
      begun = prism_profile_begin ();
      prism_cpu_telescope_visit_views (self);
      prism_profile_end_with (PRISM_STAGE_LOSS, begun, end - first, 0, 0.0);
      prism_cpu_telescope_reduce_views (self);
      prism_cpu_telescope_restore_views (self, accumulate || first > 0, gradient);
      add_losses (self, step, first, end, result);
    }
}

static void
add_similarities (PrismCpuTelescope *self,
                  const PrismStep *step,
                  gboolean accumulate,
                  float *gradient,
                  PrismStepResult *result)
{
  for (guint i = 0; i < 1 + step->n_old; i++)
    {
      const PrismTerm *term = get_term (step, i);
      const gint64 begun = prism_profile_begin ();
      double loss = prism_cpu_telescope_add_similarity (self, step, term, accumulate || i > 0,
                                                        gradient);

      prism_profile_end (PRISM_STAGE_LOSS, begun);
      *(i == 0 ? &result->loss_new : &result->loss_old) += loss;
    }
}

/* One loss of all terms. */
static void
add_loss (PrismCpuTelescope *self,
          const PrismStep *step,
          gboolean accumulate,
          float *gradient,
          PrismStepResult *result)
{
  if (step->loss == PRISM_LOSS_SSIM || step->loss == PRISM_LOSS_MS_SSIM)
    add_similarities (self, step, accumulate, gradient, result);
  else
    add_pixel_losses (self, step, accumulate, gradient, result);
}

/* Σ weight·loss: the weight of a loss is one of its terms' weights. */
static void
add_composite (PrismCpuTelescope *self,
               const PrismStep *step,
               float *gradient,
               PrismStepResult *result)
{
  PrismStep part = *step;
  gboolean accumulate = FALSE;

  for (part.loss = 0; part.loss < PRISM_STEP_N_WEIGHTS; part.loss++)
    {
      const float weight = step->weights[part.loss];

      if (weight == 0.0f)
        continue;
      part.new_term.weight = weight * step->new_term.weight;
      for (guint i = 0; i < step->n_old; i++)
        part.old_terms[i].weight = weight * step->old_terms[i].weight;
      add_loss (self, &part, accumulate, gradient, result);
      accumulate = TRUE;
    }
  if (!accumulate)
    memset (gradient, 0, (gsize) self->object_size * self->object_size * sizeof *gradient);
}

/**
 * prism_cpu_telescope_compute_gradient:
 * @step: terms, all of bound slots; loss, domain and normalisation
 * @image: (array): what the decoder put out
 * @gradient: (array) (out caller-allocates): derivative of loss_new + loss_old for @image
 * @result: (out caller-allocates): losses; skipped is set when one is not finite, and then the
 *   gradient is of no use
 *
 * Looks at an image through all apertures of a step and compares with what was measured. The result
 * does not depend on the number of threads. SSIM losses take the memory of ePIE's spectrum.
 *
 * Shape: @image and @gradient [m][m].
 * Source: numerics.md § 7.
 */
void
prism_cpu_telescope_compute_gradient (PrismCpuTelescope *self,
                                      const PrismStep *step,
                                      const float *image,
                                      float *gradient,
                                      PrismStepResult *result)
{
  g_return_if_fail (step->n_old <= PRISM_STEP_MAX_OLD);

  memset (result, 0, sizeof *result);
  prism_cpu_telescope_transform_image (self, image);
  if (step->loss == PRISM_LOSS_COMPOSITE)
    add_composite (self, step, gradient, result);
  else
    add_loss (self, step, FALSE, gradient, result);
  result->skipped = !isfinite (result->loss_new) || !isfinite (result->loss_old);
  result->below_threshold = step->threshold > 0.0 && result->loss_new < step->threshold
                            && result->loss_old < step->threshold;
}

/**
 * prism_cpu_telescope_count_operations:
 * @step: as for prism_cpu_telescope_compute_gradient()
 *
 * Returns: what its visits take, 0 where no profile is taken or none is visited
 */
double
prism_cpu_telescope_count_operations (PrismCpuTelescope *self,
                                      const PrismStep *step)
{
  double operations = 0.0;

  if (!prism_profile_is_on () || step->fit_start)
    return 0.0;
  for (guint i = 0; i < 1 + step->n_old; i++)
    operations += prism_mask_count_operations (self->slots[get_term (step, i)->slot].mask,
                                               (guint) self->image_size);
  return operations;
}
