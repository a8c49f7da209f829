#include "config.h"

#include "base/prism-error.h"
#include "history/prism-schedule.h"
#include "num/prism-tuning.h"
#include "profile/prism-profile.h"
#include "solve/prism-replay.h"
#include "trainer/prism-trainer-private.h"

#include <inttypes.h>

/* How the decoder is trained.
 *
 *   start     some attempts: weights are drawn, steps bring their output to the start image; the
 *             best attempt goes on
 *   samples   every pass, every sample: steps until it is over, on the new measurement and on some
 *             of those before it; then a round of the live picture
 *   restarts  every sample that failed to converge is tried again, with smaller steps
 *
 * The device gets some steps at once, which the result does not depend on. What is not finite is
 * found out after the step that it comes from, and mended: the measurement is taken again, or the
 * decoder goes back to its last good state and learns half as fast.
 *
 * Source: numerics.md, “Training”. */

#define METRICS_INTERVAL 10 /* steps */
#define MAX_CHUNK 64        /* steps of one prism_backend train */
#define SAVES_PER_PASS 10
/* Between two saves from a device with memory of its own: each costs it as much as some chunks. */
#define CHUNKS_PER_SAVE 64

/* The brightest measurements first. */
static gboolean
sort_by_energy (PrismTrainer *self,
                GError **error)
{
  g_autofree double *keys = g_new (double, self->n_samples);
  g_autoptr (PrismScene) sorted = NULL;
  PrismMeasurements *measurements;

  for (guint i = 0; i < self->n_samples; i++)
    keys[i] = -self->measurements->measurements[i].energy;
  sorted = prism_scene_new_sorted (self->scene, keys);
  measurements = prism_measurements_new (self->config, self->backend, self->cache, sorted);
  if (measurements == NULL)
    return prism_trainer_set_memory_error (error);
  prism_measurements_free (self->measurements);
  self->measurements = measurements;
  prism_scene_unref (self->scene);
  self->scene = g_steal_pointer (&sorted);
  return TRUE;
}

/**
 * prism_trainer_order_frames:
 * @self: a trainer that has not begun
 * @error: return location
 *
 * Takes all frames where that is needed before the run begins, and sorts them as is wanted.
 *
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_DEVICE_LOST, PRISM_ERROR_BACKEND.
 *
 * Returns: whether all are there; FALSE without an error where the control ends a piece of work
 */
gboolean
prism_trainer_order_frames (PrismTrainer *self,
                            GError **error)
{
  const PrismConfig *config = self->config;
  PrismProgress *now = &self->now;
  const gboolean sorts = config->order == PRISM_ORDER_ENERGY;
  const gboolean needs_all = sorts
                             || (prism_config_trains (config) && config->start_steps > 0
                                 && config->start_target == PRISM_START_SYNTHETIC);

  for (; needs_all && now->sample < self->n_samples; now->sample++)
    {
      if (!prism_control_yield (&self->control))
        return FALSE;
      if (!prism_measurements_acquire_points (self->measurements, now->sample, error)
          || !prism_trainer_wait (self, error))
        return FALSE;
      prism_measurements_note_use (self->measurements, now->sample);
    }
  now->sample = 0;
  return !sorts || sort_by_energy (self, error);
}

static guint
get_slot (const PrismStep *step,
          guint k)
{
  return k == 0 ? step->new_term.slot : step->old_terms[k - 1].slot;
}

static gboolean
go_back (PrismTrainer *self,
         GError **error)
{
  const int most = 5;

  self->now.skipped_in_a_row = 0;
  if (++self->now.n_rollbacks > most)
    return prism_error_set (error, PRISM_ERROR_DIVERGED,
                            _ ("The reconstruction diverged at step %" PRIu64 " and %d attempts"
                               " to go"
                               " back did not help. Lower the learning rate; the result so far is"
                               " kept."),
                            self->now.step, most);
  prism_trainer_go_back (self);
  self->now.held = FALSE;
  self->now.rate_factor *= 0.5;
  prism_trainer_set_notice (self,
                            g_strdup_printf (_ ("Diverged at step %" PRIu64
                                                ": went back to the last good checkpoint and halved"
                                                " the learning rate."),
                                             self->now.step));
  return TRUE;
}

