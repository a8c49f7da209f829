#include "config.h"

#include "base/prism-error.h"
#include "profile/prism-profile.h"
#include "solve/prism-live-picture.h"
#include "trainer/prism-trainer-private.h"

#include <math.h>

/* The part of the trainer that makes the live picture: a round at the end of a
 * sample, some measurements at a time.
 *
 * Dimensions of this file: m = object_size, N = samples. */

/**
 * prism_trainer_get_live_image:
 * @self: a trainer
 *
 * Shape: [m][m].
 *
 * Returns: (transfer none) (nullable): the live picture, NULL where there is none
 */
const float *
prism_trainer_get_live_image (PrismTrainer *self)
{
  if (self->live == NULL || self->config->consistency == 0)
    return NULL;
  return prism_solver_get_image (self->live);
}

static gboolean
is_alone (PrismTrainer *self)
{
  return self->now.training == PRISM_TRAINING_WAITS;
}

/* With noise a round after each sample finds the right basin more often, and the refinement ends
 * sooner. */
static gboolean
is_due (PrismTrainer *self)
{
  const guint n = self->pattern->n_points;
  const gboolean is_seldom = is_alone (self) && !prism_measurements_has_noise (self->measurements);

  return self->config->consistency > 0 && self->backend->ops->descend != NULL
         && prism_live_picture_is_due (self->now.sample + 1, n, is_seldom);
}

/* What is not finite would stay in the picture. Where no device is to blame it is left out. */
static gboolean
check_finite (PrismTrainer *self,
              PrismImage *image,
              GError **error)
{
  gsize n_pixels = (gsize) image->height * image->width;
  gboolean finite = TRUE;

  for (gsize i = 0; i < n_pixels; i++)
    if (!isfinite (image->pixels[i]))
      {
        image->pixels[i] = 0.0f;
        finite = FALSE;
      }
  if (finite || !prism_backend_can_be_lost (self->backend->ops))
    return TRUE;
  g_set_error (error, PRISM_ERROR, PRISM_ERROR_BACKEND,
               "The device returned an image that is not finite.");
  return FALSE;
}

/* The decoder's output of the last step; another device than that of the step makes its own. */
static PrismImage *
read_output (PrismTrainer *self,
             gboolean again,
             GError **error)
{
  int m = self->config->object_size;
  g_autoptr (PrismImage) image = prism_image_new (m, m, error);

  if (image == NULL)
    return NULL;
  if (again)
    self->backend->ops->forward (self->backend);
  self->backend->ops->read_image (self->backend, PRISM_SOURCE_DECODER, image->pixels);
  if (!self->backend->ops->finish (self->backend, error) || !check_finite (self, image, error))
    return NULL;
  return g_steal_pointer (&image);
}

static gboolean
begin (PrismTrainer *self,
       gboolean again,
       GError **error)
{
  PrismSolverSpec round = { .n_samples = self->now.n_visited,
                            .n_passes = (guint) self->config->consistency,
                            .smoothness = self->config->smoothness,
                            .is_brief = is_alone (self),
                            .is_last = self->now.sample + 1 == self->pattern->n_points };
  g_autoptr (PrismImage) output = NULL;

  if (self->live == NULL)
    self->live = prism_solver_new (&prism_live_picture_kind, self->backend, self->measurements,
                                   error);
  if (self->live == NULL)
    return FALSE;
  output = is_alone (self) ? prism_image_ref (self->start_image)
                           : read_output (self, again, error);
  if (output == NULL)
    return FALSE;
  round.start = output->pixels;
  return prism_solver_begin (self->live, &round, error);
}

/**
 * prism_trainer_begin_live:
 * @self: a trainer at the end of a sample, which has joined the coverage
 * @error: return location
 *
 * Begins a round where one is due; now.in_round says so, also when that fails: the next
 * prism_trainer_step_live() begins it then.
 *
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_DEVICE_LOST, PRISM_ERROR_BACKEND.
 *
 * Returns: whether it went well
 */
gboolean
prism_trainer_begin_live (PrismTrainer *self,
                          GError **error)
{
  self->now.in_round = is_due (self);
  return !self->now.in_round || begin (self, FALSE, error);
}

/* A round is a step where there are no others. */
static void
record_round (PrismTrainer *self)
{
  self->now.step++;
  self->now.loss_new = prism_solver_describe (self->live).misfit;
  self->now.loss_old = NAN;
  self->now.learning_rate = NAN;
  prism_trainer_append_row (self, PRISM_ROW_ROUND, self->now.n_visited, TRUE);
}

/**
 * prism_trainer_step_live:
 * @self: a trainer in a round of the live picture
 * @error: return location
 *
 * Visits some measurements; with the last ones now.in_round becomes %FALSE, the live picture is
 * measured, and the row of the step says how good it is.
 *
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_DEVICE_LOST, PRISM_ERROR_BACKEND.
 *
 * Returns: whether it went well
 */
gboolean
prism_trainer_step_live (PrismTrainer *self,
                         GError **error)
{
  PrismSolverReport round;
  gint64 begun;

  if ((self->live == NULL || prism_solver_describe (self->live).is_done)
      && !begin (self, TRUE, error))
    return FALSE;
  round = prism_solver_describe (self->live);
  begun = prism_profile_begin ();
  if (!prism_solver_step (self->live,
                          prism_pace_get (&self->live_pace, round.n_samples - round.sample),
                          &self->n_polished, error))
    return FALSE;
  prism_profile_end (PRISM_STAGE_LIVE, begun);
  if (!prism_solver_describe (self->live).is_done)
    return TRUE;
  self->now.in_round = FALSE;
  g_clear_pointer (&self->live_image, prism_image_unref);
  if (prism_trainer_get_live_image (self) == NULL)
    return TRUE;
  prism_trainer_measure_image (self, prism_trainer_get_live_image (self));
  if (is_alone (self))
    record_round (self);
  else
    prism_trainer_add_metrics (self);
  return TRUE;
}
