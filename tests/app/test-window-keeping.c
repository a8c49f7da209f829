#include "config.h"

#include "base/prism-directory.h"
#include "base/prism-error.h"
#include "compare/prism-benchmark-window.h"
#include "config/prism-preset.h"
#include "../engine/support/test-remove-tree.h"
#include "file-answer.h"
#include "kspace/prism-pattern-gallery.h"
#include "measurements/prism-import-window.h"
#include "output/prism-figure-dialog.h"
#include "prism-test.h"
#include "run/prism-run-file.h"
#include "support/prism-file-dialog.h"
#include "support/prism-notice.h"
#include "window-test.h"
#include "window/prism-application.h"

#include <signal.h>
#include <sys/resource.h>

/* What the window keeps for the user and what it clears: presets, event files, the cache; and the
 * command that goes on until nothing moves. */
typedef struct
{
  WindowTest test;
} Fixture;

SET_UP
{
  g_autoptr (PrismConfig) config = widget_test_new_config ();

  window_test_open (&self->test, config);
}

TEAR_DOWN
{
  window_test_close (&self->test);
}

static AdwMessageDialog *
find_message (void)
{
  GListModel *windows = gtk_window_get_toplevels ();

  for (guint i = 0; i < g_list_model_get_n_items (windows); i++)
    {
      g_autoptr (GtkWidget) window = g_list_model_get_item (windows, i);

      if (ADW_IS_MESSAGE_DIALOG (window))
        return ADW_MESSAGE_DIALOG (window);
    }
  return NULL;
}

/* As its buttons do. */
static void
answer (AdwMessageDialog *dialog,
        const char *response)
{
  g_object_ref (dialog);
  adw_message_dialog_response (dialog, response);
  gtk_window_destroy (GTK_WINDOW (dialog));
  g_object_unref (dialog);
}

/* The entry row of a title; NULL for none. */
static GtkEditable *
find_entry (GtkWidget *widget,
            const char *title)
{
  return FIND (
      widget, ADW_IS_ENTRY_ROW (it)
                  && g_str_equal (adw_preferences_row_get_title (ADW_PREFERENCES_ROW (it)), title));
}

/* The label of the entry of a menu that applies a preset; NULL for none. */
static char *
find_label (GMenuModel *menu,
            const char *id)
{
  for (int i = 0; i < g_menu_model_get_n_items (menu); i++)
    {
      g_autoptr (GMenuModel) section
          = g_menu_model_get_item_link (menu, i, G_MENU_LINK_SECTION);
      g_autoptr (GMenuModel) below = g_menu_model_get_item_link (menu, i, G_MENU_LINK_SUBMENU);
      g_autofree char *target = NULL;
      char *label = section != NULL ? find_label (section, id) : NULL;

      if (label == NULL && below != NULL)
        label = find_label (below, id);
      if (label != NULL)
        return label;
      if (g_menu_model_get_item_attribute (menu, i, G_MENU_ATTRIBUTE_TARGET, "s", &target)
          && g_str_equal (target, id)
          && g_menu_model_get_item_attribute (menu, i, G_MENU_ATTRIBUTE_LABEL, "s", &label))
        return label;
    }
  return NULL;
}

static char *
find_preset (GtkWidget *widget,
             const char *id)
{
  char *label = NULL;

  for (GtkWidget *it = widget; it != NULL && label == NULL; it = widget_test_next (widget, it))
    if (GTK_IS_MENU_BUTTON (it) && gtk_menu_button_get_menu_model (GTK_MENU_BUTTON (it)) != NULL)
      label = find_label (gtk_menu_button_get_menu_model (GTK_MENU_BUTTON (it)), id);
  return label;
}

static void
save_preset (Fixture *self,
             const char *name,
             const char *help)
{
  window_test_activate (&self->test, "save-preset");
  AdwMessageDialog *dialog = find_message ();
  g_assert_nonnull (dialog);
  g_assert_false (adw_message_dialog_get_response_enabled (dialog, "save"));
  GtkEditable *entry = find_entry (GTK_WIDGET (dialog), "Name");
  gtk_editable_set_text (entry, "   ");
  g_assert_false (adw_message_dialog_get_response_enabled (dialog, "save"));
  gtk_editable_set_text (entry, name);
  g_assert_true (adw_message_dialog_get_response_enabled (dialog, "save"));
  gtk_editable_set_text (find_entry (GTK_WIDGET (dialog), "Description"), help);
  answer (dialog, "save");
}

