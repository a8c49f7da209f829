#include "config.h"

#include "trainer/prism-trainer.h"

#include "base/prism-arena.h"
#include "base/prism-clock.h"
#include "base/prism-each.h"
#include "base/prism-error.h"
#include "profile/prism-profile.h"
#include "solve/prism-goodness.h"
#include "trainer/prism-trainer-private.h"

/* Dimensions of this file: n = image_size, m = object_size, N = samples, P = parameters. */

/* Of the moving average behind steps_per_second. */
#define RATE_MEMORY 0.95

/**
 * prism_trainer_new:
 * @config: the run
 * @source: what it works on
 * @error: return location
 *
 * Prepares a run; the first prism_trainer_step() begins it.
 *
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_DEVICE_LOST, PRISM_ERROR_BACKEND.
 *
 * Returns: (transfer full) (nullable): the trainer
 */
PrismTrainer *
prism_trainer_new (const PrismConfig *config,
                   const PrismTrainerSource *source,
                   GError **error)
{
  g_autoptr (PrismTrainer) self = g_new0 (PrismTrainer, 1);

  self->config = prism_config_dup (config);
  self->backend = source->backend;
  self->cache = source->cache;
  self->scene = prism_scene_ref (source->scene);
  self->problem = self->scene->problem;
  self->n_samples = self->scene->pattern->n_points;
  self->history = prism_history_new ();
  if (self->history == NULL)
    {
      prism_error_memory (error, _ ("There is no memory for the metrics: close other programs."));
      return NULL;
    }
  self->keeper = prism_keeper_new (config, self->backend->ops->chunk_size);
  prism_progress_init (&self->now);
  self->measurement_sample = G_MAXUINT;
  self->sample_states = g_new0 (guint8, self->n_samples);
  self->saved_states = g_new0 (guint8, self->n_samples);
  prism_trainer_begin_pace (self);
  self->control.is_stepped = TRUE;
  self->control.is_asked = source->is_asked;
  self->control.data = source->data;

  self->coverage
      = prism_arena_new_array (config->image_size * config->image_size, "the coverage", error);
  if (self->coverage == NULL || !prism_scene_show (self->scene, self->backend, error)
      || !prism_trainer_wait (self, error)
      || (prism_config_trains (config)
          && (!prism_trainer_initialise_decoder (self, error)
              || !prism_trainer_keep_decoder (self, error))))
    return NULL;
  self->measurements = prism_measurements_new (config, self->backend, source->cache, self->scene);
  if (self->measurements == NULL)
    {
      prism_trainer_set_memory_error (error);
      return NULL;
    }
  return g_steal_pointer (&self);
}

PRISM_FREE (PrismTrainer,
            free_members,
            prism_solver_free,
            polish,
            prism_live_picture_free,
            live,
            prism_measurements_free,
            measurements,
            prism_bundle_free,
            kept,
            prism_scene_unref,
            scene,
            prism_history_unref,
            history,
            prism_keeper_free,
            keeper,
            prism_image_unref,
            coverage_image,
            prism_image_unref,
            measurement_image,
            prism_image_unref,
            start_image,
            prism_image_unref,
            held_image,
            prism_image_unref,
            frame,
            prism_image_unref,
            live_image,
            prism_image_unref,
            decoded,
            prism_image_unref,
            result,
            prism_image_unref,
            second,
            prism_fold_unref,
            fold,
            g_error_free,
            pending,
            prism_arena_free_array,
            coverage,
            g_free,
            sample_states,
            g_free,
            saved_states,
            g_free,
            notice,
            prism_config_free,
            config)

/**
 * prism_trainer_free:
 * @self: (nullable): a trainer
 */
void
prism_trainer_free (PrismTrainer *self)
{
  if (self == NULL)
    return;
  if (self->measurements != NULL && self->now.held)
    self->backend->ops->bind (self->backend, self->n_samples, NULL, NULL, NULL, NULL);
  free_members (self);
}

/* n_steps: of the decoder. */
static void
note_time (PrismTrainer *self,
           PrismPhase phase,
           guint64 n_steps,
           double taken)
{
  PrismProgress *now = &self->now;

  now->seconds += taken;
  if (phase == PRISM_PHASE_POLISH || now->training == PRISM_TRAINING_WAITS)
    n_steps = 0;
  if (phase == PRISM_PHASE_POLISH || (n_steps == 0 && self->control.n_frames > 0))
    prism_pace_update (&self->control.pace, MAX (self->control.n_frames, 1), taken);
  if (n_steps == 0)
    return;
  prism_pace_update (&self->pace, n_steps, taken);
  taken /= n_steps;
  now->step_seconds = now->step_seconds == 0.0
                          ? taken
                          : RATE_MEMORY * now->step_seconds + (1.0 - RATE_MEMORY) * taken;
}

