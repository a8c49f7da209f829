#include "config.h"

#include "base/prism-each.h"
#include "base/prism-error.h"
#include "trainer/prism-trainer-private.h"

#include <inttypes.h>

/* What outlives a run's device or its program: the last good state in the host's memory, how a run
 * goes on elsewhere, and how it is written down between two steps and goes on from there as if
 * nothing had happened.
 *
 * Dimensions of this file: n = image_size, m = object_size, N = samples. */

/* Marks a state of the method as it is since plain loops do it. */
#define METHOD "method.txt"
#define METHOD_NUMBER "5" /* another one where a state of before cannot go on */
#define PROGRESS "progress.json"
#define SAMPLES "samples.txt"

/* The images that later steps use. */
static const struct
{
  const char *name;
  gsize offset;
} images[] = {
  { "start.npy", G_STRUCT_OFFSET (PrismTrainer, start_image) },
  { "held.npy", G_STRUCT_OFFSET (PrismTrainer, held_image) },
  { "decoded.npy", G_STRUCT_OFFSET (PrismTrainer, decoded) },
  { "result.npy", G_STRUCT_OFFSET (PrismTrainer, result) },
  { "result-second.npy", G_STRUCT_OFFSET (PrismTrainer, second) },
};

/**
 * prism_trainer_mark:
 *
 * Notes that the state which is kept, or drawn from the seed in the start phase, belongs here.
 */
void
prism_trainer_mark (PrismTrainer *self)
{
  prism_trainer_note_parts (self);
  self->saved = self->now;
  memcpy (self->saved_states, self->sample_states, self->n_samples);
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
      && !prism_trainer_is_finite (self))
    return TRUE;
  if (!prism_trainer_keep_decoder (self, error))
    return FALSE;
  self->now.n_rollbacks = 0;
  prism_trainer_mark (self);
  if (self->now.sample == self->n_samples)
    {
      self->saved.sample = 0;
      self->saved.pass++;
    }
  return TRUE;
}

/**
 * prism_trainer_note_parts:
 * @self: a trainer
 *
 * Brings what its parts know and the progress has to say up to date.
 */
void
prism_trainer_note_parts (PrismTrainer *self)
{
  PrismSolverReport polish;

  self->now.max_energy = self->measurements->max_energy;
  if (self->polish == NULL)
    return;
  polish = prism_solver_describe (self->polish);
  self->now.misfit = polish.misfit;
  self->now.correlation = polish.correlation;
  self->now.n_extra_passes = polish.n_extra_passes;
}

/* What became of the samples: a PrismSampleState each, as a digit. */
static void
add_samples (PrismTrainer *self,
             PrismBundle *bundle)
{
  const guint n = self->n_samples;
  char *text = g_malloc0 (n + 1);

  for (guint i = 0; i < n; i++)
    text[i] = '0' + self->sample_states[i];
  prism_bundle_take_text (bundle, SAMPLES, text);
}

static gboolean
read_samples (PrismTrainer *self,
              PrismBundle *bundle,
              GError **error)
{
  const char *text = prism_bundle_get_text (bundle, SAMPLES, error);
  const guint n = self->n_samples;

  if (text == NULL)
    return FALSE;
  if (strlen (text) != n || strspn (text, "0123") != n)
    return prism_error_format (error,
                               _ ("%s cannot be used: it is not one digit from 0 to 3 for each"
                                  " of %u"
                                  " positions."),
                               SAMPLES, n);
  for (guint i = 0; i < n; i++)
    self->sample_states[i] = text[i] - '0';
  return TRUE;
}

/* The live picture and the passes over all measurements. */
static gboolean
add_parts (PrismTrainer *self,
           PrismBundle *bundle,
           GError **error)
{
  return (self->live == NULL || prism_live_picture_save (self->live, bundle, error))
         && ((self->now.phase > PRISM_PHASE_POLISH && self->problem == NULL) || self->polish == NULL
             || prism_solver_save (self->polish, bundle, error));
}

/**
 * prism_trainer_dup_state:
 * @self: a trainer between two steps
 *
 * Writes down everything that decides how the run goes on, beside its configuration, object,
 * pattern and history: progress.json, with convergence samples.txt, weights and moments of the
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
  const PrismProgress *now = &self->now;

  prism_trainer_note_parts (self);
  prism_bundle_take_text (bundle, METHOD, g_strdup (METHOD_NUMBER));
  prism_bundle_take_text (bundle, PROGRESS, prism_progress_to_text (now));
  if (self->config->convergence)
    add_samples (self, bundle);
  if (self->notice != NULL)
    prism_bundle_take_text (bundle, "notice.txt", g_strdup (self->notice));
  PRISM_FOR_EACH_OF (image, images)
    if (!prism_bundle_add_image (bundle, image->name,
                                 G_STRUCT_MEMBER (PrismImage *, self, image->offset), error))
      return NULL;
  if ((self->kept != NULL && now->training != PRISM_TRAINING_WAITS
       && !prism_trainer_add_decoder (self, bundle, error))
      || !add_parts (self, bundle, error))
    return NULL;
  return g_steal_pointer (&bundle);
}

/* A run of a method that is no more has its pictures and numbers, but cannot go on. */
static gboolean
check_method (PrismTrainer *self,
              PrismBundle *bundle,
              GError **error)
{
  if (self->now.phase == PRISM_PHASE_DONE
      || (prism_bundle_has (bundle, METHOD)
          && g_strcmp0 (prism_bundle_get_text (bundle, METHOD, NULL), METHOD_NUMBER) == 0))
    return TRUE;
  return prism_error_format (error,
                             _ ("An older version saved the run while it was under way: prism-cli"
                                " can inspect and export what it had, but it cannot go on. Run its"
                                " configuration again."));
}

