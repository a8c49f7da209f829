#include "config.h"

#include "base/prism-arena.h"
#include "cpu/prism-cpu-fold.h"
#include "solve/prism-descent.h"
#include "solve/prism-live-picture.h"
#include "solve/prism-polish.h"
#include "trainer/prism-trainer-private.h"

#include <math.h>

/* What a trainer tells the world: the part of the trainer that fills snapshots.
 *
 * Dimensions of this file: n = image_size, m = object_size. */

/* What a method does beyond what it always does is not counted before it is known to be needed. */
static guint
count_extra_passes (PrismTrainer *self)
{
  return self->polish != NULL ? prism_solver_describe (self->polish).n_extra_passes
                              : self->now.n_extra_passes;
}

static guint
count_polish_passes (PrismTrainer *self)
{
  PrismSolverSpec spec = prism_trainer_get_polish_spec (self);
  const PrismSolverKind *kind = prism_polish_choose (self->config, self->backend->ops);

  return spec.n_passes > 0 ? kind->count_passes (&spec) + count_extra_passes (self) : 0;
}

/* Of the samples under way and to come, and of the polish, as they are set now: samples that are
 * through may have taken more. */
static guint64
count_steps_left (PrismTrainer *self)
{
  guint64 n_visits = (guint64) self->pattern->n_points * self->config->passes;
  guint64 n_begun = (guint64) self->pattern->n_points * self->now.pass + self->now.sample;
  guint64 n_steps = (n_visits - MIN (n_begun, n_visits)) * self->config->steps;

  if (self->now.phase != PRISM_PHASE_SAMPLES || self->now.visit.attempt > 0)
    return 0;
  return n_steps - MIN (n_steps, self->now.sample_step) + count_polish_passes (self);
}

/* Rounds and passes, should training be spared. */
static guint64
count_untrained_steps_left (PrismTrainer *self)
{
  const guint n = self->pattern->n_points;
  guint64 n_rounds = 0;

  if (self->now.phase == PRISM_PHASE_DONE)
    return 0;
  for (guint i = self->now.n_visited + 1; self->now.phase < PRISM_PHASE_POLISH && i <= n; i++)
    n_rounds += prism_live_picture_is_due (
        i, n, prism_measurements_has_noise (self->measurements));
  return n_rounds + self->now.in_round + count_polish_passes (self) - self->now.pass;
}

/**
 * prism_trainer_count_steps:
 * @self: a trainer
 *
 * Returns: optimiser steps and ePIE passes of the whole run, an upper bound
 */
guint64
prism_trainer_count_steps (PrismTrainer *self)
{
  const PrismConfig *config = self->config;
  /* Attempts at the start phase so far, the one under way or to come included. */
  guint n_begun = self->now.start_attempt + (self->now.phase == PRISM_PHASE_START ? 1 : 0);
  guint64 n_starts = MAX (n_begun, 1);
  guint64 n_sample_steps = (guint64) config->steps * self->pattern->n_points * config->passes
                           + self->now.n_extra_steps;
  guint64 n_steps;

  if (!prism_config_trains (config))
    return (guint64) config->passes + count_extra_passes (self);
  if (self->now.training == PRISM_TRAINING_WAITS || self->now.training == PRISM_TRAINING_SPARED)
    return self->now.step + count_untrained_steps_left (self);
  /* Steps per sample may have changed since they were spared. */
  n_sample_steps -= MIN (n_sample_steps, self->now.n_spared_steps);
  n_steps = self->now.n_untrained + n_starts * config->start_steps + n_sample_steps
            + count_polish_passes (self) + self->now.n_repeated
            + prism_trainer_count_retry_steps (self);
  return MAX (n_steps, self->now.step + count_steps_left (self));
}

/* Of the last round of the live picture; both 0 at any other time. */
static guint
get_live_pass (PrismTrainer *self,
               guint *n_passes)
{
  gboolean is_last = self->now.in_round && self->now.sample + 1 == self->pattern->n_points;

  *n_passes = 0;
  return is_last && self->live != NULL ? prism_live_picture_get_pass (self->live, n_passes) : 0;
}

/* Passes of that round that are still to come, before the polish. */
static guint
count_live_passes_left (PrismTrainer *self)
{
  const PrismConfig *config = self->config;
  guint pass, n_passes;

  if (self->now.phase > PRISM_PHASE_SAMPLES || config->consistency == 0)
    return 0;
  pass = get_live_pass (self, &n_passes);
  if (n_passes > 0)
    return n_passes - pass;
  return self->polish == NULL ? prism_live_picture_count_last ((guint) config->consistency) : 0;
}

