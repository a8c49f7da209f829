#include "config.h"

#include "session/prism-run-list.h"

#include "support/prism-wording.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

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
      g_value_set_string (value, self->name);
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
  g_free (self->own_name);
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
 * @own_name: (nullable) (transfer full): number or file, which no other run has; none before it
 *   has begun
 * @kind: what it shares with runs that are told apart by their settings
 * @config: of the run
 *
 * Returns: (transfer full): a run that waits
 */
PrismRunItem *
prism_run_item_new (char *own_name,
                    const char *kind,
                    const PrismConfig *config)
{
  PrismRunItem *self = g_object_new (PRISM_TYPE_RUN_ITEM, NULL);

  self->name = g_strdup (kind);
  self->own_name = own_name;
  self->kind = g_strdup (kind);
  self->config = prism_config_dup (config);
  return self;
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

static gboolean
differs (const GPtrArray *kind,
         const PrismParam *param)
{
  const PrismRunItem *first = kind->pdata[0];

  for (guint i = 1; i < kind->len; i++)
    if (prism_config_differs (first->config, ((PrismRunItem *) kind->pdata[i])->config, param))
      return TRUE;
  return FALSE;
}

/* "1 · Radius 12 px, SNR 20 dB", with "Moon, PRISM" first where that does not go without saying. */
static void
name (PrismRunItem *self,
      const GPtrArray *differences,
      gboolean of_several)
{
  g_autofree char *old = self->name;
  g_autoptr (GString) text = g_string_new (self->own_name);

  if (self->own_name != NULL)
    g_string_append (text, " · ");
  if (of_several || differences->len == 0)
    g_string_append_printf (text, "%s%s", self->kind, differences->len > 0 ? ", " : "");
  for (guint i = 0; i < differences->len; i++)
    {
      const PrismParam *param = differences->pdata[i];
      g_autofree char *value = prism_wording_dup_value (self->config, param);

      g_string_append_printf (text, "%s%s %s", i > 0 ? ", " : "", gettext (param->label), value);
    }
  self->name = g_strdup (text->str);
  if (g_strcmp0 (old, self->name) != 0)
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_NAME]);
}

static void
name_kind (gpointer key,
           gpointer value,
           gpointer data)
{
  const GPtrArray *kind = value;
  g_autoptr (GPtrArray) differences = g_ptr_array_new ();

  PRISM_FOR_EACH_PARAM (param)
    if (!g_str_equal (param->group, "picture")
        && differs (kind, param))
      g_ptr_array_add (differences, (gpointer) param);
  for (guint i = 0; i < kind->len; i++)
    name (kind->pdata[i], differences, GPOINTER_TO_INT (data));
}

/**
 * prism_run_item_name_all:
 * @runs: of PrismRunItem
 *
 * Names each by the settings that tell it from the others of its kind.
 */
void
prism_run_item_name_all (GListModel *runs)
{
  /* Keys are the items' own. */
  g_autoptr (GHashTable) kinds = g_hash_table_new_full (g_str_hash, g_str_equal, NULL,
                                                        (GDestroyNotify) g_ptr_array_unref);

  for (guint i = 0; i < g_list_model_get_n_items (runs); i++)
    {
      g_autoptr (PrismRunItem) item = g_list_model_get_item (runs, i);
      GPtrArray *kind = g_hash_table_lookup (kinds, item->kind);

      if (kind == NULL)
        {
          kind = g_ptr_array_new_with_free_func (g_object_unref);
          g_hash_table_insert (kinds, item->kind, kind);
        }
      g_ptr_array_add (kind, g_steal_pointer (&item));
    }
  g_hash_table_foreach (kinds, name_kind, GINT_TO_POINTER (g_hash_table_size (kinds) > 1));
}
