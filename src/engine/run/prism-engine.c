#include "config.h"

#include "run/prism-engine-private.h"

#include "base/prism-clock.h"
#include "base/prism-each.h"
#include "base/prism-error.h"
#include "base/prism-system.h"
#include "profile/prism-profile.h"
#include "run/prism-run-lock.h"

#include <sys/resource.h>
#include <sys/syscall.h>

#define REST 10             /* times as long as a snapshot took, before the next */
#define DEFAULT_INTERVAL 16 /* ms between two snapshots of a running reconstruction */
/* Lets the window's thread go first where both want the same processor. */
#define ENGINE_NICENESS 5

static void
publish (PrismEngine *self)
{
  gint64 begun = prism_profile_begin ();
  double start, now;
  PrismSnapshot *snapshot;
  guint n_commands;

  /* Findings have a pace of their own: pictures need not wait for them. */
  if (self->state == PRISM_STATE_RUNNING && prism_trainer_get_microscope (self->trainer) != NULL)
    prism_microscope_get_finding (self->trainer->polish, FALSE);
  start = prism_clock_get_seconds ();
  snapshot = prism_engine_make_snapshot (self, self->state != PRISM_STATE_RUNNING);
  now = prism_clock_get_seconds ();
  self->publish_due
      = self->interval > 0 ? now + MAX (self->interval * 1e-3, REST * (now - start)) : now;
  if (prism_profile_is_on ())
    {
      pthread_mutex_lock (&self->lock);
      n_commands = g_queue_get_length (&self->commands);
      pthread_mutex_unlock (&self->lock);
      prism_profile_sample (PRISM_COUNTER_DEVICE_MEMORY, (double) snapshot->memory_used);
      prism_profile_sample (PRISM_COUNTER_STEP_RATE, snapshot->steps_per_second);
      prism_profile_sample (PRISM_COUNTER_HOST_MEMORY, (double) prism_available_get_resident ());
      prism_profile_sample (PRISM_COUNTER_CACHE_HITS, (double) snapshot->cache.hits);
      prism_profile_sample (PRISM_COUNTER_QUEUE, n_commands);
    }
  prism_engine_put (self, snapshot);
  prism_profile_end (PRISM_STAGE_PUBLISH, begun);
}

static void
set_state (PrismEngine *self, PrismState state)
{
  self->state = state;
  publish (self);
}

static void
clear_message (PrismEngine *self)
{
  g_clear_pointer (&self->message, g_free);
  self->error_code = -1;
}

static void
take_error (PrismEngine *self, GError *error)
{
  g_free (self->message);
  self->message = g_strdup (error->message);
  self->error_code = error->domain == PRISM_ERROR ? error->code : PRISM_ERROR_IO;
  g_error_free (error);
}

/* What was stopped while it was made ready has not failed. */
static void
fail (PrismEngine *self, GError *error)
{
  const gboolean is_stopped = g_error_matches (error, PRISM_ERROR, PRISM_ERROR_CANCELLED)
                              && g_cancellable_is_cancelled (self->wanted);

  take_error (self, error);
  set_state (self, is_stopped ? PRISM_STATE_STOPPED : PRISM_STATE_FAILED);
}

static void
end_run (PrismEngine *self)
{
  prism_engine_end_saving (self);
  prism_engine_save_display (self, NULL);
  g_clear_pointer (&self->book, prism_state_book_free);
  g_clear_pointer (&self->last_file, g_free);
  if (self->trainer != NULL)
    {
      g_clear_pointer (&self->trainer, prism_trainer_free);
      prism_heap_give_back ();
    }
  self->stop_at_visits = 0;
  g_clear_pointer (&self->exported, g_free);
}

static void
configure (PrismEngine *self, PrismConfig *config, PrismScene *scene)
{
  GError *error = NULL;

  end_run (self);
  clear_message (self);
  g_clear_pointer (&self->lost, prism_snapshot_unref);
  prism_config_free (self->config);
  self->config = config;
  g_clear_pointer (&self->display, g_free);
  g_clear_pointer (&self->given, prism_scene_unref);
  self->given = scene;
  g_clear_pointer (&self->problem_text, g_free);
  if (!prism_engine_load_scene (self, &error))
    {
      g_clear_pointer (&self->object, prism_image_unref);
      g_clear_pointer (&self->object_key, g_free);
      prism_engine_clear_scene (self);
      fail (self, error);
      return;
    }
  set_state (self, PRISM_STATE_IDLE);
}

