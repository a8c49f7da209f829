#include "config.h"

#include "base/prism-error.h"
#include "base/prism-system.h"
#include "config/prism-device-list.h"
#include "device/prism-memory-estimate.h"
#include "device/prism-registry.h"
#include "run/prism-run-folder.h"
#include "session/prism-session.h"

#define DRAWING 1000 /* ms after which a new scene is on the screen */

/* Frames that were recorded elsewhere, in place of the telescope. And which parameters concern them
 * and the device. */

/**
 * prism_session_hand_over:
 * @self: a session
 * @config: what to reconstruct and how
 * @error: return location
 *
 * Gives it to the engine, with the recorded frames where it names them, or how they are read again.
 *
 * Errors: those of prism_engine_configure_scene().
 *
 * Returns: whether it was taken
 */
gboolean
prism_session_hand_over (PrismSession *self,
                         const PrismConfig *config,
                         GError **error)
{
  PrismScene *frames = self->lent_frames;
  const char *reading = NULL;

  if (frames == NULL || !g_str_equal (config->object, frames->problem->recording->path))
    {
      if (prism_draft_find_frames (self->draft, config->object, &frames) && frames == NULL)
        reading = g_hash_table_lookup (self->draft->readings, config->object);
    }
  return reading != NULL ? prism_engine_configure_again (self->engine, config, reading, error)
                         : prism_engine_configure_scene (self->engine, config, frames, error);
}

/**
 * prism_session_lend_frames:
 * @self: a session
 * @frames: (nullable): recorded ones of a lesson's step
 *
 * Looks at them wherever a step names them. Those that are edited stay.
 */
void
prism_session_lend_frames (PrismSession *self,
                           PrismScene *frames)
{
  prism_keep (&self->lent_frames, frames, prism_scene_ref, prism_scene_unref);
}

/**
 * prism_session_new_sweep:
 * @self: a session
 *
 * Returns: (transfer full): a sweep without an axis, of what the next run would be
 */
PrismSweep *
prism_session_new_sweep (PrismSession *self)
{
  const PrismDraft *draft = self->draft;

  return draft->frames != NULL ? prism_sweep_new_recorded (draft->config, draft->frames->problem)
                               : prism_sweep_new (draft->config);
}

/**
 * prism_session_follow_problem:
 * @self: a session with a new snapshot
 *
 * Looks at the frames of a run that came from a file in the next run, too.
 */
void
prism_session_follow_problem (PrismSession *self)
{
  const PrismSnapshot *snapshot = self->snapshot;
  g_autoptr (PrismProblem) problem = NULL;
  g_autoptr (PrismScene) scene = NULL;
  PrismScene *known;

  if (!prism_snapshot_is_recorded (snapshot) || self->lent_frames != NULL
      || snapshot->run < self->n_begun
      || !prism_draft_find_frames (self->draft, snapshot->config->object, &known) || known != NULL)
    return;
  problem = prism_engine_ref_problem (self->engine);
  if (problem == NULL)
    return;
  scene = prism_scene_new_problem (problem);
  prism_draft_fill_frames (self->draft, snapshot->config->object, scene);
}

/**
 * prism_session_new_frame:
 * @self: a session
 * @frame: number of a recorded frame
 *
 * Returns: (transfer full) (nullable): its amplitudes, which are the same at every moment
 */
PrismImage *
prism_session_new_frame (PrismSession *self,
                         guint frame)
{
  g_autoptr (PrismProblem) problem = prism_engine_ref_problem (self->engine);

  return problem != NULL && frame < problem->frames->n_frames
             ? prism_problem_new_frame (problem, frame, NULL)
             : NULL;
}

/**
 * prism_session_get_idle_reason:
 * @self: a session
 * @param: a parameter
 *
 * Returns: (transfer none) (nullable): why the parameter has no effect on this device or these
 *   frames
 */
const char *
prism_session_get_idle_reason (PrismSession *self,
                               const PrismParam *param)
{
  static const char *const keys[] = { "amp", "amp_type", NULL };
  const PrismFramesKind kind = self->draft->config->kind;

  /* Whoever chooses an object leaves the frames. */
  if (!prism_param_is_of (param, kind) && !g_str_equal (param->key, "object"))
    return kind == PRISM_FRAMES_RECORDED ? _ ("Has no effect on recorded frames")
                                         : _ ("Has no effect on a telescope");
  if (self->on_cpu && g_strv_contains (keys, param->key))
    return _ ("Needs an NVIDIA GPU: the processor computes in single precision");
  return NULL;
}

/**
 * prism_session_clear_cache:
 * @self: a session
 *
 * Gives back the memory of the frames at hand, of a run under way too, which takes them again.
 */
void
prism_session_clear_cache (PrismSession *self)
{
  prism_engine_clear_cache (self->engine);
}

