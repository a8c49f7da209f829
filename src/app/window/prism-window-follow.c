#include "config.h"

#include "window/prism-window-private.h"

#include <glib/gi18n.h>

/* The switch, the line below the reconstruction, and what must not be disturbed by a run. */

/* Positions are placed while nothing runs, the queue has its own order, and a lesson its own
 * settings. */
static void
update_blocked (PrismWindow *self)
{
  gboolean queue;

  g_object_get (self->runs, "queue-running", &queue, NULL);
  prism_follow_set_blocked (self->follow,
                            queue || prism_lesson_panel_is_busy (self->lesson_panel)
                                || prism_pattern_desk_get_editing (self->pattern_desk));
}

static gboolean
name_line (GBinding *binding,
           const GValue *text,
           GValue *label,
           gpointer data)
{
  const char *said = g_value_get_string (text);

  g_value_set_string (label, said != NULL ? said : _ ("Change a value: the run starts again"));
  return TRUE;
}

/* There as long as changes are followed, so that the picture keeps its place. */
static GtkWidget *
create_line (PrismFollow *follow)
{
  GtkWidget *line = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (line), 0);
  gtk_label_set_ellipsize (GTK_LABEL (line), PANGO_ELLIPSIZE_END);
  gtk_widget_add_css_class (line, "follow-line");
  g_object_bind_property_full (follow, "text", line, "label", G_BINDING_SYNC_CREATE, name_line,
                               NULL, NULL, NULL);
  g_object_bind_property (line, "label", line, "tooltip-text", G_BINDING_SYNC_CREATE);
  g_object_bind_property (follow, "active", line, "visible", G_BINDING_SYNC_CREATE);
  return line;
}

/**
 * prism_window_install_follow:
 * @self: a window that has its runs and its pattern desk
 *
 * Adds what lets a changed value start the run again.
 */
void
prism_window_install_follow (PrismWindow *self)
{
  g_autoptr (GPropertyAction) action = NULL;

  self->follow = prism_follow_new (self->session);
  action = g_property_action_new ("follow", self->follow, "active");
  g_action_map_add_action (G_ACTION_MAP (self), G_ACTION (action));
  prism_follow_row_set_follow (self->follow_row, self->follow);
  prism_dashboard_add_line (self->dashboard, create_line (self->follow));
  g_object_bind_property (self->follow, "held", self->dashboard, "held", G_BINDING_SYNC_CREATE);
  g_signal_connect_object (self->runs, "notify::queue-running", G_CALLBACK (update_blocked), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->pattern_desk, "notify::editing", G_CALLBACK (update_blocked), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->lesson_panel, "notify::busy", G_CALLBACK (update_blocked), self,
                           G_CONNECT_SWAPPED);
}