static gboolean
make_trainer (PrismEngine *self, GError **error)
{
  PrismTrainerSource source = {
    .backend = self->device.backend,
    .cache = self->cache,
    .scene = self->scene,
    .is_asked = prism_engine_is_asked,
    .data = self,
  };
  g_autoptr (PrismConfig) wanted = prism_engine_dup_device_config (self->config);
  guint n_samples = prism_engine_get_n_samples (self);

  prism_cache_set_budget (self->cache,
                          prism_device_get_cache_budget (&self->device, wanted, n_samples));
  prism_cache_reset_statistics (self->cache);
  self->trainer = prism_trainer_new (self->config, &source, error);
  if (self->trainer == NULL)
    return FALSE;
  prism_trainer_set_notice (self->trainer, g_steal_pointer (&self->device.notice));
  return TRUE;
}

/* The device opened, but cannot even begin. */
static gboolean
begin_on_cpu (PrismEngine *self, const GError *cause, GError **error)
{
  g_autoptr (PrismConfig) wanted = prism_engine_dup_device_config (self->config);
  PrismBackend *failed = prism_device_fall_back (&self->device, wanted, cause, error);

  if (failed == NULL)
    return FALSE;
  prism_cache_leave_device (self->cache);
  prism_backend_free (failed);
  return make_trainer (self, error);
}

static gboolean
open_device (PrismEngine *self, gboolean saves, GError **error)
{
  g_autoptr (PrismConfig) wanted = prism_engine_dup_device_config (self->config);

  return prism_device_open (&self->device, wanted, prism_engine_get_n_samples (self), saves,
                            self->cache, error);
}

/* A checksum of all frames takes seconds. */
static gboolean
describe_problem (PrismEngine *self, GError **error)
{
  gboolean ok;

  g_cancellable_push_current (self->wanted);
  ok = self->run_file == NULL || prism_engine_describe_problem (self, error);
  g_cancellable_pop_current (self->wanted);
  return ok;
}

static gboolean
start_run (PrismEngine *self,
           GError **error)
{
  g_autoptr (GError) cause = NULL;

  if (!prism_engine_load_scene (self, error) || !describe_problem (self, error)
      || !open_device (self, self->run_file != NULL, error))
    return FALSE;
  if (make_trainer (self, &cause))
    return TRUE;
  if (self->config->backend == PRISM_BACKEND_AUTO
      && prism_device_can_fall_back (&self->device, cause))
    return begin_on_cpu (self, cause, error);
  if (g_error_matches (cause, PRISM_ERROR, PRISM_ERROR_DEVICE_LOST))
    prism_device_close (&self->device, self->cache);
  g_propagate_error (error, g_steal_pointer (&cause));
  return FALSE;
}

static gboolean
is_under_way (PrismEngine *self)
{
  return self->trainer != NULL
         && (self->state == PRISM_STATE_RUNNING || self->state == PRISM_STATE_PAUSED);
}

/* Makes sure that a run is under way. */
static gboolean
ensure_run (PrismEngine *self)
{
  GError *error = NULL;

  if (is_under_way (self))
    return TRUE;
  if (self->config == NULL || self->lost != NULL)
    return FALSE;

  end_run (self);
  clear_message (self);
  self->run++;
  set_state (self, PRISM_STATE_PREPARING);
  if (start_run (self, &error) && prism_engine_begin_saving (self, &error))
    return TRUE;
  end_run (self);
  fail (self, error);
  return FALSE;
}

/* What could not be written pauses the run, which is safe in memory. */
static void
pause_unsaved (PrismEngine *self,
               GError *error)
{
  take_error (self, error);
  set_state (self, PRISM_STATE_PAUSED);
}

