#include "config.h"

#include "session/prism-session.h"

#include "base/prism-error.h"
#include "config/prism-builtin.h"
#include "device/prism-registry.h"

/* A value that is being typed or spun settles before it reaches the engine. */
#define APPLY_DELAY 120 /* ms */

G_DEFINE_FINAL_TYPE (PrismSession, prism_session, G_TYPE_OBJECT)

static void
on_woken_up (gpointer data)
{
  g_signal_emit_by_name (data, "pending");
}

/* What stops does so until it is over, or until another run is begun in its place. */
static void
set_state (PrismSession *self,
           PrismState state,
           gboolean begins)
{
  const gboolean differs = self->state != state;

  self->state = state;
  if (self->stopping && (begins || !prism_session_get_active (self)))
    {
      self->stopping = FALSE;
      g_object_notify (G_OBJECT (self), "stopping");
    }
  if (differs)
    g_object_notify (G_OBJECT (self), "state");
}

/* Pictures that would be lost if the scene on the screen became another one. */
static gboolean
shows_result (PrismSession *self)
{
  return PRISM_STATE_IS_OVER (self->state) && self->snapshot != NULL
         && self->snapshot->reconstruction != NULL;
}

static void
emit_notice (PrismSession *self,
             const char *message,
             gboolean failed,
             int code)
{
  g_signal_emit_by_name (self, "notice", message, failed, code);
}

/**
 * prism_session_emit_failure:
 * @self: a session
 * @error: what failed
 *
 * Tells it.
 */
void
prism_session_emit_failure (PrismSession *self,
                            const GError *error)
{
  emit_notice (self, error->message, TRUE, error->domain == PRISM_ERROR ? error->code : -1);
}

/**
 * prism_session_keep_result:
 * @self: a session
 *
 * Keeps a result that is about to leave the screen, so that it can still be saved.
 */
void
prism_session_keep_result (PrismSession *self)
{
  if (!shows_result (self))
    return;
  prism_keep (&self->previous, self->snapshot, prism_snapshot_ref, prism_snapshot_unref);
}

/**
 * prism_session_set_lent:
 * @self: a session
 * @config: (nullable): what stands in place of the edited configuration from now on
 *
 * Notes it, and tells whoever shows what is planned.
 */
void
prism_session_set_lent (PrismSession *self,
                        const PrismConfig *config)
{
  PrismConfig *before = self->lent;

  if (before == NULL && config == NULL)
    return;
  self->lent = config != NULL ? prism_config_dup (config) : NULL;
  self->borrowed = config != NULL;
  prism_config_free (before);
  g_object_notify (G_OBJECT (self), "lent");
}

/**
 * prism_session_get_planned:
 * @self: a session
 *
 * Returns: (transfer none): the configuration whose path is planned: the edited one, unless another
 *   one stands in its place, which “notify::lent” tells
 */
const PrismConfig *
prism_session_get_planned (PrismSession *self)
{
  return self->lent != NULL ? self->lent : self->draft->config;
}

/**
 * prism_session_configure_with:
 * @self: a session
 * @config: what will be run
 *
 * Hands a configuration over; a result that was on the screen is kept.
 *
 * Returns: whether it was taken; a notice says why not
 */
gboolean
prism_session_configure_with (PrismSession *self,
                              const PrismConfig *config)
{
  g_autoptr (GError) error = NULL;

  g_clear_handle_id (&self->apply_id, g_source_remove);
  if (!prism_session_hand_over (self, config, &error))
    {
      prism_session_emit_failure (self, error);
      return FALSE;
    }
  prism_session_keep_result (self);
  prism_session_leave_run_file (self);
  prism_draft_leave_run (self->draft);
  return TRUE;
}

/**
 * prism_session_configure:
 * @self: a session
 *
 * Gives the engine what is edited; a run under way ends.
 *
 * Returns: whether it was taken; a notice says why not
 */
gboolean
prism_session_configure (PrismSession *self)
{
  prism_session_set_lent (self, NULL);
  if (!prism_session_configure_with (self, self->draft->config))
    return FALSE;
  prism_engine_show (self->engine, self->draft->display);
  return TRUE;
}

/* Compares what decides what the pictures are of. */
static gboolean
is_other_scene (const PrismConfig *config,
                const PrismConfig *other)
{
  static const char *const groups[] = { "object", "aperture", "pattern", NULL };

  PRISM_FOR_EACH_PARAM (param)
    if (g_strv_contains (groups, param->group) && prism_config_applies (config, param)
        && prism_config_differs (config, other, param))
      return TRUE;
  return FALSE;
}

static void
compare_outdated (PrismSession *self)
{
  const PrismConfig *edited = self->draft->config;
  const PrismConfig *shown = shows_result (self) ? self->snapshot->config : NULL;
  /* Sizes and places are those of the frames. */
  gboolean outdated = shown != NULL
                      && (prism_snapshot_is_recorded (self->snapshot)
                              ? !prism_config_keeps_object (edited, shown)
                              : is_other_scene (edited, shown));

  if (outdated == self->outdated)
    return;
  self->outdated = outdated;
  g_object_notify (G_OBJECT (self), "outdated");
}

