#include "config.h"

#include "base/prism-each.h"
#include "model/prism-config-check.h"
#include "profile/prism-profile.h"
#include "run/prism-engine-private.h"
#include "run/prism-run-file.h"

/* What a controlling thread says to the engine: commands in a queue, and snapshots back. */

/**
 * prism_engine_command_free:
 * @command: a command
 *
 * Frees it.
 */
PRISM_FREE_FOR_ALL (PrismEngineCommand,
                    prism_engine_command_free,
                    prism_config_free,
                    config,
                    prism_run_free,
                    run,
                    prism_scene_unref,
                    scene,
                    g_free,
                    path)

/* Whether a device is there for the configuration, too. */
static gboolean
check_config (const PrismConfig *config,
              GError **error)
{
  g_autoptr (PrismConfig) wanted = prism_engine_dup_device_config (config);

  return prism_config_check (config, error) && prism_device_check_config (wanted, error);
}

/**
 * prism_engine_look_at_queue:
 *
 * Has frames made ready for nobody any more where a command waits that ends what is under way. A
 * configuration does not: what it says of frames is often of those that are made ready.
 *
 * Thread: any, with the lock.
 */
void
prism_engine_look_at_queue (PrismEngine *self)
{
  const guint ending = 1u << PRISM_ENGINE_STOP | 1u << PRISM_ENGINE_CLOSE
                       | 1u << PRISM_ENGINE_RESUME | 1u << PRISM_ENGINE_QUIT;

  gboolean ends = FALSE;

  for (GList *item = self->commands.head; item != NULL; item = item->next)
    ends |= (ending >> ((PrismEngineCommand *) item->data)->kind & 1) != 0;
  if (ends)
    g_cancellable_cancel (self->wanted);
  else
    g_cancellable_reset (self->wanted);
}

/**
 * prism_engine_send:
 * @command: what to do, and with what; what it owns is taken over
 *
 * Queues a command.
 */
void
prism_engine_send (PrismEngine *self,
                   PrismEngineCommand command)
{
  pthread_mutex_lock (&self->lock);
  g_queue_push_tail (&self->commands, g_memdup2 (&command, sizeof command));
  prism_engine_look_at_queue (self);
  pthread_cond_signal (&self->commanded);
  pthread_mutex_unlock (&self->lock);
}

static void
tell (PrismEngine *self,
      PrismEngineCommandKind kind,
      guint number)
{
  prism_engine_send (self, (PrismEngineCommand) { .kind = kind, .number = number });
}

/**
 * prism_engine_configure:
 * @config: what to reconstruct and how
 *
 * Checks a configuration and hands it over. Its scene (object, pattern, spectrum) comes in a
 * snapshot with PRISM_STATE_IDLE, or PRISM_STATE_FAILED and a message. A run under way ends.
 *
 * Errors: PRISM_ERROR_CONFIG, PRISM_ERROR_MEMORY, PRISM_ERROR_BACKEND; nothing has changed then.
 *
 * Returns: whether the configuration was taken
 */
gboolean
prism_engine_configure (PrismEngine *self,
                        const PrismConfig *config,
                        GError **error)
{
  return prism_engine_configure_scene (self, config, NULL, error);
}

/**
 * prism_engine_is_asked:
 * @data: an engine
 *
 * Thread: any.
 *
 * Returns: whether a command waits that ends or halts the run
 */
gboolean
prism_engine_is_asked (gpointer data)
{
  const guint ending = 1u << PRISM_ENGINE_CONFIGURE | 1u << PRISM_ENGINE_PAUSE
                       | 1u << PRISM_ENGINE_STOP | 1u << PRISM_ENGINE_CLOSE
                       | 1u << PRISM_ENGINE_RESUME | 1u << PRISM_ENGINE_QUIT;
  PrismEngine *self = data;
  gboolean is_asked = FALSE;

  pthread_mutex_lock (&self->lock);
  for (GList *item = self->commands.head; item != NULL; item = item->next)
    is_asked |= (ending >> ((PrismEngineCommand *) item->data)->kind & 1) != 0;
  pthread_mutex_unlock (&self->lock);
  return is_asked;
}

