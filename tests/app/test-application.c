#include "config.h"

#include "prism-application.h"

#include "widget-test.h"

/* Two actions with one key: the second would never be heard of. */
static void
test_one_action_per_key (void)
{
  g_autoptr (PrismApplication) application = prism_application_new ();
  g_autoptr (GHashTable) owners = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_auto (GStrv) actions = NULL;
  g_autoptr (GError) error = NULL;

  g_application_set_flags (G_APPLICATION (application), G_APPLICATION_NON_UNIQUE);
  g_assert_true (g_application_register (G_APPLICATION (application), NULL, &error));
  actions = gtk_application_list_action_descriptions (GTK_APPLICATION (application));
  g_assert_cmpuint (g_strv_length (actions), >, 10);
  for (gsize i = 0; actions[i] != NULL; i++)
    {
      g_auto (GStrv) keys
          = gtk_application_get_accels_for_action (GTK_APPLICATION (application), actions[i]);

      for (gsize k = 0; keys[k] != NULL; k++)
        {
          const char *owner = g_hash_table_lookup (owners, keys[k]);

          if (owner != NULL)
            g_error ("%s is the key of %s and of %s", keys[k], owner, actions[i]);
          g_hash_table_insert (owners, g_strdup (keys[k]), g_strdup (actions[i]));
        }
    }
}

int
main (int argc,
      char *argv[])
{
  widget_test_init (&argc, &argv);
  g_test_add_func ("/app/application/one-action-per-key", test_one_action_per_key);
  return g_test_run ();
}
