#include "config.h"

#include "base/prism-clock.h"
#include "base/prism-each.h"
#include "base/prism-error.h"
#include "model/prism-display.h"
#include "run/prism-engine-private.h"
#include "run/prism-run-folder.h"
#include "run/prism-run-index.h"

/* The part of the engine's thread that has runs written to their files, and takes them out again.
 * The thread copies a state between two steps; a saver writes it. */

static PrismSnapshot *
make_snapshot (PrismEngine *self,
               PrismState state)
{
  PrismSnapshot *snapshot = prism_engine_make_snapshot (self, TRUE);

  /* Nobody else has it yet. */
  snapshot->state = state;
  return snapshot;
}

/* There is never more than one copy: where one is being written this waits for it. */
static PrismBundle *
dup_state (PrismEngine *self,
           GError **error)
{
  prism_saver_wait (self->saver);
  return prism_trainer_dup_state (self->trainer, error);
}

/* Copies the state and hands it over. */
static gboolean
submit (PrismEngine *self,
        GError **error)
{
  PrismBundle *state = dup_state (self, error);

  self->last_save = prism_clock_get_seconds ();
  self->visits_saved = self->trainer->now.n_visits;
  if (state == NULL)
    return FALSE;
  prism_saver_submit (self->saver, make_snapshot (self, self->state), state);
  self->unsaved = FALSE;
  return TRUE;
}

/**
 * prism_engine_save_now:
 * @self: an engine with a run under way
 *
 * Writes the run's file, if it has one, and waits until it is on the disk.
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_MEMORY, PRISM_ERROR_DEVICE_LOST, PRISM_ERROR_BACKEND.
 *
 * Returns: whether it is
 */
gboolean
prism_engine_save_now (PrismEngine *self,
                       GError **error)
{
  gboolean ok = self->saver == NULL
                || (submit (self, error) && prism_saver_finish (self->saver, error));

  self->save_failed = !ok;
  return ok;
}

/**
 * prism_engine_open_saver:
 * @path: of the run's file
 * @identity: which run it is
 * @expected: of the file when the run was read from it, or named
 *
 * As prism_saver_new(), but what this engine wrote itself since then is no foreign file: a run that
 * ends writes its file once more.
 *
 * Errors: as prism_saver_new() and prism_run_folder_make_for().
 *
 * Returns: (transfer full) (nullable): a saver
 */
PrismSaver *
prism_engine_open_saver (PrismEngine *self,
                         const char *path,
                         const PrismRunIdentity *identity,
                         const PrismRunMark *expected,
                         GError **error)
{
  PrismRunMark now;

  if (!prism_run_folder_make_for (path, error))
    return NULL;
  prism_run_mark_init (&now, path);
  return prism_saver_new (path, identity,
                          prism_run_mark_equal (&now, &self->own_mark) ? &now : expected, error);
}

/**
 * prism_engine_describe_problem:
 *
 * Writes down which recorded frames the run is of, if it is of any.
 *
 * Errors: PRISM_ERROR_CANCELLED, see prism_parallel_go_on().
 *
 * Returns: whether it is written down
 */
gboolean
prism_engine_describe_problem (PrismEngine *self,
                               GError **error)
{
  const PrismProblem *problem = self->scene != NULL ? self->scene->problem : NULL;

  if (problem == NULL || self->problem_text != NULL)
    return TRUE;
  self->problem_text = prism_problem_to_text (problem, TRUE, error);
  return self->problem_text != NULL;
}

/**
 * prism_engine_begin_saving:
 * @self: an engine whose run has just begun
 *
 * Takes the file that was named for the run and writes it for the first time: a directory that
 * cannot be written and a full disk are found before the run.
 *
 * Errors: as prism_engine_describe_problem(), prism_saver_new() and prism_engine_save_now().
 *
 * Returns: whether the run is saved, or has no file
 */
