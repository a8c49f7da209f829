#include "config.h"

#include "cpu/prism-cpu-backend.h"

#include "base/prism-arena.h"
#include "base/prism-each.h"
#include "base/prism-isa.h"
#include "base/prism-pool.h"
#include "base/prism-system.h"
#include "cpu/prism-cpu-decoder.h"
#include "cpu/prism-cpu-descent.h"
#include "cpu/prism-cpu-telescope.h"
#include "cpu/prism-cpu-tuner.h"
#include "profile/prism-profile.h"

/* Dimensions of this file: n = image_size, m = object_size, P = number of parameters. */

#define MEMORY_INTERVAL_US 250000

typedef struct
{
  PrismBuffer parent;
  float *target; /* [n][n] or points of it, the telescope's order */
} PrismCpuBuffer;

typedef struct
{
  PrismBackend parent;
  PrismPool *pool;
  PrismCpuDecoder *decoder;
  PrismCpuTelescope *telescope;
  PrismVariation *variation;
  PrismArena *arena;
  float *gradient;     /* [m][m]: dLoss/dOutput */
  float *object;       /* [m][m] amplitude */
  float *start_image;  /* [m][m] */
  float *epie_image;   /* [m][m] */
  const float *output; /* [m][m], NULL before the first forward pass */
  PrismBuffer **bound; /* [n_slots], keeps targets alive */
  guint64 n_steps;     /* of Adam since reset_optimizer */
  guint64 n_trained;   /* steps since open */
  double residual;     /* of ePIE since epie_start or epie_collect */
  double power;
  gboolean frame_wanted;
  guint64 own_bytes; /* all but the buffers */
  guint64 buffer_bytes;
  guint64 peak_bytes;
  guint64 available; /* bytes, as of asked */
  gint64 asked;      /* µs; 0 before the first time */
  PrismCpuTiming timing;
  PrismCpuTuning *tuning; /* (nullable) */
} PrismCpuBackend;

static char *
cpu_dup_unavailable_reason (void)
{
  return NULL;
}

/* The reference does everything. */
static char *
cpu_dup_unsupported_reason (const PrismBackendSpec *spec)
{
  return NULL;
}

static char *
cpu_dup_precision_advice (const PrismBackendSpec *spec)
{
  if (spec->precision == PRISM_PRECISION_FP32)
    return NULL;
  return g_strdup (_ ("Mixed precision needs an NVIDIA GPU; the CPU computes in single "
                      "precision."));
}

/* What a telescope whose frames are looked at in some points adds up pixel by pixel. */
static gboolean
has_power (const PrismBackendSpec *spec)
{
  return spec->n_line_points > 1 || spec->read_noise;
}

static guint64
cpu_get_required_bytes (const PrismBackendSpec *spec)
{
  guint64 image = (guint64) spec->object_size * spec->object_size * sizeof (float);
  guint n_extra = (spec->amsgrad ? 1 : 0) + (spec->clips ? 1 : 0);
  guint64 plane = (guint64) spec->image_size * spec->image_size * sizeof (float);

  return prism_cpu_decoder_get_required_bytes (&spec->decoder, PRISM_CPU_DECODER_TRAIN)
         + (guint64) n_extra * spec->decoder.n_parameters * sizeof (float)
         + prism_cpu_telescope_get_required_bytes (spec->image_size, spec->object_size) + 4 * image
         + (spec->n_line_points > 1 ? 3 * plane : 0)
         + (spec->samples
                ? prism_cpu_telescope_get_sample_bytes (spec->image_size, has_power (spec),
                                                        prism_pool_count_threads (spec->n_threads))
                : 0);
}

/* In this order: what uses the pool goes before it. */
PRISM_FREE (PrismCpuBackend,
            free_parts,
            g_free,
            bound,
            prism_cpu_tuning_free,
            tuning,
            prism_variation_free,
            variation,
            prism_cpu_telescope_free,
            telescope,
            prism_cpu_decoder_free,
            decoder,
            prism_pool_free,
            pool,
            prism_arena_free,
            arena)

static void
cpu_close (PrismBackend *backend)
{
  PrismCpuBackend *self = (PrismCpuBackend *) backend;

  for (guint i = 0; self->bound != NULL && i < backend->spec.n_slots; i++)
    prism_buffer_unref (self->bound[i]);
  free_parts (self);
}

