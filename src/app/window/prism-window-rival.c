#include "config.h"

#include "window/prism-window-private.h"

#include "session/prism-rival.h"

#include <glib/gi18n.h>

/* The last run beside the one on the screen: a button, what differs, the page that shows both. */

static GtkWidget *
create_toggle (void)
{
  GtkWidget *toggle = gtk_toggle_button_new_with_label (_ ("Compare with the last run"));

  gtk_actionable_set_action_name (GTK_ACTIONABLE (toggle), "win.compare-last");
  gtk_widget_set_tooltip_text (
      toggle, _ ("Its curves faint behind these, and the difference in place of the error"));
  gtk_widget_add_css_class (toggle, "pattern-button");
  gtk_widget_set_valign (toggle, GTK_ALIGN_CENTER);
  return toggle;
}

static GtkWidget *
create_text (PrismRival *rival)
{
  GtkWidget *text = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (text), 0);
  gtk_label_set_ellipsize (GTK_LABEL (text), PANGO_ELLIPSIZE_END);
  gtk_widget_set_hexpand (text, TRUE);
  gtk_widget_add_css_class (text, "follow-line");
  g_object_bind_property (rival, "text", text, "label", G_BINDING_SYNC_CREATE);
  g_object_bind_property (rival, "text", text, "tooltip-text", G_BINDING_SYNC_CREATE);
  g_object_bind_property (rival, "active", text, "visible", G_BINDING_SYNC_CREATE);
  return text;
}

static GtkWidget *
create_more (PrismRival *rival)
{
  GtkWidget *more = gtk_button_new_with_label (_ ("Side by side…"));

  gtk_actionable_set_action_name (GTK_ACTIONABLE (more), "win.compare-last-two");
  gtk_widget_set_tooltip_text (more, _ ("Pictures, curves and table of both runs"));
  gtk_widget_add_css_class (more, "pattern-button");
  gtk_widget_set_valign (more, GTK_ALIGN_CENTER);
  g_object_bind_property (rival, "active", more, "visible", G_BINDING_SYNC_CREATE);
  return more;
}

/* There from the beginning of the second run on: the picture keeps its place when it ends. */
static GtkWidget *
create_line (PrismRival *rival)
{
  GtkWidget *line = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);

  gtk_widget_add_css_class (line, "rival-line");
  gtk_box_append (GTK_BOX (line), create_toggle ());
  gtk_box_append (GTK_BOX (line), create_text (rival));
  gtk_box_append (GTK_BOX (line), create_more (rival));
  g_object_bind_property (rival, "available", line, "visible", G_BINDING_SYNC_CREATE);
  return line;
}

static void
on_available (PrismWindow *self)
{
  gboolean available;

  g_object_get (self->rival, "available", &available, NULL);
  prism_window_set_enabled (self, "compare-last-two", available);
  prism_window_set_enabled (self, "compare-last", available);
}

static void
on_toggle (GSimpleAction *action,
           GVariant *state,
           gpointer data)
{
  PrismWindow *self = data;

  g_object_set (self->rival, "active", g_variant_get_boolean (state), NULL);
  g_simple_action_set_state (action, state);
}

static void
on_compare_last_two (GSimpleAction *action,
                     GVariant *parameter,
                     gpointer data)
{
  prism_window_compare_last (data);
}

/**
 * prism_window_install_rival:
 * @self: a window that has its runs and its dashboard
 *
 * Adds what holds the last run against the one on the screen.
 */
void
prism_window_install_rival (PrismWindow *self)
{
  static const GActionEntry entries[] = { { "compare-last-two", on_compare_last_two },
                                          { "compare-last", NULL, NULL, "false", on_toggle } };

  self->rival = prism_rival_new (self->session);
  g_action_map_add_action_entries (G_ACTION_MAP (self), entries, G_N_ELEMENTS (entries), self);
  prism_dashboard_add_line (self->dashboard, create_line (self->rival));
  g_object_bind_property (self->rival, "snapshot", self->dashboard, "rival",
                          G_BINDING_SYNC_CREATE);
  g_signal_connect_object (self->rival, "notify::available", G_CALLBACK (on_available), self,
                           G_CONNECT_SWAPPED);
  on_available (self);
}
