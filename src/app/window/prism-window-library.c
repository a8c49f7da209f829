#include "config.h"

#include "window/prism-window-private.h"

#include "library/prism-library-window.h"
#include "run/prism-run-catalogue.h"
#include "run/prism-run-folder.h"

static void
on_open_run (PrismWindow *self,
             const char *path)
{
  prism_window_open_run (self, path);
  gtk_window_present (GTK_WINDOW (self));
}

static void
on_compare_runs (PrismWindow *self,
                 const char *const *paths)
{
  GSList *files = NULL;

  for (; *paths != NULL; paths++)
    files = g_slist_append (files, g_file_new_for_path (*paths));
  prism_window_compare_files (self, files);
  g_slist_free_full (files, g_object_unref);
}

static void
on_library (GSimpleAction *action,
            GVariant *parameter,
            gpointer data)
{
  PrismWindow *self = data;
  g_autofree char *catalogue = prism_run_catalogue_dup_folder ();
  g_autofree char *runs = prism_run_folder_dup_path ();
  GtkWidget *window;

  if (self->library != NULL)
    {
      prism_library_window_refresh (PRISM_LIBRARY_WINDOW (self->library));
      gtk_window_present (self->library);
      return;
    }
  window = prism_library_window_new (catalogue, runs);
  self->library = GTK_WINDOW (window);
  g_object_add_weak_pointer (G_OBJECT (window), (gpointer *) &self->library);
  gtk_window_set_transient_for (self->library, GTK_WINDOW (self));
  gtk_window_set_destroy_with_parent (self->library, TRUE);
  g_signal_connect_object (window, "open-run", G_CALLBACK (on_open_run), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (window, "compare-runs", G_CALLBACK (on_compare_runs), self,
                           G_CONNECT_SWAPPED);
  gtk_window_present (self->library);
}

/* The file of a run that is over is nobody's any more. */
static void
on_state_changed (PrismWindow *self)
{
  if (self->library != NULL && !prism_session_get_active (self->session))
    prism_library_window_refresh (PRISM_LIBRARY_WINDOW (self->library));
}

/**
 * prism_window_install_library:
 * @self: a window
 *
 * Adds the action that shows all runs that are kept.
 */
void
prism_window_install_library (PrismWindow *self)
{
  static const GActionEntry entries[] = { { "library", on_library } };

  g_action_map_add_action_entries (G_ACTION_MAP (self), entries, G_N_ELEMENTS (entries), self);
  g_signal_connect_object (self->session, "notify::state", G_CALLBACK (on_state_changed), self,
                           G_CONNECT_SWAPPED);
}

/**
 * prism_window_drop_library:
 * @self: a window that goes
 *
 * Closes the library.
 */
void
prism_window_drop_library (PrismWindow *self)
{
  if (self->library != NULL)
    gtk_window_destroy (self->library);
}
