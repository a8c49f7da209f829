#include "config.h"

#include "prism-engine.h"

#include "prism-device.h"
#include "prism-error.h"
#include "prism-mailbox.h"
#include "prism-object.h"
#include "prism-spectrum.h"
#include "prism-trainer.h"

#include <pthread.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define DEFAULT_INTERVAL 16 /* ms between two snapshots of a running reconstruction */
/* Lets the window's thread go first where both want the same processor. */
#define ENGINE_NICENESS 5

typedef enum
{
  COMMAND_CONFIGURE,
  COMMAND_UPDATE,
  COMMAND_RUN,
  COMMAND_PAUSE,
  COMMAND_STEP,
  COMMAND_STOP,
  COMMAND_INTERVAL,
  COMMAND_QUIT,
} CommandKind;

typedef struct
{
  CommandKind kind;
  PrismConfig *config; /* (nullable), owned */
  guint number;        /* samples of STEP, milliseconds of INTERVAL */
} Command;

struct _PrismEngine
{
  /* shared, guarded by lock */
  pthread_mutex_t lock;
  pthread_cond_t commanded;
  GQueue commands; /* of Command */

  /* constant */
  pthread_t thread;
  PrismEngineNotify notify; /* (nullable) */
  gpointer notify_data;
  PrismMailbox *mailbox;

  /* the engine thread's own */
  PrismConfig *config; /* (nullable) of the next run */
  PrismState state;
  gboolean quit;
  guint64 serial;
  guint64 run;
  guint64 stop_at_visits; /* pause when the trainer has done so many; 0 = go on */
  guint interval;         /* ms */
  double last_publish;    /* s */
  char *message;          /* (nullable) */
  int error_code;         /* PrismError of message, -1 for none */

  PrismImage *object;    /* (nullable) [m][m] */
  PrismImage *spectrum;  /* (nullable) [n][n] */
  PrismPattern *pattern; /* (nullable) */
  guint64 object_id;
  char *object_key; /* what the object was made from */
  PrismDevice device;
  PrismCache *cache;
  PrismTrainer *trainer; /* (nullable) */
};

static double
get_seconds (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return now.tv_sec + now.tv_nsec * 1e-9;
}

static void
command_free (Command *command)
{
  prism_config_free (command->config);
  g_free (command);
}

static void
send_command (PrismEngine *self,
              CommandKind kind,
              const PrismConfig *config,
              guint number)
{
  Command *command = g_new0 (Command, 1);

  command->kind = kind;
  command->config = config != NULL ? prism_config_dup (config) : NULL;
  command->number = number;
  pthread_mutex_lock (&self->lock);
  g_queue_push_tail (&self->commands, command);
  pthread_cond_signal (&self->commanded);
  pthread_mutex_unlock (&self->lock);
}

/* Waits for a command unless there is work to go on with. */
static Command *
receive_command (PrismEngine *self)
{
  Command *command;

  pthread_mutex_lock (&self->lock);
  while (self->state != PRISM_STATE_RUNNING && g_queue_is_empty (&self->commands))
    pthread_cond_wait (&self->commanded, &self->lock);
  command = g_queue_pop_head (&self->commands);
  pthread_mutex_unlock (&self->lock);
  return command;
}

static PrismSnapshot *
make_snapshot (PrismEngine *self)
{
  PrismSnapshot *snapshot = prism_snapshot_new ();

  if (self->trainer != NULL)
    prism_trainer_publish (self->trainer, snapshot, self->state != PRISM_STATE_RUNNING);
  else
    {
      snapshot->config = self->config != NULL ? prism_config_dup (self->config)
                                              : prism_config_new ();
      snapshot->target = self->object != NULL ? prism_image_ref (self->object) : NULL;
      snapshot->pattern = self->pattern != NULL ? prism_pattern_ref (self->pattern) : NULL;
      snapshot->n_samples = self->pattern != NULL ? self->pattern->n_points : 0;
    }
  snapshot->spectrum = self->spectrum != NULL ? prism_image_ref (self->spectrum) : NULL;
  snapshot->serial = ++self->serial;
  snapshot->run = self->run;
  snapshot->state = self->state;
  if (self->message != NULL)
    {
      g_free (snapshot->message);
      snapshot->message = g_strdup (self->message);
    }
  snapshot->error = self->error_code;
  snapshot->backend = self->device.backend != NULL ? self->device.backend->ops->name : NULL;
  snapshot->device = g_strdup (self->device.name);
  snapshot->device_reason = g_strdup (self->device.reason);
  snapshot->fallback = self->device.fallback;
  snapshot->precision_advice = g_strdup (self->device.precision_advice);
  return snapshot;
}

