#include "config.h"

#include "base/prism-number.h"
#include "profile/prism-profile.h"
#include "trainer/prism-trainer-private.h"

/* What a run shows: the decoder's output, the live picture beside it and its rounds; and the true
 * pictures of the run that are kept to walk back to.
 *
 * Dimensions of this file: m = object_size, N = samples. */

/**
 * prism_trainer_read_decoder:
 * @self: a trainer
 * @error: return location
 *
 * Shape: [m][m].
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_DEVICE_LOST, PRISM_ERROR_BACKEND.
 *
 * Returns: (transfer full) (nullable): what the decoder's weights say now
 */
PrismImage *
prism_trainer_read_decoder (PrismTrainer *self,
                            GError **error)
{
  const PrismBackendOps *ops = self->backend->ops;
  int m = self->config->object_size;
  g_autoptr (PrismImage) image = prism_image_new (m, m, error);

  if (image == NULL)
    return NULL;
  ops->forward (self->backend);
  ops->read_image (self->backend, PRISM_SOURCE_DECODER, image->pixels);
  return prism_trainer_wait (self, error)
                 && prism_backend_check_finite (!prism_backend_can_be_lost (ops)
                                                    || prism_finite_all (image->pixels, m * m),
                                                error)
             ? g_steal_pointer (&image)
             : NULL;
}

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

/* The first round begins with the start image, or with what the decoder has learned of the first
 * measurement. */
static gboolean
make_live (PrismTrainer *self,
           GError **error)
{
  g_autoptr (PrismImage) start = self->now.training == PRISM_TRAINING_WAITS
                                     ? prism_image_ref (self->start_image)
                                     : prism_trainer_read_decoder (self, error);

  if (start == NULL)
    return FALSE;
  self->live = prism_live_picture_new (self->backend, self->measurements, start->pixels, error);
  return self->live != NULL;
}

/**
 * prism_trainer_go_round:
 * @self: a trainer at the end of a sample, which has joined the coverage
 * @error: return location
 *
 * Does a round of the live picture where one is due, or goes on with it: now.in_round says that one
 * is under way. With its end the picture is measured, and the row of the step says how good it is;
 * a round is a step where there are no others.
 *
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_DEVICE_LOST, PRISM_ERROR_BACKEND.
 *
 * Returns: whether the next sample may begin
 */
gboolean
prism_trainer_go_round (PrismTrainer *self,
                        GError **error)
{
  const PrismConfig *config = self->config;
  PrismProgress *now = &self->now;
  const float *image;
  gboolean is_through;
  gint64 begun;

  if (!now->in_round
      && (config->consistency == 0 || self->polish != NULL
          || !prism_live_picture_is_due (now->sample + 1, self->n_samples,
                                         prism_measurements_has_noise (self->measurements))))
    return TRUE;
  now->in_round = TRUE;
  if (self->live == NULL && !make_live (self, error))
    return FALSE;
  begun = prism_profile_begin ();
  is_through = prism_live_picture_go_round (self->live, now->n_visited,
                                            config->consistency, config->smoothness,
                                            &self->control, error);
  prism_profile_end (PRISM_STAGE_LIVE, begun);
  if (!is_through)
    return FALSE;
  now->in_round = FALSE;
  g_clear_pointer (&self->live_image, prism_image_unref);
  image = prism_trainer_get_live_image (self);
  if (image == NULL)
    return TRUE;
  prism_trainer_measure_image (self, image);
  if (now->training == PRISM_TRAINING_WAITS)
    {
      now->step++;
      now->loss_new = self->live->misfit;
      now->loss_old = now->learning_rate = NAN;
      prism_trainer_append_row (self, PRISM_ROW_ROUND, now->n_visited, TRUE);
    }
  /* A run that was loaded has no row yet. */
  if (!self->has_row)
    prism_trainer_append_row (self, now->sample, now->sample_step, TRUE);
  self->row.metrics = now->metrics;
  return TRUE;
}

/**
 * prism_trainer_shows_decoder:
 * @self: a trainer
 *
 * Returns: whether the picture of the run is the decoder's output, as in the beginning
 */
gboolean
prism_trainer_shows_decoder (PrismTrainer *self)
{
  return self->now.phase < PRISM_PHASE_POLISH && prism_trainer_get_live_image (self) == NULL;
}

/**
 * prism_trainer_dup_picture:
 * @self: a trainer whose picture is not the decoder's output
 *
 * Shape: [m][m].
 *
 * Returns: (transfer full) (nullable): what the run shows; NULL where there is nothing yet, or no
 * memory for it
 */
