#include "config.h"

#include "session/prism-run-item.h"

#include <glib/gi18n.h>
#include <math.h>

struct _PrismRunItem
{
  GObject parent_instance;

  char *name;
  char *kind;       /* what it would be called like others */
  char *shown_name; /* (nullable): says what tells it from them */
  PrismConfig *config;
  PrismResult *result; /* (nullable) */
  PrismRunStatus status;
  gboolean shown;
};

enum
{
  PROP_0,
  PROP_NAME,
  PROP_STATUS,
  PROP_SHOWN,
  PROP_DONE,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (PrismRunItem, prism_run_item, G_TYPE_OBJECT)

/* A run whose picture nobody can, or could yet, compare with an object. */
static char *
dup_unmeasured (const PrismResult *result)
{
  const PrismSnapshot *snapshot = result->snapshot;
  gboolean stopped = snapshot->state == PRISM_STATE_STOPPED;

  if (prism_result_has_held_out (result))
    return g_strdup_printf (stopped ? _ ("Misfit %.4f, stopped early") : _ ("Misfit %.4f"),
                            snapshot->misfit);
  if (snapshot->has_no_target)
    return g_strdup (stopped ? _ ("Stopped early, no target") : _ ("Finished, no target"));
  return g_strdup (stopped ? _ ("Stopped early") : _ ("Finished"));
}

static char *
dup_status (PrismRunItem *self)
{
  switch (self->status)
    {
    case PRISM_RUN_WAITING:
      return g_strdup (_ ("Waiting"));
    case PRISM_RUN_UNDER_WAY:
      return g_strdup (_ ("Running…"));
    case PRISM_RUN_FAILED:
      return g_strdup (_ ("Failed"));
    case PRISM_RUN_DONE:
    default:
      break;
    }
  if (self->result == NULL)
    return g_strdup (_ ("Finished"));
  if (!isfinite (self->result->snapshot->metrics.psnr))
    return dup_unmeasured (self->result);
  if (self->result->snapshot->state == PRISM_STATE_STOPPED)
    return g_strdup_printf (_ ("%.2f dB, stopped early"), self->result->snapshot->metrics.psnr);
  return g_strdup_printf (_ ("%.2f dB"), self->result->snapshot->metrics.psnr);
}

static void
prism_run_item_get_property (GObject *object,
                             guint id,
                             GValue *value,
                             GParamSpec *pspec)
{
  PrismRunItem *self = PRISM_RUN_ITEM (object);

  switch (id)
    {
    case PROP_NAME:
      g_value_set_string (value, prism_run_item_get_name (self));
      break;
    case PROP_STATUS:
      g_value_take_string (value, dup_status (self));
      break;
    case PROP_SHOWN:
      g_value_set_boolean (value, self->shown);
      break;
    case PROP_DONE:
      g_value_set_boolean (value, self->result != NULL);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
prism_run_item_set_property (GObject *object,
                             guint id,
                             const GValue *value,
                             GParamSpec *pspec)
{
  PrismRunItem *self = PRISM_RUN_ITEM (object);

  switch (id)
    {
    case PROP_SHOWN:
      if (self->shown == g_value_get_boolean (value))
        return;
      self->shown = g_value_get_boolean (value);
      g_object_notify_by_pspec (object, pspec);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
prism_run_item_finalize (GObject *object)
{
  PrismRunItem *self = PRISM_RUN_ITEM (object);

  g_free (self->name);
  g_free (self->kind);
  g_free (self->shown_name);
  prism_config_free (self->config);
  g_clear_pointer (&self->result, prism_result_unref);
  G_OBJECT_CLASS (prism_run_item_parent_class)->finalize (object);
}

static void
prism_run_item_class_init (PrismRunItemClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags flags = G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS;

  object_class->get_property = prism_run_item_get_property;
  object_class->set_property = prism_run_item_set_property;
  object_class->finalize = prism_run_item_finalize;
  properties[PROP_NAME]
      = g_param_spec_string ("name", NULL, NULL, NULL, flags | G_PARAM_READABLE);
  properties[PROP_STATUS]
      = g_param_spec_string ("status", NULL, NULL, NULL, flags | G_PARAM_READABLE);
  properties[PROP_SHOWN]
      = g_param_spec_boolean ("shown", NULL, NULL, TRUE, flags | G_PARAM_READWRITE);
  properties[PROP_DONE]
      = g_param_spec_boolean ("done", NULL, NULL, FALSE, flags | G_PARAM_READABLE);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
prism_run_item_init (PrismRunItem *self)
{
  self->shown = TRUE;
}

/**
 * prism_run_item_new:
 * @name: what the user reads
 * @kind: what it shares with runs that are told apart by their settings
 * @config: of the run
 *
 * Returns: (transfer full): a run that waits
 */
PrismRunItem *
prism_run_item_new (const char *name,
                    const char *kind,
                    const PrismConfig *config)
{
  PrismRunItem *self = g_object_new (PRISM_TYPE_RUN_ITEM, NULL);

  self->name = g_strdup (name);
  self->kind = g_strdup (kind);
  self->config = prism_config_dup (config);
  return self;
}

/**
 * prism_run_item_get_name:
 * @self: a run
 *
 * Returns: (transfer none): what the user reads
 */
const char *
prism_run_item_get_name (PrismRunItem *self)
{
  return self->shown_name != NULL ? self->shown_name : self->name;
}

/**
 * prism_run_item_get_kind:
 * @self: a run
 *
 * Returns: (transfer none): what it shares with runs that are told apart by their settings
 */
const char *
prism_run_item_get_kind (PrismRunItem *self)
{
  return self->kind;
}

/**
 * prism_run_item_set_difference:
 * @self: a run
 * @difference: the settings that tell it from others of its kind, "" for none
 *
 * Says them in its name.
 */
void
prism_run_item_set_difference (PrismRunItem *self,
                               const char *difference)
{
  g_autofree char *old = g_steal_pointer (&self->shown_name);

  if (*difference != '\0')
    self->shown_name = g_strdup_printf ("%s, %s", self->name, difference);
  if (g_strcmp0 (old, self->shown_name) != 0)
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_NAME]);
}

/**
 * prism_run_item_get_config:
 * @self: a run
 *
 * Returns: (transfer none): its configuration
 */
const PrismConfig *
prism_run_item_get_config (PrismRunItem *self)
{
  return self->config;
}

/**
 * prism_run_item_get_status:
 * @self: a run
 *
 * Returns: how far it is
 */
PrismRunStatus
prism_run_item_get_status (PrismRunItem *self)
{
  return self->status;
}

/**
 * prism_run_item_set_status:
 * @self: a run
 * @status: how far it is
 *
 * Takes note of how far it is.
 */
void
prism_run_item_set_status (PrismRunItem *self,
                           PrismRunStatus status)
{
  if (self->status == status)
    return;
  self->status = status;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_STATUS]);
}

/**
 * prism_run_item_get_result:
 * @self: a run
 *
 * Returns: (transfer none) (nullable): what it came to
 */
PrismResult *
prism_run_item_get_result (PrismRunItem *self)
{
  return self->result;
}

/**
 * prism_run_item_set_result:
 * @self: a run
 * @result: what it came to
 *
 * Takes the result: the run is done.
 */
void
prism_run_item_set_result (PrismRunItem *self,
                           PrismResult *result)
{
  prism_result_ref (result);
  g_clear_pointer (&self->result, prism_result_unref);
  self->result = result;
  self->status = PRISM_RUN_DONE;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_STATUS]);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_DONE]);
}

/**
 * prism_run_item_get_shown:
 * @self: a run
 *
 * Returns: whether it takes part in the comparison
 */
gboolean
prism_run_item_get_shown (PrismRunItem *self)
{
  return self->shown;
}
