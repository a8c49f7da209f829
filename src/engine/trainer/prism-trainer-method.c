#include "config.h"

#include "num/prism-tuning.h"
#include "solve/prism-judge.h"
#include "trainer/prism-trainer-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>

/* The method of a run, on a page.
 *
 *   automatic   for each frame: acquire it; every round: descend on the frames so far
 *               refine: descend until the image stands still; where it does not explain the frames,
 *               search exit waves, synchronise their phases, descend
 *               where it still does not: train the decoder on all frames, descend from its image
 *               goodness of fit → verdict
 *   decoder     the same rounds and refinement; the decoder learns their picture, and then, frame
 *               after frame, to explain the frames so far; refine, from its image, too
 *   as          for each frame: train the decoder on the frames so far; a round beside it
 *   published   refine, from the picture of the rounds and from the decoder's image
 *   ePIE        passes of updates, frame after frame
 *
 * Every function below returns at once where its part is over, so that the page is entered again
 * from its top: after each piece of work, after a pause, on another device, from a run file.
 *
 * N = samples. Thread: engine. Source: numerics.md, “The method”. */

/* Whether all frames are needed before the run begins. */
static gboolean
needs_all_frames (const PrismConfig *config)
{
  return config->order == PRISM_ORDER_ENERGY
         || (prism_config_trains (config) && config->start_steps > 0
             && config->start_target == PRISM_START_SYNTHETIC);
}

/* The brightest measurements first. */
static gboolean
sort_by_energy (PrismTrainer *self,
                GError **error)
{
  g_autofree double *keys = g_new (double, self->pattern->n_points);
  g_autoptr (PrismScene) sorted = NULL;
  PrismMeasurements *measurements;

  for (guint i = 0; i < self->pattern->n_points; i++)
    keys[i] = -prism_measurements_get_energy (self->measurements, i);
  sorted = prism_scene_new_sorted (self->scene, keys);
  measurements = prism_measurements_new (self->config, self->backend, self->cache, sorted);
  if (measurements == NULL)
    return prism_trainer_set_memory_error (error);
  prism_measurements_free (self->measurements);
  self->measurements = measurements;
  prism_scene_unref (self->scene);
  self->scene = g_steal_pointer (&sorted);
  self->pattern = prism_scene_get_pattern (self->scene);
  return TRUE;
}

static gboolean
can_wait (PrismTrainer *self)
{
  return prism_config_trains_last (self->config) && self->backend->ops->descend != NULL;
}

static gboolean
prepare (PrismTrainer *self,
         GError **error)
{
  PrismProgress *now = &self->now;

  if (now->phase != PRISM_PHASE_PREPARE)
    return TRUE;
  for (; needs_all_frames (self->config) && now->sample < self->pattern->n_points; now->sample++)
    {
      if (!prism_control_yield (&self->control))
        return FALSE;
      if (!prism_measurements_acquire_points (self->measurements, now->sample, error)
          || !self->backend->ops->finish (self->backend, error))
        return FALSE;
      prism_measurements_note_use (self->measurements, now->sample);
    }
  now->sample = 0;
  if (self->config->order == PRISM_ORDER_ENERGY && !sort_by_energy (self, error))
    return FALSE;
  if (!prism_config_trains (self->config))
    return prism_trainer_begin_polish (self, error);
  now->training = can_wait (self) ? PRISM_TRAINING_WAITS : PRISM_TRAINING_SET;
  return prism_trainer_begin_start (self, error);
}

/* What the decoder waits for may be switched off meanwhile: the live picture, or the refinement. */
static gboolean
train_after_all (PrismTrainer *self,
                 GError **error)
{
  self->now.training = PRISM_TRAINING_SET;
  prism_trainer_join_decoder (self);
  self->now.n_visited = 0;
  prism_trainer_rebuild_coverage (self);
  return prism_trainer_begin_start (self, error);
}

static gboolean
take_frames (PrismTrainer *self,
             GError **error)
{
  PrismProgress *now = &self->now;

  if (now->phase != PRISM_PHASE_SAMPLES)
    return TRUE;
  for (; now->sample < self->pattern->n_points; now->sample++, now->n_visits++)
    {
      if (!now->in_round)
        {
          if (!prism_control_yield (&self->control))
            return FALSE;
          if (!can_wait (self))
            return train_after_all (self, error);
          if (!prism_measurements_acquire_points (self->measurements, now->sample, error)
              || !self->backend->ops->finish (self->backend, error))
            return FALSE;
          prism_trainer_cover (self, now->sample);
        }
      if (!prism_trainer_go_round (self, error))
        return FALSE;
    }
  return prism_trainer_begin_polish (self, error);
}

/* With noise nobody but the verdict can tell. A percent more than the noise may be what an image
 * that still moves has yet to find. */
static gboolean
is_explained (PrismTrainer *self)
{
  const PrismSolverReport polish = prism_solver_describe (self->polish);
  PrismVerdict verdict;

  if (!prism_measurements_has_noise (self->measurements))
    return polish.explains;
  prism_judge_image (self->measurements, self->scene, self->backend,
                     prism_solver_get_image (self->polish), &verdict, NULL);
  return verdict.kind == PRISM_VERDICT_EXPLAINED
         && (polish.is_still
             || prism_verdict_is_near (&verdict,
                                       prism_tuning_get (PRISM_TUNING_VERDICT_DEVIATIONS)));
}

/* It may have been switched on meanwhile. */
static gboolean
choose_training (PrismTrainer *self,
                 GError **error)
{
  if (self->now.training != PRISM_TRAINING_WAITS)
    return TRUE;
  if (self->config->method == PRISM_METHOD_AUTO && is_explained (self))
    {
      self->now.training = PRISM_TRAINING_SPARED;
      return TRUE;
    }
  self->now.training = self->config->method == PRISM_METHOD_AUTO ? PRISM_TRAINING_NEEDED
                                                                 : PRISM_TRAINING_SET;
  prism_trainer_join_decoder (self);
  return prism_trainer_begin_start (self, error);
}

/* Another image is worth showing where the verdict is in doubt. */
static gboolean
conclude (PrismTrainer *self,
          GError **error)
{
  const int m = self->config->object_size;
  const float *second;

  if (self->now.phase == PRISM_PHASE_DONE)
    return TRUE;
  if (prism_solver_describe (self->polish).is_rescued)
    self->now.training = PRISM_TRAINING_RESCUED;
  second = prism_solver_get_second (self->polish);
  if (second != NULL && self->second == NULL)
    self->second = prism_image_new_copy (m, m, second, error);
  return (second == NULL || self->second != NULL)
         && prism_trainer_keep_result (self, prism_solver_get_image (self->polish), error);
}

/**
 * prism_trainer_run_method:
 * @self: a trainer that is not done
 * @error: return location
 *
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_BACKEND, PRISM_ERROR_DIVERGED, PRISM_ERROR_DEVICE_LOST.
 *
 * Returns: whether the run has its result; FALSE without an error where the control ends a piece of
 * work
 */
gboolean
prism_trainer_run_method (PrismTrainer *self,
                          GError **error)
{
  if (!prepare (self, error))
    return FALSE;
  if (self->now.training == PRISM_TRAINING_WAITS
      && (!take_frames (self, error) || !prism_trainer_refine (self, error)
          || !choose_training (self, error)))
    return FALSE;
  return (self->now.training == PRISM_TRAINING_SPARED || prism_trainer_train (self, error))
         && prism_trainer_refine (self, error) && conclude (self, error);
}
