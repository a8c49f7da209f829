#include "config.h"

#include "base/prism-error.h"
#include "solve/prism-live-picture.h"
#include "solve/prism-polish.h"
#include "trainer/prism-trainer-private.h"

#include <glib/gi18n-lib.h>

/* The part of the trainer that writes down a run between two steps, and goes on from there as if
 * nothing had happened.
 *
 * Dimensions of this file: n = image_size, m = object_size, N = samples, P = parameters. */

/* Marks a state of the method as it is since plain loops do it. */
#define METHOD "method.txt"

static gboolean
add_image (PrismTrainer *self,
           PrismBundle *bundle,
           const char *name,
           PrismImage *image,
           GError **error)
{
  return image == NULL
         || prism_bundle_add_plane (bundle, name, image->pixels, self->config->object_size, error);
}

/* What the trainer's parts know and the progress has to say. */
static void
note_parts (PrismTrainer *self)
{
  PrismSolverReport polish;

  self->now.max_energy = prism_measurements_get_max_energy (self->measurements);
  if (self->polish == NULL)
    return;
  polish = prism_solver_describe (self->polish);
  self->now.misfit = polish.misfit;
  self->now.n_extra_passes = polish.n_extra_passes;
}

/**
 * prism_trainer_dup_state:
 * @self: a trainer between two steps
 *
 * Writes down everything that decides how the run goes on, beside its configuration, object,
 * pattern and history: progress.json, kept-progress.json, samples.txt, weights and moments of the
 * decoder, the images that later steps use, and the state of the polish at the beginning of its
 * pass. While training waits the decoder is left out: it is what the settings begin with. A loss
 * scale (FP16) is not part of it and begins anew.
 *
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_DEVICE_LOST, PRISM_ERROR_BACKEND: the run can go on, as
 * after prism_trainer_step().
 *
 * Returns: (transfer full) (nullable): the state
 */
PrismBundle *
prism_trainer_dup_state (PrismTrainer *self,
                         GError **error)
{
  g_autoptr (PrismBundle) bundle = prism_bundle_new ();
  gboolean polishes = self->now.phase <= PRISM_PHASE_POLISH && self->polish != NULL;

  note_parts (self);
  prism_bundle_take_text (bundle, METHOD, g_strdup ("1"));
  prism_bundle_take_text (bundle, "progress.json", prism_progress_to_text (&self->now));
  prism_bundle_take_text (bundle, "kept-progress.json", prism_progress_to_text (&self->saved));
  prism_trainer_write_samples (self, bundle);
  if (self->notice != NULL)
    prism_bundle_take_text (bundle, "notice.txt", g_strdup (self->notice));
  if ((self->recovery != NULL && self->now.training != PRISM_TRAINING_WAITS
       && !prism_recovery_write (self->recovery, bundle, error))
      || !add_image (self, bundle, "start.npy", self->start_image, error)
      || !add_image (self, bundle, "held.npy", self->now.held ? self->held_image : NULL, error)
      || !add_image (self, bundle, "decoded.npy", self->decoded, error)
      || !add_image (self, bundle, "result.npy", self->result, error)
      || !add_image (self, bundle, "result-second.npy", self->second, error)
      || (self->live != NULL && !prism_live_picture_save (self->live, bundle, error))
      || (polishes && !prism_polish_save (self->polish, bundle, error)))
    return NULL;
  return g_steal_pointer (&bundle);
}

static gboolean
restore_image (PrismTrainer *self,
               PrismBundle *bundle,
               const char *name,
               PrismImage **image,
               GError **error)
{
  int m = self->config->object_size;

  g_clear_pointer (image, prism_image_unref);
  if (!prism_bundle_has (bundle, name))
    return TRUE;
  *image = prism_image_new (m, m, error);
  return *image != NULL
         && prism_bundle_copy_plane (bundle, name, (*image)->pixels, (gsize) m, error);
}

static gboolean
read_progress (PrismBundle *bundle,
               const char *name,
               PrismProgress *progress,
               GError **error)
{
  const char *text = prism_bundle_get_text (bundle, name, error);

  return text != NULL && prism_progress_parse (progress, text, name, error);
}

