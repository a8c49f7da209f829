#include "config.h"

#include "base/prism-error.h"
#include "history/prism-schedule.h"
#include "num/prism-tuning.h"
#include "profile/prism-profile.h"
#include "solve/prism-replay.h"
#include "solve/prism-start.h"
#include "trainer/prism-trainer-private.h"

#include <math.h>
#include <string.h>

/* The part of the trainer that trains: the start phase and the samples, some optimiser steps at a
 * time.
 *
 * Dimensions of this file: N = samples. */

#define METRICS_INTERVAL 10 /* steps */
#define MAX_CHUNK 64        /* steps of one prism_backend train */
#define SAVES_PER_PASS 10
/* Between two saves from a device with memory of its own: each costs it as much as some chunks. */
#define CHUNKS_PER_SAVE 64

typedef struct
{
  PrismStep steps[MAX_CHUNK];
  PrismStepResult results[MAX_CHUNK];
  guint n_steps;
} Chunk;

/**
 * prism_trainer_begin_start:
 * @self: a trainer whose measurements are prepared
 * @error: return location
 *
 * Begins the start phase, or the samples where the configuration wants none.
 *
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_DEVICE_LOST, PRISM_ERROR_BACKEND.
 *
 * Returns: whether it went well; otherwise the phase has not changed
 */
gboolean
prism_trainer_begin_start (PrismTrainer *self,
                           GError **error)
{
  g_autoptr (PrismImage) image = NULL;

  if (self->config->start_steps > 0)
    {
      image = prism_start_new_image (self->config, self->measurements, error);
      if (image == NULL || !self->backend->ops->finish (self->backend, error))
        return FALSE;
      self->backend->ops->set_start_image (self->backend, image->pixels);
      self->start_image = g_steal_pointer (&image);
    }
  self->now.phase = self->start_image != NULL ? PRISM_PHASE_START : PRISM_PHASE_SAMPLES;
  prism_trainer_mark (self);
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
  self->now.step++;
  self->now.loss_new = result->loss_new;
  /* A sum over nothing is 0, which would be a perfect loss. */
  self->now.loss_old = step->n_old > 0 ? result->loss_old : NAN;
  self->now.learning_rate = step->learning_rate;
  if (step->with_metrics)
    self->now.metrics = result->metrics;
  prism_trainer_append_row (self, sample, sample_step, step->with_metrics);
  if (sample >= 0)
    prism_trainer_watch_step (self, sample_step, result);
  return prism_trainer_check_step (self, step, result, error);
}

static void
note_uses (PrismTrainer *self,
           const PrismStep *step)
{
  prism_measurements_note_use (self->measurements, step->new_term.slot);
  for (guint k = 0; k < step->n_old; k++)
    if (step->old_terms[k].slot < self->pattern->n_points)
      prism_measurements_note_use (self->measurements, step->old_terms[k].slot);
}

/* Runs a chunk and records it up to the step after which the state was set back: what followed was
 * trained on a state that is no more. */
static gboolean
run_chunk (PrismTrainer *self,
           Chunk *chunk,
           gint32 sample,
           guint *sample_step,
           GError **error)
{
  const PrismBackendOps *ops = self->backend->ops;
  guint n_rollbacks = self->now.n_rollbacks;
  guint n_done;
  gint64 begun;

  self->renewed = FALSE;
  begun = prism_profile_begin ();
  n_done = ops->train (self->backend, chunk->steps, chunk->n_steps, chunk->results);
  if (!ops->finish (self->backend, error))
    return FALSE;
  prism_profile_end_with (PRISM_STAGE_TRAIN, begun, n_done, 0, 0.0);
  if (n_done < 1 || n_done > chunk->n_steps)
    {
      g_set_error (error, PRISM_ERROR, PRISM_ERROR_BACKEND,
                   "The device did %u of %u steps and gave no reason.", n_done, chunk->n_steps);
      return FALSE;
    }
  chunk->n_steps = n_done;
  for (guint i = 0; i < n_done && self->now.n_rollbacks == n_rollbacks; i++)
    {
      if (sample >= 0)
        note_uses (self, &chunk->steps[i]);
      if (!record_step (self, &chunk->steps[i], &chunk->results[i], sample, ++*sample_step, error))
        return FALSE;
    }
  return TRUE;
}