PrismImage *
prism_trainer_dup_picture (PrismTrainer *self)
{
  const int m = self->config->object_size;
  const float *image;

  if (self->now.phase < PRISM_PHASE_POLISH)
    {
      if (self->live_image == NULL)
        self->live_image = prism_image_new_copy (m, m, prism_trainer_get_live_image (self), NULL);
      return prism_image_ref (self->live_image);
    }
  /* In its first pass the polish may be worse than what it began after, whose metrics are shown. */
  if (self->now.phase != PRISM_PHASE_POLISH || self->polish == NULL
      || (self->now.pass == 0 && self->result != NULL))
    return prism_image_ref (self->result);
  image = prism_solver_get_image (self->polish);
  return image != NULL ? prism_image_new_copy (m, m, image, NULL) : NULL;
}

/**
 * prism_trainer_read_frame:
 * @self: a trainer
 * @image: (out caller-allocates): the decoder's output of this very step
 *
 * Waits for the device; one that fails says so at the next step.
 *
 * Shape: @image [m][m].
 *
 * Returns: whether it has arrived
 */
gboolean
prism_trainer_read_frame (PrismTrainer *self,
                          PrismImage *image)
{
  const PrismBackendOps *ops = self->backend->ops;

  if (self->pending != NULL)
    return FALSE;
  ops->read_image (self->backend, PRISM_SOURCE_DECODER, image->pixels);
  return prism_trainer_wait (self, &self->pending);
}

/**
 * prism_trainer_keep:
 * @self: a trainer
 * @kind: of the moment
 * @image: what it shows
 *
 * Keeps a picture, with what is known of it.
 */
void
prism_trainer_keep (PrismTrainer *self,
                    PrismMomentKind kind,
                    PrismImage *image)
{
  const PrismImage *target = self->scene->target;
  const PrismProgress *now = &self->now;
  PrismMoment *moment = prism_keeper_new_moment (self->keeper, kind, image);
  PrismFinding *finding = NULL;

  moment->phase = now->phase;
  moment->step = now->step;
  moment->n_rows = prism_history_get_n_rows (self->history);
  moment->n_visits = now->n_visits;
  moment->sample = now->sample;
  moment->sample_step = now->sample_step;
  moment->pass = now->pass;
  moment->n_visited = now->n_visited;
  moment->seconds = now->seconds;
  moment->misfit = self->polish != NULL ? prism_solver_describe (self->polish).misfit : NAN;
  if (target != NULL)
    prism_metrics_compute_errors (&moment->metrics, moment->image->pixels, target->pixels,
                                  image->height, image->width);
  /* The trainer's own where they were made from the same picture: curves have those. */
  if (target != NULL && fabs (moment->metrics.psnr - now->metrics.psnr) < 1e-4)
    moment->metrics = now->metrics;
  if (prism_trainer_get_microscope (self) != NULL && prism_keeper_keeps_objects (self->config))
    finding = prism_microscope_get_finding (self->polish, TRUE);
  if (finding != NULL && finding->predicted != NULL)
    moment->finding = prism_finding_ref (finding);
  prism_keeper_keep (self->keeper, moment);
}

/**
 * prism_trainer_is_between:
 * @self: a trainer after a chunk of work
 *
 * A round of the live picture belongs to the step that it follows. The start phase ends with other
 * weights than those of its last step, and so with another picture.
 *
 * Returns: whether what the run shows is no moment of its own
 */
gboolean
prism_trainer_is_between (PrismTrainer *self)
{
  const PrismProgress *now = &self->now;

  return now->in_round || (now->phase == PRISM_PHASE_START && now->start_step == 0)
         || (now->phase == PRISM_PHASE_SAMPLES && now->n_visits == 0 && now->sample_step == 0);
}

/**
 * prism_trainer_keep_moment:
 * @self: a trainer after a chunk of work
 * @n_visits_before: samples and passes completed before it
 *
 * Keeps the picture of this step where the keeper wants it, once a round that belongs to it is
 * through; a device that fails meanwhile says so at the next step. Without memory for it the moment
 * is left out.
 */
void
prism_trainer_keep_moment (PrismTrainer *self,
                           guint64 n_visits_before)
{
  const PrismProgress *now = &self->now;
  const guint64 n_visits = now->n_visits > n_visits_before ? now->n_visits : 0;
  const guint64 n_rows = prism_history_get_n_rows (self->history);
  const gboolean is_decoder = prism_trainer_shows_decoder (self);
  const int m = self->config->object_size;
  g_autoptr (PrismImage) image = NULL;
  PrismMomentKind kind;
  /* Of the very last step, NAN where it was not computed. */
  double psnr = n_rows > 0 ? prism_history_get_row (self->history, n_rows - 1).metrics.psnr : NAN;

  if (now->step == 0 || self->pending != NULL || prism_trainer_is_between (self)
      || !prism_keeper_wants (self->keeper, now->step, n_visits, psnr, &kind))
    return;
  PRISM_PROFILE (PRISM_STAGE_MOMENT);
  image = is_decoder ? prism_image_new (m, m, NULL) : prism_trainer_dup_picture (self);
  if (image != NULL && (!is_decoder || prism_trainer_read_frame (self, image)))
    prism_trainer_keep (self, kind, image);
}