/* A run of a method that is no more has its pictures and numbers, but cannot go on. */
static gboolean
check_method (PrismTrainer *self,
              PrismBundle *bundle,
              GError **error)
{
  if (self->now.phase == PRISM_PHASE_DONE || !prism_config_trains (self->config)
      || prism_bundle_has (bundle, METHOD))
    return TRUE;
  g_set_error (error, PRISM_ERROR, PRISM_ERROR_FORMAT,
               _ ("An older version saved the run while it was under way, with a method that is no"
                  " more: it can be looked at and exported, but not go on. Run its configuration"
                  " again."));
  return FALSE;
}

/* What the numbers say must be possible: they index measurements, and phases need their images. */
static gboolean
check_progress (PrismTrainer *self,
                GError **error)
{
  const PrismProgress *progress = &self->now;
  guint n = self->pattern->n_points;
  const char *reason = NULL;
  gboolean waits = progress->training == PRISM_TRAINING_WAITS;

  if (progress->n_visited > n || progress->sample > n || self->saved.n_visited > n
      || self->saved.sample >= n
      || (progress->phase == PRISM_PHASE_SAMPLES && progress->sample == n))
    reason = "it speaks of more samples than the pattern has";
  else if (self->recovery == NULL && progress->phase != PRISM_PHASE_PREPARE
           && progress->phase != PRISM_PHASE_POLISH && progress->phase != PRISM_PHASE_DONE)
    reason = "it speaks of a phase that the algorithm has not";
  else if (progress->phase == PRISM_PHASE_START && self->start_image == NULL)
    reason = "it speaks of the start phase, but there is no start image";
  else if (progress->held && self->held_image == NULL)
    reason = "it speaks of an image that is held, but there is none";
  else if (waits && progress->phase == PRISM_PHASE_SAMPLES && self->start_image == NULL)
    reason = "it speaks of samples without training, but there is no image to begin with";
  else if (progress->phase == PRISM_PHASE_POLISH && self->recovery != NULL && self->decoded == NULL
           && !waits)
    reason = "it speaks of the polish, but there is no decoder's image";
  if (reason != NULL)
    g_set_error (error, PRISM_ERROR, PRISM_ERROR_FORMAT, "progress.json cannot be used: %s.",
                 reason);
  return reason == NULL;
}

/* Shows the device the image that was held as if it were the object, and binds what it sees: the
 * same transforms as when it was held. */
static gboolean
restore_held (PrismTrainer *self,
              GError **error)
{
  const PrismBackendOps *ops = self->backend->ops;
  g_autoptr (PrismMask) seen = prism_mask_new_plane (self->config->image_size, self->coverage);
  g_autoptr (PrismBuffer) target = NULL;
  double energy;

  if (seen == NULL)
    return prism_trainer_set_memory_error (error);
  if (!ops->set_object (self->backend, self->held_image->pixels, error))
    return FALSE;
  target = ops->measure (self->backend, seen, error);
  return target != NULL
         && ops->bind (self->backend, self->pattern->n_points, seen, target, &energy, error)
         && prism_scene_show (self->scene, self->backend, error);
}

/* Passes weight measurements by their energies, which are known once they are bound. */
static gboolean
acquire (PrismTrainer *self,
         guint n_samples,
         GError **error)
{
  for (guint i = 0; i < n_samples; i++)
    if (!prism_measurements_acquire_points (self->measurements, i, error))
      return FALSE;
  return TRUE;
}

static gboolean
restore_live (PrismTrainer *self,
              PrismBundle *bundle,
              GError **error)
{
  const int m = self->config->object_size;
  g_autoptr (PrismImage) blank = prism_image_new (m, m, error);

  if (!prism_bundle_has (bundle, "consistency.json"))
    {
      if (self->now.in_round)
        g_set_error (error, PRISM_ERROR, PRISM_ERROR_FORMAT,
                     "progress.json speaks of a round of the live picture, but there is none.");
      return !self->now.in_round;
    }
  if (blank == NULL)
    return FALSE;
  self->live = prism_live_picture_new (self->backend, self->measurements, blank->pixels, error);
  if (self->live == NULL || !prism_live_picture_load (self->live, bundle, error))
    return FALSE;
  /* After a change of the noise each is only known from its next exposure on. */
  return prism_live_picture_is_stale (self->live)
         || acquire (self, self->now.n_visited, error);
}

