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
 * Returns: (transfer none) (nullable): the picture beside the decoder: the live one, or that of a
 * refinement which could do without the decoder's image so far; NULL where there is none
 */
const float *
prism_trainer_get_live_image (PrismTrainer *self)
{
  if (self->polish != NULL && self->now.phase < PRISM_PHASE_POLISH)
    return prism_solver_get_image (self->polish);
  if (self->live == NULL || self->config->consistency == 0)
    return NULL;
  return prism_live_picture_get_image (self->live);
}

static gboolean
is_alone (PrismTrainer *self)
{
  return self->now.training == PRISM_TRAINING_WAITS;
}

static gboolean
is_due (PrismTrainer *self)
{
  return self->config->consistency > 0 && self->backend->ops->descend != NULL
         && self->polish == NULL
         && prism_live_picture_is_due (self->now.sample + 1, self->pattern->n_points,
                                       prism_measurements_has_noise (self->measurements));
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

/* The decoder's output as its weights are now. */
static PrismImage *
read_output (PrismTrainer *self,
             GError **error)
{
  int m = self->config->object_size;
  g_autoptr (PrismImage) image = prism_image_new (m, m, error);

  if (image == NULL)
    return NULL;
  self->backend->ops->forward (self->backend);
  self->backend->ops->read_image (self->backend, PRISM_SOURCE_DECODER, image->pixels);
  if (!self->backend->ops->finish (self->backend, error) || !check_finite (self, image, error))
    return NULL;
  return g_steal_pointer (&image);
}

/* The first round begins with the start image, or with what the decoder has learned of the first
 * measurement. */
static gboolean
make_live (PrismTrainer *self,
           GError **error)
{
  g_autoptr (PrismImage) start = is_alone (self) ? prism_image_ref (self->start_image)
                                                 : read_output (self, error);

  if (start != NULL)
    self->live
        = prism_live_picture_new (self->backend, self->measurements, start->pixels, error);
  return self->live != NULL;
}

/* A round is a step where there are no others. */
static void
record_round (PrismTrainer *self)
{
  self->now.step++;
  self->now.loss_new = prism_live_picture_get_misfit (self->live);
  self->now.loss_old = NAN;
  self->now.learning_rate = NAN;
  prism_trainer_append_row (self, PRISM_ROW_ROUND, self->now.n_visited, TRUE);
}

/**
 * prism_trainer_go_round:
 * @self: a trainer at the end of a sample, which has joined the coverage
 * @error: return location
 *
 * Does a round of the live picture where one is due, or goes on with it: now.in_round says that one
 * is under way. With its end the picture is measured, and the row of the step says how good it is.
 *
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_DEVICE_LOST, PRISM_ERROR_BACKEND.
 *
 * Returns: whether the next sample may begin
 */
gboolean
prism_trainer_go_round (PrismTrainer *self,
                        GError **error)
{
  PrismRound round = { .n_samples = self->now.n_visited,
                       .n_passes = (guint) self->config->consistency,
                       .smoothness = self->config->smoothness };
  gboolean is_through;
  gint64 begun;

  if (!self->now.in_round && !is_due (self))
    return TRUE;
  self->now.in_round = TRUE;
  if (self->live == NULL && !make_live (self, error))
    return FALSE;
  begun = prism_profile_begin ();
  is_through = prism_live_picture_go_round (self->live, &round, &self->control, error);
  prism_profile_end (PRISM_STAGE_LIVE, begun);
  if (!is_through)
    return FALSE;
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