/* What the run or the next one computes on, and what that needs there. Drivers are asked once, on
 * another thread: they may take a second, and the window is to be there at once. */

typedef struct
{
  GWeakRef session;
  int choice;
} Question;

static void
question_free (Question *self)
{
  g_weak_ref_clear (&self->session);
  g_free (self);
}

static gpointer
answer (gpointer data,
        GError **error)
{
  const Question *self = data;

  prism_registry_find (self->choice);
  return data;
}

static void
take_answer (gpointer owner,
             Question *self,
             gpointer result,
             const GError *error)
{
  g_autoptr (PrismSession) session = g_weak_ref_get (&self->session);

  if (session == NULL)
    return;
  session->asked = -1;
  prism_session_follow_device (session);
}

/* ops: (nullable): what computes */
static guint64
count_required (PrismSession *self,
                const PrismBackendOps *ops)
{
  const PrismConfig *config = self->draft->config;
  PrismBackendSpec spec;
  PrismMemoryEstimate need;

  /* What recorded frames need, they and their object take already. */
  if (ops == NULL || self->draft->problem != NULL
      || config->kind == PRISM_FRAMES_RECORDED
      || !prism_task_init_spec (config, config->samples, &spec, NULL))
    return 0;
  prism_memory_estimate_init (&need, config, &spec, ops, !self->unsaved);
  return need.device > 0 ? need.device : need.run + MAX (self->window, need.host - need.run);
}

/**
 * prism_session_get_active:
 * @self: a session
 *
 * Returns: whether a run is under way, paused or not
 */
gboolean
prism_session_get_active (PrismSession *self)
{
  return prism_session_get_going (self) || self->state == PRISM_STATE_PAUSED;
}

/**
 * prism_session_get_going:
 * @self: a session
 *
 * Returns: whether a run is under way and not paused
 */
gboolean
prism_session_get_going (PrismSession *self)
{
  return self->state == PRISM_STATE_PREPARING || self->state == PRISM_STATE_RUNNING;
}

/* A run is in the process of the window, which holds most when it has been drawn. */
static void
measure_window (PrismSession *self)
{
  if (self->n_begun > 0)
    return;
  self->window = prism_system_get_peak_memory ();
  prism_session_follow_device (self);
}

/**
 * prism_session_follow_device:
 * @self: a session
 *
 * Finds out what a run with the draft would compute on, and what it would need. A run under way
 * knows its device.
 */
void
prism_session_follow_device (PrismSession *self)
{
  static const PrismJob job = { "device", answer, take_answer, question_free, NULL };
  const int choice = self->draft->config->backend;
  const PrismBackendOps *ops;
  const gboolean known = prism_registry_peek (choice, &ops, NULL);
  const char *backend = ops != NULL ? ops->name : NULL;
  const guint64 required = count_required (self, ops);
  gboolean on_cpu;

  if (!known && self->asked < 0)
    {
      Question *question = g_new0 (Question, 1);

      self->asked = question->choice = choice;
      g_weak_ref_init (&question->session, self);
      prism_job_start (&job, NULL, question, NULL);
    }
  if (self->snapshot != NULL && self->snapshot->backend != NULL && prism_session_get_active (self))
    backend = self->snapshot->backend;
  on_cpu = g_strcmp0 (backend, prism_device_list[PRISM_BACKEND_CPU].name) == 0;
  g_object_freeze_notify (G_OBJECT (self));
  if (on_cpu != self->on_cpu)
    g_object_notify (G_OBJECT (self), "on-cpu");
  if (required != self->required_bytes)
    g_object_notify (G_OBJECT (self), "required-bytes");
  self->on_cpu = on_cpu;
  self->required_bytes = required;
  g_object_thaw_notify (G_OBJECT (self));
}

/**
 * prism_session_measure_window:
 * @self: a session whose scene is about to be drawn
 *
 * Counts what the window holds, in what a run is told to need, once that is drawn.
 */
void
prism_session_measure_window (PrismSession *self)
{
  if (self->window_id == 0 && self->n_begun == 0)
    prism_later (&self->window_id, DRAWING, measure_window, self);
}

/* The files of a session's runs: each run has one of its own in the program's folder without being
 * asked, and can be moved elsewhere. */

/**
 * prism_session_set_run_file:
 * @self: a session
 * @path: (nullable): the file of the run on the screen from now on
 *
 * Notes it and tells those who show it.
 */
void
prism_session_set_run_file (PrismSession *self,
                            const char *path)
{
  if (g_strcmp0 (path, self->run_file) == 0)
    return;
  if (path != NULL && prism_run_folder_get_number (path) > 0)
    self->number = prism_run_folder_get_number (path);
  prism_keep_text (&self->run_file, path);
  self->passing = self->passing && path == NULL;
  g_object_notify (G_OBJECT (self), "run-file");
}