/* Lets a run whose device has failed go on on the CPU. Takes the error where that is possible. */
static gboolean
continue_on_cpu (PrismEngine *self,
                 GError **error)
{
  g_autoptr (PrismConfig) config
      = prism_engine_dup_device_config (self->trainer->config);
  g_autoptr (GError) cause = NULL;
  PrismBackend *failed;
  gboolean ok;

  if (!prism_device_can_fall_back (&self->device, *error))
    return FALSE;
  cause = g_steal_pointer (error);
  failed = prism_device_fall_back (&self->device, config, cause, error);
  if (failed == NULL)
    return FALSE;
  ok = prism_trainer_move (self->trainer, self->device.backend, cause, error);
  prism_backend_free (failed);
  prism_cache_set_budget (self->cache,
                          prism_device_get_cache_budget (&self->device, config,
                                                         prism_engine_get_n_samples (self)));
  if (ok)
    publish (self);
  return ok;
}

/* A copy for the file may be the first to find a device gone. That the host has no memory for one
 * says nothing against the device. */
static gboolean
leave_device (PrismEngine *self,
              GError **error)
{
  return !g_error_matches (*error, PRISM_ERROR, PRISM_ERROR_MEMORY)
         && continue_on_cpu (self, error);
}

static gboolean
save_now (PrismEngine *self,
          GError **error)
{
  return prism_engine_save_now (self, error)
         || (leave_device (self, error) && prism_engine_save_now (self, error));
}

static gboolean
retry_save (PrismEngine *self)
{
  GError *error = NULL;

  if (!self->save_failed)
    return TRUE;
  clear_message (self);
  if (save_now (self, &error))
    return TRUE;
  pause_unsaved (self, error);
  return FALSE;
}

static void
run (PrismEngine *self,
     guint n_samples)
{
  if (!ensure_run (self) || !retry_save (self))
    return;
  self->stop_at_visits = n_samples > 0 ? self->trainer->now.n_visits + n_samples : 0;
  set_state (self, PRISM_STATE_RUNNING);
}

/* A result that is there but not in the file is told in one sentence. */
static void
conclude (PrismEngine *self,
          PrismState state,
          PrismBundle *bundle)
{
  GError *error = NULL;

  if (!prism_engine_save_last (self, state, bundle, &error))
    take_error (self, error);
  set_state (self, state);
}

static void
stop (PrismEngine *self)
{
  g_autoptr (PrismBundle) bundle = NULL;
  GError *error = NULL;
  gboolean ok;

  if (!is_under_way (self))
    return;
  clear_message (self);
  bundle = prism_engine_dup_state (self);
  ok = prism_trainer_finish (self->trainer, &error)
       || (continue_on_cpu (self, &error) && prism_trainer_finish (self->trainer, &error));
  if (!ok && !g_error_matches (error, PRISM_ERROR, PRISM_ERROR_CANCELLED))
    {
      fail (self, error);
      return;
    }
  if (!ok)
    take_error (self, error);
  conclude (self, PRISM_STATE_STOPPED, g_steal_pointer (&bundle));
}

static void
update (PrismEngine *self,
        PrismConfig *config)
{
  if (self->trainer == NULL)
    {
      configure (self, config, g_steal_pointer (&self->given));
      return;
    }
  /* The result stays: what differs is for the next run, and so is all of another source. */
  if (is_under_way (self) && prism_config_keeps_object (config, self->config))
    {
      prism_scene_apply_problem (self->scene, config);
      prism_trainer_update (self->trainer, config);
      prism_config_free (self->config);
      self->config = config;
      self->unsaved = TRUE;
    }
  else
    prism_config_free (config);
  publish (self);
}

/* Names the file of the run under way, or of the next. */
static void
set_run_file (PrismEngine *self,
              char *path,
              const PrismRunMark *mark,
              gboolean lesson)
{
  GError *error = NULL;

  g_free (self->run_file);
  self->run_file = path;
  self->run_mark = *mark;
  self->lesson = lesson;
  if (!is_under_way (self))
    return;
  clear_message (self);
  if (!prism_engine_move_saving (self, &error))
    pause_unsaved (self, error);
  else
    publish (self);
}

