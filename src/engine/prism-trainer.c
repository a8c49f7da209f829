#include "config.h"

#include "prism-trainer.h"

#include "prism-arena.h"
#include "prism-error.h"
#include "prism-replay.h"
#include "prism-schedule.h"
#include "prism-start.h"
#include "prism-trainer-private.h"

#include <math.h>
#include <string.h>
#include <time.h>

/* Dimensions of this file: n = image_size, m = object_size, N = samples, P = parameters. */

#define METRICS_INTERVAL 10 /* steps */
#define MAX_CHUNK 64        /* steps of one prism_backend train */
#define MAX_SKIPPED_IN_A_ROW 3
#define MAX_ROLLBACKS 5
#define SAVES_PER_PASS 10
/* A start phase that ends above this loss has drawn weights that die: the last layers have so few
 * channels that a handful of dead ReLUs is enough. Of ten seeds on a 64 px moon nine end at 0.02 to
 * 0.15 and finish at 38 to 47 dB, one ends at 0.30 and at 14 dB. */
#define START_LOSS_TO_ACCEPT 0.1
#define MAX_START_ATTEMPTS 4
/* Of the moving average behind steps_per_second. */
#define RATE_MEMORY 0.95

static double
get_seconds (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return now.tv_sec + now.tv_nsec * 1e-9;
}

/**
 * prism_trainer_init_spec:
 * @config: a configuration
 * @n_samples: points of its pattern
 * @spec: (out caller-allocates): what the device must provide
 * @error: return location
 *
 * Derives the device's task from a configuration: one slot per sample and one for the held image.
 *
 * Errors: PRISM_ERROR_CONFIG.
 * Thread: any.
 *
 * Returns: whether the decoder can be planned
 */
gboolean
prism_trainer_init_spec (const PrismConfig *config,
                         guint n_samples,
                         PrismBackendSpec *spec,
                         GError **error)
{
  memset (spec, 0, sizeof *spec);
  spec->image_size = config->image_size;
  spec->object_size = config->object_size;
  spec->n_slots = n_samples + 1;
  spec->n_threads = config->threads;
  spec->amp = config->amp;
  spec->precision = config->amp ? PRISM_PRECISION_BF16 + config->amp_type : PRISM_PRECISION_FP32;
  spec->recompute = config->recompute;
  return prism_decoder_plan_init (&spec->decoder, config->image_size, config->object_size,
                                  config->edge, error);
}

/**
 * prism_trainer_get_required_bytes:
 * @config: a configuration
 * @spec: of prism_trainer_init_spec()
 * @ops: the device
 *
 * What a run will need: decoder, transforms, measurements, the last good state and the pictures
 * that are shown.
 *
 * Units: bytes.
 * Thread: any.
 *
 * Returns: the amount
 */
guint64
prism_trainer_get_required_bytes (const PrismConfig *config,
                                  const PrismBackendSpec *spec,
                                  const PrismBackendOps *ops)
{
  guint64 plane = (guint64) spec->image_size * spec->image_size * sizeof (float);
  guint64 n_planes = (guint64) (spec->n_slots - 1) * (config->snr > 0.0 ? 2 : 1) + 1;
  guint64 measurements = n_planes * plane;

  if (config->cache_size > 0)
    measurements = MIN (measurements, ((guint64) config->cache_size << 20) + plane);
  return ops->get_required_bytes (spec) + measurements + 6 * plane
         + (config->algorithm == PRISM_ALGORITHM_PRISM
                ? prism_recovery_get_required_bytes (spec->decoder.n_parameters)
                : 0);
}

static gboolean
needs_all_measurements (const PrismConfig *config)
{
  return config->order == PRISM_ORDER_ENERGY
         || (config->algorithm == PRISM_ALGORITHM_PRISM && config->start_steps > 0
             && config->start_target == PRISM_START_SYNTHETIC);
}

/* Attempt 0 draws the weights of the seed itself. */
static gboolean
initialise_decoder (PrismTrainer *self,
                    GError **error)
{
  const PrismDecoderPlan *plan = &self->backend->spec.decoder;
  guint64 seed = self->config->seed + ((guint64) self->start_attempt << 32);
  float *parameters = prism_arena_new_array (plan->n_parameters * sizeof (float),
                                             "the decoder's weights", error);

  if (parameters == NULL)
    return FALSE;
  prism_decoder_plan_initialise (plan, seed, parameters);
  self->backend->ops->set_parameters (self->backend, parameters);
  self->backend->ops->reset_optimizer (self->backend);
  prism_arena_free_array (parameters);
  return TRUE;
}

