#include "config.h"

#include "session/prism-run-names.h"

#include "session/prism-run-item.h"
#include "support/prism-wording.h"

#include <glib/gi18n.h>
#include <string.h>

/* A name with more settings is no name. */
#define MAX_SETTINGS 3

static gboolean
differs (GPtrArray *kind,
         const PrismParam *param)
{
  g_autofree char *first = NULL;

  for (guint i = 0; i < kind->len; i++)
    {
      const PrismConfig *config = prism_run_item_get_config (kind->pdata[i]);
      g_autofree char *other = prism_config_dup_text (config, param);

      if (first == NULL)
        first = g_steal_pointer (&other);
      else if (strcmp (first, other) != 0)
        return TRUE;
    }
  return FALSE;
}

static GPtrArray *
find_differences (GPtrArray *kind)
{
  GPtrArray *found = g_ptr_array_new ();
  gsize n_params;
  const PrismParam *params = prism_config_get_params (&n_params);

  for (gsize i = 0; i < n_params && found->len < MAX_SETTINGS; i++)
    if (!g_str_equal (params[i].group, "picture") && differs (kind, &params[i]))
      g_ptr_array_add (found, (gpointer) &params[i]);
  return found;
}

/* "Aperture radius 12 px, SNR 20 dB", "" where no setting differs. */
static char *
dup_difference (PrismRunItem *item,
                GPtrArray *differences)
{
  g_autoptr (GPtrArray) parts = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < differences->len; i++)
    {
      const PrismParam *param = differences->pdata[i];
      g_autofree char *value = prism_wording_dup_value (prism_run_item_get_config (item), param);

      g_ptr_array_add (parts, g_strdup_printf ("%s %s", gettext (param->label), value));
    }
  g_ptr_array_add (parts, NULL);
  return g_strjoinv (", ", (char **) parts->pdata);
}

static void
name_kind (gpointer key,
           gpointer value,
           gpointer data)
{
  GPtrArray *kind = value;
  g_autoptr (GPtrArray) differences = find_differences (kind);

  for (guint i = 0; i < kind->len; i++)
    {
      g_autofree char *difference = dup_difference (kind->pdata[i], differences);

      prism_run_item_set_difference (kind->pdata[i], difference);
    }
}

/* Keys are the items' own. */
static GHashTable *
sort_by_kind (GListModel *runs)
{
  GHashTable *kinds = g_hash_table_new_full (g_str_hash, g_str_equal, NULL,
                                             (GDestroyNotify) g_ptr_array_unref);

  for (guint i = 0; i < g_list_model_get_n_items (runs); i++)
    {
      g_autoptr (PrismRunItem) item = g_list_model_get_item (runs, i);
      gpointer key = (gpointer) prism_run_item_get_kind (item);
      GPtrArray *kind = g_hash_table_lookup (kinds, key);

      if (kind == NULL)
        {
          kind = g_ptr_array_new_with_free_func (g_object_unref);
          g_hash_table_insert (kinds, key, kind);
        }
      g_ptr_array_add (kind, g_steal_pointer (&item));
    }
  return kinds;
}

/**
 * prism_run_names_update:
 * @runs: of PrismRunItem
 *
 * Names each by the settings that tell it from the others of its kind.
 */
void
prism_run_names_update (GListModel *runs)
{
  g_autoptr (GHashTable) kinds = sort_by_kind (runs);

  g_hash_table_foreach (kinds, name_kind, NULL);
}