static gboolean
allocate_images (PrismCpuBackend *self,
                 GError **error)
{
  const gsize m = self->parent.spec.object_size, bytes = m * m * sizeof (float);

  self->arena = prism_arena_new ();
  prism_arena_add_array (self->arena, (gpointer *) &self->gradient, bytes);
  prism_arena_add_array (self->arena, (gpointer *) &self->object, bytes);
  prism_arena_add_array (self->arena, (gpointer *) &self->start_image, bytes);
  prism_arena_add_array (self->arena, (gpointer *) &self->epie_image, bytes);
  return prism_arena_allocate (self->arena, "the object's images", error);
}

static PrismBackend *
cpu_open (const PrismBackendSpec *spec,
          GError **error)
{
  g_autoptr (PrismBackend) backend = (PrismBackend *) g_new0 (PrismCpuBackend, 1);
  PrismCpuBackend *self = (PrismCpuBackend *) backend;

  backend->ops = &prism_cpu_backend_ops;
  backend->spec = *spec;
  backend->spec.amp = FALSE;
  backend->spec.precision = PRISM_PRECISION_FP32;
  self->bound = g_new0 (PrismBuffer *, spec->n_slots);

  if (!allocate_images (self, error))
    return NULL;
  self->pool = prism_pool_new (prism_pool_count_threads (spec->n_threads), error);
  if (self->pool == NULL)
    return NULL;
  self->decoder
      = prism_cpu_decoder_new (&spec->decoder, PRISM_CPU_DECODER_TRAIN, self->pool, error);
  if (self->decoder == NULL
      || !prism_cpu_decoder_reserve (self->decoder, spec->amsgrad, spec->clips, error))
    return NULL;
  self->telescope = prism_cpu_telescope_new (spec->image_size, spec->object_size, spec->n_slots,
                                             self->pool, error);
  if (self->telescope == NULL
      || (spec->samples
          && !prism_cpu_telescope_allow_samples (self->telescope, has_power (spec), error)))
    return NULL;
  self->variation = prism_variation_new (spec->object_size, self->pool, error);
  if (self->variation == NULL)
    return NULL;
  self->tuning = prism_cpu_tuning_new (spec, self->pool);
  self->own_bytes = self->peak_bytes = cpu_get_required_bytes (spec);
  return g_steal_pointer (&backend);
}

static char *
cpu_dup_device_name (PrismBackend *backend)
{
  guint n = prism_pool_get_n_threads (((PrismCpuBackend *) backend)->pool);

  return g_strdup_printf (ngettext ("CPU, %u thread, %s", "CPU, %u threads, %s", n), n,
                          prism_isa_get_name (prism_isa_get ()));
}

/* Of every step: nothing is computed anew. */
static void
cpu_get_memory (PrismBackend *backend,
                PrismMemoryUse *use)
{
  PrismCpuBackend *self = (PrismCpuBackend *) backend;
  gint64 now = g_get_monotonic_time ();

  if (self->asked == 0 || now - self->asked >= MEMORY_INTERVAL_US)
    {
      self->asked = now;
      self->available = prism_available_get_memory ();
    }
  *use = (PrismMemoryUse) { self->own_bytes + self->buffer_bytes, self->peak_bytes,
                            self->available };
}

static void
cpu_get_counters (PrismBackend *backend,
                  PrismDeviceCounters *counters)
{
  *counters = (PrismDeviceCounters) {
    .n_steps = ((PrismCpuBackend *) backend)->n_trained,
    .loss_scale = 1.0,
    .is_tuning = prism_cpu_tuning_is_on (((PrismCpuBackend *) backend)->tuning),
  };
}

static void
cpu_set_parameters (PrismBackend *backend,
                    const float *parameters)
{
  PrismCpuBackend *self = (PrismCpuBackend *) backend;

  prism_cpu_decoder_set_parameters (self->decoder, parameters);
  self->output = NULL;
}

static void
cpu_get_parameters (PrismBackend *backend,
                    float *parameters)
{
  prism_cpu_decoder_get_parameters (((PrismCpuBackend *) backend)->decoder, parameters);
}

static void
cpu_get_gradient (PrismBackend *backend,
                  float *gradient)
{
  prism_cpu_decoder_get_gradient (((PrismCpuBackend *) backend)->decoder, gradient);
}

static void
cpu_reset_optimizer (PrismBackend *backend)
{
  PrismCpuBackend *self = (PrismCpuBackend *) backend;

  prism_cpu_decoder_set_moments (self->decoder, NULL, NULL, NULL);
  self->n_steps = 0;
}

