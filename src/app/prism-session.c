#include "config.h"

#include "prism-session.h"

#include "prism-backend.h"
#include "prism-engine.h"
#include "prism-undo.h"
#include "prism-wake-up.h"

#include <glib/gi18n.h>
#include <string.h>

/* A value that is being typed or spun settles before it reaches the engine. */
#define APPLY_DELAY 120 /* ms */

struct _PrismSession
{
  GObject parent_instance;

  PrismEngine *engine;
  PrismWakeUp *wake_up;    /* triggered while the engine's mailbox is full */
  PrismSnapshot *snapshot; /* (nullable) */
  PrismState state;        /* of the snapshot, or what a command will make of it */
  gboolean on_cpu;         /* what computes is the processor */
  gboolean starting;       /* a run was asked for and no snapshot of it has come yet */

  PrismConfig *config; /* as edited; always within the ranges of the table */
  PrismUndo *undo;
  GHashTable *refused; /* key → sentence: text in a row that is not a value */
  char *mismatch;      /* (nullable): why the parameters do not fit together */
  char *problem;       /* (nullable): the sentence shown for either */
  guint apply_id;
  gboolean new_scene; /* what is configured next may replace a finished result */
};

enum
{
  PROP_0,
  PROP_SNAPSHOT,
  PROP_STATE,
  PROP_ON_CPU,
  PROP_PROBLEM,
  PROP_CAN_UNDO,
  PROP_CAN_REDO,
  N_PROPS
};

enum
{
  SIGNAL_PENDING,
  SIGNAL_CONFIG_CHANGED,
  SIGNAL_EDITED,
  SIGNAL_NOTICE,
  N_SIGNALS
};

static GParamSpec *properties[N_PROPS];
static guint signals[N_SIGNALS];

G_DEFINE_BOXED_TYPE (PrismSnapshot, prism_snapshot, prism_snapshot_ref, prism_snapshot_unref)

G_DEFINE_FINAL_TYPE (PrismSession, prism_session, G_TYPE_OBJECT)

static void
on_woken_up (gpointer data)
{
  g_signal_emit (data, signals[SIGNAL_PENDING], 0);
}

/* Engine thread. */
static void
on_mailbox_full (gpointer data)
{
  prism_wake_up_trigger (data);
}

static void
set_state (PrismSession *self,
           PrismState state)
{
  if (self->state == state)
    return;
  self->state = state;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_STATE]);
}

static void
notify_undo (PrismSession *self)
{
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_CAN_UNDO]);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_CAN_REDO]);
}

static gboolean
has_result (PrismSession *self)
{
  return self->state == PRISM_STATE_STOPPED || self->state == PRISM_STATE_FINISHED
         || self->state == PRISM_STATE_FAILED;
}

static void
emit_notice (PrismSession *self,
             const char *message,
             gboolean failed)
{
  g_signal_emit (self, signals[SIGNAL_NOTICE], 0, message, failed);
}

static gboolean
configure (PrismSession *self)
{
  g_autoptr (GError) error = NULL;

  g_clear_handle_id (&self->apply_id, g_source_remove);
  self->new_scene = FALSE;
  if (prism_engine_configure (self->engine, self->config, &error))
    return TRUE;
  emit_notice (self, error->message, TRUE);
  return FALSE;
}

/* Live parameters go to the run under way; otherwise the scene shows what is configured, unless
 * that would take away a result nobody asked to replace. */
static gboolean
apply (gpointer data)
{
  PrismSession *self = data;
  g_autoptr (GError) error = NULL;

  self->apply_id = 0;
  if (self->problem != NULL)
    return G_SOURCE_REMOVE;

  if (prism_session_get_active (self))
    {
      if (!prism_engine_update (self->engine, self->config, &error))
        emit_notice (self, error->message, TRUE);
    }
  else if (!has_result (self) || self->new_scene)
    configure (self);
  return G_SOURCE_REMOVE;
}

static void
update_problem (PrismSession *self)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *problem = NULL;
  GHashTableIter iter;
  gpointer sentence;

  g_clear_pointer (&self->mismatch, g_free);
  if (!prism_config_check (self->config, &error))
    self->mismatch = g_strdup (error->message);

  g_hash_table_iter_init (&iter, self->refused);
  if (g_hash_table_iter_next (&iter, NULL, &sentence))
    problem = g_strdup (sentence);
  else
    problem = g_strdup (self->mismatch);

  if (g_strcmp0 (problem, self->problem) == 0)
    return;
  g_free (self->problem);
  self->problem = g_steal_pointer (&problem);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_PROBLEM]);
}

