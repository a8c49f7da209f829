#include "config.h"

#include "session/prism-follow.h"

#include "session/prism-run-diff.h"

/* A change after a rest starts a run at once. In a stream of them the next one waits until it rests
 * again, but not longer than this: a slider that is pulled shows something on its way. */
#define REST (60 * G_TIME_SPAN_MILLISECOND)
#define LONGEST (500 * G_TIME_SPAN_MILLISECOND)
/* Of computing: what has taken longer is not thrown away for a value. */
#define KEPT_AFTER 10.0 /* s */

G_DEFINE_FINAL_TYPE (PrismFollow, prism_follow, G_TYPE_OBJECT)

static void
set_text (PrismFollow *self,
          char *text)
{
  g_autofree char *before = self->text;

  self->text = text;
  if (g_strcmp0 (before, text) != 0)
    g_object_notify (G_OBJECT (self), "text");
}

static void
set_held (PrismFollow *self,
          PrismSnapshot *held)
{
  g_autoptr (PrismSnapshot) before = self->held;

  self->held = prism_snapshot_ref (held);
  if (before != held)
    g_object_notify (G_OBJECT (self), "held");
}

static void
set_taken (PrismFollow *self,
           const PrismConfig *config)
{
  prism_keep (&self->taken, config, prism_config_dup, prism_config_free);
}

/* A new picture takes the place of the one before when a quarter of the positions has gone into it:
 * half of the final resolution. Passes without a decoder put all of them into it at once. One that
 * begins anew, to train, has been through all of them. */
static gboolean
is_worth_looking_at (const PrismSnapshot *snapshot)
{
  if (snapshot->reconstruction == NULL)
    return FALSE;
  if (snapshot->state != PRISM_STATE_RUNNING || snapshot->training == PRISM_TRAINING_NEEDED)
    return TRUE;
  return 4 * snapshot->n_visited >= snapshot->n_samples
         && (snapshot->pass > 0 || prism_config_trains (snapshot->config));
}

static gboolean
is_change (PrismFollow *self)
{
  return self->taken != NULL
         && prism_run_diff_is_any (self->session, self->taken,
                                   self->session->draft->config);
}

/* What happens to the change, beside the picture: it waits, or a run with it is under way. */
static void
tell_of_change (PrismFollow *self,
                gboolean waits)
{
  const PrismConfig *config = self->session->draft->config;
  const PrismConfig *before = self->base != NULL ? self->base->config : self->taken;
  g_autofree char *change = prism_run_diff_dup_text (self->session, before, config);
  g_autofree char *effect
      = self->base != NULL && prism_config_keeps_object (before, config)
            ? prism_run_diff_dup_effect (self->base, NULL)
            : NULL;

  if (change == NULL)
    set_text (self, NULL);
  else if (waits)
    set_text (self, g_strdup_printf (_ ("%s: waits until the run under way is over"), change));
  else
    set_text (self, g_strdup_printf ("%s: %s", change, effect != NULL ? effect : "…"));
}

/* A value that the run takes up while it is under way is no reason for another one. */
static void
take_up_live (PrismFollow *self,
              const PrismConfig *config)
{
  PRISM_FOR_EACH_PARAM (param)
    if (param->live && self->taken != NULL)
      prism_config_copy (self->taken, config, param);
}

static void
take_up_change (PrismFollow *self)
{
  if (!self->active || self->blocked || self->session->draft->problem != NULL
      || !is_change (self))
    return;
  if (!prism_session_get_active (self->session) || self->session->passing)
    {
      set_taken (self, self->session->draft->config);
      if (prism_session_run_passing (self->session))
        tell_of_change (self, FALSE);
      return;
    }
  /* A run of the user's own, or one that has taken long, is not ended for a value. */
  take_up_live (self, self->session->draft->config);
  if (is_change (self))
    tell_of_change (self, TRUE);
}

static void
plan (PrismFollow *self,
      gint64 due)
{
  gint64 now = g_get_monotonic_time ();

  if (!self->active)
    return;
  self->due = due;
  prism_later (&self->timer, (guint) (MAX (due - now, 1000) / 1000), take_up_change, self);
}

/* Looks whether there is a change that could not be taken up before. */
static void
look_again (PrismFollow *self)
{
  if (self->timer == 0)
    plan (self, g_get_monotonic_time ());
}

/* One timer, which each further change of a stream sets anew: nothing queues up. */
static void
on_draft_changed (PrismFollow *self)
{
  gint64 now = g_get_monotonic_time ();
  gboolean rested = now - self->changed >= REST;

  self->changed = now;
  if (self->timer != 0 && self->due <= now)
    return;
  if (self->timer == 0)
    self->waiting_since = now;
  plan (self, rested ? now : MIN (now + REST, self->waiting_since + LONGEST));
}