static void
clear_metrics (PrismTrainer *self)
{
  self->metrics = (PrismMetrics) { NAN, NAN, NAN };
}

/**
 * prism_trainer_new:
 * @config: the run
 * @source: what it works on
 * @error: return location
 *
 * Prepares a run; the first prism_trainer_step() begins it.
 *
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_BACKEND.
 *
 * Returns: (transfer full) (nullable): the trainer
 */
PrismTrainer *
prism_trainer_new (const PrismConfig *config,
                   const PrismTrainerSource *source,
                   GError **error)
{
  g_autoptr (PrismTrainer) self = g_new0 (PrismTrainer, 1);
  gsize plane = (gsize) config->image_size * config->image_size;

  self->config = prism_config_dup (config);
  self->source = *source;
  self->backend = source->backend;
  self->pattern = prism_pattern_ref (source->pattern);
  self->history = prism_history_new ();
  self->rate_factor = 1.0;
  self->loss_new = self->loss_old = NAN;
  self->measurement_sample = G_MAXUINT;
  clear_metrics (self);

  self->coverage = prism_arena_new_array (plane, "the coverage", error);
  if (self->coverage == NULL)
    return NULL;
  if (!self->backend->ops->set_object (self->backend, source->object->pixels, error))
    return NULL;
  if (config->algorithm == PRISM_ALGORITHM_PRISM)
    {
      if (!initialise_decoder (self, error))
        return NULL;
      self->recovery = prism_recovery_new (self->backend, error);
      if (self->recovery == NULL)
        return NULL;
    }
  self->measurements = prism_measurements_new (config, self->backend, source->cache,
                                               source->object_id, self->pattern);
  return g_steal_pointer (&self);
}

/**
 * prism_trainer_free:
 * @self: (nullable): a trainer
 */
void
prism_trainer_free (PrismTrainer *self)
{
  if (self == NULL)
    return;
  if (self->measurements != NULL && self->held)
    self->backend->ops->bind (self->backend, self->pattern->n_points, NULL, NULL, NULL, NULL);
  g_clear_pointer (&self->polish, prism_polish_free);
  g_clear_pointer (&self->measurements, prism_measurements_free);
  g_clear_pointer (&self->recovery, prism_recovery_free);
  g_clear_pointer (&self->pattern, prism_pattern_unref);
  g_clear_pointer (&self->history, prism_history_unref);
  g_clear_pointer (&self->coverage_image, prism_image_unref);
  g_clear_pointer (&self->measurement_image, prism_image_unref);
  g_clear_pointer (&self->result, prism_image_unref);
  prism_arena_free_array (self->coverage);
  g_free (self->notice);
  prism_config_free (self->config);
  g_free (self);
}

/* Row sample: index, -1 in the start phase, -2 in the polish. */
static void
append_row (PrismTrainer *self,
            gint32 sample,
            guint32 sample_step,
            gboolean with_metrics)
{
  PrismHistoryRow row = { .step = self->step, .sample = sample, .sample_step = sample_step };
  PrismCacheStatistics cache;
  PrismMemoryUse memory;

  prism_cache_get_statistics (self->source.cache, &cache);
  self->backend->ops->get_memory (self->backend, &memory);
  row.loss_new = self->loss_new;
  row.loss_old = self->loss_old;
  row.learning_rate = self->learning_rate;
  row.psnr = with_metrics ? self->metrics.psnr : NAN;
  row.ssim = with_metrics ? self->metrics.ssim : NAN;
  row.rmse = with_metrics ? self->metrics.rmse : NAN;
  row.cache_hit_rate = cache.hit_rate;
  row.device_bytes = (double) memory.used;
  row.steps_per_second = prism_trainer_get_steps_per_second (self);
  row.seconds = self->seconds;
  prism_history_append (self->history, &row);
}

static void
compute_image_metrics (PrismTrainer *self,
                       const float *image)
{
  int m = self->config->object_size;

  if (!prism_metrics_compute (&self->metrics, image, self->source.object->pixels, m, m, NULL))
    clear_metrics (self);
}

