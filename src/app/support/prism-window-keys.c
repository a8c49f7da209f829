#include "config.h"

#include "support/prism-window-keys.h"

#include <adwaita.h>

/* The shortcuts of a GtkApplication reach only the windows that belong to it, and one that belongs
 * to it keeps the program alive. */

static gboolean
quit (gpointer application)
{
  g_action_group_activate_action (G_ACTION_GROUP (application), "quit", NULL);
  return G_SOURCE_REMOVE;
}

/* GTK holds the window of a key as long as it handles it, longer than the parent that goes. */
static gboolean
on_quit (GtkWidget *widget,
         GVariant *args,
         gpointer data)
{
  GApplication *application = g_application_get_default ();

  if (application == NULL)
    return FALSE;
  g_idle_add_full (G_PRIORITY_HIGH_IDLE, quit, g_object_ref (application), g_object_unref);
  return TRUE;
}

static void
add_shortcut (GtkShortcutController *keys,
              guint key,
              GtkShortcutAction *action)
{
  gtk_shortcut_controller_add_shortcut (
      keys, gtk_shortcut_new (gtk_keyval_trigger_new (key, GDK_CONTROL_MASK), action));
}

/* A question waits for its answer: nothing else is asked meanwhile. */
static void
on_windows_changed (GListModel *windows,
                    guint position,
                    guint n_removed,
                    guint n_added,
                    gpointer data)
{
  for (guint i = position; i < position + n_added; i++)
    {
      g_autoptr (GtkWidget) window = g_list_model_get_item (windows, i);
      GtkShortcutController *keys;

      if (ADW_IS_MESSAGE_DIALOG (window))
        continue;
      keys = GTK_SHORTCUT_CONTROLLER (gtk_shortcut_controller_new ());
      add_shortcut (keys, GDK_KEY_w, gtk_named_action_new ("window.close"));
      add_shortcut (keys, GDK_KEY_q, gtk_callback_action_new (on_quit, NULL, NULL));
      gtk_widget_add_controller (window, GTK_EVENT_CONTROLLER (keys));
    }
}

/**
 * prism_window_keys_init:
 *
 * From now on every window that comes has the keys.
 *
 * Thread: main.
 */
void
prism_window_keys_init (void)
{
  g_signal_connect (gtk_window_get_toplevels (), "items-changed", G_CALLBACK (on_windows_changed),
                    NULL);
}
