#include "config.h"

#include "session/prism-last-run.h"

#include "prism-scale.h"
#include "session/prism-run-diff.h"

G_DEFINE_FINAL_TYPE (PrismLastRun, prism_last_run, G_TYPE_OBJECT)

/* “+2.31 dB, 44.8 → 47.1 dB”: what is cut off in a narrow window is at the end. */
static char *
dup_effect (const PrismSnapshot *before,
            const PrismSnapshot *after)
{
  g_autofree char *effect = prism_run_diff_dup_effect (before, after);

  if (effect == NULL)
    return g_strdup ("…");
  if (after == NULL || !isfinite (before->metrics.psnr) || !isfinite (after->metrics.psnr))
    return g_steal_pointer (&effect);
  return prism_ticks_take_minus (g_strdup_printf (
      _ ("%+.2f dB, %s"), after->metrics.psnr - before->metrics.psnr, effect));
}

static char *
dup_text (PrismLastRun *self)
{
  PrismSnapshot *newest = self->session->snapshot;
  g_autofree char *change = NULL;
  g_autofree char *effect = NULL;

  if (self->last == NULL || self->last->config == NULL || newest == NULL || newest->config == NULL)
    return NULL;
  change = prism_run_diff_dup_text (self->session, self->last->config, newest->config);
  effect = dup_effect (self->last, self->live ? NULL : newest);
  return g_strdup_printf ("%s: %s", change != NULL ? change : _ ("Same settings"), effect);
}

/* Between two runs the screen shows a scene, which nothing can be held against. */
static void
update_available (PrismLastRun *self)
{
  gboolean available
      = self->last != NULL && self->session->state != PRISM_STATE_IDLE;

  if (available == self->available)
    return;
  self->available = available;
  g_object_notify (G_OBJECT (self), "available");
}

/* A run that goes on has no result yet; its numbers are on the status bar. */
static void
follow (PrismLastRun *self)
{
  PrismSnapshot *last = self->session->previous;
  PrismSnapshot *newest = self->session->snapshot;
  PrismState state = self->session->state;
  gboolean live = state != PRISM_STATE_FINISHED && state != PRISM_STATE_STOPPED;
  g_autoptr (PrismSnapshot) before = NULL;
  g_autofree char *text = NULL;

  /* A run of another object is nothing to hold this one against. */
  if (last != NULL && last->config != NULL && newest != NULL && newest->config != NULL
      && !prism_config_keeps_object (last->config, newest->config))
    last = NULL;
  if (last == self->last && live && self->live)
    {
      update_available (self);
      return;
    }
  before = self->last;
  self->last = prism_snapshot_ref (last);
  self->live = live;
  text = self->text;
  self->text = dup_text (self);
  if (g_strcmp0 (text, self->text) != 0)
    g_object_notify (G_OBJECT (self), "text");
  update_available (self);
  if (last != before && self->active)
    g_object_notify (G_OBJECT (self), "snapshot");
}

static PrismSnapshot *
get_snapshot (PrismLastRun *self)
{
  return self->active ? self->last : NULL;
}

static void
notify_snapshot (PrismLastRun *self)
{
  g_object_notify (G_OBJECT (self), "snapshot");
}

static void
prism_last_run_class_init (PrismLastRunClass *klass)
{
  PRISM_FINALIZE (klass, PrismLastRun, g_object_unref, session);
  PRISM_FINALIZE (klass, PrismLastRun, prism_snapshot_unref, last);
  PRISM_FINALIZE (klass, PrismLastRun, g_free, text);
  PRISM_FIELD (klass, PrismLastRun, active, G_TYPE_BOOLEAN, notify_snapshot);
  PRISM_FIELD (klass, PrismLastRun, available, G_TYPE_BOOLEAN, NULL);
  prism_property_new (klass, "snapshot", PRISM_TYPE_SNAPSHOT, 0, get_snapshot, NULL);
  PRISM_FIELD (klass, PrismLastRun, text, G_TYPE_STRING, NULL);
}

static void
prism_last_run_init (PrismLastRun *self)
{
}

/**
 * prism_last_run_new:
 * @session: whose runs
 *
 * Returns: (transfer full): what knows the run before the one on the screen
 */
PrismLastRun *
prism_last_run_new (PrismSession *session)
{
  PrismLastRun *self = g_object_new (PRISM_TYPE_LAST_RUN, NULL);

  self->session = g_object_ref (session);
  PRISM_CONNECT (session, "notify::snapshot", follow, self);
  PRISM_CONNECT (session, "notify::state", follow, self);
  follow (self);
  return self;
}