static gboolean
keep_result (PrismTrainer *self,
             const float *image,
             GError **error)
{
  int m = self->config->object_size;

  g_clear_pointer (&self->result, prism_image_unref);
  if (image != NULL)
    self->result = prism_image_new_copy (m, m, image, error);
  else
    {
      self->result = prism_image_new (m, m, error);
      if (self->result != NULL)
        {
          self->backend->ops->forward (self->backend);
          self->backend->ops->read_image (self->backend, PRISM_SOURCE_DECODER,
                                          self->result->pixels);
        }
    }
  if (self->result == NULL)
    return FALSE;
  compute_image_metrics (self, self->result->pixels);
  self->phase = PRISM_PHASE_DONE;
  return TRUE;
}

/* The circle that the outermost aperture touches. */
static PrismBand
get_band (PrismTrainer *self)
{
  double farthest = 0.0, radius = self->config->aperture_radius;

  for (guint i = 0; i < self->pattern->n_points; i++)
    farthest = MAX (farthest, hypot (self->pattern->points[i].y, self->pattern->points[i].x));
  return (PrismBand) { self->config->image_size, self->config->object_size, farthest + radius,
                       2.0 * radius };
}

static gboolean
begin_polish (PrismTrainer *self,
              GError **error)
{
  gboolean is_epie = self->config->algorithm == PRISM_ALGORITHM_EPIE;
  PrismPolishSpec spec = {
    .n_passes = is_epie ? self->config->passes : self->config->polish,
    .step_size = self->config->epie_step,
    .band = get_band (self),
    .stop_at_noise = !is_epie,
  };

  if (!is_epie && !keep_result (self, NULL, error))
    return FALSE;
  if (spec.n_passes == 0)
    return TRUE;

  append_row (self, -2, 0, !is_epie);
  self->polish = prism_polish_new (self->backend, self->measurements, &spec,
                                   is_epie ? NULL : self->result->pixels, error);
  self->phase = PRISM_PHASE_POLISH;
  self->sample = 0;
  self->pass = 0;
  self->pass_began = self->seconds;
  return self->polish != NULL;
}

static void
cover_sample (PrismTrainer *self,
              guint sample)
{
  prism_mask_accumulate (prism_measurements_get_mask (self->measurements, sample), self->coverage);
  self->n_visited = MAX (self->n_visited, sample + 1);
  self->covered = prism_pattern_get_coverage (self->coverage, self->config->image_size,
                                              self->config->roi > 0 ? self->config->roi
                                                                    : self->config->image_size);
  g_clear_pointer (&self->coverage_image, prism_image_unref);
}

static gboolean
step_polish (PrismTrainer *self,
             GError **error)
{
  guint visited = prism_polish_get_sample (self->polish);
  gboolean pass_done;

  if (!prism_polish_step (self->polish, &pass_done, error))
    return FALSE;

  if (self->config->algorithm == PRISM_ALGORITHM_EPIE && self->pass == 0)
    cover_sample (self, visited);
  self->sample = prism_polish_get_sample (self->polish);
  if (pass_done)
    {
      self->step++;
      self->n_visits++;
      self->pass = prism_polish_get_pass (self->polish);
      self->pass_seconds = self->seconds - self->pass_began;
      self->pass_began = self->seconds;
      self->loss_new = prism_polish_get_misfit (self->polish);
      self->loss_old = NAN;
      self->learning_rate = self->config->epie_step;
      compute_image_metrics (self, prism_polish_get_image (self->polish));
      append_row (self, -2, self->pass, TRUE);
    }
  if (!prism_polish_is_done (self->polish))
    return TRUE;
  self->sample = self->pattern->n_points - 1;
  return keep_result (self, prism_polish_get_image (self->polish), error);
}

static gboolean
begin_start (PrismTrainer *self,
             GError **error)
{
  g_autoptr (PrismImage) image = NULL;

  if (self->config->algorithm == PRISM_ALGORITHM_EPIE)
    return begin_polish (self, error);

  self->phase = self->config->start_steps > 0 ? PRISM_PHASE_START : PRISM_PHASE_SAMPLES;
  if (self->phase == PRISM_PHASE_SAMPLES)
    return TRUE;
  image = prism_start_new_image (self->config, self->measurements, error);
  if (image == NULL)
    return FALSE;
  self->backend->ops->set_start_image (self->backend, image->pixels);
  return TRUE;
}

