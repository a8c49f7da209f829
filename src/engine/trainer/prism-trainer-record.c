#include "config.h"

#include "base/prism-error.h"
#include "profile/prism-profile.h"
#include "trainer/prism-trainer-private.h"

#include <inttypes.h>

/* What a run notes down while it works: notices, the coverage, the rows of the history. It calls no
 * other part of the trainer.
 *
 * Dimensions of this file: m = object_size. */

/**
 * prism_trainer_set_notice:
 * @self: a trainer
 * @notice: (transfer full) (nullable): one sentence for the user
 *
 * Sets what the snapshots say from now on.
 */
void
prism_trainer_set_notice (PrismTrainer *self,
                          char *notice)
{
  g_free (self->notice);
  self->notice = notice;
}

/**
 * prism_trainer_get_microscope:
 * @self: (nullable): a trainer
 *
 * Returns: (transfer none) (nullable): what explains the recorded frames of a run that has begun
 */
PrismSolver *
prism_trainer_get_microscope (PrismTrainer *self)
{
  return self != NULL && self->problem != NULL ? self->polish : NULL;
}

/**
 * prism_trainer_set_memory_error:
 * @error: return location
 *
 * Says why there is no mask of an aperture or of the coverage.
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: %FALSE
 */
gboolean
prism_trainer_set_memory_error (GError **error)
{
  return prism_error_memory (error,
                             _ ("Not enough memory for the apertures. Choose a smaller"
                                " aperture_radius or fewer"
                                " positions."));
}

/**
 * prism_trainer_note_renewed:
 * @self: a trainer
 * @sample: number of a measurement
 *
 * Says that the measurement had to be taken twice.
 */
void
prism_trainer_note_renewed (PrismTrainer *self,
                            guint sample)
{
  prism_trainer_set_notice (
      self, g_strdup_printf (_ ("Measurement %u held a value that is not finite at step %" PRIu64
                                " and was taken again."),
                             sample + 1, self->now.step));
}

/**
 * prism_trainer_measure_image:
 * @self: a trainer
 * @image: (array): what the run shows now
 *
 * Makes the metrics those of an image, where the object is known. Without memory there is no SSIM,
 * and a notice says so.
 *
 * Shape: @image [m][m].
 */
void
prism_trainer_measure_image (PrismTrainer *self,
                             const float *image)
{
  int m = self->config->object_size;
  const PrismImage *target = self->scene->target;
  g_autoptr (GError) error = NULL;
  if (target == NULL)
    return;
  PRISM_PROFILE (PRISM_STAGE_METRICS);
  if (!prism_metrics_compute (&self->now.metrics, image, target->pixels, m, m, &error))
    prism_trainer_set_notice (self, g_strdup (error->message));
}

/**
 * prism_trainer_cover:
 * @self: a trainer
 * @sample: number of a sample
 *
 * Adds a sample to what has been seen of the Fourier plane.
 */
void
prism_trainer_cover (PrismTrainer *self,
                     guint sample)
{
  prism_mask_accumulate (prism_measurements_get_mask (self->measurements, sample), self->coverage);
  self->now.n_visited = MAX (self->now.n_visited, sample + 1);
  self->covered = prism_pattern_get_coverage (self->coverage, self->config->image_size,
                                              self->config->roi);
  g_clear_pointer (&self->coverage_image, prism_image_unref);
}

/**
 * prism_trainer_rebuild_coverage:
 * @self: a trainer
 *
 * Derives what has been seen of the Fourier plane from the number of samples that were visited.
 */
void
prism_trainer_rebuild_coverage (PrismTrainer *self)
{
  guint n_visited = self->now.n_visited;

  memset (self->coverage, 0, self->config->image_size * self->config->image_size);
  self->now.n_visited = 0;
  self->covered = 0.0;
  for (guint i = 0; i < n_visited; i++)
    prism_trainer_cover (self, i);
  g_clear_pointer (&self->coverage_image, prism_image_unref);
}

/**
 * prism_trainer_begin_pace:
 * @self: a trainer that is about to do another kind of work
 *
 * Begins with one frame, or one step of the decoder, at a time, and goes as far as the device or
 * the configuration likes.
 */
void
prism_trainer_begin_pace (PrismTrainer *self)
{
  const guint wanted = self->config->chunk, likes = self->backend->ops->chunk_size;

  prism_pace_init (&self->control.pace, likes);
  prism_pace_init (&self->pace, wanted > 0 ? wanted : likes);
}

/**
 * prism_trainer_hand_over_row:
 * @self: a trainer
 *
 * Adds the row of the newest step to the history, where nothing more will be known about it.
 */
void
prism_trainer_hand_over_row (PrismTrainer *self)
{
  if (!self->has_row)
    return;
  self->has_row = FALSE;
  if (!prism_history_append (self->history, &self->row) && self->notice == NULL)
    prism_trainer_set_notice (self,
                              g_strdup_printf (_ ("There is no memory or place for more metrics:"
                                                  " rows are missing from step %" PRIu64 " on."),
                                               self->row.step));
}

/**
 * prism_trainer_append_row:
 * @self: a trainer
 * @sample: index, or PRISM_ROW_START and so on
 * @sample_step: step within it
 * @with_metrics: whether the metrics are those of this very step
 *
 * Begins the row of this step. It joins the history with the next one, or when it is handed over:
 * what the live picture is worth becomes known later, and belongs to the same step.
 */
void
prism_trainer_append_row (PrismTrainer *self,
                          gint32 sample,
                          guint32 sample_step,
                          gboolean with_metrics)
{
  const PrismProgress *now = &self->now;
  PrismCacheStatistics cache;
  PrismMemoryUse memory;

  prism_trainer_hand_over_row (self);
  prism_cache_get_statistics (self->cache, &cache);
  self->backend->ops->get_memory (self->backend, &memory);
  if (self->row.device_bytes != memory.used)
    prism_profile_sample (PRISM_COUNTER_DEVICE_MEMORY, memory.used);
  self->row = (PrismHistoryRow) {
    .step = now->step,
    .sample = sample,
    .sample_step = sample_step,
    .loss_new = now->loss_new,
    .loss_old = now->loss_old,
    .learning_rate = now->learning_rate,
    .cache_hit_rate = cache.pass_rate,
    .device_bytes = memory.used,
    .cache_bytes = cache.bytes + cache.small_bytes,
    .steps_per_second
    = sample > PRISM_ROW_POLISH && now->step_seconds > 0.0 ? 1.0 / now->step_seconds : NAN,
    .seconds = now->seconds,
    .correlation = now->correlation,
    .metrics = now->metrics,
  };
  if (!with_metrics)
    prism_metrics_init (&self->row.metrics);
  self->has_row = TRUE;
}