gboolean
prism_engine_begin_saving (PrismEngine *self,
                           GError **error)
{
  g_autofree char *path = g_steal_pointer (&self->run_file);
  g_autofree char *parent = g_steal_pointer (&self->parent);
  g_autoptr (PrismRunIdentity) identity = NULL;

  if (path == NULL)
    return TRUE;
  if (!prism_engine_describe_problem (self, error))
    return FALSE;
  if (self->book == NULL)
    prism_engine_open_book (self, NULL);
  identity = prism_run_identity_new (parent);
  identity->lesson = self->lesson;
  self->saver = prism_engine_open_saver (self, path, identity, &self->run_mark, error);
  if (self->saver != NULL && prism_engine_save_now (self, error))
    return TRUE;
  g_clear_pointer (&self->saver, prism_saver_free);
  return FALSE;
}

/**
 * prism_engine_move_saving:
 * @self: an engine with a run under way
 *
 * Goes on saving the run in the file that was named for it last; where there is none, no more. The
 * file before stays as it is, and in use where the other one cannot be written.
 *
 * Errors: as prism_saver_new() and prism_engine_save_now().
 *
 * Returns: whether the run is in the file
 */
gboolean
prism_engine_move_saving (PrismEngine *self,
                          GError **error)
{
  PrismSaver *before = self->saver;
  gboolean failed_before = self->save_failed;
  g_autofree char *path = NULL, *path_before = NULL;

  if (self->run_file == NULL)
    {
      prism_engine_end_saving (self);
      return TRUE;
    }
  if (before == NULL)
    return prism_engine_begin_saving (self, error);
  path = g_steal_pointer (&self->run_file);
  path_before = prism_saver_dup_path (before);
  if (strcmp (path, path_before) == 0)
    return prism_engine_save_now (self, error);
  self->saver = prism_engine_open_saver (self, path, prism_saver_get_identity (before),
                                         &self->run_mark, error);
  if (self->saver != NULL && prism_engine_save_now (self, error))
    {
      prism_saver_close (before, &self->own_mark);
      return TRUE;
    }
  prism_saver_free (self->saver);
  self->saver = before;
  self->save_failed = failed_before;
  return FALSE;
}

static gboolean
is_due (PrismEngine *self)
{
  const PrismConfig *config = self->trainer->config;
  guint64 n_visits = self->trainer->now.n_visits - self->visits_saved;
  double seconds = prism_clock_get_seconds () - self->last_save;

  return (config->autosave_samples > 0 && n_visits >= (guint64) config->autosave_samples)
         || (config->autosave_seconds > 0 && seconds >= config->autosave_seconds);
}

/**
 * prism_engine_save_when_due:
 * @self: an engine between two steps of a run
 *
 * Hands a copy of the run to its saver when it is time for it, unless one is being written still.
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_MEMORY: the last save failed, and the run should pause;
 * PRISM_ERROR_DEVICE_LOST, PRISM_ERROR_BACKEND: the device.
 *
 * Returns: whether the run may go on
 */
gboolean
prism_engine_save_when_due (PrismEngine *self,
                            GError **error)
{
  GError *failure;

  if (self->saver == NULL)
    return TRUE;
  failure = prism_saver_take_error (self->saver);
  if (failure != NULL)
    {
      self->save_failed = TRUE;
      g_propagate_error (error, failure);
      return FALSE;
    }
  return !is_due (self) || prism_saver_is_busy (self->saver) || submit (self, error);
}

/**
 * prism_engine_dup_state:
 * @self: an engine with a run under way
 *
 * For a run that is about to end early, so that it can go on after all.
 *
 * Returns: (transfer full) (nullable): its state; %NULL where nobody wants it or it cannot be had
 */
PrismBundle *
prism_engine_dup_state (PrismEngine *self)
{
  return self->saver != NULL ? dup_state (self, NULL) : NULL;
}

/**
 * prism_engine_save_last:
 * @self: an engine whose run is over
 * @state: how it ended
 * @bundle: (transfer full) (nullable): the state to go on from, %NULL for the present one
 *
 * Writes the run's file, if it has one, with its result, and lets go of it.
 *
 * Errors: as prism_engine_save_now().
 *
 * Returns: whether it is on the disk
 */
