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

static void
on_table_chosen (PrismWindow *self,
                 const char *path,
                 const char *folder)
{
  follow_folder (self, folder, path);
}

/**
 * prism_window_follow_folder:
 * @self: a window
 * @path: a folder that a camera writes frames into
 *
 * Shows what there is of its frames. A table in it is that of its frames; else one is asked for.
 */
void
prism_window_follow_folder (PrismWindow *self,
                            const char *path)
{
  const PrismFileDialog dialog = { PRISM_FILE_DIALOG_OPEN,
                                   _ ("Open the table of the LEDs, with a row for each frame"),
                                   _ ("Tables"), "*.csv *.txt *.tsv" };
  g_autofree char *table = g_build_filename (path, "leds.csv", NULL);

  if (g_file_test (table, G_FILE_TEST_EXISTS))
    follow_folder (self, path, table);
  else
    prism_file_dialog_ask (&dialog, self, on_table_chosen, g_strdup (path), g_free);
}
