#include "config.h"

#include "file-answer.h"
#include "formats/prism-npy.h"
#include "lesson/prism-lesson.h"
#include "prism-test.h"
#include "library/prism-library-window.h"
#include "run/prism-run-catalogue.h"
#include "support/prism-notice.h"
#include "window/prism-dashboard.h"
#include "window-test.h"

/* Files that are opened in the window, one after the other, and what it says of what it shows. */
typedef struct
{
  WindowTest test;
  char *folder;
} Fixture;

SET_UP
{
  g_autoptr (PrismConfig) config = widget_test_new_config ();

  window_test_open (&self->test, config);
  self->folder = MUST (g_dir_make_tmp ("prism-open-XXXXXX", &error));
}

TEAR_DOWN
{
  window_test_close (&self->test);
  g_assert_cmpint (g_rmdir (self->folder), ==, 0);
  g_free (self->folder);
}

static const PrismConfig *
get_edited (Fixture *self)
{
  return self->test.session->draft->config;
}

static void
open_positions (Fixture *self,
                const char *path)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);

  window_test_activate (&self->test, "open-positions");
  file_answer_give (file);
}

static gboolean
is_revealed (PrismNotice *notice)
{
  GtkRevealer *revealer = widget_test_find (notice, GTK_TYPE_REVEALER);

  return gtk_revealer_get_reveal_child (revealer);
}

/* A file that is read takes away what was said of the one before. */
TEST_FIXTURE (positions, "/app/window-open/positions")
{
  PrismNotice *notice = widget_test_find (self->test.window, PRISM_TYPE_NOTICE);
  g_autofree char *path = g_build_filename (self->folder, "positions.csv", NULL);

  g_assert_true (g_file_set_contents (path, "no positions\n", -1, NULL));
  open_positions (self, path);
  g_assert_true (is_revealed (notice));
  g_assert_true (g_file_set_contents (path, "y,x\n0,0\n3,4\n", -1, NULL));
  open_positions (self, path);
  g_assert_cmpstr (get_edited (self)->pattern_file, ==, path);
  g_assert_false (is_revealed (notice));
  g_unlink (path);
}

/* The window as long as somebody reads a file for it. */
typedef struct
{
  GObject *window;
  guint n_references; /* when nobody does */
} Reading;

static gboolean
is_over (gpointer data)
{
  Reading *reading = data;

  return reading->window->ref_count <= reading->n_references;
}

/* The newest file counts, however long the one before takes. */
TEST_FIXTURE (newest_counts, "/app/window-open/newest-counts")
{
  g_autofree char *image = g_build_filename (self->folder, "a.npy", NULL);
  g_autofree char *setup = g_build_filename (self->folder, "a.prism", NULL);
  g_autoptr (GFile) image_file = g_file_new_for_path (image);
  g_autoptr (GFile) setup_file = g_file_new_for_path (setup);
  g_autoptr (PrismConfig) config = widget_test_new_config ();
  g_autofree float *pixels = g_new0 (float, 32 * 32);
  Reading reading = { G_OBJECT (self->test.window), G_OBJECT (self->test.window)->ref_count };

  for (int i = 0; i < 32 * 32; i++)
    pixels[i] = i / 1024.0f;
  g_assert_true (prism_npy_save (image, pixels, 2, (const gsize[]) { 32, 32 }, NULL));
  g_assert_true (prism_config_set_text (config, "object", "points", NULL));
  g_assert_true (prism_config_save (config, setup, NULL, NULL));
  prism_window_open_file (self->test.window, image_file);
  g_assert_false (is_over (&reading));
  prism_window_open_file (self->test.window, setup_file);
  g_assert_cmpstr (get_edited (self)->object, ==, "points");
  WAIT_FOR (is_over (&reading));
  g_assert_cmpstr (get_edited (self)->object, ==, "points");

  prism_window_open_file (self->test.window, image_file);
  WAIT_FOR (is_over (&reading));
  g_assert_cmpstr (get_edited (self)->object, ==, image);
  prism_window_open_file (self->test.window, image_file);
  window_test_activate (&self->test, "reset-all");
  WAIT_FOR (is_over (&reading));
  g_assert_cmpstr (get_edited (self)->object, ==, "moon");
  g_unlink (image);
  g_unlink (setup);
}

static const char *
get_subtitle (Fixture *self)
{
  return adw_window_title_get_subtitle (
      widget_test_find (self->test.window, ADW_TYPE_WINDOW_TITLE));
}