/* The brightest measurements first. */
static void
sort_by_energy (PrismTrainer *self)
{
  g_autofree double *keys = g_new (double, self->pattern->n_points);
  PrismPattern *sorted;

  for (guint i = 0; i < self->pattern->n_points; i++)
    keys[i] = -prism_measurements_get_energy (self->measurements, i);
  sorted = prism_pattern_new_sorted (self->pattern, keys);
  prism_measurements_free (self->measurements);
  prism_pattern_unref (self->pattern);
  self->pattern = sorted;
  self->measurements = prism_measurements_new (self->config, self->backend, self->source.cache,
                                               self->source.object_id, sorted);
}

static gboolean
step_prepare (PrismTrainer *self,
              GError **error)
{
  if (needs_all_measurements (self->config))
    {
      if (!prism_measurements_acquire (self->measurements, self->sample, error))
        return FALSE;
      if (++self->sample < self->pattern->n_points)
        return TRUE;
    }
  self->sample = 0;
  if (self->config->order == PRISM_ORDER_ENERGY)
    sort_by_energy (self);
  return begin_start (self, error);
}

static void
set_notice (PrismTrainer *self,
            char *notice)
{
  g_free (self->notice);
  self->notice = notice;
}

/* A step that was not finite has left the parameters alone; three in a row mean that the state
 * itself is bad. */
static gboolean
check_divergence (PrismTrainer *self,
                  const PrismStepResult *result,
                  GError **error)
{
  if (!result->skipped)
    {
      self->skipped_in_a_row = 0;
      return TRUE;
    }

  self->n_skipped++;
  if (++self->skipped_in_a_row < MAX_SKIPPED_IN_A_ROW)
    return TRUE;
  self->skipped_in_a_row = 0;
  if (++self->n_rollbacks > MAX_ROLLBACKS)
    {
      g_set_error (error, PRISM_ERROR, PRISM_ERROR_DIVERGED,
                   "The reconstruction diverged at step %" G_GUINT64_FORMAT " and %d attempts to go"
                   " back did not help. Lower the learning rate; the result so far is kept.",
                   self->step, MAX_ROLLBACKS);
      return FALSE;
    }
  prism_recovery_apply (self->recovery);
  self->rate_factor *= 0.5;
  set_notice (self, g_strdup_printf ("Diverged at step %" G_GUINT64_FORMAT ": went back to the last"
                                     " good state and halved the learning rate.",
                                     self->step));
  return TRUE;
}

static gboolean
record_step (PrismTrainer *self,
             const PrismStep *step,
             const PrismStepResult *result,
             gint32 sample,
             guint32 sample_step,
             GError **error)
{
  self->step++;
  self->loss_new = result->loss_new;
  self->loss_old = result->loss_old;
  self->learning_rate = step->learning_rate;
  if (step->with_metrics)
    self->metrics = result->metrics;
  append_row (self, sample, sample_step, step->with_metrics);
  return check_divergence (self, result, error);
}

/* Takes the best start so far, or draws new weights for another attempt. */
static gboolean
end_start (PrismTrainer *self,
           GError **error)
{
  if (self->start_attempt == 0 || self->loss_new < self->start_loss)
    {
      self->start_loss = self->loss_new;
      prism_recovery_save (self->recovery);
    }
  self->start_attempt++;
  self->start_step = 0;
  if (self->start_loss > START_LOSS_TO_ACCEPT && self->start_attempt < MAX_START_ATTEMPTS)
    return initialise_decoder (self, error);

  prism_recovery_apply (self->recovery);
  self->backend->ops->reset_optimizer (self->backend);
  prism_recovery_save (self->recovery);
  self->phase = PRISM_PHASE_SAMPLES;
  return TRUE;
}

static gboolean
wants_metrics (PrismTrainer *self,
               guint ahead)
{
  return (self->step + ahead + 1) % METRICS_INTERVAL == 0;
}

static guint
choose_chunk (PrismTrainer *self,
              guint n_left)
{
  return CLAMP (MIN (self->backend->ops->chunk_size, n_left), 1, MAX_CHUNK);
}

