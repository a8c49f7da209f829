#include "config.h"

#include "window/prism-window-private.h"

#include "support/prism-settings.h"
#include "window/prism-arrangement.h"

/* How the panels stand: one of a few arrangements, each with charts and gaps of its own, which are
 * remembered from one session to the next. */

/* {'teach': ['losses', 'quality', 'frc', 'cache']}, as it is remembered. */
static GVariant *
load_charts (void)
{
  g_autofree char *text = NULL;
  GVariant *value = NULL;

  g_object_get (prism_settings_get_default (), "panel-charts", &text, NULL);
  if (text != NULL && *text != '\0')
    value = g_variant_parse (G_VARIANT_TYPE ("a{sas}"), text, NULL, NULL, NULL);
  if (value == NULL)
    value = g_variant_ref_sink (g_variant_new_array (G_VARIANT_TYPE ("{sas}"), NULL, 0));
  return value;
}

static const PrismArrangement *
get_arrangement (void)
{
  g_autofree char *id = NULL;

  g_object_get (prism_settings_get_default (), "arrangement", &id, NULL);
  return prism_arrangement_find (id);
}

/* All arrangements but one, as they are remembered. */
static void
copy_others (GVariantBuilder *builder,
             const char *id)
{
  g_autoptr (GVariant) before = load_charts ();

  for (gsize i = 0; i < g_variant_n_children (before); i++)
    {
      g_autoptr (GVariant) value = NULL;
      g_autofree char *key = NULL;

      g_variant_get_child (before, i, "{s@as}", &key, &value);
      if (!g_str_equal (key, id))
        g_variant_builder_add (builder, "{s@as}", key, value);
    }
}

/* What the charts show now belongs to the arrangement. */
static void
keep_charts (PrismWindow *self)
{
  const char *id = get_arrangement ()->id;
  char *quantities[PRISM_ARRANGEMENT_CHARTS + 1] = { NULL };
  g_autoptr (GVariant) all = NULL;
  g_autofree char *text = NULL;
  GVariantBuilder builder;

  if (self->arranging)
    return;
  for (guint i = 0; i < PRISM_ARRANGEMENT_CHARTS; i++)
    g_object_get (prism_dashboard_get_chart (self->dashboard, i), "quantity", &quantities[i],
                  NULL);
  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a{sas}"));
  copy_others (&builder, id);
  g_variant_builder_add (&builder, "{s^as}", id, quantities);
  all = g_variant_ref_sink (g_variant_builder_end (&builder));
  text = g_variant_print (all, FALSE);
  g_object_set (prism_settings_get_default (), "panel-charts", text, NULL);
  for (guint i = 0; i < PRISM_ARRANGEMENT_CHARTS; i++)
    g_free (quantities[i]);
}

static void
show_charts (PrismWindow *self)
{
  const PrismArrangement *arrangement = get_arrangement ();
  g_autoptr (GVariant) all = load_charts ();
  g_autoptr (GVariant) value
      = g_variant_lookup_value (all, arrangement->id, G_VARIANT_TYPE_STRING_ARRAY);
  g_autofree const char **quantities = value != NULL ? g_variant_get_strv (value, NULL) : NULL;
  gboolean kept = value != NULL && g_variant_n_children (value) == PRISM_ARRANGEMENT_CHARTS;

  self->arranging = TRUE;
  for (guint i = 0; i < PRISM_ARRANGEMENT_CHARTS; i++)
    g_object_set (prism_dashboard_get_chart (self->dashboard, i), "quantity",
                  kept ? quantities[i] : arrangement->quantities[i], NULL);
  self->arranging = FALSE;
}

/* A panel that is shown alone would hide what has been chosen. */
static void
on_arrangement (GSimpleAction *action,
                GVariant *value,
                gpointer data)
{
  PrismWindow *self = data;
  const char *id = prism_arrangement_find (g_variant_get_string (value, NULL))->id;

  g_simple_action_set_state (action, g_variant_new_string (id));
  g_object_set (prism_settings_get_default (), "arrangement", id, NULL);
  show_charts (self);
  prism_dashboard_restore (self->dashboard);
}

static void
on_reset_layout (GSimpleAction *action,
                 GVariant *parameter,
                 gpointer data)
{
  g_object_set (prism_settings_get_default (), "panel-lines", "", "panel-charts", "", NULL);
  show_charts (data);
}

/**
 * prism_window_install_layout:
 * @self: a window that has its dashboard
 *
 * Adds the actions that choose how the panels stand, and takes up what is remembered.
 */
void
prism_window_install_layout (PrismWindow *self)
{
  static const GActionEntry entries[] = {
    { "arrangement", NULL, "s", "'explore'", on_arrangement },
    { "reset-layout", on_reset_layout },
  };
  const GBindingFlags flags = G_BINDING_BIDIRECTIONAL | G_BINDING_SYNC_CREATE;
  PrismSettings *settings = prism_settings_get_default ();
  PrismPanelGrid *grid = prism_dashboard_get_grid (self->dashboard);

  g_action_map_add_action_entries (G_ACTION_MAP (self), entries, G_N_ELEMENTS (entries), self);
  g_simple_action_set_state (
      G_SIMPLE_ACTION (g_action_map_lookup_action (G_ACTION_MAP (self), "arrangement")),
      g_variant_new_string (get_arrangement ()->id));
  g_object_bind_property (settings, "arrangement", grid, "arrangement", flags);
  g_object_bind_property (settings, "panel-lines", grid, "lines", flags);
  show_charts (self);
  for (guint i = 0; i < PRISM_ARRANGEMENT_CHARTS; i++)
    g_signal_connect_object (prism_dashboard_get_chart (self->dashboard, i), "notify::quantity",
                             G_CALLBACK (keep_charts), self, G_CONNECT_SWAPPED);
}