/**
 * prism_session_follow_scene:
 * @self: a session
 *
 * Finds out what the pictures are of, and whether that is what is edited.
 */
void
prism_session_follow_scene (PrismSession *self)
{
  /* Of a run, as long as its pictures are on the screen; else of what is edited. */
  gboolean of_run = (prism_session_get_active (self) || shows_result (self))
                    && self->snapshot != NULL && self->snapshot->config != NULL
                    && self->snapshot->run >= self->n_begun;
  const PrismConfig *config = of_run ? self->snapshot->config : prism_session_get_planned (self);
  g_autofree char *label = prism_builtin_dup_label (config->object);
  g_autofree char *scene = g_strdup_printf (_ ("%s · %d in %d px"), label, config->object_size,
                                            config->image_size);

  if (g_strcmp0 (scene, self->scene) != 0)
    {
      g_free (self->scene);
      self->scene = g_steal_pointer (&scene);
      g_object_notify (G_OBJECT (self), "scene");
    }
  compare_outdated (self);
}

/* Live parameters go to the run under way; otherwise the scene shows what is configured, unless
 * that would take away a result: only the user replaces or discards one. */
static void
apply (PrismSession *self)
{
  g_autoptr (GError) error = NULL;

  if (self->draft->problem != NULL)
    return;

  if (self->lent != NULL && !PRISM_STATE_IS_OVER (self->state))
    return;
  if (prism_session_get_active (self))
    {
      if (!prism_engine_update (self->engine, self->draft->config, &error))
        prism_session_emit_failure (self, error);
    }
  else if (!shows_result (self))
    prism_session_configure (self);
}

/* Marks and limits that change belong to the run on the screen, also when it is over. Those that
 * come with another configuration, or go with one, belong to that: they leave the run as it was. */
static void
on_display_changed (PrismSession *self)
{
  if (self->lent == NULL || PRISM_STATE_IS_OVER (self->state))
    prism_engine_show (self->engine, self->draft->display);
  prism_session_measure_marks (self);
}

static void
on_draft_changed (PrismSession *self)
{
  prism_session_follow_device (self);
  prism_session_follow_scene (self);
  if (self->apply_id == 0)
    prism_later (&self->apply_id, APPLY_DELAY, apply, self);
}

static void
prism_session_dispose (PrismSession *self)
{
  /* A window that edits may hold it longer. */
  if (self->draft != NULL)
    g_signal_handlers_disconnect_by_data (self->draft, self);
}

static void
prism_session_class_init (PrismSessionClass *klass)
{
  PRISM_DISPOSE (klass, PrismSession, g_source_remove, apply_id, window_id);
  PRISM_ON_DISPOSE (klass, prism_session_drop_marks);
  /* The thread ends first: after that nobody triggers the wake-up any more. */
  PRISM_DISPOSE (klass, PrismSession, prism_engine_free, engine);
  PRISM_DISPOSE (klass, PrismSession, prism_wake_up_free, wake_up);
  PRISM_ON_DISPOSE (klass, prism_session_dispose);
  PRISM_DISPOSE (klass, PrismSession, g_object_unref, draft, playback);
  PRISM_FINALIZE (klass, PrismSession, prism_snapshot_unref, snapshot, previous);
  PRISM_FINALIZE (klass, PrismSession, g_free, scene, run_file, moved_from, opening);
  PRISM_FINALIZE (klass, PrismSession, prism_config_free, lent);
  PRISM_FINALIZE (klass, PrismSession, prism_scene_unref, lent_frames);

  PRISM_FIELD (klass, PrismSession, snapshot, PRISM_TYPE_SNAPSHOT, NULL);
  PRISM_FIELD (klass, PrismSession, state, G_TYPE_INT, NULL);
  PRISM_FIELD (klass, PrismSession, on_cpu, G_TYPE_BOOLEAN, NULL);
  PRISM_FIELD (klass, PrismSession, required_bytes, G_TYPE_UINT64, NULL);
  PRISM_FIELD (klass, PrismSession, outdated, G_TYPE_BOOLEAN, NULL);
  prism_property_new (klass, "lent", G_TYPE_BOOLEAN, G_STRUCT_OFFSET (PrismSession, borrowed), NULL,
                      NULL);
  PRISM_FIELD (klass, PrismSession, scene, G_TYPE_STRING, NULL);
  PRISM_FIELD (klass, PrismSession, run_file, G_TYPE_STRING, NULL);
  PRISM_FIELD (klass, PrismSession, opening, G_TYPE_STRING, NULL);
  PRISM_FIELD (klass, PrismSession, stopping, G_TYPE_BOOLEAN, NULL);
  /* The engine has a snapshot: somebody should call prism_session_collect(), on a frame best. */
  prism_signal_new (klass, "pending", 0);
  /* A sentence for the user, whether something failed, and the PrismError it is about or -1. */
  prism_signal_new (klass, "notice", 3, G_TYPE_STRING, G_TYPE_BOOLEAN, G_TYPE_INT);
}