static void
cpu_set_moments (PrismBackend *backend,
                 const float *first,
                 const float *second,
                 const float *largest,
                 guint64 n_steps)
{
  PrismCpuBackend *self = (PrismCpuBackend *) backend;

  prism_cpu_decoder_set_moments (self->decoder, first, second, largest);
  self->n_steps = n_steps;
}

static void
cpu_get_moments (PrismBackend *backend,
                 float *first,
                 float *second,
                 float *largest,
                 guint64 *n_steps)
{
  PrismCpuBackend *self = (PrismCpuBackend *) backend;

  prism_cpu_decoder_get_moments (self->decoder, first, second, largest);
  *n_steps = self->n_steps;
}

static gboolean
cpu_is_finite (PrismBackend *backend)
{
  return prism_cpu_decoder_is_finite (((PrismCpuBackend *) backend)->decoder);
}

static gsize
image_bytes (PrismBackend *backend)
{
  return (gsize) backend->spec.object_size * backend->spec.object_size * sizeof (float);
}

static gboolean
cpu_set_object (PrismBackend *backend,
                const float *amplitude,
                GError **error)
{
  PrismCpuBackend *self = (PrismCpuBackend *) backend;

  self->frame_wanted = FALSE;
  memcpy (self->object, amplitude, image_bytes (backend));
  return prism_cpu_telescope_set_object (self->telescope, amplitude, error);
}

static void
cpu_get_spectrum (PrismBackend *backend,
                  float *spectrum)
{
  prism_cpu_telescope_get_spectrum (((PrismCpuBackend *) backend)->telescope, spectrum);
}

static void
cpu_set_start_image (PrismBackend *backend,
                     const float *image)
{
  memcpy (((PrismCpuBackend *) backend)->start_image, image, image_bytes (backend));
}

static PrismCpuBuffer *
new_buffer (PrismCpuBackend *self,
            guint step,
            GError **error)
{
  gsize side = self->parent.spec.image_size / MAX (step, 1);
  gsize bytes = side * side * sizeof (float);
  float *target = prism_arena_new_array (bytes, "a detector image", error);
  PrismCpuBuffer *buffer;

  if (target == NULL)
    return NULL;

  buffer = g_new0 (PrismCpuBuffer, 1);
  buffer->parent.ref_count = 1;
  buffer->parent.n_bytes = bytes;
  buffer->parent.step = step;
  buffer->parent.backend = &self->parent;
  buffer->target = target;
  self->buffer_bytes += bytes;
  self->peak_bytes = MAX (self->peak_bytes, self->own_bytes + self->buffer_bytes);
  return buffer;
}

static void
cpu_free_buffer (PrismBuffer *buffer)
{
  ((PrismCpuBackend *) buffer->backend)->buffer_bytes -= buffer->n_bytes;
  prism_arena_free_array (((PrismCpuBuffer *) buffer)->target);
  g_free (buffer);
}

static PrismBuffer *
cpu_measure (PrismBackend *backend,
             const PrismMask *mask,
             GError **error)
{
  PrismCpuBackend *self = (PrismCpuBackend *) backend;
  PrismCpuBuffer *buffer = new_buffer (self, 0, error);

  if (buffer == NULL)
    return NULL;
  prism_cpu_telescope_measure (self->telescope, mask, NULL, buffer->target);
  return &buffer->parent;
}

static PrismBuffer *
cpu_measure_points (PrismBackend *backend,
                    const PrismMask *mask,
                    guint step,
                    GError **error)
{
  PrismCpuBackend *self = (PrismCpuBackend *) backend;
  PrismCpuBuffer *buffer = new_buffer (self, step, error);

  if (buffer == NULL)
    return NULL;
  prism_cpu_telescope_measure_points (self->telescope, mask, step, buffer->target);
  return &buffer->parent;
}

static PrismBuffer *
cpu_expose (PrismBackend *backend,
            PrismBuffer *clean,
            const PrismMask *mask,
            const PrismExposure *exposure,
            GError **error)
{
  PrismCpuBackend *self = (PrismCpuBackend *) backend;
  PrismCpuBuffer *buffer = new_buffer (self, 0, error);

  if (buffer == NULL)
    return NULL;
  prism_cpu_telescope_expose (self->telescope, mask, exposure, ((PrismCpuBuffer *) clean)->target,
                              buffer->target);
  return &buffer->parent;
}