static void
publish (PrismEngine *self)
{
  self->last_publish = get_seconds ();
  if (prism_mailbox_put (self->mailbox, make_snapshot (self)) && self->notify != NULL)
    self->notify (self->notify_data);
}

static void
set_state (PrismEngine *self,
           PrismState state)
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
take_error (PrismEngine *self,
            GError *error)
{
  g_free (self->message);
  self->message = g_strdup (error->message);
  self->error_code = error->domain == PRISM_ERROR ? error->code : PRISM_ERROR_IO;
  g_error_free (error);
}

static void
fail (PrismEngine *self,
      GError *error)
{
  take_error (self, error);
  set_state (self, PRISM_STATE_FAILED);
}

/* Everything that the object's pixels depend on. A file is named with its time and size, so that an
 * edited file is read again. */
static char *
make_object_key (const PrismConfig *config)
{
  struct stat status = { 0 };

  if (stat (config->object, &status) != 0)
    memset (&status, 0, sizeof status);
  return g_strdup_printf ("%s\n%d\n%d\n%d\n%a\n%a\n%s\n%d\n%ld.%ld\n%ld", config->object,
                          config->object_size, config->object_invert, config->point_count,
                          config->point_diameter, config->point_spacing, config->object_text,
                          config->seed, (long) status.st_mtim.tv_sec, status.st_mtim.tv_nsec,
                          (long) status.st_size);
}

static gboolean
load_object (PrismEngine *self,
             GError **error)
{
  g_autofree char *key = make_object_key (self->config);
  PrismImage *object;

  if (g_strcmp0 (key, self->object_key) == 0 && self->object != NULL)
    return TRUE;
  object = prism_object_load (self->config, error);
  if (object == NULL)
    return FALSE;

  g_clear_pointer (&self->object, prism_image_unref);
  g_clear_pointer (&self->spectrum, prism_image_unref);
  g_free (self->object_key);
  self->object = object;
  self->object_key = g_steal_pointer (&key);
  self->object_id++;
  return TRUE;
}

static gboolean
load_scene (PrismEngine *self,
            GError **error)
{
  PrismPattern *pattern;

  if (!load_object (self, error))
    return FALSE;
  if (self->spectrum == NULL || self->spectrum->height != self->config->image_size)
    {
      g_clear_pointer (&self->spectrum, prism_image_unref);
      self->spectrum = prism_spectrum_new_image (self->object, self->config->image_size, error);
      if (self->spectrum == NULL)
        return FALSE;
    }
  pattern = prism_pattern_new (self->config, error);
  if (pattern == NULL)
    return FALSE;
  g_clear_pointer (&self->pattern, prism_pattern_unref);
  self->pattern = pattern;
  return TRUE;
}

static void
end_run (PrismEngine *self)
{
  g_clear_pointer (&self->trainer, prism_trainer_free);
  self->stop_at_visits = 0;
}

static void
configure (PrismEngine *self,
           PrismConfig *config)
{
  GError *error = NULL;

  end_run (self);
  clear_message (self);
  prism_config_free (self->config);
  self->config = config;
  if (!load_scene (self, &error))
    {
      g_clear_pointer (&self->object, prism_image_unref);
      g_clear_pointer (&self->object_key, g_free);
      g_clear_pointer (&self->pattern, prism_pattern_unref);
      fail (self, error);
      return;
    }
  set_state (self, PRISM_STATE_IDLE);
}

static gboolean
make_trainer (PrismEngine *self,
              GError **error)
{
  PrismTrainerSource source = {
    .backend = self->device.backend,
    .cache = self->cache,
    .object = self->object,
    .object_id = self->object_id,
    .pattern = self->pattern,
  };
  guint n_samples = self->pattern->n_points;

  prism_cache_set_budget (self->cache,
                          prism_device_get_cache_budget (&self->device, self->config, n_samples));
  prism_cache_reset_statistics (self->cache);
  self->trainer = prism_trainer_new (self->config, &source, error);
  if (self->trainer == NULL)
    return FALSE;
  prism_trainer_set_notice (self->trainer, g_steal_pointer (&self->device.notice));
  return TRUE;
}

