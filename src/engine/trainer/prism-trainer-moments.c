#include "config.h"

#include "trainer/prism-trainer-private.h"

#include "profile/prism-profile.h"

#include <math.h>

/* The part of the trainer that says what the run shows, and keeps true pictures of it to walk back
 * to.
 *
 * Dimensions of this file: m = object_size. */

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

static PrismImage *
dup_live_image (PrismTrainer *self)
{
  int m = self->config->object_size;

  if (self->live_image == NULL)
    self->live_image = prism_image_new_copy (m, m, prism_trainer_get_live_image (self), NULL);
  return self->live_image != NULL ? prism_image_ref (self->live_image) : NULL;
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
  int m = self->config->object_size;
  /* In its first pass the polish may be worse than what it began after, whose metrics are shown. */
  gboolean polished = self->now.pass > 0 || self->result == NULL;

  if (self->now.phase == PRISM_PHASE_POLISH && self->polish != NULL && polished)
    return prism_image_new_copy (m, m, prism_solver_get_image (self->polish), NULL);
  if (self->now.phase < PRISM_PHASE_POLISH)
    return dup_live_image (self);
  return self->result != NULL ? prism_image_ref (self->result) : NULL;
}

/* What the run shows, at this very step. */
static PrismImage *
read_picture (PrismTrainer *self)
{
  const PrismBackendOps *ops = self->backend->ops;
  int m = self->config->object_size;
  g_autoptr (PrismImage) image = NULL;

  if (!prism_trainer_shows_decoder (self))
    return prism_trainer_dup_picture (self);
  image = prism_image_new (m, m, NULL);
  if (image == NULL)
    return NULL;
  ops->read_image (self->backend, PRISM_SOURCE_DECODER, image->pixels);
  return ops->finish (self->backend, &self->pending) ? g_steal_pointer (&image) : NULL;
}

/* The trainer's own where they were made from the same picture: curves have those. */
static void
compute_metrics (PrismTrainer *self,
                 PrismMoment *moment)
{
  const PrismImage *image = moment->image;
  const PrismImage *target = prism_scene_get_target (self->scene);

  if (target == NULL)
    return;
  prism_metrics_compute_errors (&moment->metrics, image->pixels, target->pixels, image->height,
                                image->width);
  if (fabs (moment->metrics.psnr - self->now.metrics.psnr) < 1e-4)
    moment->metrics = self->now.metrics;
}

static void
keep (PrismTrainer *self,
      PrismMomentKind kind,
      PrismImage *image)
{
  PrismMoment *moment = prism_keeper_new_moment (self->keeper, kind, image);

  moment->phase = self->now.phase;
  moment->step = self->now.step;
  moment->n_rows = prism_history_get_n_rows (self->history);
  moment->n_visits = self->now.n_visits;
  moment->sample = self->now.sample;
  moment->sample_step = self->now.sample_step;
  moment->pass = self->now.pass;
  moment->n_visited = self->now.n_visited;
  moment->seconds = self->now.seconds;
  moment->misfit = self->polish != NULL ? prism_solver_describe (self->polish).misfit : NAN;
  compute_metrics (self, moment);
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

/* That of the very last step, NAN where it was not computed. */
static double
get_psnr (PrismTrainer *self)
{
  guint64 n_rows = prism_history_get_n_rows (self->history);

  return n_rows > 0 ? prism_history_get_row (self->history, n_rows - 1).metrics.psnr : NAN;
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
  guint64 n_visits = self->now.n_visits > n_visits_before ? self->now.n_visits : 0;
  double psnr = get_psnr (self);
  g_autoptr (PrismImage) image = NULL;
  PrismMomentKind kind;
  gint64 begun;

  if (self->now.step == 0 || self->pending != NULL || prism_trainer_is_between (self)
      || !prism_keeper_wants (self->keeper, self->now.step, n_visits, psnr, &kind))
    return;
  begun = prism_profile_begin ();
  image = read_picture (self);
  if (image != NULL)
    keep (self, kind, image);
  prism_profile_end (PRISM_STAGE_MOMENT, begun);
}

/**
 * prism_trainer_keep_result_moment:
 * @self: a trainer that has a result
 *
 * Keeps the decoder's result, and that of the run.
 */
void
prism_trainer_keep_result_moment (PrismTrainer *self)
{
  if (self->now.step > 0 && self->result != NULL)
    keep (self, PRISM_MOMENT_END, self->result);
}