/* Under the title stands what the pictures show, not what the next run will. */
TEST_FIXTURE (subtitle, "/app/window-open/subtitle")
{
  PrismSession *session = self->test.session;
  g_autofree char *moon = g_strdup (get_subtitle (self));
  GtkWidget *title = widget_test_find (self->test.window, ADW_TYPE_WINDOW_TITLE);

  /* All of it where the header bar is narrow. */
  g_assert_true (g_str_has_suffix (gtk_widget_get_tooltip_text (title), moon));
  HAS (moon, "32 in 64 px");
  prism_session_step (session, 1);
  WAIT_FOR (window_test_has_paused (session));
  g_assert_true (prism_draft_set_parameter (self->test.session->draft,
                                            prism_config_get_param ("object"), "points", NULL));
  g_assert_cmpstr (get_subtitle (self), ==, moon);
  prism_session_run (session);
  WAIT_FOR (window_test_has_finished (session));
  g_assert_cmpstr (get_subtitle (self), ==, moon);
  window_test_activate (&self->test, "discard-result");
  WAIT_FOR (g_str_equal (PRISM_SESSION (session)->snapshot->config->object, "points"));
  g_assert_cmpstr (get_subtitle (self), !=, moon);
  HAS (get_subtitle (self), "32 in 64 px");
}

/* A YAML file of the first PRISM becomes the parameters, and what has no counterpart is said. */
TEST_FIXTURE (first_prism, "/app/window-open/first-prism")
{
  g_autofree char *path = g_build_filename (self->folder, "first.yaml", NULL);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  AdwMessageDialog *dialog = NULL;

  g_assert_true (g_file_set_contents (
      path, "telescope:\n  n_samples: 33\n  blur: true\npoint_source:\n  is_point_source: true\n",
      -1, NULL));
  prism_window_open_file (self->test.window, file);
  g_assert_cmpint (get_edited (self)->samples, ==, 33);
  g_assert_cmpstr (get_edited (self)->object, ==, "points");
  g_autoptr (GListModel) windows = g_object_ref (gtk_window_get_toplevels ());
  for (guint i = 0; i < g_list_model_get_n_items (windows); i++)
    {
      g_autoptr (GObject) window = g_list_model_get_item (windows, i);

      if (ADW_IS_MESSAGE_DIALOG (window))
        dialog = ADW_MESSAGE_DIALOG (window);
    }
  g_assert_nonnull (dialog);
  HAS (adw_message_dialog_get_body (dialog), "blur_image: “True” has no");
  gtk_window_destroy (GTK_WINDOW (dialog));
  g_unlink (path);
}

static PrismView *
get_view (Fixture *self,
          const char *id)
{
  PrismPanel *panel
      = prism_dashboard_get_panel (widget_test_get_part (self->test.window, "dashboard"), id);

  return PRISM_VIEW (panel->child);
}

static gboolean
is_kept (gpointer data)
{
  g_autoptr (GPtrArray) cards = prism_run_card_read_last (1);

  return cards->len > 0;
}

/* What one aperture sees is there before a run and can be had after it; the ways in go with the
 * first run, which is one of them later: by its number, and by the name of its object. */
TEST_FIXTURE (start, "/app/window-open/start")
{
  PrismSession *session = self->test.session;
  GtkWidget *dashboard = widget_test_get_part (self->test.window, "dashboard");
  GtkWidget *ways = widget_test_get_part (dashboard, "ways");
  PrismImage *exposure = session->snapshot->exposure;
  PrismView *measurement = get_view (self, "measurement");

  g_assert_true (gtk_widget_get_mapped (ways));
  g_assert_true (measurement->image == exposure);
  g_assert_cmpstr (prism_view_get_title (measurement), ==, "One exposure");
  g_assert_true (measurement->canvas->viewport
                 == get_view (self, "target")->canvas->viewport);

  prism_session_run (session);
  WAIT_FOR (window_test_has_finished (session));
  g_assert_false (gtk_widget_get_mapped (ways));
  g_assert_true (measurement->image
                 == session->snapshot->measurement);
  window_test_activate (&self->test, "show-exposure");
  g_assert_true (measurement->image
                 == session->snapshot->exposure);
  g_assert_cmpstr (prism_view_get_title (measurement), ==, "One exposure");

  window_test_activate (&self->test, "discard-result");
  WAIT_FOR (gtk_widget_has_css_class (gtk_widget_get_last_child (ways), "last"));
  GtkButton *last = GTK_BUTTON (gtk_widget_get_last_child (ways));
  g_assert_true (g_str_has_prefix (gtk_button_get_label (last), "Show run 1, “Moon”, "));
}

static void
check_opening (WindowTest *test,
               gboolean is_opening)
{
  static const char *const others[] = { "run", "run-to-convergence", "step", "toggle-run" };
  GtkWidget *dashboard = widget_test_get_part (test->window, "dashboard");
  GtkWidget *bar = widget_test_get_part (test->window, "status_bar");

  g_assert_true ((test->session->opening != NULL) == is_opening);
  g_assert_true ((widget_test_find_part (bar, "Opening “") != NULL) == is_opening);
  g_assert_true (window_test_is_enabled (test, "stop") == is_opening);
  g_assert_false (window_test_is_enabled (test, "pause"));
  PRISM_FOR_EACH_OF (other, others)
    g_assert_true (window_test_is_enabled (test, *other) != is_opening);
  g_assert_true (gtk_widget_get_sensitive (widget_test_get_part (dashboard, "ways"))
                 != is_opening);
}

