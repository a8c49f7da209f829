#include "prism-test.h"
#include "window/prism-application.h"
#include "support/prism-ui-text.h"
#include "widget-test.h"

/* Two actions with one key: the second would never be heard of. */
static void
test_one_action_per_key (gconstpointer data)
{
  GtkApplication *application = GTK_APPLICATION (data);
  g_autoptr (GHashTable) owners = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_auto (GStrv) actions = gtk_application_list_action_descriptions (application);

  g_assert_cmpuint (g_strv_length (actions), >, 10);
  for (gsize i = 0; actions[i] != NULL; i++)
    {
      g_auto (GStrv) keys = gtk_application_get_accels_for_action (application, actions[i]);

      for (gsize k = 0; keys[k] != NULL; k++)
        {
          const char *owner = g_hash_table_lookup (owners, keys[k]);

          if (owner != NULL)
            g_error ("%s is the key of %s and of %s", keys[k], owner, actions[i]);
          g_hash_table_insert (owners, g_strdup (keys[k]), g_strdup (actions[i]));
        }
    }
}

static gboolean
is_listed (GBytes *overlay,
           const char *what)
{
  g_autofree char *listed = g_markup_printf_escaped (">%s<", what);

  return g_strstr_len (g_bytes_get_data (overlay, NULL), (gssize) g_bytes_get_size (overlay),
                       listed)
         != NULL;
}

/* The window of shortcuts knows every action that has a key, by its name or by its first key. */
static void
test_keys_are_listed (gconstpointer data)
{
  g_auto (GStrv) actions = gtk_application_list_action_descriptions (GTK_APPLICATION (data));
  g_autoptr (GBytes) overlay
      = g_resources_lookup_data (PRISM_RESOURCE ("gtk/help-overlay.ui"), 0, NULL);

  g_assert_nonnull (overlay);
  for (gsize i = 0; actions[i] != NULL; i++)
    {
      g_auto (GStrv) keys
          = gtk_application_get_accels_for_action (GTK_APPLICATION (data), actions[i]);

      if (!is_listed (overlay, actions[i]) && !is_listed (overlay, keys[0]))
        g_error ("help-overlay.ui does not tell the key of %s", actions[i]);
    }
}

static void
count_quit (GSimpleAction *action,
            GVariant *parameter,
            gpointer data)
{
  (*(guint *) data)++;
}

/* Whoever makes a window, and whether or not it belongs to the application: Ctrl+Q ends the program
 * and Ctrl+W closes the window. A question waits for its answer. */
static void
test_keys_of_every_window (gconstpointer data)
{
  const GActionEntry entries[] = { { "quit", count_quit } };
  GtkWidget *windows[] = { adw_window_new (), gtk_window_new (), adw_preferences_window_new () };
  g_autoptr (ShownWindow) question = adw_message_dialog_new (NULL, "Heading", "Body");
  guint n_quit = 0;

  g_action_map_add_action_entries (G_ACTION_MAP (data), entries, G_N_ELEMENTS (entries), &n_quit);
  for (guint i = 0; i < G_N_ELEMENTS (windows); i++)
    {
      gtk_window_present (GTK_WINDOW (windows[i]));
      g_assert_true (widget_test_press (windows[i], GDK_KEY_q, GDK_CONTROL_MASK));
      WAIT_FOR (n_quit > i);
      g_object_add_weak_pointer (G_OBJECT (windows[i]), (gpointer *) &windows[i]);
      g_assert_true (widget_test_press (windows[i], GDK_KEY_w, GDK_CONTROL_MASK));
      WAIT_FOR (windows[i] == NULL);
    }
  g_assert_false (widget_test_press (question, GDK_KEY_q, GDK_CONTROL_MASK));
}

int
main (int argc,
      char **argv)
{
  widget_test_init (&argc, &argv);
  g_autoptr (PrismApplication) application = prism_application_new ();
  g_application_set_flags (G_APPLICATION (application), G_APPLICATION_NON_UNIQUE);
  MUST (g_application_register (G_APPLICATION (application), NULL, &error));
  g_test_add_data_func ("/app/application/one-action-per-key", application,
                        test_one_action_per_key);
  g_test_add_data_func ("/app/application/keys-are-listed", application, test_keys_are_listed);
  g_test_add_data_func ("/app/application/keys-of-every-window", application,
                        test_keys_of_every_window);
  return prism_test_run ();
}