/* The rounds before the last one are as nothing. A pass over few samples is mostly transforms of
 * the image: what one visit of it takes says nothing of a pass over all. */
static double
estimate_untrained_seconds (PrismTrainer *self)
{
  const double n_passes = count_live_passes_left (self) + count_polish_passes (self);

  if (4 * (self->now.sample + 1) < self->pattern->n_points)
    return NAN;
  return n_passes * self->pattern->n_points * prism_pace_get_seconds (&self->control.pace);
}

static double
estimate_seconds_left (PrismTrainer *self)
{
  const PrismProgress *now = &self->now;
  guint64 n_steps = prism_trainer_count_steps (self);
  guint64 n_passes = !prism_config_trains (self->config) ? n_steps
                                                         : count_polish_passes (self);
  guint64 n_left;

  if (now->phase == PRISM_PHASE_DONE)
    return 0.0;
  if (now->phase == PRISM_PHASE_POLISH)
    return now->pass_seconds > 0.0 ? (n_passes - MIN (now->pass, n_passes)) * now->pass_seconds
                                   : NAN;
  if (now->training == PRISM_TRAINING_WAITS)
    return estimate_untrained_seconds (self);
  if (now->step_seconds <= 0.0)
    return NAN;
  /* A visit of a pass costs about a tenth of an optimiser step: no decoder, no old terms. */
  n_left = n_steps - n_passes - MIN (now->step, n_steps - n_passes);
  n_passes += count_live_passes_left (self);
  return (n_left + 0.1 * n_passes * self->pattern->n_points) * now->step_seconds;
}