static gboolean
restore_polish (PrismTrainer *self,
                PrismBundle *bundle,
                GError **error)
{
  if (!prism_bundle_has (bundle, "polish-spec.json"))
    return TRUE;
  return (self->recovery == NULL || acquire (self, self->pattern->n_points, error))
         && prism_trainer_make_polish (self, bundle, error);
}

static gboolean
restore_phase (PrismTrainer *self,
               PrismBundle *bundle,
               GError **error)
{
  switch (self->now.phase)
    {
    case PRISM_PHASE_PREPARE:
      self->now.sample = 0;
      return TRUE;
    case PRISM_PHASE_START:
      self->backend->ops->set_start_image (self->backend, self->start_image->pixels);
      return restore_polish (self, bundle, error);
    case PRISM_PHASE_SAMPLES:
      return (!self->now.held || restore_held (self, error))
             && restore_polish (self, bundle, error);
    case PRISM_PHASE_POLISH:
      self->now.sample = 0;
      return restore_polish (self, bundle, error);
    case PRISM_PHASE_DONE:
    default:
      return TRUE;
    }
}

/* The row of a step whose round was under way is not in the history that was saved. */
static void
restore_row (PrismTrainer *self)
{
  guint64 n_rows = prism_history_get_n_rows (self->history);

  if (self->now.in_round && self->now.training != PRISM_TRAINING_WAITS
      && (n_rows == 0
          || prism_history_get_row (self->history, n_rows - 1).step < self->now.step))
    prism_trainer_append_row (self, (gint32) self->now.sample, self->now.sample_step, FALSE);
}

/* A new trainer has the decoder of a run whose training waits; older files have it, too. */
static gboolean
restore_decoder (PrismTrainer *self,
                 PrismBundle *bundle,
                 GError **error)
{
  const gboolean waits = self->now.training == PRISM_TRAINING_WAITS;

  return self->recovery == NULL || (waits && !prism_bundle_has (bundle, "weights.npy"))
         || prism_recovery_read (self->recovery, bundle, error);
}

/**
 * prism_trainer_restore:
 * @self: a new trainer of the same run: configuration, object, and pattern in the order of its
 * visits
 * @state: of prism_trainer_dup_state()
 * @snapshot: of that moment, for its history and frames; the trainer appends to the history
 *
 * Goes on from a state. On the CPU the run ends with the same bits as if it had not been
 * interrupted, whatever the number of threads; on a GPU within its rounding.
 *
 * Errors: PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY, PRISM_ERROR_DEVICE_LOST, PRISM_ERROR_BACKEND; the
 * trainer is then of no use.
 *
 * Returns: whether the run can go on
 */
gboolean
prism_trainer_restore (PrismTrainer *self,
                       PrismBundle *state,
                       PrismSnapshot *snapshot,
                       GError **error)
{
  double max_energy;

  if (!read_progress (state, "progress.json", &self->now, error)
      || !check_method (self, state, error)
      || !read_progress (state, "kept-progress.json", &self->saved, error)
      || !restore_image (self, state, "start.npy", &self->start_image, error)
      || !restore_image (self, state, "held.npy", &self->held_image, error)
      || !restore_image (self, state, "decoded.npy", &self->decoded, error)
      || !restore_image (self, state, "result.npy", &self->result, error)
      || !restore_image (self, state, "result-second.npy", &self->second, error)
      || !check_progress (self, error) || !prism_trainer_read_samples (self, state, error)
      || !restore_decoder (self, state, error))
    return FALSE;
  max_energy = self->now.max_energy;
  prism_trainer_rebuild_coverage (self);
  if (!restore_live (self, state, error) || !restore_phase (self, state, error)
      || !self->backend->ops->finish (self->backend, error))
    return FALSE;
  prism_measurements_set_max_energy (self->measurements, max_energy);
  if (prism_bundle_has (state, "notice.txt"))
    prism_trainer_set_notice (self, g_strdup (prism_bundle_get_text (state, "notice.txt", NULL)));
  prism_history_unref (self->history);
  self->history = prism_history_ref (snapshot->history);
  prism_cache_resume_statistics (self->source.cache, &snapshot->cache);
  restore_row (self);
  if (snapshot->frames != NULL)
    prism_keeper_load (self->keeper, snapshot->frames);
  prism_trainer_note_noise (self, snapshot->config);
  return TRUE;
}