/* Whether the program has chosen the name, and nobody misses the file when the run is elsewhere. */
static gboolean
is_own_file (const char *path)
{
  g_autofree char *folder = prism_run_folder_dup_path ();
  g_autofree char *parent = g_path_get_dirname (path);

  return g_str_equal (folder, parent);
}

/* A run that is elsewhere is to be found all the same when it is interrupted. */
static void
note_place (const char *path)
{
  g_autofree char *folder = prism_run_folder_dup_path ();

  if (path == NULL || is_own_file (path) || g_mkdir_with_parents (folder, 0700) != 0)
    return;
  prism_run_folder_add_link (folder, path);
}

/**
 * prism_session_number_run:
 * @self: a session
 *
 * Gives the run that is about to begin a number that none before it had, as far as the program's
 * folder knows them.
 */
void
prism_session_number_run (PrismSession *self)
{
  g_autofree char *folder = prism_run_folder_dup_path ();
  const guint last = prism_run_folder_find_last (folder);

  self->last_number = MAX (self->last_number, last) + 1;
  self->number = self->last_number;
}

/**
 * prism_session_name_file:
 * @self: a session whose engine has no run under way
 * @config: of the run that is about to begin
 * @is_lesson: whether it is a step of a lesson, which is not kept in place of the user's own runs
 *
 * Gives the next run a number and a file: the one that the user has chosen, or one in the program's
 * folder; none where the user wants none. That it can be written is found out by the engine.
 */
void
prism_session_name_file (PrismSession *self,
                         const PrismConfig *config,
                         gboolean is_lesson)
{
  g_autofree char *folder = prism_run_folder_dup_path ();
  g_autofree char *path = g_steal_pointer (&self->chosen);

  prism_session_number_run (self);
  if (path == NULL && !self->unsaved)
    path = prism_run_folder_dup_new_path (folder, self->number, config->object);
  self->resting = FALSE;
  self->read_only = FALSE;
  self->passing = FALSE;
  if (is_lesson)
    prism_engine_set_lesson_file (self->engine, path);
  else
    prism_engine_set_run_file (self->engine, path);
  note_place (path);
  g_clear_pointer (&self->moved_from, g_free);
  prism_session_set_run_file (self, path);
}

/**
 * prism_session_go_on:
 * @self: a session with a run under way
 *
 * Before a run goes on: what another program writes goes on as a copy with a file of its own.
 */
void
prism_session_go_on (PrismSession *self)
{
  self->resting = FALSE;
  if (self->read_only && self->snapshot != NULL && self->snapshot->config != NULL)
    prism_session_name_file (self, self->snapshot->config, FALSE);
  else
    note_place (self->run_file);
}

/**
 * prism_session_follow_run_file:
 * @self: a session with a new snapshot
 *
 * Notices that a run is saved elsewhere now; what the program kept of it in its own folder is then
 * a copy that would be offered as interrupted.
 */
void
prism_session_follow_run_file (PrismSession *self)
{
  const char *path = self->snapshot->run_file;

  if (self->snapshot->run < self->n_begun)
    return;
  /* What was stopped before it was there has no file, and leaves that which it came from. */
  if (path == NULL)
    {
      if (prism_snapshot_is_vain (self->snapshot))
        prism_session_leave_run_file (self);
      return;
    }
  if (self->moved_from != NULL && !g_str_equal (self->moved_from, path))
    {
      g_autofree char *folder = prism_run_folder_dup_path ();

      /* The program's own file goes, the user's stays. */
      if (is_own_file (self->moved_from))
        g_unlink (self->moved_from);
      else
        prism_run_folder_remove_link (folder, self->moved_from);
      g_clear_pointer (&self->moved_from, g_free);
      note_place (path);
    }
  prism_session_set_run_file (self, path);
}

/**
 * prism_session_leave_run_file:
 * @self: a session that shows something else from now on
 *
 * Forgets the file of the run before.
 */
void
prism_session_leave_run_file (PrismSession *self)
{
  self->resting = FALSE;
  self->read_only = FALSE;
  self->passing = FALSE;
  g_clear_pointer (&self->moved_from, g_free);
  prism_session_set_run_file (self, NULL);
}

/**
 * prism_session_get_unsaved:
 * @self: a session
 *
 * Returns: whether a run waits, or could not begin, because its file cannot be written
 */
gboolean
prism_session_get_unsaved (PrismSession *self)
{
  PrismSnapshot *snapshot = self->snapshot;

  return self->run_file != NULL && snapshot != NULL && snapshot->error == PRISM_ERROR_IO
         && (self->state == PRISM_STATE_PAUSED
             || (self->state == PRISM_STATE_FAILED && snapshot->n_rows == 0));
}