/* A run that is under way goes on: what could not be written is told, and no more. */
static void
export_result (PrismEngine *self,
               const char *directory,
               gboolean brief)
{
  GError *error = NULL;

  /* It says itself why. */
  if (self->trainer == NULL)
    {
      publish (self);
      return;
    }
  clear_message (self);
  g_clear_pointer (&self->exported, g_free);
  if (prism_trainer_get_microscope (self->trainer) == NULL)
    prism_error_config (&error, _ ("There is no result of recorded frames to write."));
  else if (prism_microscope_export (self->trainer->polish, self->trainer->now.seconds,
                                    self->trainer->covered, self->device.reason, brief,
                                    directory, &error))
    self->exported = g_strdup (directory);
  if (error != NULL)
    take_error (self, error);
  publish (self);
}

static void
pause_run (PrismEngine *self)
{
  GError *error = NULL;

  if (self->state != PRISM_STATE_RUNNING)
    return;
  self->state = PRISM_STATE_PAUSED;
  if (!save_now (self, &error))
    take_error (self, error);
  publish (self);
}

static gboolean
restore_trainer (PrismEngine *self,
                 PrismRun *run,
                 GError **error)
{
  g_autoptr (GError) cause = NULL;

  if (!prism_engine_load_run (self, run, error) || !open_device (self, TRUE, error))
    return FALSE;
  if (make_trainer (self, &cause)
      && prism_trainer_restore (self->trainer, run->state, run->snapshot, &cause))
    return TRUE;
  g_clear_pointer (&self->trainer, prism_trainer_free);
  if (self->config->backend == PRISM_BACKEND_AUTO
      && prism_device_can_fall_back (&self->device, cause))
    return begin_on_cpu (self, cause, error)
           && prism_trainer_restore (self->trainer, run->state, run->snapshot, error);
  g_propagate_error (error, g_steal_pointer (&cause));
  return FALSE;
}

/* Goes on writing the file; where that cannot be done the run goes on without, and says so. */
static void
follow_file (PrismEngine *self,
             PrismRun *run,
             const char *path)
{
  g_autoptr (GError) error = NULL;

  if (path == NULL)
    return;
  if (self->trainer->now.phase == PRISM_PHASE_DONE)
    {
      /* Nothing is to be written. What a program that was killed at the very end has left goes. */
      prism_run_lock_free (prism_run_lock_new (path, NULL));
      self->last_file = g_strdup (path);
      return;
    }
  self->saver = prism_engine_open_saver (self, path, run->identity, &run->mark, &error);
  self->last_save = prism_clock_get_seconds ();
  self->visits_saved = self->trainer->now.n_visits;
  if (self->saver == NULL)
    prism_trainer_set_notice (self->trainer,
                              g_strdup_printf (_ ("The run is not saved: %s"), error->message));
}

/* With another configuration it is a fork, whose file is the one that was named for it. */
static void
resume (PrismEngine *self,
        PrismEngineCommand *command)
{
  PrismRun *run = command->run;
  GError *error = NULL;

  end_run (self);
  clear_message (self);
  self->run++;
  prism_config_free (self->config);
  self->config = g_steal_pointer (&command->config);
  g_free (self->display);
  self->display = g_strdup (run->snapshot->display);
  g_free (self->reading);
  self->reading = g_strdup (run->snapshot->problem);
  g_clear_pointer (&self->lost, prism_snapshot_unref);
  if (!restore_trainer (self, run, &error))
    {
      end_run (self);
      self->lost = prism_snapshot_ref (run->snapshot);
      fail (self, error);
      return;
    }
  prism_trainer_update (self->trainer, self->config);
  if (run->notice != NULL)
    prism_trainer_set_notice (self->trainer, g_strdup (run->notice));
  prism_engine_open_book (self, run->snapshot->states);
  self->state = self->trainer->now.phase == PRISM_PHASE_DONE ? PRISM_STATE_FINISHED
                                                             : PRISM_STATE_PAUSED;
  if (command->number == 0)
    follow_file (self, run, command->path);
  else
    {
      self->parent = g_steal_pointer (&command->path);
      /* Writes the file of a fork; one of a run that was over is over itself. */
      if (!(prism_engine_begin_saving (self, &error)
            && (self->state != PRISM_STATE_FINISHED
                || prism_engine_save_last (self, PRISM_STATE_FINISHED, NULL, &error))))
        {
          end_run (self);
          fail (self, error);
          return;
        }
    }
  publish (self);
}