static gboolean
configure (PrismEngine *self,
           const PrismConfig *config,
           PrismScene *scene,
           const char *reading,
           GError **error)
{
  g_autoptr (PrismConfig) own = prism_config_dup (config);

  if (scene != NULL || reading != NULL)
    own->kind = PRISM_FRAMES_RECORDED;
  if (!check_config (own, error))
    return FALSE;
  prism_engine_send (self, (PrismEngineCommand) { .kind = PRISM_ENGINE_CONFIGURE,
                                                  .config = g_steal_pointer (&own),
                                                  .path = g_strdup (reading),
                                                  .scene = prism_scene_ref (scene) });
  return TRUE;
}

/**
 * prism_engine_configure_again:
 * @config: how to reconstruct
 * @reading: of prism_problem_to_text()
 *
 * As prism_engine_configure_scene(), for recorded frames that the engine reads first.
 *
 * Errors: as prism_engine_configure(); where they cannot be read a snapshot says so.
 *
 * Returns: whether the configuration was taken
 */
gboolean
prism_engine_configure_again (PrismEngine *self,
                              const PrismConfig *config,
                              const char *reading,
                              GError **error)
{
  return configure (self, config, NULL, reading, error);
}

/**
 * prism_engine_configure_scene:
 * @config: how to reconstruct
 * @scene: (nullable): recorded frames; NULL for those of the telescope or, where @config is of
 *   recorded ones, those that the engine has by then, of a run that it was given before
 *
 * As prism_engine_configure(), for frames from elsewhere: they are made ready as @config says of
 * recorded frames, and what it says of a telescope is left aside.
 *
 * Errors: as prism_engine_configure().
 *
 * Returns: whether the configuration was taken
 */
gboolean
prism_engine_configure_scene (PrismEngine *self,
                              const PrismConfig *config,
                              PrismScene *scene,
                              GError **error)
{
  return configure (self, config, scene, NULL, error);
}

/**
 * prism_engine_run:
 *
 * Starts a run of the last configuration, or goes on after a pause.
 */
void
prism_engine_run (PrismEngine *self)
{
  tell (self, PRISM_ENGINE_RUN, 0);
}

/**
 * prism_engine_pause:
 *
 * Pauses after the step under way.
 */
void
prism_engine_pause (PrismEngine *self)
{
  tell (self, PRISM_ENGINE_PAUSE, 0);
}

/**
 * prism_engine_step:
 * @n_samples: how far, at least 1
 *
 * Runs @n_samples more samples (passes in the polish), then pauses. Starts a run where there is
 * none.
 */
void
prism_engine_step (PrismEngine *self,
                   guint n_samples)
{
  tell (self, PRISM_ENGINE_STEP, n_samples);
}

/**
 * prism_engine_stop:
 *
 * Ends the run after the step under way and keeps the result.
 */
void
prism_engine_stop (PrismEngine *self)
{
  tell (self, PRISM_ENGINE_STOP, 0);
}

/**
 * prism_engine_close:
 *
 * Lets go of a run that is under way, to take up or begin another one: its file, if it has one, is
 * written as the run is, to go on with another day. There is no snapshot of it.
 */
void
prism_engine_close (PrismEngine *self)
{
  tell (self, PRISM_ENGINE_CLOSE, 0);
}

/**
 * prism_engine_update:
 * @config: the configuration with changes
 *
 * Applies the live parameters to the run under way at once and keeps the whole for the next run.
 * A run that has ended, or that looks at something else, keeps its configuration. Where there is
 * none it is prism_engine_configure().
 *
 * Errors: PRISM_ERROR_CONFIG, PRISM_ERROR_MEMORY, PRISM_ERROR_BACKEND; nothing has changed then.
 *
 * Returns: whether the configuration was taken
 */
gboolean
prism_engine_update (PrismEngine *self,
                     const PrismConfig *config,
                     GError **error)
{
  if (!check_config (config, error))
    return FALSE;
  prism_engine_send (self, (PrismEngineCommand) { .kind = PRISM_ENGINE_UPDATE,
                                                  .config = prism_config_dup (config) });
  return TRUE;
}

