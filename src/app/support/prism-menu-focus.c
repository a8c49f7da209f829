#include "config.h"

#include "support/prism-menu-focus.h"

/* A menu of GTK 4.8 that closes shows its first page again for the next time, and that takes the
 * focus of the window along from the page of the sub-menu: into a popover that is not on the
 * screen. No key comes to anything there. What the popover belongs to gets the focus then. */

/* The widget, or the nearest around it that takes the focus. */
static void
focus_around (GtkWidget *widget)
{
  for (; widget != NULL; widget = gtk_widget_get_parent (widget))
    if (gtk_widget_get_mapped (widget) && gtk_widget_grab_focus (widget))
      return;
}

static gboolean
on_settled (gpointer data)
{
  GtkWidget *popover = data;
  GtkRoot *root = gtk_widget_get_root (popover);
  GtkWidget *focus = root != NULL ? gtk_root_get_focus (root) : NULL;

  if (focus != NULL && !gtk_widget_get_mapped (popover)
      && (gtk_widget_is_ancestor (focus, popover) || focus == popover))
    focus_around (gtk_widget_get_parent (popover));
  return G_SOURCE_REMOVE;
}

/* The focus moves only when everyone has heard that the popover is closed. */
static gboolean
on_closed (GSignalInvocationHint *hint,
           guint n_values,
           const GValue *values,
           gpointer data)
{
  g_idle_add_full (G_PRIORITY_HIGH_IDLE, on_settled, g_value_dup_object (&values[0]),
                   g_object_unref);
  return TRUE;
}

/**
 * prism_menu_focus_init:
 *
 * From now on no popover of any window keeps the focus when it closes.
 *
 * Thread: main.
 */
void
prism_menu_focus_init (void)
{
  g_autoptr (GTypeClass) klass = g_type_class_ref (GTK_TYPE_POPOVER);

  g_signal_add_emission_hook (g_signal_lookup ("closed", GTK_TYPE_POPOVER), 0, on_closed, NULL,
                              NULL);
}