/* It is in the menu with its description, in its folder as a file, and brings the values back. */
TEST_FIXTURE (save_preset, "/app/window-keeping/preset")
{
  PrismDraft *draft = self->test.session->draft;
  const PrismParam *param = prism_config_get_param ("aperture_radius");
  g_autofree char *path = prism_preset_store_dup_path ("my_preset");

  g_autofree char *builtin = find_preset (GTK_WIDGET (self->test.window), "quick-look");
  g_assert_nonnull (strchr (builtin, '\n')); /* what it means is below its name */
  g_assert_true (prism_draft_set_parameter (draft, param, "7.5", NULL));
  save_preset (self, " my_preset ", "Seven and a half");
  g_autofree char *label = find_preset (GTK_WIDGET (self->test.window), "my_preset");
  g_assert_nonnull (label);
  g_assert_true (g_str_has_prefix (label, "my__preset\n"));
  HAS (label, "Seven and a half");
  g_autofree char *text = file_text (path);
  HAS (text, "7.5");

  g_assert_true (prism_draft_set_parameter (draft, param, "9", NULL));
  g_action_group_activate_action (G_ACTION_GROUP (self->test.window), "preset",
                                  g_variant_new_string ("my_preset"));
  g_assert_cmpfloat (draft->config->aperture_radius, ==, 7.5);
  g_assert_cmpint (g_unlink (path), ==, 0);
}

/* A camera that flies is below the scenes, with its numbers, and brings its distance and its
 * target. */
TEST_FIXTURE (scenario, "/app/window-keeping/scenario")
{
  PrismDraft *draft = self->test.session->draft;

  SAYS (find_preset (GTK_WIDGET (self->test.window), "drone_50m_survey"),
        "Drone, survey from 50 m\n\u200350 mm f/4 · 50 m · 6.5 mm/px");
  g_action_group_activate_action (G_ACTION_GROUP (self->test.window), "preset",
                                  g_variant_new_string ("drone_50m_survey"));
  g_assert_cmpstr (draft->config->object, ==, "usaf1951");
  g_assert_cmpfloat (draft->config->distance, ==, 50);
}

/* What goes on in another window of the program, even a hidden one, is asked about. */
TEST_FIXTURE (work_is_asked_about, "/app/window-keeping/work-is-asked-about")
{
  GtkWidget *window = prism_benchmark_window_new (NULL);

  gtk_window_set_transient_for (GTK_WINDOW (window), GTK_WINDOW (self->test.window));
  prism_job_window_set_busy (window, TRUE, TRUE);
  gtk_window_close (GTK_WINDOW (self->test.window));
  g_assert_cmpstr (adw_message_dialog_get_heading (find_message ()), ==,
                   "Quit while “Benchmark” is under way?");
  answer (find_message (), "dismiss");
  g_assert_null (find_message ());
  g_assert_true (gtk_widget_get_mapped (GTK_WIDGET (self->test.window)));
  gtk_window_destroy (GTK_WINDOW (window));
}

/* A file that is written once it may be. */
typedef struct
{
  gint may;
  gboolean fails;
} Slow;

static gboolean
write_slowly (gpointer data,
              const char *path,
              GError **error)
{
  Slow *slow = data;

  while (!g_atomic_int_get (&slow->may))
    g_usleep (1000);
  if (slow->fails)
    return prism_error_io (error, "There is no room.");
  return g_file_set_contents (path, "whole", -1, error);
}

static void
let_be (gpointer data)
{
}

static void
on_written (gpointer owner,
            const char *path,
            const GError *error)
{
}

static gboolean
says (PrismWindow *window,
      const char *part)
{
  return widget_test_find_part (widget_test_get_part (window, "notice"), part) != NULL;
}

/* A window that is closed while a file is being written goes when the file is whole, and stays
 * where it could not be written, to say so. */
