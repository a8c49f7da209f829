#include "config.h"

#include "reconstruction/prism-camera-window.h"

#include "window/prism-window-private.h"

/* What is there is shown by runs that give way to each other, and the last one is a run like any
 * other. A run that somebody has begun meanwhile is left alone. */
static void
on_frames (PrismWindow *self,
           PrismProblem *problem,
           gboolean is_last,
           PrismCameraWindow *camera)
{
  if (is_last)
    prism_session_start_problem (self->session, problem);
  else if (!prism_session_get_active (self->session))
    prism_session_pass_problem (self->session, problem);
}

static void
on_state (PrismSession *session,
          GParamSpec *pspec,
          PrismCameraWindow *camera)
{
  if (!prism_session_get_active (session))
    prism_camera_window_ask (camera);
}

static void
follow_folder (PrismWindow *self,
               const char *folder,
               const char *positions)
{
  GtkWidget *camera = prism_camera_window_new (folder, positions);

  PRISM_CONNECT (camera, "frames", on_frames, self);
  g_signal_connect_object (self->session, "notify::state", G_CALLBACK (on_state), camera, 0);
  on_state (self->session, NULL, PRISM_CAMERA_WINDOW (camera));
  prism_window_hide_problem (self);
  prism_window_open_child (self, camera, NULL);
}

/* The folder that was chosen waits for its table. */
typedef struct
{
  PrismWindow *window;
  char *folder;
} Chosen;

PRISM_FREE (Chosen, chosen_free, g_object_unref, window, g_free, folder)

static void
on_table_chosen (const char *path,
                 const Chosen *chosen)
{
  follow_folder (chosen->window, chosen->folder, path);
}

/* A table in the folder is that of its frames. */
static void
on_folder_chosen (const char *path,
                  gpointer data)
{
  PrismFileDialog dialog = { PRISM_FILE_DIALOG_OPEN,
                             _ ("Open the table of the LEDs, with a row for each frame"),
                             _ ("Tables"), "*.csv *.txt *.tsv" };
  g_autofree char *table = g_build_filename (path, "leds.csv", NULL);

  if (g_file_test (table, G_FILE_TEST_EXISTS))
    {
      follow_folder (data, path, table);
      return;
    }
  prism_file_dialog_show (&dialog, GTK_WINDOW (data), on_table_chosen,
                          PRISM_NEW (Chosen, g_object_ref (data), g_strdup (path)), chosen_free);
}

static void
on_follow_folder (PrismWindow *self)
{
  PrismFileDialog dialog = { PRISM_FILE_DIALOG_FOLDER,
                             _ ("Open the folder that a camera writes frames into"),
                             .accept = _ ("_Follow") };

  prism_file_dialog_ask (&dialog, self, on_folder_chosen);
}

/**
 * prism_window_install_camera:
 * @self: a window
 *
 * Adds the action that follows a folder which a camera writes frames into.
 */
void
prism_window_install_camera (PrismWindow *self)
{
  PRISM_WINDOW_ACTIONS (self,
                        { "follow-folder", on_follow_folder });
}