/* Waits for the device, which has stopped anyway. */
static gboolean
read_frame (PrismTrainer *self,
            PrismImage *image)
{
  const PrismBackendOps *ops = self->backend->ops;

  if (self->pending != NULL)
    return FALSE;
  ops->read_image (self->backend, PRISM_SOURCE_DECODER, image->pixels);
  return ops->finish (self->backend, &self->pending);
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

static PrismImage *
make_frame (PrismTrainer *self,
            gboolean settled)
{
  int m = self->config->object_size;
  g_autoptr (PrismImage) image = self->now.step > 0 ? prism_image_new (m, m, NULL) : NULL;

  if (image != NULL && (settled ? read_frame : collect_frame) (self, image))
    {
      g_clear_pointer (&self->frame, prism_image_unref);
      self->frame = g_steal_pointer (&image);
    }
  return self->frame != NULL ? prism_image_ref (self->frame) : NULL;
}

static PrismImage *
make_coverage (PrismTrainer *self)
{
  int n = self->config->image_size;

  if (self->coverage_image == NULL)
    {
      self->coverage_image = prism_image_new (n, n, NULL);
      for (gsize i = 0; self->coverage_image != NULL && i < (gsize) n * n; i++)
        self->coverage_image->pixels[i] = self->coverage[i];
    }
  return self->coverage_image != NULL ? prism_image_ref (self->coverage_image) : NULL;
}

static PrismImage *
make_measurement (PrismTrainer *self)
{
  guint sample = MIN (self->now.sample, self->pattern->n_points - 1);

  if (self->now.phase == PRISM_PHASE_PREPARE)
    return NULL;
  if (self->measurement_sample != sample)
    {
      g_clear_pointer (&self->measurement_image, prism_image_unref);
      self->measurement_image = prism_measurements_dup_image (self->measurements, sample, NULL);
      self->measurement_sample = sample;
    }
  return self->measurement_image != NULL ? prism_image_ref (self->measurement_image) : NULL;
}

static void
publish_device (PrismTrainer *self,
                PrismSnapshot *snapshot)
{
  gboolean done = self->now.phase == PRISM_PHASE_DONE;

  if (!done || !self->memory_is_last)
    self->backend->ops->get_memory (self->backend, &self->memory);
  self->memory_is_last = done;
  snapshot->memory_used = self->memory.used;
  snapshot->memory_peak = self->memory.peak;
  snapshot->memory_available = self->memory.available;
  self->backend->ops->get_counters (self->backend, &snapshot->counters);
  prism_cache_get_statistics (self->source.cache, &snapshot->cache);
}

static void
publish_images (PrismTrainer *self,
                PrismSnapshot *snapshot,
                gboolean settled)
{
  PrismImage *target = prism_scene_get_target (self->scene);

  snapshot->target = target != NULL ? prism_image_ref (target) : NULL;
  snapshot->reconstruction = prism_trainer_shows_decoder (self) ? make_frame (self, settled)
                                                                : prism_trainer_dup_picture (self);
  snapshot->second = self->second != NULL ? prism_image_ref (self->second) : NULL;
  snapshot->measurement = make_measurement (self);
  snapshot->coverage_plane = make_coverage (self);
  snapshot->pattern = prism_pattern_ref (self->pattern);
}

/* A decoder that cannot be kept costs a sentence, not the run. */
static void
fold_decoder (PrismTrainer *self)
{
  const PrismDecoderPlan *plan = &self->backend->spec.decoder;
  g_autoptr (GError) error = NULL;
  float *parameters = NULL;

  if (self->now.phase != PRISM_PHASE_DONE || !self->config->keep_decoder || self->fold != NULL
      || self->fold_failed || self->recovery == NULL)
    return;
  parameters = prism_arena_new_array (plan->n_parameters * sizeof (float),
                                      "the decoder that is kept", &error);
  if (parameters != NULL)
    self->backend->ops->get_parameters (self->backend, parameters);
  if (parameters != NULL && self->backend->ops->finish (self->backend, &error))
    self->fold = prism_cpu_fold_new (plan, parameters, &error);
  prism_arena_free_array (parameters);
  self->fold_failed = self->fold == NULL;
  if (error != NULL)
    prism_trainer_set_notice (self, g_strdup (error->message));
}

/* Of the live picture and of the refinement. */
static guint
get_frame_side (PrismTrainer *self)
{
  const PrismConfig *config = self->config;
  gboolean refines = config->polish > 0 && config->finish == PRISM_FINISH_REFINE;

  if (!prism_config_trains (config) || self->backend->ops->descend == NULL
      || (config->consistency == 0 && !refines))
    return 0;
  return prism_descent_find_side (self->backend, self->measurements);
}

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
  gboolean polishing = self->polish != NULL || !isnan (self->now.misfit);

  fold_decoder (self);
  snapshot->config = prism_config_dup (self->config);
  snapshot->phase = self->now.phase;
  snapshot->message = g_strdup (self->notice);
  snapshot->sample = self->now.sample;
  snapshot->n_samples = self->pattern->n_points;
  snapshot->n_visited = self->now.n_visited;
  /* Samples are tried again when all passes are through. */
  snapshot->pass = self->now.phase == PRISM_PHASE_SAMPLES && self->now.visit.attempt > 0
                       ? self->config->passes - 1
                       : self->now.pass;
  snapshot->n_passes = polishing && prism_config_trains (self->config)
                           ? count_polish_passes (self)
                           : self->config->passes + count_extra_passes (self);
  if (self->now.phase == PRISM_PHASE_DONE)
    snapshot->n_passes = MAX (snapshot->n_passes, snapshot->pass);
  snapshot->live_pass = get_live_pass (self, &snapshot->n_live_passes);
  snapshot->frame_side = get_frame_side (self);
  snapshot->step = self->now.step;
  snapshot->n_steps = prism_trainer_count_steps (self);
  snapshot->sample_step = self->now.sample_step;
  snapshot->loss_new = self->now.loss_new;
  snapshot->loss_old = self->now.loss_old;
  snapshot->learning_rate = self->now.learning_rate;
  snapshot->misfit
      = self->polish != NULL ? prism_solver_describe (self->polish).misfit : self->now.misfit;
  snapshot->metrics = self->now.metrics;
  snapshot->training = self->now.training;
  snapshot->settling = self->now.settling;
  if (self->now.phase == PRISM_PHASE_DONE)
    snapshot->verdict = self->now.verdict;
  snapshot->coverage = self->covered;
  snapshot->n_skipped = self->now.n_skipped;
  snapshot->seconds = self->now.seconds;
  snapshot->steps_per_second = prism_trainer_get_steps_per_second (self);
  snapshot->seconds_left = estimate_seconds_left (self);
  snapshot->n_parameters = prism_config_trains (self->config)
                               ? self->backend->spec.decoder.n_parameters
                               : 0;
  prism_trainer_publish_convergence (self, snapshot);
  publish_device (self, snapshot);
  publish_images (self, snapshot, settled);
  snapshot->history = prism_history_ref (self->history);
  snapshot->n_rows = prism_history_get_n_rows (self->history);
  snapshot->fold = self->fold != NULL ? prism_fold_ref (self->fold) : NULL;
  snapshot->frames = prism_keeper_dup_frames (self->keeper);
}