TEST (files_first, "/app/window-keeping/files-first")
{
  g_autoptr (TestFolder) folder = test_folder_new ();
  g_autofree char *path = g_build_filename (folder, "a.txt", NULL);
  g_autoptr (GtkWindow) window = NULL; /* goes after the test, which destroys it */
  g_auto (WindowTest) test = window_test_new (NULL);
  Slow fails = { 0, TRUE }, works = { 0, FALSE };

  window = g_object_ref (GTK_WINDOW (test.window));
  prism_file_saver_save (write_slowly, &fails, let_be, path, on_written, window);
  gtk_window_close (window);
  g_assert_true (gtk_widget_get_mapped (GTK_WIDGET (window)));
  g_assert_true (says (test.window, "A file is being saved"));
  g_atomic_int_set (&fails.may, 1);
  WAIT_FOR (says (test.window, "There is no room."));
  g_assert_true (gtk_widget_get_mapped (GTK_WIDGET (window)));
  prism_file_saver_save (write_slowly, &works, let_be, path, on_written, window);
  gtk_window_close (window);
  gtk_window_close (window);
  g_assert_true (gtk_widget_get_mapped (GTK_WIDGET (window)));
  g_atomic_int_set (&works.may, 1);
  WAIT_FOR (!gtk_widget_get_mapped (GTK_WIDGET (window)));
  g_assert_true (g_file_test (path, G_FILE_TEST_EXISTS));
}

/* Whatever is saved: an animation, and everything. */
TEST (all_files_first, "/app/window-keeping/all-files-first")
{
  static const char *const actions[] = { "export-animation", "export-all" };

  PRISM_FOR_EACH_OF (action, actions)
    {
      g_autoptr (TestFolder) folder = test_folder_new ();
      const gboolean is_film = g_str_equal (*action, "export-animation");
      g_autofree char *path = g_build_filename (folder, is_film ? "big.png" : "", NULL);
      g_autoptr (GFile) file = g_file_new_for_path (path);
      g_autoptr (GtkWindow) window = NULL; /* goes after the test, which destroys it */
      g_auto (WindowTest) test = window_test_new (NULL);

      window = g_object_ref (GTK_WINDOW (test.window));
      prism_session_run (test.session);
      WAIT_FOR (window_test_has_finished (test.session));
      window_test_activate (&test, *action);
      if (is_film)
        g_signal_emit_by_name (widget_test_find_window (PRISM_TYPE_FILM_DIALOG), "accepted");
      file_answer_give (file);
      gtk_window_close (window);
      g_assert_true (gtk_widget_get_mapped (GTK_WIDGET (window)));
      WAIT_FOR (!gtk_widget_get_mapped (GTK_WIDGET (window)));
      g_autoptr (GDir) listing = g_dir_open (folder, 0, NULL);
      g_assert_false (g_str_has_prefix (g_dir_read_name (listing), ".prism"));
    }
}

/* The window that is in front. */
static gpointer front;

/* In place of GTK's: no window manager says which it is. */
gboolean
gtk_window_is_active (GtkWindow *window)
{
  return window == front;
}

/* A run that has no room is told as every file is: its name, and what to do; also in the window
 * that is in front. */
TEST_FIXTURE (no_room, "/app/window-keeping/no-room")
{
  g_autoptr (TestFolder) folder = test_folder_new ();
  g_autofree char *path = g_build_filename (folder, "copy.prismrun", NULL);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  PrismSession *session = self->test.session;
  struct rlimit limit, before;
  GStatBuf status;

  prism_session_run (session);
  WAIT_FOR (window_test_has_finished (session));
  g_assert_cmpint (g_stat (session->run_file, &status), ==, 0);
  window_test_activate (&self->test, "patterns");
  front = widget_test_find_window (PRISM_TYPE_PATTERN_GALLERY);
  window_test_activate (&self->test, "save-run");
  signal (SIGXFSZ, SIG_IGN);
  g_assert_cmpint (getrlimit (RLIMIT_FSIZE, &before), ==, 0);
  limit = before;
  limit.rlim_cur = (rlim_t) status.st_size - 1;
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &limit), ==, 0);
  file_answer_give (file);
  WAIT_FOR (find_message () != NULL);
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &before), ==, 0);
  HAS (adw_message_dialog_get_body (find_message ()), "copy.prismrun” cannot be written: ",
       "Free some space or choose another directory.");
  g_assert_true (says (self->test.window, "Free some space"));
  g_assert_true (gtk_window_get_transient_for (GTK_WINDOW (find_message ())) == front);
  front = NULL;
  answer (find_message (), "dismiss");
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
  g_assert_cmpint (g_rmdir (folder), ==, 0); /* so nothing was left */
  g_assert_cmpint (g_mkdir (folder, 0700), ==, 0);
}