/* Takes measurements of a step again where what is bound is not finite. The same random numbers
 * make the same image. */
static gboolean
renew_measurements (PrismTrainer *self,
                    const PrismStep *step)
{
  gboolean renewed = FALSE;

  for (guint k = 0; k <= step->n_old; k++)
    {
      const guint slot = get_slot (step, k);

      if (slot >= self->n_samples
          || prism_measurements_check (self->measurements, slot))
        continue;
      prism_measurements_forget (self->measurements, slot);
      prism_trainer_note_renewed (self, slot);
      renewed = TRUE;
    }
  return renewed;
}

/* Finds out why a step was skipped. A loss that is not finite has left the parameters alone:
 * measurements that are not finite are taken again, weights or moments that are not go back to the
 * last good state at once; where neither is to blame, three such steps in a row do. So does a
 * gradient that is not finite, for part of it may have been used. */
static gboolean
mend (PrismTrainer *self,
      const PrismStep *step,
      const PrismStepResult *result,
      gboolean *renewed,
      GError **error)
{
  self->now.n_skipped++;
  /* The rest of a chunk has seen the measurement as it was. */
  if (*renewed)
    return TRUE;
  if (isfinite (result->loss_new) && isfinite (result->loss_old))
    return go_back (self, error);
  *renewed = !step->fit_start && renew_measurements (self, step);
  return *renewed
         || (++self->now.skipped_in_a_row < 3 && prism_trainer_is_finite (self))
         || go_back (self, error);
}

/* Runs steps and records them up to the one after which the state was set back: what followed was
 * trained on a state that is no more. */