static guint
choose_n_steps (PrismTrainer *self,
                guint n_done,
                guint n_wanted)
{
  return MIN (prism_pace_get (&self->pace, n_wanted - MIN (n_done, n_wanted)), MAX_CHUNK);
}

/* What the convergence monitor may decide is decided after the last step of a chunk. */
static guint
choose_n_sample_steps (PrismTrainer *self)
{
  guint n_done = self->now.sample_step;
  guint n = choose_n_steps (self, n_done, prism_trainer_get_n_sample_steps (self));

  if (self->config->convergence)
    n = MIN (n, prism_convergence_count_undecided (&self->now.visit, self->config, n_done));
  return n;
}

static gboolean
wants_metrics (PrismTrainer *self,
               guint ahead)
{
  return prism_scene_get_target (self->scene) != NULL
         && prism_trainer_get_live_image (self) == NULL
         && (self->now.step + ahead + 1) % METRICS_INTERVAL == 0;
}

/* Takes the best start so far, or draws new weights for another attempt: some drawn weights die,
 * for the last layers have so few channels that a handful of dead ReLUs is enough. */
static gboolean
end_start (PrismTrainer *self,
           GError **error)
{
  gboolean better = self->now.start_attempt == 0 || self->now.loss_new < self->now.start_loss;

  if (better && prism_recovery_check_device (self->recovery))
    {
      if (!prism_recovery_save (self->recovery, error))
        return FALSE;
      self->now.start_loss = self->now.loss_new;
    }
  self->now.start_attempt++;
  self->now.start_step = 0;
  prism_trainer_mark (self);
  if (self->now.start_loss > prism_tuning_get (PRISM_TUNING_START_LOSS)
      && self->now.start_attempt < prism_tuning_get_count (PRISM_TUNING_START_ATTEMPTS))
    return prism_trainer_initialise_decoder (self, error);

  if (!prism_recovery_forget_moments (self->recovery, error))
    return FALSE;
  prism_recovery_apply (self->recovery);
  self->now.phase = PRISM_PHASE_SAMPLES;
  prism_trainer_mark (self);
  return TRUE;
}

/**
 * prism_trainer_step_start:
 * @self: a trainer in the start phase
 * @error: return location
 *
 * Runs a chunk of optimiser steps towards the start image.
 *
 * Errors: PRISM_ERROR_DIVERGED, PRISM_ERROR_DEVICE_LOST, PRISM_ERROR_MEMORY, PRISM_ERROR_BACKEND.
 *
 * Returns: whether it went well
 */
gboolean
prism_trainer_step_start (PrismTrainer *self,
                          GError **error)
{
  guint n_steps = self->config->start_steps;
  Chunk chunk = { .n_steps = choose_n_steps (self, self->now.start_step, n_steps) };

  for (guint i = 0; i < chunk.n_steps; i++)
    chunk.steps[i] = (PrismStep) {
      .fit_start = TRUE,
      .loss = PRISM_LOSS_L1,
      .learning_rate = self->config->learning_rate * self->now.rate_factor,
      .weight_decay = self->config->weight_decay,
      .clip_norm = self->config->clip_norm,
      .with_metrics = wants_metrics (self, i),
    };
  if (!run_chunk (self, &chunk, PRISM_ROW_START, &self->now.start_step, error))
    return FALSE;
  return self->now.start_step < n_steps || end_start (self, error);
}

/**
 * prism_trainer_set_memory_error:
 * @error: return location
 *
 * Says why there is no mask of an aperture or of the coverage.
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: %FALSE
 */
gboolean
prism_trainer_set_memory_error (GError **error)
{
  g_set_error (error, PRISM_ERROR, PRISM_ERROR_MEMORY,
               "Not enough memory for the apertures. Choose a smaller aperture_radius or fewer"
               " samples.");
  return FALSE;
}

/* The image that is held is kept as well: a run file has it. */
static gboolean
hold_past (PrismTrainer *self,
           GError **error)
{
  const PrismBackendOps *ops = self->backend->ops;
  g_autoptr (PrismMask) seen = prism_mask_new_plane (self->config->image_size, self->coverage);
  int m = self->config->object_size;

  if (seen == NULL)
    return prism_trainer_set_memory_error (error);
  if (self->held_image == NULL)
    self->held_image = prism_image_new (m, m, error);
  if (self->held_image == NULL
      || !ops->hold (self->backend, self->pattern->n_points, seen, error))
    return FALSE;
  ops->read_image (self->backend, PRISM_SOURCE_DECODER, self->held_image->pixels);
  self->now.held = TRUE;
  return TRUE;
}