static PrismBuffer *
cpu_load_buffer (PrismBackend *backend,
                 const PrismMask *mask,
                 const float *amplitude,
                 GError **error)
{
  PrismCpuBackend *self = (PrismCpuBackend *) backend;
  PrismCpuBuffer *buffer = new_buffer (self, 0, error);

  if (buffer == NULL)
    return NULL;
  prism_cpu_telescope_load_target (self->telescope, mask, amplitude, buffer->target);
  return &buffer->parent;
}

static void
cpu_read_buffer (PrismBackend *backend,
                 PrismBuffer *buffer,
                 const PrismMask *mask,
                 float *amplitude)
{
  PrismCpuTelescope *telescope = ((PrismCpuBackend *) backend)->telescope;
  const float *target = ((PrismCpuBuffer *) buffer)->target;

  if (buffer->step > 0)
    prism_cpu_telescope_read_points (telescope, mask, buffer->step, target, amplitude);
  else
    prism_cpu_telescope_read_target (telescope, mask, target, amplitude);
}

static gboolean
cpu_bind (PrismBackend *backend,
          guint slot,
          const PrismMask *mask,
          PrismBuffer *target,
          double *energy,
          GError **error)
{
  PrismCpuBackend *self = (PrismCpuBackend *) backend;

  const float *values = target != NULL ? ((PrismCpuBuffer *) target)->target : NULL;
  gboolean bound;

  g_return_val_if_fail (slot < backend->spec.n_slots, FALSE);

  if (target != NULL && target->step > 0)
    bound = prism_cpu_telescope_bind_points (self->telescope, slot, mask, values, target->step,
                                             energy, error);
  else
    bound = prism_cpu_telescope_bind (self->telescope, slot, mask, values, energy, error);
  if (!bound)
    return FALSE;
  if (target != NULL)
    prism_buffer_ref (target);
  prism_buffer_unref (self->bound[slot]);
  self->bound[slot] = target;
  return TRUE;
}

static gboolean
cpu_hold (PrismBackend *backend,
          guint slot,
          const PrismMask *mask,
          GError **error)
{
  PrismCpuBackend *self = (PrismCpuBackend *) backend;
  g_autoptr (PrismBuffer) buffer = (PrismBuffer *) new_buffer (self, 0, error);
  double energy;

  if (buffer == NULL)
    return FALSE;
  self->output = prism_cpu_decoder_forward (self->decoder);
  prism_cpu_telescope_measure (self->telescope, mask, self->output,
                               ((PrismCpuBuffer *) buffer)->target);
  return cpu_bind (backend, slot, mask, buffer, &energy, error);
}

static void
cpu_forward (PrismBackend *backend)
{
  PrismCpuBackend *self = (PrismCpuBackend *) backend;

  self->output = prism_cpu_decoder_forward (self->decoder);
}

static const float *
get_image (PrismCpuBackend *self,
           PrismSource source)
{
  if (source == PRISM_SOURCE_EPIE)
    return self->epie_image;
  if (self->output == NULL)
    self->output = prism_cpu_decoder_forward (self->decoder);
  return self->output;
}

static void
cpu_read_image (PrismBackend *backend,
                PrismSource source,
                float *image)
{
  memcpy (image, get_image ((PrismCpuBackend *) backend, source), image_bytes (backend));
}

static gboolean
cpu_compute_metrics (PrismBackend *backend,
                     PrismSource source,
                     PrismMetrics *metrics,
                     GError **error)
{
  PrismCpuBackend *self = (PrismCpuBackend *) backend;
  int m = backend->spec.object_size;
  gint64 begun = prism_profile_begin ();
  gboolean ok = prism_metrics_compute (metrics, get_image (self, source), self->object, m, m,
                                       error);

  prism_profile_end (PRISM_STAGE_METRICS, begun);
  return ok;
}

static void
cpu_request_frame (PrismBackend *backend)
{
  ((PrismCpuBackend *) backend)->frame_wanted = TRUE;
}

static gboolean
cpu_collect_frame (PrismBackend *backend,
                   float *image,
                   PrismMetrics *metrics)
{
  PrismCpuBackend *self = (PrismCpuBackend *) backend;

  if (!self->frame_wanted)
    return FALSE;
  self->frame_wanted = FALSE;
  cpu_read_image (backend, PRISM_SOURCE_DECODER, image);
  if (metrics != NULL && !cpu_compute_metrics (backend, PRISM_SOURCE_DECODER, metrics, NULL))
    prism_metrics_init (metrics);
  return TRUE;
}

