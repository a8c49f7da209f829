#include "config.h"

#include "window/prism-window-private.h"

#include "handbook/prism-handbook-window.h"

static PrismHandbookWindow *
ensure_handbook (PrismWindow *self)
{
  if (self->handbook != NULL)
    return PRISM_HANDBOOK_WINDOW (self->handbook);
  self->handbook = GTK_WINDOW (prism_handbook_window_new ());
  g_object_add_weak_pointer (G_OBJECT (self->handbook), (gpointer *) &self->handbook);
  gtk_window_set_transient_for (self->handbook, GTK_WINDOW (self));
  gtk_window_set_destroy_with_parent (self->handbook, TRUE);
  return PRISM_HANDBOOK_WINDOW (self->handbook);
}

/* The section that a panel's topic names, with the panel as it is now. */
static void
explain (PrismWindow *self,
         PrismPanel *panel)
{
  PrismHandbookWindow *handbook = ensure_handbook (self);
  GtkWidget *child = panel != NULL ? prism_panel_get_child (panel) : NULL;
  g_autoptr (GdkPaintable) live = child != NULL ? gtk_widget_paintable_new (child) : NULL;
  g_autoptr (GdkPaintable) picture = live != NULL ? gdk_paintable_get_current_image (live) : NULL;

  if (panel == NULL
      || !prism_handbook_window_show (handbook, "why", prism_panel_get_topic (panel), picture))
    prism_handbook_window_show (handbook, "user-guide", NULL, NULL);
  gtk_window_present (GTK_WINDOW (handbook));
}

static void
on_why (GSimpleAction *action,
        GVariant *parameter,
        gpointer data)
{
  PrismWindow *self = data;
  const char *id = g_variant_get_string (parameter, NULL);

  explain (self, prism_dashboard_get_panel (self->dashboard, id));
}

/* F1: of the panel that has the focus. */
static void
on_help (GSimpleAction *action,
         GVariant *parameter,
         gpointer data)
{
  GtkWidget *focus = gtk_window_get_focus (GTK_WINDOW (data));
  GtkWidget *panel = focus != NULL ? gtk_widget_get_ancestor (focus, PRISM_TYPE_PANEL) : NULL;

  explain (data, panel != NULL ? PRISM_PANEL (panel) : NULL);
}

static void
on_handbook (GSimpleAction *action,
             GVariant *parameter,
             gpointer data)
{
  explain (data, NULL);
}

/**
 * prism_window_install_handbook:
 * @self: a window
 *
 * Adds the handbook, and what explains a panel.
 */
void
prism_window_install_handbook (PrismWindow *self)
{
  static const GActionEntry entries[]
      = { { "why", on_why, "s" }, { "help", on_help }, { "handbook", on_handbook } };

  g_action_map_add_action_entries (G_ACTION_MAP (self), entries, G_N_ELEMENTS (entries), self);
  prism_panel_set_topic (prism_dashboard_get_panel (self->dashboard, "kspace"), "k-space");
}

/**
 * prism_window_drop_handbook:
 * @self: a window that goes
 *
 * Closes the handbook.
 */
void
prism_window_drop_handbook (PrismWindow *self)
{
  if (self->handbook != NULL)
    gtk_window_destroy (self->handbook);
}