/* Steps that a plateau adds do not count. */
static double
get_progress (PrismTrainer *self,
              guint sample_step)
{
  guint n_steps = self->now.visit.boosted ? self->now.visit.boost_step : sample_step;
  double sample = self->now.sample + n_steps / (double) MAX (self->config->steps, 1);

  return (self->now.pass + sample / self->pattern->n_points) / MAX (self->config->passes, 1);
}

static double
get_rate (PrismTrainer *self,
          guint ahead)
{
  guint sample_step = self->now.sample_step + ahead;
  double rate = prism_schedule_get_rate (self->config, get_progress (self, sample_step),
                                         self->now.n_sample_steps + ahead, &self->now.plateau);

  return self->now.rate_factor
         * prism_convergence_get_rate (&self->now.visit, self->config, sample_step, rate);
}

/* Which measurements a step looks at: the new one first. */
static guint
choose_samples (PrismTrainer *self,
                guint ahead,
                guint samples[PRISM_STEP_MAX_OLD + 1])
{
  guint n_available = self->now.pass > 0 ? self->pattern->n_points : self->now.sample + 1;
  guint64 step = self->now.step - self->now.n_untrained + ahead;

  samples[0] = self->now.sample;
  if (self->config->memory == PRISM_MEMORY_SELF)
    return 1;
  return 1 + prism_replay_choose (self->config, step, n_available, samples + 1);
}

static PrismTerm
make_term (PrismTrainer *self,
           guint sample)
{
  double gamma = self->config->energy_weight;

  return (PrismTerm) {
    sample, (float) prism_measurements_get_weight (self->measurements, sample, gamma)
  };
}

static gboolean
init_step (PrismTrainer *self,
           PrismStep *step,
           guint ahead,
           GError **error)
{
  const PrismConfig *config = self->config;
  guint samples[PRISM_STEP_MAX_OLD + 1], n_samples = choose_samples (self, ahead, samples);

  for (guint k = 0; k < n_samples; k++)
    if (!prism_measurements_acquire (self->measurements, samples[k], error))
      return FALSE;
  *step = (PrismStep) {
    .loss = prism_convergence_get_loss (&self->now.visit, config),
    .weights = { config->weight_l1, config->weight_l2, config->weight_ssim,
                 config->weight_ms_ssim },
    .domain = config->domain,
    .normalise = config->normalise,
    .weight_decay = config->weight_decay,
    .clip_norm = config->clip_norm,
    .threshold = config->convergence ? 0.0 : config->threshold,
    .learning_rate = get_rate (self, ahead),
    .new_term = make_term (self, self->now.sample),
    .with_metrics = wants_metrics (self, ahead),
  };
  for (guint k = 1; k < n_samples; k++)
    step->old_terms[step->n_old++] = make_term (self, samples[k]);
  if (config->memory == PRISM_MEMORY_SELF && self->now.held)
    step->old_terms[step->n_old++] = (PrismTerm) { self->pattern->n_points, 1.0f };
  return TRUE;
}

static gboolean
is_ready (PrismTrainer *self,
          const PrismStep *step)
{
  if (!prism_measurements_is_bound (self->measurements, step->new_term.slot))
    return FALSE;
  for (guint k = 0; k < step->n_old; k++)
    if (step->old_terms[k].slot < self->pattern->n_points
        && !prism_measurements_is_bound (self->measurements, step->old_terms[k].slot))
      return FALSE;
  return TRUE;
}

/* The cache's budget always holds the measurements of one step, but not those of any chunk. */
static gboolean
init_chunk (PrismTrainer *self,
            Chunk *chunk,
            GError **error)
{
  for (guint i = 0; i < chunk->n_steps; i++)
    if (!init_step (self, &chunk->steps[i], i, error))
      return FALSE;
  for (guint i = 0; i < chunk->n_steps; i++)
    if (!is_ready (self, &chunk->steps[i]))
      {
        chunk->n_steps = 1;
        return init_step (self, &chunk->steps[0], 0, error);
      }
  return TRUE;
}