/**
 * prism_engine_show:
 * @self: an engine
 * @display: (nullable): how its run is looked at from now on; see prism-display
 *
 * Snapshots and the file of the run take it over, also when the run is over: the file is written
 * soon, at the latest when another run begins. A new configuration begins without one.
 */
void
prism_engine_show (PrismEngine *self,
                   const char *display)
{
  prism_engine_send (self, (PrismEngineCommand) { .kind = PRISM_ENGINE_SHOW,
                                                  .path = g_strdup (display) });
}

static void
set_run_file (PrismEngine *self,
              const char *path,
              gboolean lesson)
{
  PrismEngineCommand command = { .kind = PRISM_ENGINE_RUN_FILE,
                                 .path = g_strdup (path),
                                 .number = (guint) lesson };

  if (path != NULL)
    prism_run_mark_init (&command.mark, path);
  prism_engine_send (self, command);
}

/**
 * prism_engine_set_run_file:
 * @path: (nullable): file name, best with PRISM_RUN_FILE_SUFFIX; %NULL saves nothing
 *
 * Names the file that the run under way is saved in from now on, or else the next run, and only
 * that: each run has a file of its own. It is written at once, as often as the configuration says,
 * at a pause and at the end. What cannot be written keeps a run from beginning
 * (PRISM_STATE_FAILED), or pauses it (PRISM_STATE_PAUSED with a message and an error code), and
 * prism_engine_run() tries again. What has the name now is replaced; what takes it before the run
 * begins keeps it from beginning; what takes it later stays, and the run is saved beside it.
 */
void
prism_engine_set_run_file (PrismEngine *self,
                           const char *path)
{
  set_run_file (self, path, FALSE);
}

/**
 * prism_engine_set_lesson_file:
 * @path: file name, best with PRISM_RUN_FILE_SUFFIX
 *
 * As prism_engine_set_run_file(), for a step of a lesson. The file says so: where there are too
 * many, it goes before the runs that somebody has set up.
 */
void
prism_engine_set_lesson_file (PrismEngine *self,
                              const char *path)
{
  set_run_file (self, path, TRUE);
}

/**
 * prism_engine_export:
 * @directory: created where it is missing
 * @brief: whether it is to have arrays, tables and the summary alone
 *
 * Writes the folder of a result of recorded frames, as it stands. A snapshot comes when it is
 * written, which names it in exported; or the sentence why it could not be, with its error.
 */
void
prism_engine_export (PrismEngine *self,
                     const char *directory,
                     gboolean brief)
{
  prism_engine_send (self, (PrismEngineCommand) { .kind = PRISM_ENGINE_EXPORT,
                                                  .path = g_strdup (directory),
                                                  .number = (guint) brief });
}

/**
 * prism_engine_clear_cache:
 *
 * Gives back the memory of the frames at hand. A run that goes on takes them again: it has the same
 * result.
 */
void
prism_engine_clear_cache (PrismEngine *self)
{
  tell (self, PRISM_ENGINE_CLEAR_CACHE, 0);
}

/**
 * prism_engine_look_at:
 * @frame: number of a recorded frame
 *
 * Puts the frame and what is predicted of it into the findings of snapshots from now on.
 */
void
prism_engine_look_at (PrismEngine *self,
                      guint frame)
{
  tell (self, PRISM_ENGINE_LOOK, frame);
}

/**
 * prism_engine_resume:
 * @run: (transfer full): of prism_run_file_load()
 * @path: (nullable): the file that it comes from
 * @config: (nullable): other settings to go on with; %NULL for its own
 *
 * Takes up a run where it was; its state comes in a snapshot with PRISM_STATE_PAUSED, or
 * PRISM_STATE_FINISHED, and prism_engine_run() lets it go on. With its own settings it goes on
 * being saved in @path, unless another program writes that. With other settings it is another run,
 * whose history begins with that of @run, and which is saved in the file that
 * prism_engine_set_run_file() has named.
 *
 * Errors: PRISM_ERROR_CONFIG for a setting that cannot change in the middle of a run,
 * PRISM_ERROR_MEMORY, PRISM_ERROR_BACKEND; nothing has changed then.
 *
 * Returns: whether the run was taken
 */