static gboolean
run_chunk (PrismTrainer *self,
           const PrismStep *steps,
           guint n_steps,
           gboolean *is_below,
           GError **error)
{
  const PrismBackendOps *ops = self->backend->ops;
  const gboolean starts = steps[0].fit_start;
  PrismProgress *now = &self->now;
  const guint n_rollbacks = now->n_rollbacks;
  guint *n_done = starts ? &now->start_step : &now->sample_step;
  PrismStepResult results[MAX_CHUNK];
  gboolean renewed = FALSE;
  const gint64 begun = prism_profile_begin ();
  const guint n = ops->train (self->backend, steps, n_steps, results);

  self->is_kept = FALSE;
  if (!prism_trainer_wait (self, error))
    return FALSE;
  prism_profile_end_with (PRISM_STAGE_TRAIN, begun, n, 0, 0.0);
  if (n < 1 || n > n_steps)
    return prism_error_set (error, PRISM_ERROR_BACKEND,
                            _ ("The device did %u of %u steps and gave no reason."), n, n_steps);
  *is_below = results[n - 1].below_threshold;
  for (guint i = 0; i < n && now->n_rollbacks == n_rollbacks; i++)
    {
      const PrismStep *step = &steps[i];
      const PrismStepResult *result = &results[i];

      for (guint k = 0; !starts && k <= step->n_old; k++)
        if (get_slot (step, k) < self->n_samples)
          prism_measurements_note_use (self->measurements, get_slot (step, k));
      ++*n_done;
      now->step++;
      now->loss_new = result->loss_new;
      /* A sum over nothing is 0, which would be a perfect loss. */
      now->loss_old = step->n_old > 0 ? result->loss_old : NAN;
      now->learning_rate = step->learning_rate;
      if (step->with_metrics)
        now->metrics = result->metrics;
      prism_trainer_append_row (self, starts ? PRISM_ROW_START : (gint32) now->sample, *n_done,
                                step->with_metrics);
      if (!starts)
        {
          now->n_sample_steps++;
          prism_plateau_add (&now->plateau, result->loss_new + result->loss_old);
          if (self->config->convergence)
            prism_convergence_add (&now->visit, self->config, *n_done, result->loss_new,
                                   result->loss_old);
        }
      if (!result->skipped)
        now->skipped_in_a_row = 0;
      else if (!mend (self, step, result, &renewed, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
wants_metrics (PrismTrainer *self,
               guint ahead)
{
  return self->scene->target != NULL
         && prism_trainer_get_live_image (self) == NULL
         && (self->now.step + ahead + 1) % METRICS_INTERVAL == 0;
}

/**
 * prism_trainer_begin_start:
 * @self: a trainer whose measurements are prepared
 * @error: return location
 *
 * Begins the start phase, or the samples where the configuration wants none. While training waits
 * rounds and passes begin with the start image, and the decoder stays as it was drawn.
 *
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_DEVICE_LOST, PRISM_ERROR_BACKEND.
 *
 * Returns: whether it went well; otherwise the phase has not changed
 */
gboolean
prism_trainer_begin_start (PrismTrainer *self,
                           GError **error)
{
  const gboolean waits = self->now.training == PRISM_TRAINING_WAITS;

  if (waits || self->config->start_steps > 0)
    {
      const int m = self->config->object_size;
      g_autoptr (PrismImage) image
          = self->now.training == PRISM_TRAINING_SET && self->polish != NULL
                ? prism_image_new_copy (m, m, prism_solver_get_image (self->polish), error)
                : prism_start_new_image (self->config, self->measurements, error);

      if (image == NULL || !prism_trainer_wait (self, error))
        return FALSE;
      if (!waits)
        self->backend->ops->set_start_image (self->backend, image->pixels);
      self->start_image = g_steal_pointer (&image);
    }
  self->now.phase
      = self->start_image != NULL && !waits ? PRISM_PHASE_START : PRISM_PHASE_SAMPLES;
  prism_trainer_mark (self);
  return TRUE;
}

/* Takes the best start so far, or draws new weights for another attempt: some drawn weights die,
 * for the last layers have so few channels that a handful of dead ReLUs is enough. */
static gboolean
end_attempt (PrismTrainer *self,
             GError **error)
{
  PrismProgress *now = &self->now;

  if ((now->start_attempt == 0 || now->loss_new < now->start_loss)
      && prism_trainer_is_finite (self))
    {
      if (!prism_trainer_keep_decoder (self, error))
        return FALSE;
      now->start_loss = now->loss_new;
    }
  now->start_attempt++;
  now->start_step = 0;
  prism_trainer_mark (self);
  if (now->start_loss > prism_tuning_get (PRISM_TUNING_START_LOSS)
      && now->start_attempt < 4)
    return prism_trainer_initialise_decoder (self, error);

  /* The samples begin a new optimisation. */
  prism_trainer_go_back (self);
  self->backend->ops->reset_optimizer (self->backend);
  if (!prism_trainer_keep_decoder (self, error))
    return FALSE;
  now->phase = PRISM_PHASE_SAMPLES;
  prism_trainer_mark (self);
  return TRUE;
}

static gboolean
learn_start (PrismTrainer *self,
             GError **error)
{
  const PrismConfig *config = self->config;
  PrismProgress *now = &self->now;
  const guint n_steps = config->start_steps;

  while (now->phase == PRISM_PHASE_START)
    {
      PrismStep steps[MAX_CHUNK];
      gboolean is_below;
      guint n;

      if (!prism_control_yield (&self->control))
        return FALSE;
      n = MIN (prism_pace_get (&self->pace, n_steps - MIN (now->start_step, n_steps)), MAX_CHUNK);
      for (guint i = 0; i < n; i++)
        steps[i] = (PrismStep) {
          .fit_start = TRUE,
          .loss = PRISM_LOSS_L1,
          .learning_rate = config->learning_rate * now->rate_factor,
          .weight_decay = config->weight_decay,
          .clip_norm = config->clip_norm,
          .with_metrics = wants_metrics (self, i),
        };
      if (!run_chunk (self, steps, n, &is_below, error)
          || (now->start_step >= n_steps && !end_attempt (self, error)))
        return FALSE;
    }
  return TRUE;
}

/* With memory self: the image that is held is kept as well, for a run file has it. */
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
      || !ops->hold (self->backend, self->n_samples, seen, error))
    return FALSE;
  ops->read_image (self->backend, PRISM_SOURCE_DECODER, self->held_image->pixels);
  self->now.held = TRUE;
  return TRUE;
}

static guint
count_sample_steps (PrismTrainer *self)
{
  return self->config->steps + self->now.visit.n_extra;
}

static PrismTerm
make_term (PrismTrainer *self,
           guint sample)
{
  return (PrismTerm) {
    sample, prism_measurements_get_weight (self->measurements, sample, self->config->energy_weight)
  };
}

static gboolean
init_step (PrismTrainer *self,
           PrismStep *step,
           guint ahead,
           GError **error)
{
  const PrismConfig *config = self->config;
  const PrismProgress *now = &self->now;
  const guint n = self->n_samples, sample_step = now->sample_step + ahead;
  /* Steps that a plateau adds do not count. */
  const guint n_steps = now->visit.boosted ? now->visit.boost_step : sample_step;
  const double sample = now->sample + n_steps / (double) MAX (config->steps, 1);
  const double rate
      = prism_schedule_get_rate (config, (now->pass + sample / n) / MAX (config->passes, 1),
                                 now->n_sample_steps + ahead, &now->plateau);
  guint samples[PRISM_STEP_MAX_OLD];
  const guint n_old = prism_replay_choose (config, now->step - now->n_untrained + ahead,
                                           now->pass > 0 ? n : now->sample + 1, samples);

  if (!prism_measurements_acquire (self->measurements, now->sample, error))
    return FALSE;
  for (guint k = 0; k < n_old; k++)
    if (!prism_measurements_acquire (self->measurements, samples[k], error))
      return FALSE;
  *step = (PrismStep) {
    .loss = prism_convergence_get_loss (&now->visit, config),
    .weights = { config->weight_l1, config->weight_l2, config->weight_ssim,
                 config->weight_ms_ssim },
    .domain = config->domain,
    .normalise = config->normalise,
    .weight_decay = config->weight_decay,
    .clip_norm = config->clip_norm,
    .threshold = config->convergence ? 0.0 : config->threshold,
    .learning_rate = now->rate_factor
                     * prism_convergence_get_rate (&now->visit, config, sample_step, rate),
    .new_term = make_term (self, now->sample),
    .with_metrics = wants_metrics (self, ahead),
  };
  for (guint k = 0; k < n_old; k++)
    step->old_terms[step->n_old++] = make_term (self, samples[k]);
  if (config->memory == PRISM_MEMORY_SELF && now->held)
    step->old_terms[step->n_old++] = (PrismTerm) { n, 1.0f };
  return TRUE;
}

/* The cache's budget always holds the measurements of one step, but not those of any chunk. */
static gboolean
init_chunk (PrismTrainer *self,
            PrismStep *steps,
            guint *n_steps,
            GError **error)
{
  for (guint i = 0; i < *n_steps; i++)
    if (!init_step (self, &steps[i], i, error))
      return FALSE;
  for (guint i = 0; i < *n_steps; i++)
    for (guint k = 0; k <= steps[i].n_old; k++)
      if (get_slot (&steps[i], k) < self->n_samples
          && !prism_measurements_is_bound (self->measurements, get_slot (&steps[i], k)))
        {
          *n_steps = 1;
          return init_step (self, steps, 0, error);
        }
  return TRUE;
}

/* The sample under way, until it is over. What the convergence monitor may decide is decided after
 * the last step of a chunk. */
static gboolean
train_sample (PrismTrainer *self,
              GError **error)
{
  const PrismConfig *config = self->config;
  PrismProgress *now = &self->now;
  PrismStep steps[MAX_CHUNK];
  gboolean is_over;
  guint n, n_wanted;

  do
    {
      if (!prism_control_yield (&self->control))
        return FALSE;
      if (now->sample_step == 0)
        {
          now->held = FALSE;
          prism_convergence_begin (&now->visit, now->visit.attempt);
          if (config->fresh_adam)
            self->backend->ops->reset_optimizer (self->backend);
        }
      if (config->memory == PRISM_MEMORY_SELF && !now->held && now->pass + now->sample > 0
          && !hold_past (self, error))
        return FALSE;
      n_wanted = count_sample_steps (self);
      n = prism_pace_get (&self->pace, n_wanted - MIN (now->sample_step, n_wanted));
      if (config->convergence)
        n = MIN (n, prism_convergence_count_undecided (&now->visit, config, now->sample_step));
      n = MIN (n, MAX_CHUNK);
      if (!init_chunk (self, steps, &n, error) || !run_chunk (self, steps, n, &is_over, error))
        return FALSE;
      if (config->convergence)
        is_over = prism_convergence_is_stable (&now->visit, config);
    }
  while (!is_over && now->sample_step < count_sample_steps (self));
  prism_plateau_end_sample (&now->plateau);
  if (config->convergence)
    self->sample_states[now->sample] = now->visit.n_below == 0  ? PRISM_SAMPLE_FAILED
                                       : now->visit.attempt > 0 ? PRISM_SAMPLE_RESCUED
                                                                : PRISM_SAMPLE_CONVERGED;
  if (now->visit.attempt == 0)
    prism_trainer_cover (self, now->sample);
  return TRUE;
}

/* Counted, not timed: a run that goes back repeats itself. */
static gboolean
keep_now_and_then (PrismTrainer *self,
                   GError **error)
{
  const PrismBackendOps *ops = self->backend->ops;
  const guint64 n_steps = self->now.step - self->saved.step;

  return self->now.sample % MAX (self->n_samples / SAVES_PER_PASS, 1) != 0
         || self->now.skipped_in_a_row > 0
         || (prism_backend_can_be_lost (ops)
             && n_steps < CHUNKS_PER_SAVE * ops->chunk_size)
         || prism_trainer_save (self, error);
}

static gboolean
go_on (PrismTrainer *self,
       GError **error)
{
  PrismProgress *now = &self->now;

  now->sample_step = 0;
  now->n_visits++;
  now->sample++;
  if (!keep_now_and_then (self, error))
    return FALSE;
  if (now->sample < self->n_samples)
    return TRUE;
  now->sample = 0;
  now->pass++;
  prism_cache_begin_pass (self->cache);
  return TRUE;
}

/* Turns to the next sample that failed, in this round or in those that follow, or ends the
 * training. */
static gboolean
restart (PrismTrainer *self,
         guint sample,
         guint attempt,
         GError **error)
{
  const guint n = self->n_samples;
  PrismProgress *now = &self->now;

  /* Without convergence none has. */
  for (; attempt <= self->config->max_retries; attempt++, sample = 0)
    for (; sample < n; sample++)
      if (self->sample_states[sample] == PRISM_SAMPLE_FAILED)
        {
          now->sample = sample;
          now->sample_step = 0;
          prism_convergence_begin (&now->visit, attempt);
          return keep_now_and_then (self, error);
        }
  now->visit.attempt = 0;
  now->sample = n - 1;
  return prism_trainer_begin_polish (self, error);
}

/**
 * prism_trainer_train:
 * @self: a trainer
 * @error: return location
 *
 * In the start phase and at the samples: goes on with them, with rounds of the live picture between
 * the samples, and then begins the polish.
 *
 * Errors: PRISM_ERROR_DIVERGED, PRISM_ERROR_DEVICE_LOST, PRISM_ERROR_MEMORY, PRISM_ERROR_BACKEND.
 *
 * Returns: whether they are through
 */
gboolean
prism_trainer_train (PrismTrainer *self,
                     GError **error)
{
  PrismProgress *now = &self->now;

  if (!learn_start (self, error))
    return FALSE;
  while (now->phase == PRISM_PHASE_SAMPLES)
    {
      const gboolean is_first = now->visit.attempt == 0;

      if (is_first && !now->in_round && now->pass >= self->config->passes)
        {
          if (!restart (self, 0, 1, error))
            return FALSE;
          continue;
        }
      if (!now->in_round && !train_sample (self, error))
        return FALSE;
      if (is_first && !(prism_trainer_go_round (self, error) && go_on (self, error)))
        return FALSE;
      if (!is_first)
        {
          now->n_visits++;
          if (!restart (self, now->sample + 1, now->visit.attempt, error))
            return FALSE;
        }
    }
  return TRUE;
}