/* What the numbers say must be possible: they index measurements, and phases need their images. */
static gboolean
check_progress (PrismTrainer *self,
                PrismBundle *bundle,
                GError **error)
{
  const PrismProgress *now = &self->now;
  const guint n = self->n_samples;
  const gboolean waits = now->training == PRISM_TRAINING_WAITS;
  const gboolean starts = now->phase == PRISM_PHASE_START;
  const gboolean trains = now->phase == PRISM_PHASE_SAMPLES;
  const char *reason = NULL;

  if (now->n_visited > n || now->sample > n
      || (trains && now->sample == n))
    reason = _ ("it has more positions than the pattern");
  else if (self->kept == NULL && (starts || trains))
    reason = _ ("it speaks of a phase that the algorithm has not");
  else if ((now->held && self->held_image == NULL)
           || ((starts || (waits && trains)) && self->start_image == NULL)
           || (now->phase == PRISM_PHASE_POLISH && self->kept != NULL && self->decoded == NULL
               && !waits)
           || (now->in_round && !prism_bundle_has (bundle, "consistency.json")))
    reason = _ ("it speaks of a picture that is not there");
  return reason == NULL
         || prism_error_format (error, _ ("progress.json cannot be used: %s."), reason);
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
         && ops->bind (self->backend, self->n_samples, seen, target, &energy, error)
         && prism_scene_show (self->scene, self->backend, error);
}

/* What is over has its result: the live picture of an older version need not be understood. */
static gboolean
restore_live (PrismTrainer *self,
              PrismBundle *bundle,
              GError **error)
{
  if (self->now.phase == PRISM_PHASE_DONE || !prism_bundle_has (bundle, "consistency.json"))
    return TRUE;
  self->live = prism_live_picture_new (self->backend, self->measurements, NULL, error);
  return self->live != NULL && prism_live_picture_load (self->live, bundle, error);
}

static gboolean
restore_polish (PrismTrainer *self,
                PrismBundle *bundle,
                GError **error)
{
  const PrismPhase phase = self->now.phase;

  if (phase == PRISM_PHASE_PREPARE || phase == PRISM_PHASE_POLISH)
    self->now.sample = 0;
  if (phase == PRISM_PHASE_PREPARE || (phase == PRISM_PHASE_DONE && self->problem == NULL)
      || !prism_bundle_has (bundle, prism_trainer_choose_polish (self)->state->numbers))
    return TRUE;
  /* Passes weight measurements by their energies, which are known once they are bound. */
  for (guint i = 0; self->kept != NULL && i < self->n_samples; i++)
    if (!prism_measurements_acquire_points (self->measurements, i, error))
      return FALSE;
  if (!prism_trainer_make_polish (self, bundle, error))
    return FALSE;
  /* It was over, and has more passes now. */
  if (phase == PRISM_PHASE_DONE && !prism_solver_describe (self->polish).is_done)
    self->now.phase = PRISM_PHASE_POLISH;
  return TRUE;
}

/* What add_parts() has written down goes on, on the device that is there. */
static gboolean
restore_parts (PrismTrainer *self,
               PrismBundle *bundle,
               GError **error)
{
  if (self->now.phase == PRISM_PHASE_START)
    self->backend->ops->set_start_image (self->backend, self->start_image->pixels);
  return restore_live (self, bundle, error) && restore_polish (self, bundle, error)
         && prism_trainer_wait (self, error);
}