/* While a run is on its way out of its file there is that one state, and a way out. */
TEST_FIXTURE (opening, "/app/window-open/opening")
{
  PrismSession *session = self->test.session;

  prism_session_run (session);
  WAIT_FOR (window_test_has_finished (session));
  g_autofree char *uri = g_filename_to_uri (session->run_file, NULL, NULL);
  window_test_activate (&self->test, "discard-result");
  WAIT_FOR (session->state == PRISM_STATE_IDLE);
  for (guint i = 0; i < 2; i++)
    {
      g_action_group_activate_action (G_ACTION_GROUP (self->test.window), "open-uri",
                                      g_variant_new_string (uri));
      WAIT_FOR (session->opening != NULL);
      check_opening (&self->test, TRUE);
      if (i == 0)
        window_test_activate (&self->test, "stop");
      else
        WAIT_FOR (window_test_has_finished (session));
      if (i == 0)
        check_opening (&self->test, FALSE);
    }
  g_assert_null (session->opening);
  g_assert_nonnull (session->snapshot->reconstruction);
  g_assert_cmpuint (session->n_begun, ==, 2);
}

static gpointer
find_window (GType type)
{
  GListModel *windows = gtk_window_get_toplevels ();

  for (guint i = 0; i < g_list_model_get_n_items (windows); i++)
    {
      g_autoptr (GtkWidget) window = g_list_model_get_item (windows, i);

      if (G_TYPE_CHECK_INSTANCE_TYPE (window, type))
        return window;
    }
  return NULL;
}

/* The library goes out of the way of what it opens; until that is there the window says so. */
TEST_FIXTURE (library, "/app/window-open/library")
{
  g_autofree char *path = g_build_filename (self->folder, "kept.prismrun", NULL);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (PrismRun) run = NULL;

  window_test_forget_runs ();
  prism_session_run (self->test.session);
  WAIT_FOR (window_test_has_finished (self->test.session));
  WAIT_FOR (is_kept (NULL));
  g_autoptr (GFile) from = g_file_new_for_path (self->test.session->run_file);
  g_assert_true (g_file_copy (from, file, G_FILE_COPY_NONE, NULL, NULL, NULL, NULL));
  window_test_activate (&self->test, "library");
  GtkWidget *library = find_window (PRISM_TYPE_LIBRARY_WINDOW);
  g_assert_nonnull (library);
  g_signal_emit_by_name (library, "open-run", path);
  g_assert_null (find_window (PRISM_TYPE_LIBRARY_WINDOW));
  WAIT_FOR (widget_test_find_text (self->test.window, "Opening “kept”…") != NULL);
  WAIT_FOR (!(widget_test_find_text (self->test.window, "Opening “kept”…") != NULL));
  WAIT_FOR (window_test_has_finished (self->test.session));

  /* What is named then is kept in that file, whatever is run next. */
  g_action_group_activate_action (G_ACTION_GROUP (self->test.window), "time-name",
                                  g_variant_new_string ("3 A moment"));
  MUST (prism_draft_set_parameter (self->test.session->draft,
                                   prism_config_get_param ("object"), "siemens", &error));
  prism_session_run (self->test.session);
  WAIT_FOR (window_test_is_active (self->test.session));
  WAIT_FOR (window_test_has_finished (self->test.session));
  run = MUST (prism_run_file_load (path, &error));
  g_assert_cmpstr (run->snapshot->display, ==, "[display]\nmoments=3 A moment\n");
  g_assert_cmpint (g_unlink (path), ==, 0);
}

/* A new lesson is one that can be read, and has the settings that were edited; beside a lesson
 * those of its step, which are on the screen. Where it is stays on the screen, with the way to the
 * page that says how it is written. */
TEST_FIXTURE (new_lesson, "/app/window-open/new-lesson")
{
  g_autofree char *path = g_build_filename (self->folder, "mine.prismlesson", NULL);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GPtrArray) mistakes = g_ptr_array_new_with_free_func (g_free);
  PrismNotice *notice = widget_test_get_part (self->test.window, "notice");
  PrismLesson *lesson;

  window_test_activate (&self->test, "new-lesson");
  file_answer_give (file);
  g_assert_true (is_revealed (notice));
  GtkLabel *said = widget_test_find (notice, GTK_TYPE_LABEL);
  HAS (gtk_label_get_text (said), path);
  g_assert_true (window_test_is_enabled (&self->test, "handbook-page"));
  lesson = MUST (prism_lesson_load (path, mistakes, &error));
  g_assert_cmpuint (mistakes->len, ==, 0);
  g_assert_nonnull (lesson);
  prism_lesson_free (lesson);
  g_assert_true (gtk_widget_get_visible (widget_test_get_part (self->test.window,
                                                               "lesson_panel")));
  /* A lesson asks what one exposure will look like. */
  g_assert_null (get_view (self, "measurement")->image);
  g_autofree char *first = file_text (path);
  MUST (prism_draft_set_parameter (self->test.session->draft,
                                   prism_config_get_param ("samples"), "77", &error));
  window_test_activate (&self->test, "new-lesson");
  file_answer_give (file);
  SAYS (file_text (path), first);
  g_assert_cmpint (g_unlink (path), ==, 0);
}
