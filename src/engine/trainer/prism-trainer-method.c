#include "config.h"

#include "trainer/prism-trainer-private.h"

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

static gboolean
prepare (PrismTrainer *self,
         GError **error)
{
  if (self->now.phase != PRISM_PHASE_PREPARE)
    return TRUE;
  if (!prism_trainer_order_frames (self, error))
    return FALSE;
  if (!prism_config_trains (self->config))
    return prism_trainer_begin_polish (self, error);
  self->now.training
      = prism_config_trains_last (self->config) ? PRISM_TRAINING_WAITS : PRISM_TRAINING_SET;
  return prism_trainer_begin_start (self, error);
}

static gboolean
take_frames (PrismTrainer *self,
             GError **error)
{
  PrismProgress *now = &self->now;

  if (now->phase != PRISM_PHASE_SAMPLES)
    return TRUE;
  for (; now->sample < self->n_samples; now->sample++, now->n_visits++)
    {
      if (!now->in_round)
        {
          if (!prism_control_yield (&self->control))
            return FALSE;
          /* What the decoder waits for, the live picture or the refinement, is switched off. */
          if (!prism_config_trains_last (self->config))
            {
              now->training = PRISM_TRAINING_SET;
              now->n_visited = 0;
              prism_trainer_join_decoder (self);
              prism_trainer_rebuild_coverage (self);
              return prism_trainer_begin_start (self, error);
            }
          if (!prism_measurements_acquire_points (self->measurements, now->sample, error)
              || !prism_trainer_wait (self, error))
            return FALSE;
          prism_trainer_cover (self, now->sample);
        }
      if (!prism_trainer_go_round (self, error))
        return FALSE;
    }
  return prism_trainer_begin_polish (self, error);
}

/* It may have been switched on meanwhile. */
static gboolean
choose_training (PrismTrainer *self,
                 GError **error)
{
  PrismTraining *training = &self->now.training;
  const gboolean is_auto = self->config->method == PRISM_METHOD_AUTO;

  if (*training != PRISM_TRAINING_WAITS)
    return TRUE;
  if (is_auto && prism_trainer_is_explained (self))
    {
      *training = PRISM_TRAINING_SPARED;
      return TRUE;
    }
  *training = is_auto ? PRISM_TRAINING_NEEDED : PRISM_TRAINING_SET;
  prism_trainer_join_decoder (self);
  return prism_trainer_begin_start (self, error);
}

/* Another image is worth showing where the verdict is in doubt. */
static gboolean
conclude (PrismTrainer *self,
          GError **error)
{
  const int m = self->config->object_size;
  PrismSolverReport polish;

  if (self->now.phase == PRISM_PHASE_DONE)
    return TRUE;
  polish = prism_solver_describe (self->polish);
  if (polish.is_rescued)
    self->now.training = PRISM_TRAINING_RESCUED;
  if (polish.second != NULL && self->second == NULL)
    self->second = prism_image_new_copy (m, m, polish.second, error);
  return (polish.second == NULL || self->second != NULL)
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