static guint
count_windows (GType type)
{
  GListModel *windows = gtk_window_get_toplevels ();
  guint n = 0;

  for (guint i = 0; i < g_list_model_get_n_items (windows); i++)
    {
      g_autoptr (GtkWidget) window = g_list_model_get_item (windows, i);

      n += G_TYPE_CHECK_INSTANCE_TYPE (window, type);
    }
  return n;
}

TEST_FIXTURE (patterns_once, "/app/window-keeping/patterns-once")
{
  for (int i = 0; i < 3; i++)
    window_test_activate (&self->test, "patterns");
  g_assert_cmpuint (count_windows (PRISM_TYPE_PATTERN_GALLERY), ==, 1);
  gtk_window_destroy (widget_test_find_window (PRISM_TYPE_PATTERN_GALLERY));
  window_test_activate (&self->test, "patterns");
  g_assert_cmpuint (count_windows (PRISM_TYPE_PATTERN_GALLERY), ==, 1);
}

/* What is not opened is not passed over in silence. */
TEST_FIXTURE (several_files, "/app/window-keeping/several-files")
{
  g_autoptr (GFile) one = g_file_new_for_path ("/none/one.png");
  g_autoptr (GFile) two = g_file_new_for_path ("/none/two.png");
  g_autoptr (GSList) files = g_slist_prepend (g_slist_prepend (NULL, two), one);

  prism_window_open_files (self->test.window, files);
  WAIT_FOR (widget_test_find_part (self->test.window, "Only “one.png” is opened") != NULL);
  WAIT_FOR (says (self->test.window, "one.png"));
  /* It is said in the window that opens above. */
  g_autoptr (GFile) frames = g_file_new_for_path ("/none/frames.hdf5");
  g_autoptr (GSList) others = g_slist_prepend (g_slist_prepend (NULL, two), frames);
  prism_window_open_files (self->test.window, others);
  WAIT_FOR (widget_test_find_part (widget_test_find_window (PRISM_TYPE_IMPORT_WINDOW),
                                   "Only “frames.hdf5” is opened")
            != NULL);
}

/* A file that is still read holds the window of the frames after it was closed: what opens then is
 * another. */
TEST_FIXTURE (measurements_closed, "/app/window-keeping/measurements-closed")
{
  g_autoptr (GFile) frames = g_file_new_for_path ("/none/frames.hdf5");
  GSList files = { frames };

  prism_window_open_files (self->test.window, &files);
  g_autoptr (GtkWindow) first = g_object_ref (widget_test_find_window (PRISM_TYPE_IMPORT_WINDOW));
  gtk_window_destroy (first);
  prism_window_open_files (self->test.window, &files);
  g_assert_true (widget_test_find_window (PRISM_TYPE_IMPORT_WINDOW) != GTK_WIDGET (first));
  g_assert_cmpuint (count_windows (PRISM_TYPE_IMPORT_WINDOW), ==, 1);
}

/* A name that is one of the program's is refused in a sentence, and nothing is written. */
TEST_FIXTURE (preset_name_taken, "/app/window-keeping/preset-name-taken")
{
  g_autofree char *path = prism_preset_store_dup_path ("quick-look");
  GtkWidget *notice = widget_test_find (self->test.window, PRISM_TYPE_NOTICE);

  save_preset (self, "quick-look", "");
  g_assert_nonnull (widget_test_find_part (notice, "“quick-look”"));
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
}