/* A run knows its device; before that it is the one that would be chosen now. */
static void
update_device (PrismSession *self)
{
  gboolean on_cpu = FALSE;

  if (self->snapshot != NULL && self->snapshot->device != NULL && prism_session_get_active (self))
    on_cpu = g_str_has_prefix (self->snapshot->device, "CPU");
  else
    {
      g_autofree char *reason = NULL;
      const PrismBackendOps *ops
          = prism_backend_get_choice (self->config->backend, &reason, NULL);
      on_cpu = ops == &prism_cpu_backend_ops;
    }

  if (on_cpu == self->on_cpu)
    return;
  self->on_cpu = on_cpu;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_ON_CPU]);
}

static void
config_changed (PrismSession *self)
{
  update_problem (self);
  update_device (self);
  notify_undo (self);
  g_signal_emit (self, signals[SIGNAL_CONFIG_CHANGED], 0);
  if (self->apply_id == 0)
    self->apply_id = g_timeout_add (APPLY_DELAY, apply, self);
}

static void
replace_config (PrismSession *self,
                PrismConfig *config)
{
  if (g_strcmp0 (config->object, self->config->object) != 0)
    self->new_scene = TRUE;
  prism_config_free (self->config);
  self->config = config;
  g_hash_table_remove_all (self->refused);
  config_changed (self);
}

