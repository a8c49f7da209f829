#include "config.h"

#include "window-test.h"
#include "../prism-test.h"
#include "../engine/support/test-remove-tree.h"
#include "run/prism-run-folder.h"

void
window_test_open (WindowTest *self,
                  const PrismConfig *config)
{
  self->session = MUST (prism_session_new (&error));
  self->window = prism_window_new (NULL, self->session);
  prism_session_start (self->session, config);
  gtk_window_present (GTK_WINDOW (self->window));
  WAIT_FOR (gtk_widget_get_mapped (GTK_WIDGET (self->window)));
  WAIT_FOR (window_test_is_idle (self->session));
}

WindowTest
window_test_new (const PrismConfig *config)
{
  g_autoptr (PrismConfig) brief = widget_test_new_config ();
  WindowTest self;

  window_test_open (&self, config != NULL ? config : brief);
  return self;
}

void
window_test_forget_runs (void)
{
  g_autofree char *folder = prism_run_folder_dup_path ();

  if (g_str_has_prefix (folder, g_get_tmp_dir ()) && g_file_test (folder, G_FILE_TEST_IS_DIR))
    test_remove_tree (folder);
}

void
window_test_close (WindowTest *self)
{
  gtk_window_destroy (GTK_WINDOW (self->window));
  g_object_unref (self->session);
}

void
window_test_activate (WindowTest *self,
                      const char *action)
{
  g_action_group_activate_action (G_ACTION_GROUP (self->window), action, NULL);
}

gboolean
window_test_is_enabled (WindowTest *self,
                        const char *action)
{
  return g_action_group_get_action_enabled (G_ACTION_GROUP (self->window), action);
}

gboolean
window_test_is_idle (gpointer session)
{
  return PRISM_SESSION (session)->snapshot != NULL
         && PRISM_SESSION (session)->state == PRISM_STATE_IDLE;
}

gboolean
window_test_is_active (gpointer session)
{
  return prism_session_get_active (session);
}

gboolean
window_test_has_paused (gpointer session)
{
  return PRISM_SESSION (session)->state == PRISM_STATE_PAUSED;
}

gboolean
window_test_has_finished (gpointer session)
{
  return PRISM_SESSION (session)->state == PRISM_STATE_FINISHED;
}