/* The event file of a folder; NULL while there is none. */
static char *
find_events (const char *folder)
{
  g_autoptr (GDir) listing = g_dir_open (folder, 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (listing)) != NULL)
    if (g_str_has_prefix (name, "events.out.tfevents."))
      return g_build_filename (folder, name, NULL);
  return NULL;
}

static gboolean
has_events (gpointer data)
{
  g_autofree char *path = find_events (data);

  return path != NULL;
}

TEST_FIXTURE (events, "/app/window-keeping/events")
{
  g_autofree char *folder = g_dir_make_tmp ("prism-tensorboard-XXXXXX", NULL);
  g_autofree char *path = NULL, *bytes = NULL;
  g_autoptr (GFile) file = g_file_new_for_path (folder);
  gsize length;

  prism_session_run (self->test.session);
  WAIT_FOR (window_test_has_finished (self->test.session));
  window_test_activate (&self->test, "export-events");
  g_assert_true (file_answer_is_wanted ());
  file_answer_give (file);
  WAIT_FOR (has_events (folder));
  path = find_events (folder);
  g_assert_true (g_file_get_contents (path, &bytes, &length, NULL));
  g_assert_nonnull (memmem (bytes, length, "quality/psnr", strlen ("quality/psnr")));
  g_assert_nonnull (memmem (bytes, length, "brain.Event:2", strlen ("brain.Event:2")));
  g_unlink (path);
  g_rmdir (folder);
}

/* The command sets the parameter, runs, and the end says by what. */
TEST_FIXTURE (run_to_convergence, "/app/window-keeping/run-to-convergence")
{
  PrismDraft *draft = self->test.session->draft;

  g_assert_true (prism_draft_set_parameter (draft, prism_config_get_param ("converged_below"), "1",
                                            NULL));
  g_assert_true (prism_draft_set_parameter (draft, prism_config_get_param ("polish"), "10", NULL));
  g_assert_true (prism_draft_set_parameter (draft, prism_config_get_param ("snr"), "20", NULL));
  window_test_activate (&self->test, "run-to-convergence");
  g_assert_true (draft->config->until_converged);
  WAIT_FOR (window_test_has_finished (self->test.session));
  PrismSnapshot *end = self->test.session->snapshot;
  g_assert_cmpint (end->settling.kind, ==, PRISM_SETTLING_STILL);
  g_assert_cmpfloat (end->settling.change, <, 0.01);
  g_assert_cmpfloat (end->settling.limit, ==, 0.01);
}

static void
put_file (PrismUserCache cache,
          const char *name)
{
  g_autofree char *folder = prism_user_cache_dup_folder (cache);
  g_autofree char *path = g_build_filename (folder, name, NULL);

  g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
  g_assert_true (g_file_set_contents (path, "0123456789", -1, NULL));
}

/* Its size is told, nothing goes before the question is answered, and what is no file of the cache
 * stays. */
TEST (clear_cache, "/app/window-keeping/clear-cache")
{
  g_autofree char *folder = prism_user_cache_dup_folder (PRISM_USER_CACHE_COSTS);
  g_autofree char *other = g_build_filename (folder, "notes.txt", NULL);
  PrismUserCacheUse use;
  AdwActionRow *row;

  for (int i = 0; i < PRISM_N_USER_CACHES; i++)
    prism_user_cache_look (i, TRUE, &use);
  put_file (PRISM_USER_CACHE_COSTS, "a.json");
  put_file (PRISM_USER_CACHE_COSTS, "notes.txt");
  put_file (PRISM_USER_CACHE_TUNING, "b.json");
  GtkWidget *preferences = g_object_new (PRISM_TYPE_PREFERENCES, NULL);
  gtk_window_present (GTK_WINDOW (preferences));
  row = FIND (preferences,
              ADW_IS_ACTION_ROW (it)
                  && g_str_equal (adw_preferences_row_get_title (ADW_PREFERENCES_ROW (it)),
                                  "Times and tuning"));
  g_assert_nonnull (row);
  HAS (adw_action_row_get_subtitle (row), "2 files", "20");
  g_assert_true (gtk_widget_activate_action (preferences, "preferences.clear-cache", NULL));
  answer (find_message (), "dismiss");
  prism_user_cache_look (PRISM_USER_CACHE_COSTS, FALSE, &use);
  g_assert_cmpuint (use.n_files, ==, 1);
  g_assert_cmpuint (use.bytes, ==, 10);
  g_assert_true (gtk_widget_activate_action (preferences, "preferences.clear-cache", NULL));
  answer (find_message (), "confirm");
  g_assert_cmpstr (adw_action_row_get_subtitle (row), ==, "Empty");
  g_assert_true (g_file_test (other, G_FILE_TEST_EXISTS));
  g_unlink (other);
  gtk_window_destroy (GTK_WINDOW (preferences));
}