gboolean
prism_engine_resume (PrismEngine *self,
                     PrismRun *run,
                     const char *path,
                     const PrismConfig *config,
                     GError **error)
{
  const PrismConfig *before = run->snapshot->config, *wanted = config != NULL ? config : before;

  if ((config != NULL && !prism_run_fork_check (before, config, error))
      || !check_config (wanted, error))
    {
      prism_run_free (run);
      return FALSE;
    }
  prism_engine_send (self, (PrismEngineCommand) { .kind = PRISM_ENGINE_RESUME,
                                                  .config = prism_config_dup (wanted),
                                                  .number = config != NULL,
                                                  .path = g_strdup (path),
                                                  .run = run });
  return TRUE;
}

/**
 * prism_engine_set_interval:
 * @milliseconds: shortest time between two snapshots of a running reconstruction
 *
 * How often pictures are made; changes of the state are published at once. 0 publishes every step.
 */
void
prism_engine_set_interval (PrismEngine *self,
                           guint milliseconds)
{
  tell (self, PRISM_ENGINE_INTERVAL, milliseconds);
}

/**
 * prism_engine_set_keeps_states:
 * @keeps: whether runs with a file keep states every few samples, as history_size allows
 *
 * So that another run can begin in the middle of one; see prism_run_file_load_until(). Applies from
 * the next run on.
 */
void
prism_engine_set_keeps_states (PrismEngine *self,
                               gboolean keeps)
{
  tell (self, PRISM_ENGINE_KEEP_STATES, keeps);
}

/**
 * prism_engine_collect:
 *
 * Returns: (transfer full) (nullable): the newest snapshot since the last call
 */
PrismSnapshot *
prism_engine_collect (PrismEngine *self)
{
  return prism_engine_wait (self, 0);
}

/**
 * prism_engine_wait:
 * @milliseconds: how long at most
 *
 * Returns: (transfer full) (nullable): the newest snapshot, NULL when none came in time
 */
PrismSnapshot *
prism_engine_wait (PrismEngine *self,
                   guint milliseconds)
{
  const gint64 until = g_get_monotonic_time () + (gint64) milliseconds * 1000;
  const struct timespec deadline = { .tv_sec = until / G_USEC_PER_SEC,
                                     .tv_nsec = until % G_USEC_PER_SEC * 1000 };
  PrismSnapshot *snapshot;
  int status = 0;

  pthread_mutex_lock (&self->lock);
  while (self->newest == NULL && status != ETIMEDOUT)
    status = pthread_cond_timedwait (&self->published, &self->lock, &deadline);
  snapshot = g_steal_pointer (&self->newest);
  pthread_mutex_unlock (&self->lock);
  return snapshot;
}

/* Says where the frames come from, and what cannot be known of them; lets a controlling thread see
 * the problem. */
static void
publish_source (PrismEngine *self,
                PrismSnapshot *snapshot)
{
  PrismProblem *problem, *before;

  if (self->scene == NULL)
    return;
  problem = self->scene->problem;
  pthread_mutex_lock (&self->lock);
  before = self->problem;
  self->problem = problem != NULL ? prism_problem_ref (problem) : NULL;
  pthread_mutex_unlock (&self->lock);
  prism_problem_unref (before);
  snapshot->has_no_target = self->scene->target == NULL;
  g_free (snapshot->problem);
  snapshot->problem = g_strdup (self->problem_text);
}

/* What its file shows of a run that cannot go on. */
static PrismSnapshot *
make_lost (PrismEngine *self)
{
  PrismSnapshot *snapshot
      = prism_snapshot_dup_parts (self->lost, PRISM_SNAPSHOT_HISTORY | PRISM_SNAPSHOT_IMAGES);

  publish_source (self, snapshot);
  snapshot->frames = self->lost->frames != NULL ? prism_frames_ref (self->lost->frames) : NULL;
  snapshot->serial = ++self->serial;
  snapshot->run = self->run;
  snapshot->state = self->state;
  g_free (snapshot->message);
  snapshot->message = g_strdup (self->message);
  snapshot->error = self->error_code;
  return snapshot;
}