/* The device opened, but cannot even begin. */
static gboolean
begin_on_cpu (PrismEngine *self,
              const GError *cause,
              GError **error)
{
  PrismBackend *failed = prism_device_fall_back (&self->device, self->config, cause, error);

  if (failed == NULL)
    return FALSE;
  prism_cache_clear (self->cache);
  prism_backend_free (failed);
  return make_trainer (self, error);
}

static gboolean
start_run (PrismEngine *self,
           GError **error)
{
  g_autoptr (GError) cause = NULL;

  if (!load_scene (self, error)
      || !prism_device_open (&self->device, self->config, self->pattern->n_points, self->cache,
                             error))
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
  if (self->config == NULL)
    return FALSE;

  end_run (self);
  clear_message (self);
  self->run++;
  set_state (self, PRISM_STATE_PREPARING);
  if (start_run (self, &error))
    return TRUE;
  end_run (self);
  fail (self, error);
  return FALSE;
}

static void
run (PrismEngine *self,
     guint n_samples)
{
  if (!ensure_run (self))
    return;
  self->stop_at_visits = n_samples > 0 ? prism_trainer_get_n_visits (self->trainer) + n_samples : 0;
  set_state (self, PRISM_STATE_RUNNING);
}

/* Lets a run whose device has failed go on on the CPU. Takes the error where that is possible. */
static gboolean
continue_on_cpu (PrismEngine *self,
                 GError **error)
{
  const PrismConfig *config = prism_trainer_get_config (self->trainer);
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
  prism_cache_set_budget (self->cache, prism_device_get_cache_budget (&self->device, config,
                                                                      self->pattern->n_points));
  if (ok)
    publish (self);
  return ok;
}

static void
stop (PrismEngine *self)
{
  GError *error = NULL;

  if (!is_under_way (self))
    return;
  if (!prism_trainer_finish (self->trainer, &error)
      && !(continue_on_cpu (self, &error) && prism_trainer_finish (self->trainer, &error)))
    {
      fail (self, error);
      return;
    }
  set_state (self, PRISM_STATE_STOPPED);
}

static void
update (PrismEngine *self,
        PrismConfig *config)
{
  if (!is_under_way (self))
    {
      configure (self, config);
      return;
    }
  prism_trainer_update (self->trainer, config);
  prism_config_free (self->config);
  self->config = config;
  publish (self);
}

static void
execute (PrismEngine *self,
         Command *command)
{
  switch (command->kind)
    {
    case COMMAND_CONFIGURE:
      configure (self, g_steal_pointer (&command->config));
      break;
    case COMMAND_UPDATE:
      update (self, g_steal_pointer (&command->config));
      break;
    case COMMAND_RUN:
      run (self, 0);
      break;
    case COMMAND_STEP:
      run (self, MAX (command->number, 1));
      break;
    case COMMAND_PAUSE:
      if (self->state == PRISM_STATE_RUNNING)
        set_state (self, PRISM_STATE_PAUSED);
      break;
    case COMMAND_STOP:
      stop (self);
      break;
    case COMMAND_INTERVAL:
      self->interval = command->number;
      break;
    case COMMAND_QUIT:
      self->quit = TRUE;
      break;
    }
  command_free (command);
}

/* A run that fails half way keeps what it has: the trainer stays for the snapshot. */
static void
work (PrismEngine *self)
{
  GError *error = NULL;

  if (!prism_trainer_step (self->trainer, &error))
    {
      if (continue_on_cpu (self, &error))
        return;
      prism_trainer_finish (self->trainer, NULL);
      fail (self, error);
    }
  else if (prism_trainer_get_phase (self->trainer) == PRISM_PHASE_DONE)
    set_state (self, PRISM_STATE_FINISHED);
  else if (self->stop_at_visits > 0
           && prism_trainer_get_n_visits (self->trainer) >= self->stop_at_visits)
    set_state (self, PRISM_STATE_PAUSED);
  else if (get_seconds () - self->last_publish >= self->interval * 1e-3)
    publish (self);
}