/* A run has come to its end. */
static void
conclude (PrismFollow *self,
          PrismSnapshot *snapshot)
{
  PrismSnapshot *base = self->base;
  g_autofree char *change
      = base != NULL ? prism_run_diff_dup_text (self->session, base->config, snapshot->config)
                     : NULL;
  g_autofree char *effect
      = base != NULL && prism_config_keeps_object (base->config, snapshot->config)
            ? prism_run_diff_dup_effect (base, snapshot)
            : NULL;

  if (self->active && change != NULL)
    set_text (self, effect != NULL ? g_strdup_printf ("%s: %s", change, effect)
                                   : g_strdup (change));
  else
    set_text (self, NULL);
  g_clear_pointer (&self->base, prism_snapshot_unref);
  self->base = prism_snapshot_dup_parts (snapshot, PRISM_SNAPSHOT_NUMBERS);
}

static void
on_state_changed (PrismFollow *self)
{
  PrismSnapshot *snapshot = self->session->snapshot;

  switch (self->session->state)
    {
    case PRISM_STATE_PREPARING:
      if (!self->session->passing && !self->session->borrowed)
        set_taken (self, self->session->draft->config);
      /* The picture on the screen stays for the run that begins. */
      if (self->active && self->held == NULL && snapshot != NULL && is_worth_looking_at (snapshot))
        set_held (self, snapshot);
      break;
    case PRISM_STATE_PAUSED:
      /* Somebody wants to look at it. */
      if (self->session->passing)
        prism_session_keep_run (self->session);
      break;
    case PRISM_STATE_FINISHED:
    case PRISM_STATE_STOPPED:
      conclude (self, snapshot);
      if (!self->session->passing && !self->session->borrowed)
        take_up_live (self, snapshot->config);
      look_again (self);
      break;
    case PRISM_STATE_FAILED:
      set_text (self, NULL);
      look_again (self);
      break;
    case PRISM_STATE_IDLE:
      set_held (self, NULL);
      set_text (self, NULL);
      break;
    case PRISM_STATE_RUNNING:
      break;
    }
}

static void
on_snapshot_changed (PrismFollow *self)
{
  PrismSnapshot *snapshot = self->session->snapshot;

  if (self->session->state == PRISM_STATE_PREPARING)
    return;
  /* Who pauses or ends a run wants to see how far it has come. */
  if (is_worth_looking_at (snapshot) || snapshot->state == PRISM_STATE_PAUSED
      || snapshot->state == PRISM_STATE_STOPPED || snapshot->state == PRISM_STATE_FINISHED)
    set_held (self, NULL);
  if (self->session->passing && prism_session_get_active (self->session)
      && snapshot->seconds > KEPT_AFTER)
    prism_session_keep_run (self->session);
}

static void
update_active (PrismFollow *self)
{
  if (!self->active)
    {
      g_clear_handle_id (&self->timer, g_source_remove);
      set_text (self, NULL);
      /* A run that is under way goes on, as one of the user's own. */
      if (!prism_session_get_active (self->session))
        set_held (self, NULL);
      else if (self->session->passing)
        prism_session_keep_run (self->session);
    }
  else
    {
      /* A result of other values than those that are edited is followed up at once. */
      if (self->session->state == PRISM_STATE_IDLE
          || self->session->borrowed || self->taken == NULL)
        set_taken (self, self->session->draft->config);
      look_again (self);
    }
}

static void
prism_follow_class_init (PrismFollowClass *klass)
{
  PRISM_DISPOSE (klass, PrismFollow, g_source_remove, timer);
  PRISM_DISPOSE (klass, PrismFollow, g_object_unref, session);
  PRISM_FINALIZE (klass, PrismFollow, prism_config_free, taken);
  PRISM_FINALIZE (klass, PrismFollow, prism_snapshot_unref, base, held);
  PRISM_FINALIZE (klass, PrismFollow, g_free, text);

  PRISM_FIELD (klass, PrismFollow, active, G_TYPE_BOOLEAN, update_active);
  PRISM_FIELD (klass, PrismFollow, held, PRISM_TYPE_SNAPSHOT, NULL);
  PRISM_FIELD (klass, PrismFollow, text, G_TYPE_STRING, NULL);
}

static void
prism_follow_init (PrismFollow *self)
{
}

/**
 * prism_follow_new:
 * @session: whose values and runs
 *
 * Returns: (transfer full): what follows its changes, when it is active
 */
PrismFollow *
prism_follow_new (PrismSession *session)
{
  PrismFollow *self = g_object_new (PRISM_TYPE_FOLLOW, NULL);

  self->session = g_object_ref (session);
  PRISM_CONNECT (session->draft, "changed", on_draft_changed, self);
  PRISM_CONNECT (session, "notify::state", on_state_changed, self);
  PRISM_CONNECT (session, "notify::snapshot", on_snapshot_changed, self);
  return self;
}

/**
 * prism_follow_set_blocked:
 * @self: what follows changes
 * @blocked: whether a run would be in the way
 *
 * Holds changes back; those that came meanwhile are followed afterwards.
 */
void
prism_follow_set_blocked (PrismFollow *self,
                          gboolean blocked)
{
  if (self->blocked == blocked)
    return;
  self->blocked = blocked;
  if (!blocked)
    look_again (self);
}