/**
 * prism_engine_make_snapshot:
 * @settled: whether the picture must be that of the very step
 *
 * Returns: (transfer full): a snapshot of what there is now
 */
PrismSnapshot *
prism_engine_make_snapshot (PrismEngine *self,
                            gboolean settled)
{
  PrismSnapshot *snapshot;
  char *notice;

  if (self->lost != NULL)
    return make_lost (self);
  snapshot = prism_snapshot_new ();
  notice = self->saver != NULL ? prism_saver_take_notice (self->saver) : NULL;
  /* What the engine's thread says of itself. */
  if (notice != NULL && self->trainer != NULL)
    prism_trainer_set_notice (self->trainer, notice);
  if (self->trainer != NULL)
    prism_trainer_publish (self->trainer, snapshot, settled);
  else
    {
      snapshot->config = self->config != NULL ? prism_config_dup (self->config)
                                              : prism_config_new ();
      if (self->scene != NULL)
        {
          snapshot->target = prism_image_ref (self->scene->target);
          snapshot->pattern = prism_pattern_ref (self->scene->pattern);
          snapshot->n_samples = prism_engine_get_n_samples (self);
        }
    }
  publish_source (self, snapshot);
  snapshot->display = g_strdup (self->display);
  snapshot->states = self->book != NULL ? prism_state_book_dup_states (self->book) : NULL;
  snapshot->spectrum = prism_image_ref (self->spectrum);
  snapshot->exposure = prism_image_ref (self->exposure);
  snapshot->serial = ++self->serial;
  snapshot->run = self->run;
  snapshot->state = self->state;
  if (self->message != NULL)
    {
      g_free (snapshot->message);
      snapshot->message = g_strdup (self->message);
    }
  snapshot->error = self->error_code;
  snapshot->run_file = self->saver != NULL ? prism_saver_dup_path (self->saver)
                                           : g_strdup (self->last_file);
  snapshot->exported = g_strdup (self->exported);
  snapshot->backend = self->device.backend != NULL ? self->device.backend->ops->name : NULL;
  snapshot->device = g_strdup (self->device.name);
  snapshot->device_reason = g_strdup (self->device.reason);
  snapshot->fallback = self->device.fallback;
  snapshot->precision_advice = g_strdup (self->device.precision_advice);
  return snapshot;
}

/**
 * prism_engine_receive:
 * @self: an engine
 * @begun: when what is noted for the profile has begun
 *
 * Waits for a command unless there is work to go on with. What has begun for the profile ends with
 * the wait, and something else begins.
 *
 * Returns: (transfer full) (nullable): the next command
 */
PrismEngineCommand *
prism_engine_receive (PrismEngine *self,
                      gint64 *begun)
{
  PrismEngineCommand *command;

  pthread_mutex_lock (&self->lock);
  while (self->state != PRISM_STATE_RUNNING && g_queue_is_empty (&self->commands))
    {
      pthread_cond_wait (&self->commanded, &self->lock);
      *begun = prism_profile_next (PRISM_STAGE_WAIT, *begun);
    }
  command = g_queue_pop_head (&self->commands);
  prism_engine_look_at_queue (self);
  pthread_mutex_unlock (&self->lock);
  return command;
}

/**
 * prism_engine_put:
 * @snapshot: (transfer full): the newest
 *
 * Puts it into the mailbox. Whoever collects is woken when that goes from empty to full.
 */
void
prism_engine_put (PrismEngine *self,
                  PrismSnapshot *snapshot)
{
  g_autoptr (PrismSnapshot) old = NULL;

  pthread_mutex_lock (&self->lock);
  old = self->newest;
  self->newest = snapshot;
  pthread_cond_signal (&self->published);
  pthread_mutex_unlock (&self->lock);
  if (old == NULL && self->notify != NULL)
    self->notify (self->notify_data);
}