static gboolean
step_start (PrismTrainer *self,
            GError **error)
{
  guint n_steps = self->config->start_steps;
  guint n = choose_chunk (self, n_steps - MIN (self->start_step, n_steps));
  PrismStep steps[MAX_CHUNK] = { 0 };
  PrismStepResult results[MAX_CHUNK];

  for (guint i = 0; i < n; i++)
    {
      steps[i].fit_start = TRUE;
      steps[i].loss = PRISM_LOSS_L1;
      steps[i].learning_rate = self->config->learning_rate * self->rate_factor;
      steps[i].with_metrics = wants_metrics (self, i);
    }
  n = self->backend->ops->train (self->backend, steps, n, results);
  for (guint i = 0; i < n; i++)
    if (!record_step (self, &steps[i], &results[i], -1, ++self->start_step, error))
      return FALSE;
  if (self->start_step >= n_steps)
    return end_start (self, error);
  return TRUE;
}

static gboolean
hold_past (PrismTrainer *self,
           GError **error)
{
  g_autoptr (PrismMask) seen = prism_mask_new_plane (self->config->image_size, self->coverage);

  if (!self->backend->ops->hold (self->backend, self->pattern->n_points, seen, error))
    return FALSE;
  self->held = TRUE;
  return TRUE;
}

static double
get_progress (PrismTrainer *self,
              guint sample_step)
{
  double sample = self->sample + sample_step / (double) MAX (self->config->steps, 1);

  return (self->pass + sample / self->pattern->n_points) / MAX (self->config->passes, 1);
}

static gboolean
add_old_terms (PrismTrainer *self,
               PrismStep *step,
               guint ahead,
               GError **error)
{
  guint n_available = self->pass > 0 ? self->pattern->n_points : self->sample + 1;
  double gamma = self->config->energy_weight;
  guint picks[PRISM_STEP_MAX_OLD];

  if (self->config->memory == PRISM_MEMORY_SELF)
    {
      if (self->held)
        step->old_terms[step->n_old++] = (PrismTerm) { self->pattern->n_points, 1.0f };
      return TRUE;
    }

  step->n_old = prism_replay_choose (self->config, self->step + ahead, n_available, picks);
  for (guint k = 0; k < step->n_old; k++)
    {
      double weight;

      if (!prism_measurements_acquire (self->measurements, picks[k], error))
        return FALSE;
      weight = prism_measurements_get_weight (self->measurements, picks[k], gamma);
      step->old_terms[k] = (PrismTerm) { picks[k], (float) weight };
    }
  return TRUE;
}

static gboolean
init_step (PrismTrainer *self,
           PrismStep *step,
           guint ahead,
           GError **error)
{
  const PrismConfig *config = self->config;
  double progress = get_progress (self, self->sample_step + ahead);

  memset (step, 0, sizeof *step);
  if (!prism_measurements_acquire (self->measurements, self->sample, error))
    return FALSE;
  step->loss = config->loss;
  step->domain = config->domain;
  step->normalise = config->normalise;
  step->threshold = config->threshold;
  step->with_metrics = wants_metrics (self, ahead);
  step->learning_rate = self->rate_factor * prism_schedule_get_rate (config, progress);
  if (!add_old_terms (self, step, ahead, error))
    return FALSE;
  step->new_term.slot = self->sample;
  step->new_term.weight = (float) prism_measurements_get_weight (self->measurements, self->sample,
                                                                 config->energy_weight);
  return TRUE;
}

static gboolean
begin_sample (PrismTrainer *self,
              GError **error)
{
  self->held = FALSE;
  if (self->config->fresh_adam)
    self->backend->ops->reset_optimizer (self->backend);
  if (self->config->memory == PRISM_MEMORY_SELF && (self->sample > 0 || self->pass > 0))
    return hold_past (self, error);
  return TRUE;
}

static gboolean
end_sample (PrismTrainer *self,
            GError **error)
{
  guint n = self->pattern->n_points;

  cover_sample (self, self->sample);
  self->sample_step = 0;
  self->n_visits++;
  self->sample++;
  if (self->sample % MAX (n / SAVES_PER_PASS, 1) == 0 && self->skipped_in_a_row == 0)
    prism_recovery_save (self->recovery);
  if (self->sample < n)
    return TRUE;

  self->sample = 0;
  self->pass++;
  if (self->pass < (guint) self->config->passes)
    return TRUE;
  self->sample = n - 1;
  return begin_polish (self, error);
}