static gboolean
begin_sample (PrismTrainer *self,
              GError **error)
{
  self->now.held = FALSE;
  prism_trainer_begin_visit (self);
  if (self->config->fresh_adam)
    self->backend->ops->reset_optimizer (self->backend);
  if (self->config->memory == PRISM_MEMORY_SELF && (self->now.sample > 0 || self->now.pass > 0))
    return hold_past (self, error);
  return TRUE;
}

/* Counted, not timed: a run that goes back repeats itself. */
static gboolean
wants_save (PrismTrainer *self)
{
  const PrismBackendOps *ops = self->backend->ops;
  guint64 n_steps = self->now.step - self->saved.step;

  if (self->now.sample % MAX (self->pattern->n_points / SAVES_PER_PASS, 1) != 0
      || self->now.skipped_in_a_row > 0)
    return FALSE;
  return !prism_backend_can_be_lost (ops) || n_steps >= CHUNKS_PER_SAVE * (guint64) ops->chunk_size;
}

/* Turns to the samples that failed, or ends the training. */
static gboolean
end_samples (PrismTrainer *self,
             guint sample,
             guint attempt,
             GError **error)
{
  if (prism_trainer_choose_retry (self, sample, attempt))
    return !wants_save (self) || prism_trainer_save (self, error);
  self->now.visit.attempt = 0;
  self->now.sample = self->pattern->n_points - 1;
  return prism_trainer_begin_polish (self, error);
}

/* To the next sample. */
static gboolean
go_on (PrismTrainer *self,
       GError **error)
{
  guint n = self->pattern->n_points;

  self->now.sample_step = 0;
  self->now.n_visits++;
  self->now.sample++;
  if (wants_save (self) && !prism_trainer_save (self, error))
    return FALSE;
  if (self->now.sample < n)
    return TRUE;

  self->now.sample = 0;
  self->now.pass++;
  prism_cache_begin_pass (self->source.cache);
  if (self->now.pass < (guint) self->config->passes)
    return TRUE;
  return end_samples (self, 0, 1, error);
}

static gboolean
end_sample (PrismTrainer *self,
            GError **error)
{
  prism_trainer_judge_sample (self);
  if (self->now.visit.attempt > 0)
    {
      self->now.n_visits++;
      return end_samples (self, self->now.sample + 1, self->now.visit.attempt, error);
    }
  prism_trainer_cover (self, self->now.sample);
  return prism_trainer_go_round (self, error) && go_on (self, error);
}

static gboolean
sample_is_over (PrismTrainer *self,
                const Chunk *chunk)
{
  gboolean over = self->config->convergence
                      ? prism_convergence_is_stable (&self->now.visit, self->config)
                      : chunk->results[chunk->n_steps - 1].below_threshold;

  return over || self->now.sample_step >= prism_trainer_get_n_sample_steps (self);
}

/**
 * prism_trainer_step_sample:
 * @self: a trainer at the samples
 * @error: return location
 *
 * Runs a chunk of optimiser steps on the sample under way.
 *
 * Errors: PRISM_ERROR_DIVERGED, PRISM_ERROR_DEVICE_LOST, PRISM_ERROR_MEMORY, PRISM_ERROR_BACKEND.
 *
 * Returns: whether it went well
 */
gboolean
prism_trainer_step_sample (PrismTrainer *self,
                           GError **error)
{
  Chunk chunk = { 0 };

  if (self->now.in_round)
    return prism_trainer_go_round (self, error) && go_on (self, error);
  if (self->now.pass >= (guint) self->config->passes && self->now.visit.attempt == 0)
    return end_samples (self, 0, 1, error);
  if (self->now.sample_step == 0 && !begin_sample (self, error))
    return FALSE;
  if (self->config->memory == PRISM_MEMORY_SELF && !self->now.held
      && self->now.pass + self->now.sample > 0 && !hold_past (self, error))
    return FALSE;
  chunk.n_steps = choose_n_sample_steps (self);
  if (!init_chunk (self, &chunk, error)
      || !run_chunk (self, &chunk, (gint32) self->now.sample, &self->now.sample_step, error))
    return FALSE;
  return !sample_is_over (self, &chunk) || end_sample (self, error);
}