static void
compute_losses (PrismCpuBackend *self,
                const PrismStep *step,
                PrismStepResult *result)
{
  gint64 since = prism_cpu_timing_begin ();
  const double n_products = prism_cpu_decoder_count_products (self->decoder, FALSE);

  memset (result, 0, sizeof *result);
  self->output = prism_cpu_decoder_forward (self->decoder);
  prism_cpu_timing_add (&self->timing, PRISM_CPU_PART_FORWARD, since, 2.0 * n_products);
  since = prism_cpu_timing_begin ();
  if (step->fit_start)
    {
      gsize n_pixels = image_bytes (&self->parent) / sizeof (float);
      double sum = 0.0, norm = 0.0;
      float scale;

      /* loss = mean|x - s| / (mean|s| + 1e-8); gradient [m][m]. */
      for (gsize i = 0; i < n_pixels; i++)
        norm += fabsf (self->start_image[i]);
      scale = (float) (1.0 / (norm + 1e-8 * n_pixels));

      for (gsize i = 0; i < n_pixels; i++)
        {
          float difference = self->output[i] - self->start_image[i];

          sum += fabsf (difference);
          self->gradient[i] = difference > 0.0f ? scale : difference < 0.0f ? -scale
                                                                            : 0.0f;
        }
      result->loss_new = sum * scale;
      result->skipped = !isfinite (result->loss_new);
    }
  else
    prism_cpu_telescope_compute_gradient (self->telescope, step, self->output, self->gradient,
                                          result);
  prism_metrics_init (&result->metrics);
  prism_cpu_timing_add (&self->timing, PRISM_CPU_PART_TELESCOPE, since,
                        prism_cpu_telescope_count_operations (self->telescope, step));
}

static void
cpu_compute_gradient (PrismBackend *backend,
                      const PrismStep *step,
                      PrismStepResult *result)
{
  PrismCpuBackend *self = (PrismCpuBackend *) backend;

  compute_losses (self, step, result);
  if (!prism_cpu_decoder_backward (self->decoder, self->gradient, NULL))
    result->skipped = TRUE;
}

static void
train_step (PrismCpuBackend *self,
            const PrismStep *step,
            PrismStepResult *result)
{
  PrismAdam adam;
  gint64 since;

  compute_losses (self, step, result);
  self->n_trained++;
  if (step->with_metrics
      && !cpu_compute_metrics (&self->parent, PRISM_SOURCE_DECODER, &result->metrics, NULL))
    prism_metrics_init (&result->metrics);
  if (result->skipped || result->below_threshold)
    return;

  since = prism_cpu_timing_begin ();
  prism_adam_init (&adam, step->learning_rate, self->n_steps + 1);
  prism_adam_set_decay (&adam, step->weight_decay);
  adam.clip_norm = step->clip_norm;
  result->skipped = !prism_cpu_decoder_backward (self->decoder, self->gradient, &adam);
  self->n_steps += !result->skipped;
  prism_cpu_timing_add (&self->timing, PRISM_CPU_PART_BACKWARD, since,
                        2.0 * prism_cpu_decoder_count_products (self->decoder, TRUE));
}

static guint
cpu_train (PrismBackend *backend,
           const PrismStep *steps,
           guint n_steps,
           PrismStepResult *results)
{
  PrismCpuBackend *self = (PrismCpuBackend *) backend;

  for (guint i = 0; i < n_steps; i++)
    {
      prism_cpu_tuning_begin (self->tuning, &steps[i]);
      train_step (self, &steps[i], &results[i]);
      prism_cpu_tuning_end (self->tuning, &steps[i]);
      if (results[i].below_threshold)
        return i + 1;
    }
  return n_steps;
}

static void
cpu_epie_start (PrismBackend *backend,
                const float *image)
{
  PrismCpuBackend *self = (PrismCpuBackend *) backend;

  self->residual = 0.0;
  self->power = 0.0;
  prism_cpu_telescope_epie_start (self->telescope, image);
}

static void
cpu_epie_update (PrismBackend *backend,
                 guint slot,
                 double step_size)
{
  PrismCpuBackend *self = (PrismCpuBackend *) backend;

  if (backend->spec.motion == PRISM_MOTION_IGNORED)
    prism_cpu_telescope_epie_update (self->telescope, slot, step_size, &self->residual,
                                     &self->power);
  else
    prism_cpu_telescope_mopie_update (self->telescope, slot, step_size,
                                      backend->spec.motion == PRISM_MOTION_SERIAL,
                                      &self->residual, &self->power);
}