static void *
run_thread (void *data)
{
  PrismEngine *self = data;

  if (self->notify != NULL)
    setpriority (PRIO_PROCESS, (id_t) syscall (SYS_gettid), ENGINE_NICENESS);

  while (!self->quit)
    {
      Command *command = receive_command (self);

      if (command != NULL)
        execute (self, command);
      else
        work (self);
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
  g_set_error (error, PRISM_ERROR, PRISM_ERROR_MEMORY,
               "The reconstruction's thread could not be started: %s. Close other programs.",
               g_strerror (status));
  return FALSE;
}

static void
release (PrismEngine *self)
{
  g_queue_clear_full (&self->commands, (GDestroyNotify) command_free);
  pthread_cond_destroy (&self->commanded);
  pthread_mutex_destroy (&self->lock);
  prism_mailbox_free (self->mailbox);
  prism_cache_free (self->cache);
  prism_config_free (self->config);
  g_clear_pointer (&self->object, prism_image_unref);
  g_clear_pointer (&self->spectrum, prism_image_unref);
  g_clear_pointer (&self->pattern, prism_pattern_unref);
  g_free (self->object_key);
  g_free (self->message);
  g_free (self->device.reason);
  g_free (self);
}

/**
 * prism_engine_new:
 * @notify: (nullable) (scope notified): wakes the thread that collects snapshots
 * @data: for @notify
 * @error: return location
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

  pthread_mutex_init (&self->lock, NULL);
  pthread_cond_init (&self->commanded, NULL);
  g_queue_init (&self->commands);
  self->notify = notify;
  self->notify_data = data;
  self->mailbox = prism_mailbox_new ();
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
  send_command (self, COMMAND_QUIT, NULL, 0);
  pthread_join (self->thread, NULL);
  release (self);
}

/**
 * prism_engine_configure:
 * @self: an engine
 * @config: what to reconstruct and how
 * @error: return location
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
  if (!prism_config_check (config, error) || !prism_device_check_config (config, error))
    return FALSE;
  send_command (self, COMMAND_CONFIGURE, config, 0);
  return TRUE;
}

/**
 * prism_engine_run:
 * @self: an engine
 *
 * Starts a run of the last configuration, or goes on after a pause.
 */
void
prism_engine_run (PrismEngine *self)
{
  send_command (self, COMMAND_RUN, NULL, 0);
}

/**
 * prism_engine_pause:
 * @self: an engine
 *
 * Pauses after the step under way.
 */
void
prism_engine_pause (PrismEngine *self)
{
  send_command (self, COMMAND_PAUSE, NULL, 0);
}

/**
 * prism_engine_step:
 * @self: an engine
 * @n_samples: how far, at least 1
 *
 * Runs @n_samples more samples (passes in the polish), then pauses. Starts a run where there is
 * none.
 */
void
prism_engine_step (PrismEngine *self,
                   guint n_samples)
{
  send_command (self, COMMAND_STEP, NULL, n_samples);
}

/**
 * prism_engine_stop:
 * @self: an engine
 *
 * Ends the run after the step under way and keeps the result.
 */
void
prism_engine_stop (PrismEngine *self)
{
  send_command (self, COMMAND_STOP, NULL, 0);
}

/**
 * prism_engine_update:
 * @self: an engine
 * @config: the configuration with changes
 * @error: return location
 *
 * Applies the live parameters to the run under way at once and keeps the whole for the next run.
 * Where nothing runs it is prism_engine_configure().
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
  if (!prism_config_check (config, error) || !prism_device_check_config (config, error))
    return FALSE;
  send_command (self, COMMAND_UPDATE, config, 0);
  return TRUE;
}

/**
 * prism_engine_set_interval:
 * @self: an engine
 * @milliseconds: shortest time between two snapshots of a running reconstruction
 *
 * How often pictures are made; changes of the state are published at once. 0 publishes every step.
 */
void
prism_engine_set_interval (PrismEngine *self,
                           guint milliseconds)
{
  send_command (self, COMMAND_INTERVAL, NULL, milliseconds);
}

/**
 * prism_engine_collect:
 * @self: an engine
 *
 * Returns: (transfer full) (nullable): the newest snapshot since the last call
 */
PrismSnapshot *
prism_engine_collect (PrismEngine *self)
{
  return prism_mailbox_collect (self->mailbox);
}

/**
 * prism_engine_wait:
 * @self: an engine
 * @milliseconds: how long at most
 *
 * Returns: (transfer full) (nullable): the newest snapshot, NULL when none came in time
 */
PrismSnapshot *
prism_engine_wait (PrismEngine *self,
                   guint milliseconds)
{
  return prism_mailbox_wait (self->mailbox, milliseconds);
}