/* A device that fails here has done its work: the result stands, and the verdict stays open, as it
 * does where samples are left. */
static void
judge (PrismTrainer *self)
{
  const gsize m = self->config->object_size;
  PrismVerdict *verdict = &self->now.verdict;

  if (self->problem != NULL)
    {
      const PrismFinding *finding = prism_microscope_get_finding (self->polish, TRUE);

      if (finding != NULL)
        prism_verdict_predict (verdict, &finding->held_out);
      return;
    }
  PRISM_PROFILE (PRISM_STAGE_JUDGE);
  if (self->now.n_visited == self->n_samples)
    {
      if (self->polish != NULL)
        *verdict = prism_solver_describe (self->polish).verdict;
      if (verdict->kind == PRISM_VERDICT_OPEN)
        prism_goodness_image (self->measurements, self->result->pixels,
                              verdict, NULL, NULL);
    }
  if (self->second != NULL)
    prism_verdict_doubt (verdict, self->result->pixels, self->second->pixels, m * m);
  if (verdict->kind != PRISM_VERDICT_AMBIGUOUS)
    g_clear_pointer (&self->second, prism_image_unref);
}

/**
 * prism_trainer_step:
 * @self: a trainer that is not done
 * @error: return location
 *
 * Advances by a little work: one measurement, one chunk of optimiser steps, some visits of an ePIE
 * pass.
 *
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_BACKEND, PRISM_ERROR_DIVERGED, PRISM_ERROR_DEVICE_LOST.
 * The run can go on on another device: call prism_trainer_move(). Otherwise the result so far can
 * still be had: call prism_trainer_finish().
 *
 * Returns: whether it went well
 */
gboolean
prism_trainer_step (PrismTrainer *self,
                    GError **error)
{
  double began = prism_clock_get_seconds ();
  PrismProgress *now = &self->now;
  guint64 first = now->step, n_visits = now->n_visits;
  PrismPhase phase = now->phase;
  GError *cause = NULL;
  guint sample;

  g_return_val_if_fail (phase != PRISM_PHASE_DONE, TRUE);

  prism_control_begin (&self->control);
  if (self->pending != NULL)
    cause = g_steal_pointer (&self->pending);
  else
    prism_trainer_run_method (self, &cause);
  if (cause == NULL && !now->in_round)
    prism_trainer_hand_over_row (self);
  if (prism_measurements_take_renewed (self->measurements, &sample))
    prism_trainer_note_renewed (self, sample);
  if (now->phase == PRISM_PHASE_DONE)
    judge (self);
  note_time (self, phase, now->step - first, prism_clock_get_seconds () - began);
  if (cause == NULL)
    prism_trainer_keep_moment (self, n_visits);
  else
    g_propagate_error (error, cause);
  return cause == NULL;
}

/**
 * prism_trainer_finish:
 * @self: a trainer
 * @error: return location
 *
 * Ends the run where it is and keeps the result; nothing is polished any more.
 *
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_DEVICE_LOST, PRISM_ERROR_BACKEND: the run can go on, as
 * after prism_trainer_step(). PRISM_ERROR_CANCELLED: nothing is found yet.
 *
 * Returns: whether there is a result
 */
gboolean
prism_trainer_finish (PrismTrainer *self,
                      GError **error)
{
  const float *image = NULL;

  if (self->now.phase == PRISM_PHASE_DONE
      || (self->polish == NULL && self->kept == NULL && self->problem == NULL))
    return TRUE;
  if (self->polish != NULL)
    {
      self->polish->kind->finish (self->polish);
      if (self->problem != NULL)
        prism_trainer_note_pass (self);   /* its first pass came to its end */
      if (self->now.settling.limit > 0.0) /* stopped by hand it has not settled, either */
        self->now.settling.kind = PRISM_SETTLING_MOVING;
      image = prism_solver_get_image (self->polish);
    }
  else if (self->problem == NULL)
    image = self->result != NULL ? self->result->pixels : prism_trainer_get_live_image (self);
  if (self->problem != NULL && image == NULL)
    return prism_error_set (error, PRISM_ERROR_CANCELLED,
                            self->config->pupil == PRISM_PUPIL_FLAT
                                ? _ ("It was stopped before anything was found: there is no"
                                     " picture.")
                                : _ ("It was stopped in the search for the pupil, before anything"
                                     " was found: there is no picture."));
  if (!prism_trainer_keep_result (self, image, error))
    return FALSE;
  judge (self);
  return TRUE;
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
  g_autoptr (PrismConfig) former = prism_config_dup (self->config);

  PRISM_FOR_EACH_PARAM (param)
    if (param->live)
      prism_config_copy (self->config, config, param);
  prism_keeper_set_config (self->keeper, self->config);
  prism_measurements_set_noise (self->measurements, self->config);
  prism_trainer_note_noise (self, former);
  self->measurement_sample = G_MAXUINT;
}