gboolean
prism_engine_save_last (PrismEngine *self,
                        PrismState state,
                        PrismBundle *bundle,
                        GError **error)
{
  gboolean ok = TRUE;
  char *notice;

  if (self->saver == NULL)
    return TRUE;
  if (bundle == NULL)
    bundle = dup_state (self, error);
  if (bundle != NULL)
    prism_saver_submit (self->saver, make_snapshot (self, state), bundle);
  ok = bundle != NULL && prism_saver_finish (self->saver, error);
  self->last_file = prism_saver_dup_path (self->saver);
  notice = prism_saver_take_notice (self->saver);
  if (notice != NULL)
    prism_trainer_set_notice (self->trainer, notice);
  prism_saver_close (g_steal_pointer (&self->saver), &self->own_mark);
  self->save_failed = FALSE;
  return ok;
}

/**
 * prism_engine_open_book:
 * @states: (nullable): of the run until now
 *
 * Lets a run keep states to fork from, where that is wanted. What it has already stays in any case.
 */
void
prism_engine_open_book (PrismEngine *self,
                        const PrismCheckpoints *states)
{
  if (!self->keeps_states && states == NULL)
    return;
  self->book = prism_state_book_new (self->trainer->config,
                                     prism_engine_get_n_samples (self));
  if (states != NULL)
    prism_state_book_load (self->book, states);
}

/**
 * prism_engine_keep_state:
 * @self: an engine after a step of a run
 *
 * Puts the state aside where it is wanted to fork from. There is never more than one copy of it in
 * memory: while one is being written none is made, and that of a later step will do. A device that
 * fails meanwhile says so at the next step.
 */
void
prism_engine_keep_state (PrismEngine *self)
{
  const guint64 n_visits = self->trainer->now.n_visits;
  g_autoptr (PrismSnapshot) snapshot = NULL;
  PrismBundle *state;

  if (!self->keeps_states || self->book == NULL || self->saver == NULL
      || !prism_state_book_wants (self->book, self->trainer->now.phase, n_visits)
      || prism_trainer_is_between (self->trainer) || prism_saver_is_busy (self->saver))
    return;
  state = prism_trainer_dup_state (self->trainer, NULL);
  snapshot = make_snapshot (self, PRISM_STATE_PAUSED);
  prism_state_book_keep (self->book, snapshot, state, n_visits);
}

/**
 * prism_engine_end_saving:
 *
 * Lets go of the run's file. A run that is under way is written as it is, to go on with another
 * day, unless it is in its file already.
 */
void
prism_engine_end_saving (PrismEngine *self)
{
  const gboolean unsaved = self->unsaved || self->save_failed;

  self->unsaved = FALSE;
  if (self->saver == NULL)
    return;
  if (self->trainer != NULL && unsaved
      && (self->state == PRISM_STATE_RUNNING || self->state == PRISM_STATE_PAUSED))
    submit (self, NULL);
  prism_saver_close (g_steal_pointer (&self->saver), &self->own_mark);
  self->save_failed = FALSE;
}

/**
 * prism_engine_load_run:
 * @self: an engine without a run
 * @run: a run from a file
 *
 * Makes the scene what it was: object and positions are those of the file; recorded frames are read
 * again.
 *
 * Errors: PRISM_ERROR_MEMORY; those of prism_problem_load().
 *
 * Returns: whether there is one
 */
gboolean
prism_engine_load_run (PrismEngine *self,
                       PrismRun *run,
                       GError **error)
{
  PrismSnapshot *snapshot = run->snapshot;

  g_clear_pointer (&self->given, prism_scene_unref);
  prism_engine_clear_scene (self);
  g_clear_pointer (&self->object, prism_image_unref);
  /* The next run reads its object anew: the file may have another one by now. */
  g_clear_pointer (&self->object_key, g_free);
  if (snapshot->problem != NULL)
    {
      const char *text = snapshot->problem;
      g_autoptr (PrismProblem) problem = NULL;

      g_cancellable_push_current (self->wanted);
      problem = prism_problem_load (text, PRISM_RUN_PROBLEM, self->config, TRUE, error);
      g_cancellable_pop_current (self->wanted);
      /* They are what the next run of this engine looks at, too. */
      if (problem == NULL)
        return FALSE;
      self->scene = prism_scene_new_problem (problem);
      self->given = prism_scene_ref (self->scene);
      prism_scene_apply_problem (self->scene, self->config);
      self->problem_text = g_strdup (text);
      return TRUE;
    }
  self->scene = prism_scene_new_simulated (snapshot->target, snapshot->pattern, ++self->object_id);
  return prism_engine_make_views (self, NULL, error);
}

