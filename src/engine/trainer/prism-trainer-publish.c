#include "config.h"

#include "base/prism-arena.h"
#include "base/prism-pool.h"
#include "cpu/prism-cpu-fold.h"
#include "num/prism-tuning.h"
#include "trainer/prism-trainer-private.h"

/* What a trainer tells the world: the part of the trainer that fills snapshots.
 *
 * Dimensions of this file: n = image_size, m = object_size. */

static guint
count_polish_passes (PrismTrainer *self)
{
  const PrismSolverKind *kind = prism_trainer_choose_polish (self);
  guint n = prism_trainer_get_polish_spec (self).n_passes;

  if (kind == &prism_refine_kind)
    n *= prism_tuning_get_count (PRISM_TUNING_BRIEF_FINAL);
  return n > 0 ? n + self->now.n_extra_passes : 0;
}

/* Optimiser steps, rounds and passes that are left of the run, an upper bound: the decoder may be
 * spared. What a method does beyond what it always does is not counted before it is known to be
 * needed, nor that samples that failed may fail again. */
static guint64
count_steps_left (PrismTrainer *self)
{
  const PrismConfig *config = self->config;
  const PrismProgress *now = &self->now;
  const guint n = self->n_samples, n_passes = count_polish_passes (self);
  const guint64 n_visits = n * config->passes;
  const guint64 n_begun = n * now->pass + now->sample;
  const gboolean has_noise = prism_measurements_has_noise (self->measurements);
  guint64 n_left = n_passes, n_steps;
  PrismConvergence rescue;

  if (now->phase == PRISM_PHASE_DONE)
    return 0;
  if (now->phase == PRISM_PHASE_POLISH || !prism_config_trains (config))
    return n_passes - MIN (n_passes, now->pass);
  for (guint i = now->n_visited + 1; now->training == PRISM_TRAINING_WAITS && i <= n; i++)
    n_left += prism_live_picture_is_due (i, n, has_noise);
  if (now->training == PRISM_TRAINING_WAITS)
    return n_left + now->in_round;
  if (now->phase < PRISM_PHASE_SAMPLES)
    n_left += config->start_steps - MIN (config->start_steps, now->start_step);
  n_steps = config->steps * (now->visit.attempt > 0 ? 1 : n_visits - MIN (n_begun, n_visits));
  n_steps += now->visit.n_extra;
  n_left += n_steps - MIN (n_steps, now->sample_step);
  prism_convergence_begin (&rescue, 1);
  if (config->max_retries > 0)
    for (guint i = now->visit.attempt > 0 ? now->sample + 1 : 0; i < n; i++)
      if (self->sample_states[i] == PRISM_SAMPLE_FAILED)
        n_left += config->steps + rescue.n_extra;
  return n_left;
}

/* Of the last round of the live picture; both 0 at any other time. */
static guint
get_live_pass (PrismTrainer *self,
               guint *n_passes)
{
  const PrismLivePicture *live = self->live;

  *n_passes = 0;
  if (!self->now.in_round || self->now.sample + 1 != self->n_samples || live == NULL
      || live->pass >= live->n_passes)
    return 0;
  *n_passes = live->n_passes;
  return live->pass;
}

/* s of a row of the history, from one to another. */
static double
get_pace (PrismTrainer *self,
          guint first,
          guint last)
{
  return (prism_history_get_row (self->history, last).seconds
          - prism_history_get_row (self->history, first).seconds)
         / (last - first);
}

/* The passes that are left, at the pace of those so far: of a field that is one without the first,
 * which has the search. Of tiles the middle one is explained by itself, and others several at a
 * time: its passes tell what those of the others take at least, until two of these have begun. */
static double
estimate_frames (PrismTrainer *self,
                 const PrismSnapshot *snapshot)
{
  const guint pass = self->now.pass, n_passes = snapshot->n_passes;
  guint first = 1, last = MAX (pass, 1), n_at_once = 1;

  if (snapshot->n_tiles > 0)
    {
      const PrismMosaic *mosaic = self->problem->mosaic;
      const guint n_others = (snapshot->n_tiles - 1) * self->config->passes;
      const guint n_middle = n_passes - MIN (n_others, n_passes);

      if (pass < n_middle)
        return NAN;
      if (!prism_snapshot_is_least (snapshot))
        first = n_middle;
      else
        {
          last = n_middle;
          n_at_once = prism_mosaic_count_at_once (mosaic->settings->threads,
                                                  (guint64) mosaic->recording->width
                                                      * mosaic->recording->height,
                                                  mosaic->plan.side);
        }
    }
  return last > first
             ? (n_passes - MIN (pass, n_passes)) * get_pace (self, first - 1, last - 1) / n_at_once
             : NAN;
}