static void
execute (PrismEngine *self,
         PrismEngineCommand *command)
{
  switch (command->kind)
    {
    case PRISM_ENGINE_CONFIGURE:
      if (command->path != NULL || command->scene != NULL)
        {
          g_free (self->reading);
          self->reading = g_steal_pointer (&command->path);
        }
      else if (command->config->kind == PRISM_FRAMES_RECORDED)
        command->scene = g_steal_pointer (&self->given);
      configure (self, g_steal_pointer (&command->config), g_steal_pointer (&command->scene));
      break;
    case PRISM_ENGINE_UPDATE:
      update (self, g_steal_pointer (&command->config));
      break;
    case PRISM_ENGINE_RUN:
      run (self, 0);
      break;
    case PRISM_ENGINE_STEP:
      run (self, MAX (command->number, 1));
      break;
    case PRISM_ENGINE_PAUSE:
      pause_run (self);
      break;
    case PRISM_ENGINE_STOP:
      stop (self);
      break;
    case PRISM_ENGINE_CLOSE:
      end_run (self);
      self->state = PRISM_STATE_IDLE;
      break;
    case PRISM_ENGINE_INTERVAL:
      self->interval = command->number;
      self->publish_due = 0;
      break;
    case PRISM_ENGINE_KEEP_STATES:
      self->keeps_states = command->number != 0;
      break;
    case PRISM_ENGINE_RUN_FILE:
      set_run_file (self, g_steal_pointer (&command->path), &command->mark, command->number != 0);
      break;
    case PRISM_ENGINE_EXPORT:
      export_result (self, command->path, command->number != 0);
      break;
    case PRISM_ENGINE_CLEAR_CACHE:
      /* Frames that are needed again are taken again, as they were. */
      prism_cache_clear (self->cache);
      prism_heap_give_back ();
      if (self->state != PRISM_STATE_RUNNING && self->state != PRISM_STATE_FAILED
          && self->config != NULL)
        publish (self);
      break;
    case PRISM_ENGINE_LOOK:
      if (self->trainer != NULL)
        {
          if (prism_trainer_get_microscope (self->trainer) != NULL)
            prism_microscope_look_at (self->trainer->polish, command->number);
          publish (self);
        }
      break;
    case PRISM_ENGINE_SHOW:
      prism_engine_take_display (self, g_steal_pointer (&command->path));
      if (self->trainer != NULL)
        publish (self);
      break;
    case PRISM_ENGINE_RESUME:
      resume (self, command);
      break;
    case PRISM_ENGINE_QUIT:
      self->quit = TRUE;
      break;
    }
  prism_engine_command_free (command);
}

/* A run that fails half way keeps what it has: the trainer stays for the snapshot. */
static void
work (PrismEngine *self)
{
  GError *error = NULL;

  self->unsaved = TRUE;
  if (!prism_trainer_step (self->trainer, &error))
    {
      if (continue_on_cpu (self, &error))
        return;
      prism_trainer_finish (self->trainer, NULL);
      fail (self, error);
      return;
    }
  prism_engine_keep_state (self);
  if (self->trainer->now.phase == PRISM_PHASE_DONE)
    conclude (self, PRISM_STATE_FINISHED, NULL);
  else if (!prism_engine_save_when_due (self, &error))
    {
      if (!self->save_failed && leave_device (self, &error))
        return;
      pause_unsaved (self, error);
    }
  else if (self->stop_at_visits > 0
           && self->trainer->now.n_visits >= self->stop_at_visits)
    pause_run (self);
  else if (prism_clock_get_seconds () >= self->publish_due)
    publish (self);
}