/* A finished result that no file has is kept where the next start tells of it. */
TEST (lone_result, "/app/window-keeping/lone-result")
{
  g_autoptr (PrismConfig) config = widget_test_new_config ();
  g_autofree char *kept = g_build_filename (g_get_user_data_dir (), "prism-studio", "last-run",
                                            "summary.json", NULL);
  WindowTest test;

  window_test_open (&test, config);
  g_object_add_weak_pointer (G_OBJECT (test.window), (gpointer *) &test.window);
  prism_session_run_unsaved (test.session);
  WAIT_FOR (window_test_has_finished (test.session));
  g_assert_false (g_file_test (kept, G_FILE_TEST_EXISTS));
  gtk_window_close (GTK_WINDOW (test.window));
  WAIT_FOR (test.window == NULL);
  g_assert_true (g_file_test (kept, G_FILE_TEST_EXISTS));
  g_object_unref (test.session);
}

/* A saved run has its file when the window goes, which says until then what it waits for. */
TEST (closes_when_saved, "/app/window-keeping/closes-when-saved")
{
  g_autoptr (PrismConfig) config = widget_test_new_config ();
  g_autoptr (PrismRun) run = NULL;
  WindowTest test;

  config->samples = 500;
  window_test_open (&test, config);
  g_object_add_weak_pointer (G_OBJECT (test.window), (gpointer *) &test.window);
  prism_session_run (test.session);
  WAIT_FOR (test.session->state == PRISM_STATE_RUNNING && test.session->snapshot->step > 3);
  g_autofree char *path = g_strdup (test.session->run_file);
  gtk_window_close (GTK_WINDOW (test.window));
  answer (find_message (), "confirm");
  g_assert_nonnull (widget_test_find_part (test.window, "Saving the run: "));
  WAIT_FOR (test.window == NULL);
  run = MUST (prism_run_file_load (path, &error));
  g_assert_cmpuint (run->snapshot->step, ==, test.session->snapshot->step);
  g_object_unref (test.session);
}

/* The key that closes any other window does not end the program by itself; and a question about a
 * run that is over meanwhile goes, with the program. */
TEST (questions_before_leaving, "/app/window-keeping/questions-before-leaving")
{
  g_autoptr (PrismConfig) config = widget_test_new_config ();
  WindowTest test;

  window_test_open (&test, config);
  g_object_add_weak_pointer (G_OBJECT (test.window), (gpointer *) &test.window);
  window_test_activate (&test, "ask-to-close");
  answer (find_message (), "dismiss");
  g_assert_nonnull (test.window);
  prism_session_run (test.session);
  WAIT_FOR (window_test_is_active (test.session));
  gtk_window_close (GTK_WINDOW (test.window));
  g_assert_nonnull (find_message ());
  prism_session_stop (test.session);
  WAIT_FOR (test.window == NULL);
  g_assert_null (find_message ());
  g_object_unref (test.session);
}

/* A run that ends before it can pause keeps no window. */
TEST (closes_when_over, "/app/window-keeping/closes-when-over")
{
  g_autoptr (PrismConfig) config = widget_test_new_config ();
  WindowTest test;

  config->samples = 500;
  window_test_open (&test, config);
  g_object_add_weak_pointer (G_OBJECT (test.window), (gpointer *) &test.window);
  prism_session_run (test.session);
  WAIT_FOR (test.session->state == PRISM_STATE_RUNNING && test.session->snapshot->step > 3);
  prism_session_stop (test.session);
  prism_window_stop_and_quit (test.window);
  WAIT_FOR (test.window == NULL);
  g_object_unref (test.session);
}