/* NAN where nobody knows: while exit waves are searched the next one may lead to the image. */
static double
estimate_seconds_left (PrismTrainer *self,
                       const PrismSnapshot *snapshot,
                       guint64 n_left)
{
  const PrismProgress *now = &self->now;
  const guint n = self->n_samples, consistency = self->config->consistency;
  const guint64 n_polish = count_polish_passes (self);
  const guint64 n_rows = prism_history_get_n_rows (self->history);
  guint64 n_passes = n_polish;
  guint n_live, pass = get_live_pass (self, &n_live);

  if (now->phase == PRISM_PHASE_DONE)
    return 0.0;
  if (snapshot->search > 0)
    return NAN;
  if (self->problem != NULL)
    return estimate_frames (self, snapshot);
  if (now->phase == PRISM_PHASE_POLISH)
    return n_rows > 1
                   && prism_history_get_row (self->history, n_rows - 2).sample == PRISM_ROW_POLISH
               ? n_left * get_pace (self, n_rows - 2, n_rows - 1)
               : NAN;
  /* The rounds of the live picture before the last one are as nothing. */
  if (consistency > 0 && n_live > 0)
    n_passes += n_live - pass;
  else if (consistency > 0 && self->polish == NULL)
    n_passes += prism_live_picture_count_last (consistency);
  /* A pass over few samples is mostly transforms of the image: what one visit of it takes says
   * nothing of a pass over all. */
  if (now->training == PRISM_TRAINING_WAITS)
    return 4 * (now->sample + 1) < n
               ? NAN
               : n_passes * n * prism_pace_get_seconds (&self->control.pace);
  if (now->step_seconds <= 0.0)
    return NAN;
  /* A visit of a pass costs about a tenth of an optimiser step: no decoder, no old terms. */
  return (n_left - MIN (n_polish, n_left) + 0.1 * n_passes * n) * now->step_seconds;
}

/* Takes the frame that was asked for when the snapshot before this one was filled, and asks for the
 * next: the device never waits. The CPU has it at once. */
static gboolean
collect_frame (PrismTrainer *self,
               PrismImage *image)
{
  const PrismBackendOps *ops = self->backend->ops;
  gboolean collected = ops->collect_frame (self->backend, image->pixels, NULL);

  ops->request_frame (self->backend);
  return collected || ops->collect_frame (self->backend, image->pixels, NULL);
}

static void
publish_images (PrismTrainer *self,
                PrismSnapshot *snapshot,
                gboolean settled)
{
  const int n = self->config->image_size, m = self->config->object_size;
  const guint sample = MIN (self->now.sample, self->n_samples - 1);
  const gboolean is_decoder = prism_trainer_shows_decoder (self);
  const gboolean is_prepared = self->now.phase != PRISM_PHASE_PREPARE;
  g_autoptr (PrismImage) frame = NULL;

  if (is_decoder && self->now.step > 0)
    frame = prism_image_new (m, m, NULL);
  if (frame != NULL && (settled ? prism_trainer_read_frame : collect_frame) (self, frame))
    {
      g_clear_pointer (&self->frame, prism_image_unref);
      self->frame = g_steal_pointer (&frame);
    }
  if (self->coverage_image == NULL)
    {
      self->coverage_image = prism_image_new (n, n, NULL);
      for (gsize i = 0; self->coverage_image != NULL && i < n * n; i++)
        self->coverage_image->pixels[i] = self->coverage[i];
    }
  if (self->measurement_sample != sample && is_prepared && self->problem == NULL)
    {
      g_clear_pointer (&self->measurement_image, prism_image_unref);
      self->measurement_image = prism_measurements_dup_image (self->measurements, sample, NULL);
      self->measurement_sample = sample;
    }
  snapshot->target = prism_image_ref (self->scene->target);
  snapshot->reconstruction
      = is_decoder ? prism_image_ref (self->frame) : prism_trainer_dup_picture (self);
  snapshot->second = prism_image_ref (self->second);
  if (prism_trainer_get_microscope (self) != NULL)
    {
      prism_snapshot_set_finding (snapshot, prism_microscope_get_finding (self->polish, settled));
      snapshot->phase_image = prism_image_ref (prism_microscope_get_phase (self->polish));
    }
  snapshot->measurement = is_prepared ? prism_image_ref (self->measurement_image) : NULL;
  snapshot->coverage_plane = prism_image_ref (self->coverage_image);
  snapshot->pattern = prism_pattern_ref (self->scene->pattern);
}

/* A decoder that cannot be kept costs a sentence, not the run. */
static void
fold_decoder (PrismTrainer *self)
{
  const PrismDecoderPlan *plan = &self->backend->spec.decoder;
  g_autoptr (GError) error = NULL;
  prism_autofree_array float *parameters = NULL;

  if (self->now.phase != PRISM_PHASE_DONE || !self->config->keep_decoder || self->fold != NULL
      || self->kept == NULL)
    return;
  parameters = prism_arena_new_array (plan->n_parameters * sizeof (float),
                                      "the decoder that is kept", &error);
  if (parameters != NULL)
    {
      self->backend->ops->get_parameters (self->backend, parameters);
      if (prism_trainer_wait (self, &error))
        self->fold = prism_cpu_fold_new (plan, parameters, &error);
    }
  if (self->fold == NULL)
    prism_trainer_set_notice (self, g_strdup (error->message));
}