/* Marks come one after the other while somebody draws: the last of them is written. */
static void
save_display_when_idle (PrismEngine *self)
{
  GError *error = NULL;
  gboolean idle;

  if (!self->display_outdated)
    return;
  pthread_mutex_lock (&self->lock);
  idle = g_queue_is_empty (&self->commands);
  pthread_mutex_unlock (&self->lock);
  if (!idle || prism_engine_save_display (self, &error))
    return;
  g_prefix_error (&error, _ ("Marks, limits and names of moments are not kept: "));
  take_error (self, error);
  publish (self);
}

static void *
run_thread (void *data)
{
  PrismEngine *self = data;
  gint64 begun;

  prism_profile_name_thread ("engine");
  begun = prism_profile_begin ();
  if (self->notify != NULL)
    setpriority (PRIO_PROCESS, (id_t) syscall (SYS_gettid), ENGINE_NICENESS);

  while (!self->quit)
    {
      PrismEngineCommand *command = prism_engine_receive (self, &begun);

      if (command != NULL)
        execute (self, command);
      else
        work (self);
      save_display_when_idle (self);
      begun = prism_profile_next (command != NULL ? PRISM_STAGE_COMMAND : PRISM_STAGE_WORK, begun);
    }
  end_run (self);
  prism_device_close (&self->device, self->cache);
  return NULL;
}

static gboolean
start_thread (PrismEngine *self,
              GError **error)
{
  int status = pthread_create (&self->thread, NULL, run_thread, self);

  if (status == 0)
    return TRUE;
  return prism_error_memory (
      error, _ ("The reconstruction's thread could not be started: %s. Close other programs."),
      g_strerror (status));
}

PRISM_FREE (PrismEngine,
            free_members,
            prism_snapshot_unref,
            newest,
            prism_snapshot_unref,
            lost,
            prism_cache_free,
            cache,
            prism_config_free,
            config,
            prism_image_unref,
            object,
            prism_scene_unref,
            given,
            prism_problem_unref,
            problem,
            g_object_unref,
            wanted,
            g_free,
            object_key,
            g_free,
            reading,
            g_free,
            run_file,
            g_free,
            last_file,
            g_free,
            exported,
            g_free,
            display,
            g_free,
            parent,
            g_free,
            message,
            g_free,
            device.reason)

static void
release (PrismEngine *self)
{
  g_queue_clear_full (&self->commands, (GDestroyNotify) prism_engine_command_free);
  pthread_cond_destroy (&self->commanded);
  pthread_cond_destroy (&self->published);
  pthread_mutex_destroy (&self->lock);
  prism_engine_clear_scene (self);
  free_members (self);
}

/**
 * prism_engine_new:
 * @notify: (nullable) (scope notified): wakes the thread that collects snapshots
 * @data: for @notify
 *
 * Starts an engine thread that waits for commands.
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the engine
 */
PrismEngine *
prism_engine_new (PrismEngineNotify notify,
                  gpointer data,
                  GError **error)
{
  PrismEngine *self = g_new0 (PrismEngine, 1);
  pthread_condattr_t attributes;

  pthread_mutex_init (&self->lock, NULL);
  pthread_condattr_init (&attributes);
  pthread_condattr_setclock (&attributes, CLOCK_MONOTONIC);
  pthread_cond_init (&self->commanded, &attributes);
  pthread_cond_init (&self->published, &attributes);
  pthread_condattr_destroy (&attributes);
  g_queue_init (&self->commands);
  self->wanted = g_cancellable_new ();
  self->notify = notify;
  self->notify_data = data;
  self->cache = prism_cache_new (0);
  self->interval = DEFAULT_INTERVAL;
  self->error_code = -1;
  self->device.fallback = -1;
  if (start_thread (self, error))
    return self;
  release (self);
  return NULL;
}

/**
 * prism_engine_free:
 * @self: (nullable): an engine
 *
 * Ends a run that is under way, waits for the thread, frees everything. @notify may be called until
 * this returns.
 */
void
prism_engine_free (PrismEngine *self)
{
  if (self == NULL)
    return;
  prism_engine_send (self, (PrismEngineCommand) { .kind = PRISM_ENGINE_QUIT });
  pthread_join (self->thread, NULL);
  release (self);
}