static gboolean
step_sample (PrismTrainer *self,
             GError **error)
{
  guint n_steps = self->config->steps;
  PrismStep steps[MAX_CHUNK];
  PrismStepResult results[MAX_CHUNK];
  guint n_done, n;

  if (self->sample_step == 0 && !begin_sample (self, error))
    return FALSE;
  if (self->config->memory == PRISM_MEMORY_SELF && !self->held && self->pass + self->sample > 0
      && !hold_past (self, error))
    return FALSE;

  n = choose_chunk (self, n_steps - MIN (self->sample_step, n_steps));
  for (guint i = 0; i < n; i++)
    if (!init_step (self, &steps[i], i, error))
      return FALSE;
  n_done = self->backend->ops->train (self->backend, steps, n, results);
  for (guint i = 0; i < n_done; i++)
    if (!record_step (self, &steps[i], &results[i], (gint32) self->sample, ++self->sample_step,
                      error))
      return FALSE;

  if (results[n_done - 1].below_threshold || self->sample_step >= n_steps)
    return end_sample (self, error);
  return TRUE;
}

/**
 * prism_trainer_step:
 * @self: a trainer that is not done
 * @error: return location
 *
 * Advances by the least amount of work: one measurement, one chunk of optimiser steps, one visit of
 * an ePIE pass.
 *
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_BACKEND, PRISM_ERROR_DIVERGED. The result so far can
 * still be had: call prism_trainer_finish().
 *
 * Returns: whether it went well
 */
gboolean
prism_trainer_step (PrismTrainer *self,
                    GError **error)
{
  static gboolean (*const step[]) (PrismTrainer *, GError **) = {
    [PRISM_PHASE_PREPARE] = step_prepare,
    [PRISM_PHASE_START] = step_start,
    [PRISM_PHASE_SAMPLES] = step_sample,
    [PRISM_PHASE_POLISH] = step_polish,
  };
  double began = get_seconds ();
  guint64 first = self->step;
  gboolean trains = self->phase == PRISM_PHASE_START || self->phase == PRISM_PHASE_SAMPLES;
  gboolean ok;
  double taken;

  g_return_val_if_fail (self->phase != PRISM_PHASE_DONE, TRUE);

  ok = step[self->phase](self, error) && self->backend->ops->finish (self->backend, error);
  taken = get_seconds () - began;
  self->seconds += taken;
  if (trains && self->step > first)
    {
      taken /= self->step - first;
      self->step_seconds = self->step_seconds == 0.0
                               ? taken
                               : RATE_MEMORY * self->step_seconds + (1.0 - RATE_MEMORY) * taken;
    }
  return ok;
}

/**
 * prism_trainer_finish:
 * @self: a trainer
 * @error: return location
 *
 * Ends the run where it is and keeps the result; nothing is polished any more.
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: whether there is a result
 */
gboolean
prism_trainer_finish (PrismTrainer *self,
                      GError **error)
{
  if (self->phase == PRISM_PHASE_DONE)
    return TRUE;
  if (self->phase == PRISM_PHASE_POLISH && self->polish != NULL)
    {
      prism_polish_finish (self->polish);
      return keep_result (self, prism_polish_get_image (self->polish), error);
    }
  if (self->recovery == NULL)
    return TRUE;
  return keep_result (self, NULL, error);
}

/**
 * prism_trainer_update:
 * @self: a trainer
 * @config: with other values of live parameters
 *
 * Applies the live parameters from the next step on; the others stay as the run began.
 */
void
prism_trainer_update (PrismTrainer *self,
                      const PrismConfig *config)
{
  gsize n_params;
  const PrismParam *params = prism_config_get_params (&n_params);

  for (gsize i = 0; i < n_params; i++)
    if (params[i].live && params[i].type != PRISM_PARAM_TEXT)
      prism_config_set_number (self->config, &params[i],
                               prism_config_get_number (config, &params[i]),
                               NULL);
  prism_measurements_set_snr (self->measurements, self->config->snr);
  if (self->measurement_sample != G_MAXUINT)
    self->measurement_sample = G_MAXUINT;
}

/**
 * prism_trainer_get_phase:
 * @self: a trainer
 *
 * Returns: where the run is
 */
PrismPhase
prism_trainer_get_phase (PrismTrainer *self)
{
  return self->phase;
}

/**
 * prism_trainer_get_n_visits:
 * @self: a trainer
 *
 * Counts what "step one sample" advances by.
 *
 * Returns: samples and ePIE passes completed so far
 */
guint64
prism_trainer_get_n_visits (PrismTrainer *self)
{
  return self->n_visits;
}
