#include "config.h"

#include "session/prism-rival.h"

#include "session/prism-run-diff.h"
#include "support/prism-class.h"

#include <glib/gi18n.h>
#include <math.h>

struct _PrismRival
{
  GObject parent_instance;

  PrismSession *session;
  PrismSnapshot *last; /* (nullable): result of the run before the one on the screen */
  gboolean active;
  gboolean available;
  gboolean live; /* the text says that the run on the screen is not over */
  char *text;    /* (nullable) */
};

enum
{
  PROP_0,
  PROP_ACTIVE,
  PROP_AVAILABLE,
  PROP_SNAPSHOT,
  PROP_TEXT,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (PrismRival, prism_rival, G_TYPE_OBJECT)

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
  return g_strdup_printf (_ ("%+.2f dB, %s"), after->metrics.psnr - before->metrics.psnr, effect);
}

static char *
dup_text (PrismRival *self)
{
  PrismSnapshot *newest = prism_session_get_snapshot (self->session);
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
update_available (PrismRival *self)
{
  gboolean available
      = self->last != NULL && prism_session_get_state (self->session) != PRISM_STATE_IDLE;

  if (available == self->available)
    return;
  self->available = available;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_AVAILABLE]);
}

/* A run that goes on has no result yet; its numbers are on the status bar. */
static void
follow (PrismRival *self)
{
  PrismSnapshot *last = prism_session_get_previous (self->session);
  PrismSnapshot *newest = prism_session_get_snapshot (self->session);
  PrismState state = prism_session_get_state (self->session);
  gboolean live = state != PRISM_STATE_FINISHED && state != PRISM_STATE_STOPPED;
  g_autoptr (PrismSnapshot) before = NULL;
  g_autofree char *text = NULL;

  /* A run of another object is nothing to hold this one against. */
  if (last != NULL && last->config != NULL && newest != NULL && newest->config != NULL
      && !prism_run_diff_keeps_object (last->config, newest->config))
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
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_TEXT]);
  update_available (self);
  if (last != before && self->active)
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_SNAPSHOT]);
}

static void
prism_rival_get_property (GObject *object,
                          guint id,
                          GValue *value,
                          GParamSpec *pspec)
{
  PrismRival *self = PRISM_RIVAL (object);

  switch (id)
    {
    case PROP_ACTIVE:
      g_value_set_boolean (value, self->active);
      break;
    case PROP_AVAILABLE:
      g_value_set_boolean (value, self->available);
      break;
    case PROP_SNAPSHOT:
      g_value_set_boxed (value, self->active ? self->last : NULL);
      break;
    case PROP_TEXT:
      g_value_set_string (value, self->text);
      break;
    }
}

static void
prism_rival_set_property (GObject *object,
                          guint id,
                          const GValue *value,
                          GParamSpec *pspec)
{
  PrismRival *self = PRISM_RIVAL (object);

  if (self->active != g_value_get_boolean (value))
    {
      self->active = g_value_get_boolean (value);
      g_object_notify_by_pspec (object, pspec);
      g_object_notify_by_pspec (object, properties[PROP_SNAPSHOT]);
    }
}

static void
prism_rival_class_init (PrismRivalClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags flags = G_PARAM_READABLE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS;

  object_class->get_property = prism_rival_get_property;
  object_class->set_property = prism_rival_set_property;
  PRISM_FINALIZE (klass, PrismRival, g_object_unref, session);
  PRISM_FINALIZE (klass, PrismRival, prism_snapshot_unref, last);
  PRISM_FINALIZE (klass, PrismRival, g_free, text);
  properties[PROP_ACTIVE]
      = g_param_spec_boolean ("active", NULL, NULL, FALSE, flags | G_PARAM_WRITABLE);
  properties[PROP_AVAILABLE] = g_param_spec_boolean ("available", NULL, NULL, FALSE, flags);
  properties[PROP_SNAPSHOT]
      = g_param_spec_boxed ("snapshot", NULL, NULL, PRISM_TYPE_SNAPSHOT, flags);
  properties[PROP_TEXT] = g_param_spec_string ("text", NULL, NULL, NULL, flags);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
prism_rival_init (PrismRival *self)
{
}

/**
 * prism_rival_new:
 * @session: whose runs
 *
 * Returns: (transfer full): what knows the run before the one on the screen
 */
PrismRival *
prism_rival_new (PrismSession *session)
{
  PrismRival *self = g_object_new (PRISM_TYPE_RIVAL, NULL);

  self->session = g_object_ref (session);
  g_signal_connect_object (session, "notify::snapshot", G_CALLBACK (follow), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notify::state", G_CALLBACK (follow), self,
                           G_CONNECT_SWAPPED);
  follow (self);
  return self;
}