/**
 * prism_trainer_restore:
 * @self: a new trainer of the same run: configuration, object, and pattern in the order of its
 * visits
 * @state: of prism_trainer_dup_state()
 * @snapshot: of that moment, for its history and frames; the trainer appends to the history
 *
 * Goes on from a state, which is then the last good one. On the CPU the run ends with the same bits
 * as if it had not been interrupted, whatever the number of threads; on a GPU within its rounding.
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
  const gsize m = self->config->object_size;
  PrismProgress *now = &self->now;
  const char *progress = prism_bundle_get_text (state, PROGRESS, error);
  guint64 n_rows;

  if (progress == NULL || !prism_progress_parse (now, progress, PROGRESS, error)
      || !check_method (self, state, error))
    return FALSE;
  PRISM_FOR_EACH_OF (image, images)
    if (!prism_bundle_load_image (state, image->name, m,
                                  &G_STRUCT_MEMBER (PrismImage *, self, image->offset), error))
      return FALSE;
  if (!check_progress (self, state, error))
    return FALSE;
  if (self->config->convergence && !read_samples (self, state, error))
    return FALSE;
  /* A new trainer has the decoder of a run whose training waits. */
  if (self->kept != NULL && now->training != PRISM_TRAINING_WAITS
      && !prism_trainer_load_decoder (self, state, error))
    return FALSE;
  prism_trainer_rebuild_coverage (self);
  if ((now->phase == PRISM_PHASE_SAMPLES && now->held && !restore_held (self, error))
      || !restore_parts (self, state, error))
    return FALSE;
  self->measurements->max_energy = now->max_energy;
  prism_trainer_mark (self);
  if (prism_bundle_has (state, "notice.txt"))
    prism_trainer_set_notice (self, g_strdup (prism_bundle_get_text (state, "notice.txt", NULL)));
  prism_history_unref (self->history);
  self->history = prism_history_ref (snapshot->history);
  prism_cache_resume_statistics (self->cache, &snapshot->cache);
  n_rows = prism_history_get_n_rows (self->history);
  /* The row of a step whose round was under way is not in the history that was saved. */
  if (now->in_round && now->training != PRISM_TRAINING_WAITS
      && (n_rows == 0 || prism_history_get_row (self->history, n_rows - 1).step < now->step))
    prism_trainer_append_row (self, now->sample, now->sample_step, FALSE);
  if (snapshot->frames != NULL)
    prism_keeper_load (self->keeper, snapshot->frames);
  prism_trainer_note_noise (self, snapshot->config);
  return TRUE;
}

/* Where a decoder is trained: where the state that is kept belongs. What is counted goes on. A
 * start phase begins anew: it is short. */
static void
return_to_saved (PrismTrainer *self)
{
  const PrismProgress *saved = &self->saved;
  PrismProgress *now = &self->now;

  if (now->phase != PRISM_PHASE_START && now->phase != PRISM_PHASE_SAMPLES)
    return;
  now->phase = saved->phase;
  now->start_step = 0;
  now->in_round = saved->in_round;
  now->sample = saved->sample;
  now->pass = saved->pass;
  now->sample_step = saved->sample_step;
  now->n_visited = saved->n_visited;
  now->n_visits = saved->n_visits;
  now->n_sample_steps = saved->n_sample_steps;
  now->visit = saved->visit;
  now->plateau = saved->plateau;
  memcpy (self->sample_states, self->saved_states, self->n_samples);
  prism_trainer_rebuild_coverage (self);
}

/* "position 40" */
static char *
dup_place (PrismTrainer *self)
{
  const PrismProgress *now = &self->now;

  if (now->phase == PRISM_PHASE_START)
    return g_strdup (_ ("the start image"));
  if (now->phase == PRISM_PHASE_POLISH)
    return g_strdup_printf (_ ("pass %u"), now->pass + 1);
  if (now->phase != PRISM_PHASE_SAMPLES)
    return g_strdup (_ ("the beginning"));
  if (now->pass >= self->config->passes && now->visit.attempt == 0)
    return g_strdup (_ ("the last position"));
  return g_strdup_printf (_ ("position %u"), now->sample + 1);
}

static char *
dup_notice (PrismTrainer *self,
            const PrismBackendOps *failed,
            const GError *cause)
{
  const guint64 step = self->now.step;
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
  PrismProgress *now = &self->now;
  g_autoptr (PrismBundle) parts = prism_bundle_new ();

  if (cause->code == PRISM_ERROR_MEMORY && now->phase == PRISM_PHASE_SAMPLES)
    prism_trainer_save (self, NULL);
  if (now->held)
    failed->bind (self->backend, self->n_samples, NULL, NULL, NULL, NULL);
  now->held = FALSE;
  g_clear_error (&self->pending);
  if (!add_parts (self, parts, error))
    return FALSE;
  g_clear_pointer (&self->live, prism_live_picture_free);
  g_clear_pointer (&self->polish, prism_solver_free);
  prism_measurements_move (self->measurements, backend);
  prism_cache_leave_device (self->cache);
  self->backend = backend;
  self->measurement_sample = G_MAXUINT;
  prism_trainer_begin_pace (self);
  now->skipped_in_a_row = now->n_rollbacks = 0;
  if (cause->code == PRISM_ERROR_DIVERGED)
    now->rate_factor = 1.0;
  return_to_saved (self);
  if (self->kept != NULL)
    prism_trainer_go_back (self);
  if ((now->phase == PRISM_PHASE_START && !prism_trainer_initialise_decoder (self, error))
      || !prism_scene_show (self->scene, backend, error) || !restore_parts (self, parts, error))
    return FALSE;
  prism_trainer_set_notice (self, dup_notice (self, failed, cause));
  return TRUE;
}