static void
prism_session_get_property (GObject *object,
                            guint id,
                            GValue *value,
                            GParamSpec *pspec)
{
  PrismSession *self = PRISM_SESSION (object);

  switch (id)
    {
    case PROP_SNAPSHOT:
      g_value_set_boxed (value, self->snapshot);
      break;
    case PROP_STATE:
      g_value_set_int (value, self->state);
      break;
    case PROP_ON_CPU:
      g_value_set_boolean (value, self->on_cpu);
      break;
    case PROP_PROBLEM:
      g_value_set_string (value, self->problem);
      break;
    case PROP_CAN_UNDO:
      g_value_set_boolean (value, prism_undo_can_undo (self->undo));
      break;
    case PROP_CAN_REDO:
      g_value_set_boolean (value, prism_undo_can_redo (self->undo));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
prism_session_dispose (GObject *object)
{
  PrismSession *self = PRISM_SESSION (object);

  g_clear_handle_id (&self->apply_id, g_source_remove);
  /* The thread ends first: after that nobody triggers the wake-up any more. */
  g_clear_pointer (&self->engine, prism_engine_free);
  g_clear_pointer (&self->wake_up, prism_wake_up_free);
  G_OBJECT_CLASS (prism_session_parent_class)->dispose (object);
}

static void
prism_session_finalize (GObject *object)
{
  PrismSession *self = PRISM_SESSION (object);

  g_clear_pointer (&self->snapshot, prism_snapshot_unref);
  prism_config_free (self->config);
  prism_undo_free (self->undo);
  g_hash_table_unref (self->refused);
  g_free (self->mismatch);
  g_free (self->problem);
  G_OBJECT_CLASS (prism_session_parent_class)->finalize (object);
}

static void
install_signals (void)
{
  /* The engine has a snapshot: somebody should call prism_session_collect(), on a frame best. */
  signals[SIGNAL_PENDING] = g_signal_new ("pending", PRISM_TYPE_SESSION, G_SIGNAL_RUN_LAST, 0,
                                          NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[SIGNAL_CONFIG_CHANGED] = g_signal_new (
      "config-changed", PRISM_TYPE_SESSION, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  /* What was changed, in words, when it can be undone. */
  signals[SIGNAL_EDITED] = g_signal_new ("edited", PRISM_TYPE_SESSION, G_SIGNAL_RUN_LAST, 0,
                                         NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
  /* A sentence for the user, and whether something failed. */
  signals[SIGNAL_NOTICE] = g_signal_new ("notice", PRISM_TYPE_SESSION, G_SIGNAL_RUN_LAST, 0, NULL,
                                         NULL, NULL, G_TYPE_NONE, 2, G_TYPE_STRING, G_TYPE_BOOLEAN);
}

static void
prism_session_class_init (PrismSessionClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags flags = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;

  object_class->dispose = prism_session_dispose;
  object_class->finalize = prism_session_finalize;
  object_class->get_property = prism_session_get_property;

  properties[PROP_SNAPSHOT]
      = g_param_spec_boxed ("snapshot", NULL, NULL, PRISM_TYPE_SNAPSHOT, flags);
  properties[PROP_STATE] = g_param_spec_int ("state", NULL, NULL, PRISM_STATE_IDLE,
                                             PRISM_STATE_FAILED, PRISM_STATE_IDLE, flags);
  properties[PROP_ON_CPU] = g_param_spec_boolean ("on-cpu", NULL, NULL, FALSE, flags);
  properties[PROP_PROBLEM] = g_param_spec_string ("problem", NULL, NULL, NULL, flags);
  properties[PROP_CAN_UNDO] = g_param_spec_boolean ("can-undo", NULL, NULL, FALSE, flags);
  properties[PROP_CAN_REDO] = g_param_spec_boolean ("can-redo", NULL, NULL, FALSE, flags);
  g_object_class_install_properties (object_class, N_PROPS, properties);
  install_signals ();
}

static void
prism_session_init (PrismSession *self)
{
  self->config = prism_config_new ();
  self->undo = prism_undo_new ();
  self->refused = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_free);
  self->wake_up = prism_wake_up_new (on_woken_up, self);
}

/**
 * prism_session_new:
 * @error: return location
 *
 * Starts an engine with the default configuration.
 *
 * Errors: those of prism_engine_new().
 * Thread: main, like everything here.
 *
 * Returns: (transfer full) (nullable): the session
 */
PrismSession *
prism_session_new (GError **error)
{
  g_autoptr (PrismSession) self = g_object_new (PRISM_TYPE_SESSION, NULL);

  self->engine = prism_engine_new (on_mailbox_full, self->wake_up, error);
  if (self->engine == NULL)
    return NULL;
  return g_steal_pointer (&self);
}

/**
 * prism_session_start:
 * @self: a new session
 * @config: what to begin with
 *
 * Gives the session its first configuration, which cannot be undone, and shows its scene.
 */
void
prism_session_start (PrismSession *self,
                     const PrismConfig *config)
{
  replace_config (self, prism_config_dup (config));
  configure (self);
}

/* While a run is starting, the engine still reports the idle scene that it was configured with. */
static PrismState
interpret_state (PrismSession *self,
                 const PrismSnapshot *snapshot)
{
  if (snapshot->state != PRISM_STATE_IDLE || snapshot->message != NULL)
    self->starting = FALSE;
  return self->starting ? PRISM_STATE_PREPARING : snapshot->state;
}

/**
 * prism_session_collect:
 * @self: a session
 *
 * Fetches the newest snapshot from the engine's mailbox; whatever was older is gone.
 *
 * Returns: whether there was one
 */
gboolean
prism_session_collect (PrismSession *self)
{
  g_autoptr (PrismSnapshot) snapshot = prism_engine_collect (self->engine);
  g_autofree char *before = NULL;

  if (snapshot == NULL)
    return FALSE;

  before = g_strdup (self->snapshot != NULL ? self->snapshot->message : NULL);
  g_clear_pointer (&self->snapshot, prism_snapshot_unref);
  self->snapshot = prism_snapshot_ref (snapshot);
  set_state (self, interpret_state (self, snapshot));
  update_device (self);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_SNAPSHOT]);
  if (snapshot->message != NULL && g_strcmp0 (before, snapshot->message) != 0)
    emit_notice (self, snapshot->message, snapshot->state == PRISM_STATE_FAILED);
  return TRUE;
}

/**
 * prism_session_get_config:
 * @self: a session
 *
 * Returns: (transfer none): the configuration as it is edited now
 */
const PrismConfig *
prism_session_get_config (PrismSession *self)
{
  return self->config;
}

/**
 * prism_session_get_snapshot:
 * @self: a session
 *
 * Returns: (transfer none) (nullable): the newest snapshot
 */
PrismSnapshot *
prism_session_get_snapshot (PrismSession *self)
{
  return self->snapshot;
}

/**
 * prism_session_get_state:
 * @self: a session
 *
 * Returns: the state of the run, with commands that are on their way counted as obeyed
 */
PrismState
prism_session_get_state (PrismSession *self)
{
  return self->state;
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
  return self->state == PRISM_STATE_PREPARING || self->state == PRISM_STATE_RUNNING
         || self->state == PRISM_STATE_PAUSED;
}

/**
 * prism_session_get_problem:
 * @self: a session
 *
 * Returns: (transfer none) (nullable): why no run can be started, in one sentence
 */
const char *
prism_session_get_problem (PrismSession *self)
{
  return self->problem;
}

/**
 * prism_session_dup_problem_of:
 * @self: a session
 * @param: a parameter
 *
 * Returns: (transfer full) (nullable): what is wrong with this parameter, in one sentence
 */
char *
prism_session_dup_problem_of (PrismSession *self,
                              const PrismParam *param)
{
  const char *refused = g_hash_table_lookup (self->refused, param->key);
  gsize length = strlen (param->key);

  if (refused != NULL)
    return g_strdup (refused);
  /* The sentence of prism_config_check() begins with the key that is wrong. */
  if (self->mismatch != NULL && g_str_has_prefix (self->mismatch, param->key)
      && self->mismatch[length] == ' ')
    return g_strdup (self->mismatch);
  return NULL;
}

/**
 * prism_session_get_refused:
 * @self: a session
 * @param: a parameter
 *
 * Returns: whether the last text given for the parameter was not a value
 */
gboolean
prism_session_get_refused (PrismSession *self,
                           const PrismParam *param)
{
  return g_hash_table_contains (self->refused, param->key);
}

/**
 * prism_session_get_idle_reason:
 * @self: a session
 * @param: a parameter
 *
 * Returns: (transfer none) (nullable): why the parameter has no effect on this device
 */
const char *
prism_session_get_idle_reason (PrismSession *self,
                               const PrismParam *param)
{
  if (self->on_cpu && g_str_equal (param->key, "amp"))
    return _ ("No effect on the processor: it needs a graphics processor");
  return NULL;
}

/**
 * prism_session_get_deferred:
 * @self: a session
 * @param: a parameter
 *
 * Returns: whether the edited value waits for the next run
 */
gboolean
prism_session_get_deferred (PrismSession *self,
                            const PrismParam *param)
{
  g_autofree char *edited = NULL;
  g_autofree char *running = NULL;

  if (self->snapshot == NULL || self->snapshot->config == NULL
      || !(prism_session_get_active (self) || has_result (self)))
    return FALSE;
  if (param->live && prism_session_get_active (self))
    return FALSE;
  edited = prism_config_dup_text (self->config, param);
  running = prism_config_dup_text (self->snapshot->config, param);
  return g_strcmp0 (edited, running) != 0;
}

/* @merge_key: (nullable): changes in quick succession with the same key are undone together. */
static gboolean
change_parameter (PrismSession *self,
                  const PrismParam *param,
                  const char *text,
                  const char *merge_key,
                  GError **error)
{
  g_autoptr (PrismConfig) config = prism_config_dup (self->config);
  const char *label = gettext (param->label);
  g_autofree char *shown = g_strdup_printf (_ ("%s changed"), label);

  if (!prism_config_set_text (config, param->key, text, error))
    return FALSE;
  if (prism_config_equal (config, self->config))
    {
      update_problem (self);
      return TRUE;
    }

  prism_undo_push (self->undo, self->config, label, merge_key, g_get_monotonic_time ());
  if (strcmp (param->key, "object") == 0)
    self->new_scene = TRUE;
  prism_config_free (self->config);
  self->config = g_steal_pointer (&config);
  config_changed (self);
  g_signal_emit (self, signals[SIGNAL_EDITED], 0, shown);
  return TRUE;
}

/**
 * prism_session_set_parameter:
 * @self: a session
 * @param: a parameter
 * @text: its value, as a person writes it
 * @error: return location
 *
 * Changes one parameter. Text that is refused is remembered as the session's problem until the
 * parameter gets a value again.
 *
 * Errors: PRISM_ERROR_CONFIG.
 *
 * Returns: whether the text was a value that is allowed
 */
gboolean
prism_session_set_parameter (PrismSession *self,
                             const PrismParam *param,
                             const char *text,
                             GError **error)
{
  g_autoptr (GError) refused = NULL;

  g_hash_table_remove (self->refused, param->key);
  if (change_parameter (self, param, text, param->key, &refused))
    return TRUE;
  g_hash_table_insert (self->refused, (gpointer) param->key, g_strdup (refused->message));
  update_problem (self);
  g_propagate_error (error, g_steal_pointer (&refused));
  return FALSE;
}

/**
 * prism_session_reset_parameter:
 * @self: a session
 * @param: a parameter
 *
 * Gives a parameter its default.
 */
void
prism_session_reset_parameter (PrismSession *self,
                               const PrismParam *param)
{
  g_autoptr (PrismConfig) defaults = prism_config_new ();
  g_autofree char *text = prism_config_dup_text (defaults, param);

  g_hash_table_remove (self->refused, param->key);
  change_parameter (self, param, text, NULL, NULL);
  g_signal_emit (self, signals[SIGNAL_CONFIG_CHANGED], 0);
}

/**
 * prism_session_set_config:
 * @self: a session
 * @config: a configuration
 * @label: where it comes from, as it is shown
 *
 * Replaces all parameters at once, as a preset or a file does.
 */
void
prism_session_set_config (PrismSession *self,
                          const PrismConfig *config,
                          const char *label)
{
  prism_undo_push (self->undo, self->config, label, NULL, g_get_monotonic_time ());
  self->new_scene = TRUE;
  replace_config (self, prism_config_dup (config));
  g_signal_emit (self, signals[SIGNAL_EDITED], 0, label);
}

/* What is looked at and what computes, but not the sizes: those belong to the method. */
static gboolean
belongs_to_scene (const PrismParam *param)
{
  if (strcmp (param->group, "device") == 0)
    return TRUE;
  return strcmp (param->group, "object") == 0 && strcmp (param->key, "image_size") != 0
         && strcmp (param->key, "object_size") != 0;
}

/**
 * prism_session_set_method:
 * @self: a session
 * @config: how to reconstruct
 * @label: where it comes from, as it is shown
 *
 * Replaces all parameters but the object and the device.
 */
void
prism_session_set_method (PrismSession *self,
                          const PrismConfig *config,
                          const char *label)
{
  g_autoptr (PrismConfig) merged = prism_config_dup (config);
  gsize n_params;
  const PrismParam *params = prism_config_get_params (&n_params);

  for (gsize i = 0; i < n_params; i++)
    {
      g_autofree char *text = prism_config_dup_text (self->config, &params[i]);

      if (belongs_to_scene (&params[i]))
        prism_config_set_text (merged, params[i].key, text, NULL);
    }
  prism_session_set_config (self, merged, label);
}

/**
 * prism_session_undo:
 * @self: a session
 *
 * Takes the last change of the configuration back.
 */
void
prism_session_undo (PrismSession *self)
{
  PrismConfig *config = prism_undo_undo (self->undo, self->config, NULL);

  if (config != NULL)
    replace_config (self, config);
}

/**
 * prism_session_redo:
 * @self: a session
 *
 * Makes the change again that was taken back last.
 */
void
prism_session_redo (PrismSession *self)
{
  PrismConfig *config = prism_undo_redo (self->undo, self->config, NULL);

  if (config != NULL)
    replace_config (self, config);
}

/**
 * prism_session_set_interval:
 * @self: a session
 * @milliseconds: shortest time between two snapshots of a run
 *
 * Sets how often a run is seen.
 */
void
prism_session_set_interval (PrismSession *self,
                            guint milliseconds)
{
  prism_engine_set_interval (self->engine, milliseconds);
}

/* Makes sure that what is started is what is edited. */
static gboolean
prepare (PrismSession *self)
{
  gboolean configured
      = self->snapshot != NULL && self->state == PRISM_STATE_IDLE && self->apply_id == 0;

  if (self->problem != NULL)
    return FALSE;
  if (!configured && !configure (self))
    return FALSE;
  self->starting = TRUE;
  set_state (self, PRISM_STATE_PREPARING);
  return TRUE;
}

/**
 * prism_session_run:
 * @self: a session
 *
 * Starts a run with the edited configuration, or goes on after a pause.
 */
void
prism_session_run (PrismSession *self)
{
  if (self->state == PRISM_STATE_PREPARING || self->state == PRISM_STATE_RUNNING)
    return;
  if (self->state == PRISM_STATE_PAUSED || prepare (self))
    prism_engine_run (self->engine);
}

/**
 * prism_session_pause:
 * @self: a session
 *
 * Pauses the run.
 */
void
prism_session_pause (PrismSession *self)
{
  if (prism_session_get_active (self))
    prism_engine_pause (self->engine);
}

/**
 * prism_session_step:
 * @self: a session
 * @n_samples: how many
 *
 * Runs some samples, then pauses; starts a run where there is none.
 */
void
prism_session_step (PrismSession *self,
                    guint n_samples)
{
  if (prism_session_get_active (self) || prepare (self))
    prism_engine_step (self->engine, n_samples);
}

/**
 * prism_session_stop:
 * @self: a session
 *
 * Ends the run and keeps its result.
 */
void
prism_session_stop (PrismSession *self)
{
  if (prism_session_get_active (self))
    prism_engine_stop (self->engine);
}

/**
 * prism_session_restart:
 * @self: a session
 *
 * Ends the run, if there is one, and starts anew with the edited configuration.
 */
void
prism_session_restart (PrismSession *self)
{
  if (self->problem != NULL || !configure (self))
    return;
  self->starting = TRUE;
  set_state (self, PRISM_STATE_PREPARING);
  prism_engine_run (self->engine);
}