static void
prism_session_init (PrismSession *self)
{
  self->draft = g_object_new (PRISM_TYPE_DRAFT, NULL);
  self->playback = g_object_new (PRISM_TYPE_PLAYBACK, NULL);
  self->asked = -1;
  PRISM_CONNECT (self->draft, "changed", on_draft_changed, self);
  PRISM_CONNECT (self->draft, "display-changed", on_display_changed, self);
  PRISM_CONNECT (self->draft, "notify::problem", prism_session_follow_device, self);
  prism_session_follow_scene (self);
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

  self->engine = prism_engine_new ((PrismEngineNotify) prism_wake_up_trigger, self->wake_up, error);
  if (self->engine == NULL)
    return NULL;
  prism_engine_set_keeps_states (self->engine, TRUE);
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
  prism_draft_load (self->draft, config);
  prism_session_configure (self);
}

/**
 * prism_session_end:
 * @self: a session that is not needed any more
 *
 * Ends the engine and waits until its run is in its file with its last marks, whoever still holds
 * the session.
 */
void
prism_session_end (PrismSession *self)
{
  g_clear_handle_id (&self->apply_id, g_source_remove);
  g_clear_handle_id (&self->window_id, g_source_remove);
  g_signal_handlers_disconnect_by_data (self->draft, self);
  prism_session_drop_marks (self);
  g_clear_pointer (&self->engine, prism_engine_free);
  /* No driver likes to be left in the middle of a question. */
  if (self->asked >= 0)
    prism_registry_find (self->asked);
}

/* Tells what the engine says of a run for the first time; that a device was lost before the run
 * could begin stands in the reason for the one that took its place. What it says of a run after
 * which another was begun comes too late. */
static void
tell_news (PrismSession *self,
           const char *message_before,
           int fallback_before)
{
  PrismSnapshot *snapshot = self->snapshot;
  gboolean failed = snapshot->state == PRISM_STATE_FAILED
                    || (snapshot->error >= 0 && !prism_snapshot_is_vain (snapshot));

  if (snapshot->run < self->n_begun)
    return;
  if (snapshot->message != NULL && g_strcmp0 (message_before, snapshot->message) != 0)
    emit_notice (self, snapshot->message, failed, failed ? snapshot->error : snapshot->fallback);
  else if (snapshot->message == NULL && snapshot->device_reason != NULL && snapshot->fallback >= 0
           && snapshot->fallback != fallback_before)
    emit_notice (self, snapshot->device_reason, FALSE, snapshot->fallback);
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
  g_autoptr (PrismSnapshot) snapshot
      = self->engine != NULL ? prism_engine_collect (self->engine) : NULL;
  g_autofree char *message_before = NULL;
  int fallback_before = self->snapshot != NULL ? self->snapshot->fallback : -1;

  if (snapshot == NULL)
    return FALSE;

  message_before = g_strdup (self->snapshot != NULL && self->snapshot->run >= self->n_begun
                                 ? self->snapshot->message
                                 : NULL);
  prism_session_keep_finest (self, snapshot);
  prism_keep (&self->snapshot, snapshot, prism_snapshot_ref, prism_snapshot_unref);
  prism_playback_set_snapshot (self->playback, snapshot);
  prism_session_follow_run_file (self);
  prism_session_follow_problem (self);
  /* While a run is starting, the engine still reports the one before, and the idle scene that it
   * was configured with. */
  set_state (self, snapshot->run < self->n_begun ? PRISM_STATE_PREPARING : snapshot->state, FALSE);
  prism_session_follow_device (self);
  prism_session_measure_window (self);
  prism_session_follow_scene (self);
  prism_session_measure_marks (self);
  g_object_notify (G_OBJECT (self), "snapshot");
  tell_news (self, message_before, fallback_before);
  return TRUE;
}

/**
 * prism_session_discard_result:
 * @self: a session
 *
 * Shows the scene that is edited in place of a result, which is the previous one then.
 */
void
prism_session_discard_result (PrismSession *self)
{
  if (PRISM_STATE_IS_OVER (self->state) && self->draft->problem == NULL)
    prism_session_configure (self);
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
  const PrismConfig *edited = self->draft->config;
  const PrismConfig *shown = self->snapshot != NULL ? self->snapshot->config : NULL;

  return shown != NULL
         && (prism_session_get_active (self)
                 ? !param->live || !prism_config_keeps_object (edited, shown)
                 : PRISM_STATE_IS_OVER (self->state))
         && prism_config_differs (edited, shown, param);
}

/**
 * prism_session_begin:
 * @self: a session that has told the engine what to do
 *
 * Counts as preparing until the first snapshot of the run comes.
 */
void
prism_session_begin (PrismSession *self)
{
  self->n_begun++;
  set_state (self, PRISM_STATE_PREPARING, TRUE);
  prism_session_follow_scene (self);
}
