#include "../engine/support/test-remove-tree.h"
#include "file-answer.h"
#include "prism-test.h"
#include "reconstruction/prism-camera-window.h"
#include "recorded-scene.h"
#include "recording/prism-recording-save.h"
#include "window-test.h"

/* A folder is followed by the window while a camera writes into it. */

typedef struct
{
  WindowTest window;
  PrismProblem *problem;
  char *root, *folder, **names;
} Fixture;

SET_UP
{
  g_autoptr (PrismConfig) config = widget_test_new_config ();

  self->root = g_dir_make_tmp ("prism-camera-XXXXXX", NULL);
  self->problem = recorded_scene_new (self->root);
  self->folder = g_build_filename (self->root, "camera", NULL);
  g_assert_cmpint (g_mkdir (self->folder, 0700), ==, 0);
  self->names = g_new0 (char *, RECORDED_SCENE_FRAMES + 1);
  for (guint j = 0; j < RECORDED_SCENE_FRAMES; j++)
    self->names[j] = g_strdup_printf ("frame_%02u.tif", j);
  g_autofree char *table = g_build_filename (self->folder, "leds.csv", NULL);
  g_autofree char *recipe = g_build_filename (self->folder, "recipe.prism", NULL);
  g_assert_true (prism_recording_save_table (self->problem->recording, self->names, table, NULL));
  g_assert_true (prism_recording_save_recipe (self->problem->recording, recipe, NULL));
  window_test_open (&self->window, config);
}

TEAR_DOWN
{
  window_test_close (&self->window);
  window_test_forget_runs ();
  prism_problem_unref (self->problem);
  test_remove_tree (self->root);
  g_free (self->root);
  g_free (self->folder);
  g_strfreev (self->names);
}

static void
write_frames (const Fixture *self,
              guint from,
              guint to)
{
  const PrismRecording *recording = self->problem->recording;

  for (guint j = from; j < to; j++)
    {
      g_autofree char *path = g_build_filename (self->folder, self->names[j], NULL);
      const gsize n = (gsize) recording->height * recording->width;

      g_assert_true (prism_recording_save_frame (recording, recording->frames + j * n, path, NULL));
    }
}

static PrismCameraWindow *
follow (const Fixture *self)
{
  g_autoptr (GFile) folder = g_file_new_for_path (self->folder);

  g_action_group_activate_action (G_ACTION_GROUP (self->window.window), "follow-folder", NULL);
  g_assert_true (file_answer_is_wanted ());
  file_answer_give (folder);
  g_autoptr (GList) windows = gtk_window_list_toplevels ();
  for (GList *one = windows; one != NULL; one = one->next)
    if (PRISM_IS_CAMERA_WINDOW (one->data))
      return one->data;
  g_assert_not_reached ();
}

static guint
count_frames (PrismSession *session)
{
  PrismSnapshot *snapshot = session->snapshot;

  return snapshot != NULL && snapshot->finding != NULL ? snapshot->finding->n_frames : 0;
}

static gboolean
shows_all (gpointer session)
{
  return window_test_has_finished (session) && !PRISM_SESSION (session)->passing
         && count_frames (session) == RECORDED_SCENE_FRAMES;
}

/* The picture of some frames is a passing run, and that of all is one like any other, with a file
 * of its own. */
TEST_FIXTURE (follow, "/app/camera/follow")
{
  write_frames (self, 0, 25);
  PrismCameraWindow *camera = follow (self);
  GtkProgressBar *progress = widget_test_get_part (camera, "progress");
  WAIT_FOR (window_test_has_finished (self->window.session)
            && count_frames (self->window.session) > 0);
  g_assert_cmpuint (count_frames (self->window.session), <=, 25);
  g_assert_true (self->window.session->passing);
  write_frames (self, 25, RECORDED_SCENE_FRAMES);
  WAIT_FOR (shows_all (self->window.session));
  g_assert_cmpstr (gtk_progress_bar_get_text (progress), ==, "49 of 49 frames");
  g_assert_nonnull (self->window.session->run_file);
  gtk_window_destroy (GTK_WINDOW (camera));
}

static GtkWidget *
get_row (PrismCameraWindow *camera,
         const char *key)
{
  GtkWidget *row = gtk_widget_get_first_child (widget_test_get_part (camera, "instrument"));

  while (strcmp (gtk_widget_get_name (row), key) != 0)
    row = gtk_widget_get_next_sibling (row);
  return row;
}

/* What the folder's recipe lacks is said in the window, kept in the folder, and followed anew. */
TEST_FIXTURE (instrument, "/app/camera/instrument")
{
  g_autofree char *path = g_build_filename (self->folder, "recipe.prism", NULL);
  g_autoptr (PrismRecipe) recipe = MUST (prism_recipe_load (path, &error));
  g_autofree char *na = g_strdup (prism_recipe_get (recipe, "na"));

  g_assert_true (prism_recipe_set (recipe, "na", NULL, NULL));
  g_assert_true (prism_recipe_save (recipe, path, NULL));
  write_frames (self, 0, RECORDED_SCENE_FRAMES);
  PrismCameraWindow *camera = follow (self);
  GtkWidget *row = get_row (camera, "na");
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (row)), ==, "");
  WAIT_FOR (strstr (gtk_label_get_text (widget_test_get_part (camera, "sentences")), "(na=")
            != NULL);
  g_autofree char *typed = g_strdelimit (g_strdup (na), ".", ',');
  gtk_editable_set_text (GTK_EDITABLE (row), typed);
  g_signal_emit_by_name (row, "apply");
  WAIT_FOR (shows_all (self->window.session));
  prism_recipe_free (recipe);
  recipe = MUST (prism_recipe_load (path, &error));
  g_assert_cmpstr (prism_recipe_get (recipe, "na"), ==, na);
  gtk_window_destroy (GTK_WINDOW (camera));
}

/* Who waits for no more has the result of those that are there. */
TEST_FIXTURE (end, "/app/camera/end")
{
  PrismCameraWindow *camera = follow (self);

  write_frames (self, 0, 30);
  WAIT_FOR (g_str_has_prefix (
      gtk_progress_bar_get_text (widget_test_get_part (camera, "progress")) ?: "", "30 of"));
  g_signal_emit_by_name (widget_test_get_part (camera, "end_button"), "clicked");
  WAIT_FOR (window_test_has_finished (self->window.session) && !self->window.session->passing
            && count_frames (self->window.session) == 30);
  gtk_window_destroy (GTK_WINDOW (camera));
}