/**
 * prism_engine_take_display:
 * @display: (transfer full) (nullable): see prism-display
 *
 * Has the run looked at in this way; where that is another one its file is outdated.
 */
void
prism_engine_take_display (PrismEngine *self,
                           char *display)
{
  const gboolean differs = g_strcmp0 (self->display, display) != 0;

  self->unsaved |= differs;
  self->display_outdated |= differs && self->last_file != NULL;
  g_free (self->display);
  self->display = display;
}

#define MANIFEST "manifest.json" /* the writer makes one */

/**
 * prism_engine_save_display:
 * @self: an engine
 *
 * Writes the file of a run that is over anew where it was looked at in another way since;
 * everything else in it stays as it is to the byte. At any moment the old or the new file is there,
 * whole.
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY; PRISM_ERROR_CANCELLED where
 * another program writes the file. It is as it was then, and this is not tried again.
 *
 * Returns: whether the file, if there is one, has it
 */
gboolean
prism_engine_save_display (PrismEngine *self,
                           GError **error)
{
  g_autoptr (PrismRunPlace) place = NULL;
  g_autoptr (PrismArchive) archive = NULL;
  g_autoptr (PrismRunIndex) index = NULL;
  g_autoptr (PrismArchiveWriter) writer = NULL;
  const char *const *names;
  PrismRunGuard guard;

  if (!self->display_outdated)
    return TRUE;
  self->display_outdated = FALSE;
  place = prism_run_place_new (self->last_file, NULL, error);
  if (place != NULL)
    archive = prism_archive_open (place->real, error);
  if (archive != NULL)
    index = prism_run_index_load (archive, error);
  if (index != NULL)
    writer = prism_archive_writer_new (place->real, error);
  if (writer == NULL)
    return FALSE;
  names = prism_archive_get_names (archive);
  PRISM_FOR_EACH_STRING (name, names)
    if (!g_str_equal (*name, MANIFEST) && !g_str_equal (*name, PRISM_DISPLAY_NAME))
      prism_archive_writer_copy (writer, archive, *name, *name);
  prism_archive_writer_add_text (writer, PRISM_DISPLAY_NAME,
                                 self->display != NULL ? self->display : "");
  guard = (PrismRunGuard) { place, index->identity->id };
  prism_archive_writer_set_guard (writer, prism_run_guard_allows, &guard);
  return prism_archive_writer_finish (writer, error);
}

/**
 * prism_engine_write:
 * @directory: (nullable): where to
 * @brief: whether the result is to have arrays, tables and the summary alone
 * @snapshot: (transfer full) (nullable): the last one of a run that has ended
 *
 * Has the engine write the folder of recorded frames, and waits for it: it has what a snapshot has
 * not. Of a simulated run nothing is written here.
 *
 * Errors: those of prism_microscope_export().
 *
 * Returns: (transfer full) (nullable): the last snapshot, after which nothing is left to write of
 *   recorded frames
 */
PrismSnapshot *
prism_engine_write (PrismEngine *self,
                    const char *directory,
                    gboolean brief,
                    PrismSnapshot *snapshot,
                    GError **error)
{
  g_autoptr (PrismSnapshot) last = snapshot;

  if (last == NULL || !prism_snapshot_is_recorded (last) || directory == NULL
      || last->reconstruction == NULL)
    return g_steal_pointer (&last);
  prism_engine_export (self, directory, brief);
  do
    {
      PrismSnapshot *next = prism_engine_wait (self, 1000);

      if (next == NULL)
        continue;
      g_clear_pointer (&last, prism_snapshot_unref);
      last = next;
      if (last->exported == NULL && last->error >= 0)
        {
          g_set_error_literal (error, PRISM_ERROR, last->error, last->message);
          return NULL;
        }
    }
  while (last->exported == NULL);
  return g_steal_pointer (&last);
}
