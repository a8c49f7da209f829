#include "config.h"

#include "num/prism-tuning.h"
#include "solve/prism-judge.h"
#include "solve/prism-start.h"
#include "trainer/prism-trainer-private.h"

#include <math.h>

/* The part of the trainer that goes through the samples while training waits: passes alone make the
 * live picture. Where that explains the measurements the decoder could not change the result.
 *
 * Dimensions of this file: m = object_size, N = samples. Source: numerics.md, “Effort”. */

/**
 * prism_trainer_can_wait:
 * @self: a trainer
 *
 * Returns: whether the run can do without the decoder, should the passes explain the measurements
 */
gboolean
prism_trainer_can_wait (PrismTrainer *self)
{
  return prism_config_may_spare_training (self->config) && self->backend->ops->descend != NULL;
}

/**
 * prism_trainer_begin_untrained:
 * @self: a trainer whose measurements are prepared
 * @error: return location
 *
 * Begins the samples without the decoder.
 *
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_DEVICE_LOST, PRISM_ERROR_BACKEND.
 *
 * Returns: whether it went well; otherwise the phase has not changed
 */
gboolean
prism_trainer_begin_untrained (PrismTrainer *self,
                               GError **error)
{
  g_autoptr (PrismImage) image = NULL;

  image = prism_start_new_image (self->config, self->measurements, error);
  if (image == NULL || !self->backend->ops->finish (self->backend, error))
    return FALSE;
  self->start_image = g_steal_pointer (&image);
  self->now.training = PRISM_TRAINING_WAITS;
  self->now.phase = PRISM_PHASE_SAMPLES;
  prism_trainer_mark (self);
  return TRUE;
}

/* What training waits for may be switched off meanwhile: the live picture, or the refinement. */
static gboolean
train_after_all (PrismTrainer *self,
                 GError **error)
{
  self->now.training = PRISM_TRAINING_SET;
  prism_trainer_forget_untrained (self);
  return prism_trainer_begin_start (self, error);
}

static gboolean
go_on (PrismTrainer *self,
       GError **error)
{
  self->now.n_visits++;
  if (!prism_trainer_can_wait (self))
    return train_after_all (self, error);
  if (self->now.sample + 1 == self->pattern->n_points)
    return prism_trainer_begin_polish (self, error);
  self->now.sample++;
  return TRUE;
}

/**
 * prism_trainer_step_untrained:
 * @self: a trainer at the samples, while training waits
 * @error: return location
 *
 * Takes a measurement, or visits some in a round of the live picture.
 *
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_DEVICE_LOST, PRISM_ERROR_BACKEND.
 *
 * Returns: whether it went well
 */
gboolean
prism_trainer_step_untrained (PrismTrainer *self,
                              GError **error)
{
  if (self->now.in_round)
    {
      if (!prism_trainer_step_live (self, error))
        return FALSE;
      return self->now.in_round || go_on (self, error);
    }
  if (!prism_measurements_acquire_points (self->measurements, self->now.sample, error)
      || !self->backend->ops->finish (self->backend, error))
    return FALSE;
  prism_trainer_cover (self, self->now.sample);
  if (!prism_trainer_begin_live (self, error))
    return FALSE;
  return self->now.in_round || go_on (self, error);
}

/* With noise nobody but the judge can tell. A percent more than the noise may be what an image that
 * still moves has yet to find. */
static gboolean
is_explained (PrismTrainer *self)
{
  const PrismSolverReport polish = prism_solver_describe (self->polish);
  PrismVerdict verdict;
  double deviations;

  if (!prism_measurements_has_noise (self->measurements))
    return polish.explains;
  prism_judge_image (self->measurements, self->scene, self->backend,
                     prism_solver_get_image (self->polish), &verdict, NULL);
  if (verdict.kind != PRISM_VERDICT_EXPLAINED)
    return FALSE;
  deviations = prism_tuning_get (PRISM_TUNING_VERDICT_DEVIATIONS);
  return polish.is_still || prism_verdict_is_near (&verdict, deviations);
}

/**
 * prism_trainer_choose_training:
 * @self: a trainer at the end of the polish, while training waits
 *
 * Decides by the measurements whether the decoder has to be trained after all.
 *
 * Returns: whether it is spared
 */
gboolean
prism_trainer_choose_training (PrismTrainer *self)
{
  const gboolean spares = is_explained (self);

  self->now.training = spares ? PRISM_TRAINING_SPARED : PRISM_TRAINING_NEEDED;
  return spares;
}

/**
 * prism_trainer_forget_untrained:
 * @self: a trainer whose training was waiting and is needed, after a sample or the polish
 *
 * Goes back to the state before the first sample; the history stays.
 */
void
prism_trainer_forget_untrained (PrismTrainer *self)
{
  PrismProgress *now = &self->now;

  g_clear_pointer (&self->polish, prism_solver_free);
  g_clear_pointer (&self->live, prism_solver_free);
  g_clear_pointer (&self->live_image, prism_image_unref);
  g_clear_pointer (&self->start_image, prism_image_unref);
  g_clear_pointer (&self->result, prism_image_unref);
  now->n_untrained = now->step;
  now->sample = 0;
  now->pass = 0;
  now->n_visited = 0;
  now->misfit = NAN;
  now->n_extra_passes = 0;
  now->settling = (PrismSettling) { 0 };
  prism_trainer_rebuild_coverage (self);
  prism_trainer_begin_pace (self);
}
