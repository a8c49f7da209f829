#include "config.h"

#include "base/prism-arena.h"
#include "base/prism-error.h"
#include "trainer/prism-trainer-private.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <string.h>

/* The part of the trainer that outlives a device: what is kept for that, and how a run goes on
 * elsewhere.
 *
 * Dimensions of this file: n = image_size. */

/**
 * prism_trainer_initialise_decoder:
 *
 * Draws the weights that the attempt under way starts from; attempt 0 takes those of the seed
 * itself.
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: whether there was memory for it
 */
gboolean
prism_trainer_initialise_decoder (PrismTrainer *self,
                                  GError **error)
{
  const PrismDecoderPlan *plan = &self->backend->spec.decoder;
  guint64 seed = prism_config_get_training_seed (self->config)
                 + ((guint64) self->now.start_attempt << 32);
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

/**
 * prism_trainer_mark:
 *
 * Notes that the state which is kept, or drawn from the seed in the start phase, belongs here.
 */
void
prism_trainer_mark (PrismTrainer *self)
{
  self->saved = self->now;
  memcpy (self->saved_states, self->sample_states, self->pattern->n_points);
}

/**
 * prism_trainer_save:
 * @self: a trainer at the samples
 *
 * Keeps weights and moments in the host's memory, together with the position, unless they are not
 * finite.
 *
 * Errors: PRISM_ERROR_DEVICE_LOST, PRISM_ERROR_BACKEND, PRISM_ERROR_MEMORY where a file still needs
 * what was kept before, which stays.
 *
 * Returns: whether they are kept
 */
gboolean
prism_trainer_save (PrismTrainer *self,
                    GError **error)
{
  /* What comes from another device is checked when it arrives. */
  if (!prism_backend_can_be_lost (self->backend->ops)
      && !prism_recovery_check_device (self->recovery))
    return TRUE;
  if (!prism_recovery_save (self->recovery, error))
    return FALSE;
  self->now.n_rollbacks = 0;
  prism_trainer_mark (self);
  if (self->now.sample == self->pattern->n_points)
    {
      self->saved.sample = 0;
      self->saved.pass++;
    }
  return TRUE;
}

/* A start phase begins anew: it is short. */
static gboolean
restart_start (PrismTrainer *self,
               GError **error)
{
  self->now.start_step = 0;
  self->backend->ops->set_start_image (self->backend, self->start_image->pixels);
  return prism_trainer_initialise_decoder (self, error);
}

static void
restore_samples (PrismTrainer *self)
{
  self->now.phase = PRISM_PHASE_SAMPLES;
  self->now.in_round = self->saved.in_round;
  self->now.sample = self->saved.sample;
  self->now.pass = self->saved.pass;
  self->now.sample_step = self->saved.sample_step;
  self->now.n_visited = self->saved.n_visited;
  self->now.n_visits = self->saved.n_visits;
  self->now.n_sample_steps = self->saved.n_sample_steps;
  self->now.visit = self->saved.visit;
  self->now.plateau = self->saved.plateau;
  memcpy (self->sample_states, self->saved_states, self->pattern->n_points);
  prism_trainer_rebuild_coverage (self);
  prism_recovery_apply (self->recovery);
}

/* They may still be wanted when no step needs them any more: to be kept, or for the run's file. */
static void
apply_weights (PrismTrainer *self)
{
  if (self->recovery != NULL)
    prism_recovery_apply (self->recovery);
}

static gboolean
restore (PrismTrainer *self,
         GError **error)
{
  if (self->polish != NULL)
    prism_solver_move (self->polish, self->backend);
  switch (self->now.phase)
    {
    case PRISM_PHASE_START:
    case PRISM_PHASE_SAMPLES:
      self->now.n_repeated += self->now.step - self->saved.step;
      if (self->saved.phase == PRISM_PHASE_START)
        return restart_start (self, error);
      restore_samples (self);
      return TRUE;
    case PRISM_PHASE_POLISH:
    case PRISM_PHASE_PREPARE:
      self->now.sample = 0;
      apply_weights (self);
      return TRUE;
    case PRISM_PHASE_DONE:
    default:
      apply_weights (self);
      return TRUE;
    }
}

/* "sample 40" */
static char *
dup_place (PrismTrainer *self)
{
  switch (self->now.phase)
    {
    case PRISM_PHASE_START:
      return g_strdup (_ ("the start image"));
    case PRISM_PHASE_SAMPLES:
      if (self->now.pass >= (guint) self->config->passes && self->now.visit.attempt == 0)
        return g_strdup (_ ("the last sample"));
      return g_strdup_printf (_ ("sample %u"), self->now.sample + 1);
    case PRISM_PHASE_POLISH:
      return g_strdup_printf (_ ("pass %u"), self->now.pass + 1);
    case PRISM_PHASE_PREPARE:
    case PRISM_PHASE_DONE:
    default:
      return g_strdup (_ ("the beginning"));
    }
}

static char *
dup_notice (PrismTrainer *self,
            const PrismBackendOps *failed,
            const GError *cause,
            guint64 step)
{
  g_autofree char *place = dup_place (self);

  switch (cause->code)
    {
    case PRISM_ERROR_DEVICE_LOST:
      return g_strdup_printf (_ ("The GPU stopped answering at step %" PRIu64
                                 " (%s). The run goes on on the CPU from %s."),
                              step, failed->get_loss (), place);
    case PRISM_ERROR_DIVERGED:
      return g_strdup_printf (_ ("The run diverged on the GPU at step %" PRIu64
                                 ". It goes on on the CPU from %s."),
                              step, place);
    default:
      return g_strdup_printf (_ ("%s The run goes on on the CPU from %s."), cause->message, place);
    }
}

/**
 * prism_trainer_move:
 * @self: a trainer whose last step failed
 * @backend: another device for the same task
 * @cause: why the last step failed
 *
 * Goes on on another device from the last good state: weights, moments and the position that
 * belongs to them. Where the old device has only run out of memory that is the present state.
 * Measurements are taken again from the same seeds; the cache is cleared. After that nothing refers
 * to the old device any more, and it may be closed.
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: whether the run can go on
 */
gboolean
prism_trainer_move (PrismTrainer *self,
                    PrismBackend *backend,
                    const GError *cause,
                    GError **error)
{
  const PrismBackendOps *failed = self->backend->ops;
  guint64 step = self->now.step;

  if (cause->code == PRISM_ERROR_MEMORY && self->now.phase == PRISM_PHASE_SAMPLES)
    prism_trainer_save (self, NULL);
  if (self->now.held)
    self->backend->ops->bind (self->backend, self->pattern->n_points, NULL, NULL, NULL, NULL);
  self->now.held = FALSE;
  g_clear_error (&self->pending);
  prism_measurements_move (self->measurements, backend);
  prism_cache_leave_device (self->source.cache);
  if (self->recovery != NULL)
    prism_recovery_move (self->recovery, backend);
  self->backend = backend;
  self->source.backend = backend;
  self->measurement_sample = G_MAXUINT;
  prism_trainer_begin_pace (self);
  prism_pace_init (&self->control.pace, backend->ops->chunk_size);
  if (self->live != NULL)
    prism_live_picture_move (self->live, backend);
  self->now.skipped_in_a_row = 0;
  self->now.n_rollbacks = 0;
  if (cause->code == PRISM_ERROR_DIVERGED)
    self->now.rate_factor = 1.0;

  if (!prism_scene_show (self->scene, backend, error)
      || !restore (self, error))
    return FALSE;
  prism_trainer_set_notice (self, dup_notice (self, failed, cause, step));
  return TRUE;
}