static void
cpu_epie_project (PrismBackend *backend)
{
  PrismCpuBackend *self = (PrismCpuBackend *) backend;

  prism_cpu_telescope_epie_project (self->telescope, self->epie_image);
}

static void
cpu_epie_collect (PrismBackend *backend,
                  double *residual,
                  double *power)
{
  PrismCpuBackend *self = (PrismCpuBackend *) backend;

  *residual = self->residual;
  *power = self->power;
  self->residual = 0.0;
  self->power = 0.0;
}

static void
cpu_compute_misfit (PrismBackend *backend,
                    const float *image,
                    const guint *slots,
                    guint n_slots,
                    double *residual,
                    double *power)
{
  *residual = 0.0;
  *power = 0.0;
  for (guint i = 0; i < n_slots; i++)
    prism_cpu_telescope_compute_misfit (((PrismCpuBackend *) backend)->telescope, image, slots[i],
                                        residual, power);
}

static void
cpu_add_misfit_gradient (PrismBackend *backend,
                         const float *image,
                         const PrismMisfitTerm *terms,
                         guint n_terms,
                         float *gradient,
                         double *misfit)
{
  PrismCpuBackend *self = (PrismCpuBackend *) backend;

  prism_cpu_telescope_add_misfit_gradient (self->telescope, image, terms, n_terms, gradient,
                                           misfit);
}

static void
cpu_descend (PrismBackend *backend,
             const PrismIterate *iterate,
             const PrismPassPart *part,
             PrismPassResult *result)
{
  PrismCpuBackend *self = (PrismCpuBackend *) backend;

  prism_cpu_descent_run (self->telescope, self->variation, iterate, part, result);
}

static double
cpu_get_part_time (PrismBackend *backend,
                   guint part,
                   const char **name)
{
  return prism_cpu_timing_take (&((PrismCpuBackend *) backend)->timing, part, name);
}

static gboolean
cpu_finish (PrismBackend *backend,
            GError **error)
{
  return TRUE;
}

const PrismBackendOps prism_cpu_backend_ops = {
  .abi = PRISM_BACKEND_ABI,
  .name = "cpu",
  .dup_unavailable_reason = cpu_dup_unavailable_reason,
  .dup_unsupported_reason = cpu_dup_unsupported_reason,
  .dup_precision_advice = cpu_dup_precision_advice,
  .get_required_bytes = cpu_get_required_bytes,
  .open = cpu_open,
  .close = cpu_close,
  .dup_device_name = cpu_dup_device_name,
  .get_memory = cpu_get_memory,
  .get_counters = cpu_get_counters,
  .set_parameters = cpu_set_parameters,
  .get_parameters = cpu_get_parameters,
  .get_gradient = cpu_get_gradient,
  .reset_optimizer = cpu_reset_optimizer,
  .set_moments = cpu_set_moments,
  .get_moments = cpu_get_moments,
  .is_finite = cpu_is_finite,
  .set_object = cpu_set_object,
  .get_spectrum = cpu_get_spectrum,
  .set_start_image = cpu_set_start_image,
  .measure = cpu_measure,
  .measure_points = cpu_measure_points,
  .expose = cpu_expose,
  .load_buffer = cpu_load_buffer,
  .read_buffer = cpu_read_buffer,
  .free_buffer = cpu_free_buffer,
  .bind = cpu_bind,
  .hold = cpu_hold,
  .forward = cpu_forward,
  .read_image = cpu_read_image,
  .compute_metrics = cpu_compute_metrics,
  .request_frame = cpu_request_frame,
  .collect_frame = cpu_collect_frame,
  .compute_gradient = cpu_compute_gradient,
  .train = cpu_train,
  .chunk_size = 1,
  .epie_start = cpu_epie_start,
  .epie_update = cpu_epie_update,
  .epie_project = cpu_epie_project,
  .epie_collect = cpu_epie_collect,
  .compute_misfit = cpu_compute_misfit,
  .add_misfit_gradient = cpu_add_misfit_gradient,
  .descend = cpu_descend,
  .samples_frames = TRUE,
  .get_part_time = cpu_get_part_time,
  .finish = cpu_finish,
};