static void
publish_device (PrismTrainer *self,
                PrismSnapshot *snapshot)
{
  const PrismConfig *config = self->config;
  const PrismBackendOps *ops = self->backend->ops;
  const gboolean done = self->now.phase == PRISM_PHASE_DONE;

  if (!done || !self->memory_is_last)
    ops->get_memory (self->backend, &self->memory);
  self->memory_is_last = done;
  snapshot->memory_used = self->memory.used;
  snapshot->memory_peak = self->memory.peak;
  snapshot->memory_available = self->memory.available;
  ops->get_counters (self->backend, &snapshot->counters);
  prism_cache_get_statistics (self->cache, &snapshot->cache);
  if (!prism_config_trains (config))
    return;
  snapshot->n_parameters = self->backend->spec.decoder.n_parameters;
  /* Of the live picture and of the refinement. */
  if (config->consistency > 0 || (config->polish > 0 && config->finish == PRISM_FINISH_REFINE))
    snapshot->frame_side = prism_descent_find_side (self->backend, self->measurements);
}

static void
publish_convergence (PrismTrainer *self,
                     PrismSnapshot *snapshot)
{
  if (!self->config->convergence)
    return;
  snapshot->sample_states = g_memdup2 (self->sample_states, self->n_samples);
  for (guint i = 0; i < self->n_samples; i++)
    {
      snapshot->n_failed += self->sample_states[i] == PRISM_SAMPLE_FAILED;
      snapshot->n_rescued += self->sample_states[i] == PRISM_SAMPLE_RESCUED;
    }
  if (self->now.phase != PRISM_PHASE_SAMPLES)
    return;
  snapshot->tier = prism_convergence_get_tier (&self->now.visit);
  snapshot->attempt = self->now.visit.attempt;
}

/* A snapshot says it as the progress does. */
#define SAY(number) snapshot->number = now->number

/**
 * prism_trainer_publish:
 * @self: a trainer
 * @snapshot: (inout): a new snapshot
 * @settled: whether the run stands still: its picture is then of the very step; otherwise it is the
 * newest that the device has handed out without being stopped
 *
 * Fills in everything that the trainer knows. Pictures that there is no memory for stay NULL.
 */
void
prism_trainer_publish (PrismTrainer *self,
                       PrismSnapshot *snapshot,
                       gboolean settled)
{
  const PrismConfig *config = self->config;
  const PrismProgress *now = &self->now;
  const gboolean done = now->phase == PRISM_PHASE_DONE;
  guint64 n_left;

  fold_decoder (self);
  prism_trainer_note_parts (self);
  n_left = count_steps_left (self);
  snapshot->config = prism_config_dup (config);
  SAY (phase);
  snapshot->message = g_strdup (self->notice);
  SAY (sample);
  snapshot->n_samples = self->n_samples;
  SAY (n_visited);
  /* Samples are tried again when all passes are through. */
  snapshot->pass = now->phase == PRISM_PHASE_SAMPLES && now->visit.attempt > 0 ? config->passes - 1
                                                                               : now->pass;
  snapshot->n_passes
      = self->polish != NULL || !isnan (now->misfit) || !prism_config_trains (config)
            ? count_polish_passes (self)
            : config->passes;
  if (done)
    snapshot->n_passes = MAX (snapshot->n_passes, snapshot->pass);
  if (self->problem != NULL && self->problem->mosaic != NULL)
    snapshot->n_tiles = prism_problem_get_n_tiles (self->problem);
  snapshot->search = self->polish != NULL ? prism_solver_describe (self->polish).search : 0;
  snapshot->live_pass = get_live_pass (self, &snapshot->n_live_passes);
  SAY (step);
  snapshot->n_steps = now->step + n_left;
  SAY (sample_step);
  SAY (loss_new);
  SAY (loss_old);
  SAY (learning_rate);
  SAY (misfit);
  SAY (correlation);
  SAY (metrics);
  SAY (training);
  SAY (settling);
  if (done)
    snapshot->verdict = now->verdict;
  if (config->motion_blur > 0.0)
    snapshot->verdict.cause = PRISM_CAUSE_MOTION;
  snapshot->coverage = self->covered;
  SAY (n_skipped);
  SAY (seconds);
  snapshot->steps_per_second = now->step_seconds > 0.0 ? 1.0 / now->step_seconds : NAN;
  snapshot->seconds_left = estimate_seconds_left (self, snapshot, n_left);
  publish_convergence (self, snapshot);
  publish_device (self, snapshot);
  publish_images (self, snapshot, settled);
  snapshot->history = prism_history_ref (self->history);
  snapshot->n_rows = prism_history_get_n_rows (self->history);
  snapshot->fold = prism_fold_ref (self->fold);
  snapshot->frames = prism_keeper_dup_frames (self->keeper);
}
