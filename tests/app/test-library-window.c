#include "config.h"

#include "library/prism-library-index.h"
#include "library/prism-library-row.h"
#include "library/prism-library-window.h"
#include "prism-test.h"
#include "run/prism-run-catalogue.h"
#include "run/prism-run-folder.h"
#include "support/prism-settings.h"
#include "support/prism-widget.h"
#include "window-test.h"

#include <sys/inotify.h>
#include <unistd.h>
#include <utime.h>

#define MANY 10000
#define N_LIMIT 4    /* runs that stay, of the preferences */
#define NEW_FILES 60 /* several times what one job reads */

static PrismRunCard *
create_card (const char *runs,
             guint i)
{
  PrismRunCard *card = g_new0 (PrismRunCard, 1);

  card->path = g_strdup_printf ("%s/%05u.prismrun", runs, i);
  g_file_set_contents (card->path, "", 0, NULL);
  card->key = g_compute_checksum_for_string (G_CHECKSUM_MD5, card->path, -1);
  card->name = g_strdup (i % 100 == 7 ? "Cráter study" : "");
  card->tags = g_strdup (i % 1000 == 7 ? "paper" : "");
  card->object = g_strdup (i % 2 ? "Moon" : "Text");
  card->settings = g_strdup_printf ("aperture_radius=%u;snr=20", 5 + i % 40);
  card->saved = g_strdup_printf ("2026-01-%02uT%02u:%02u:00Z", 1 + i % 28, i % 24, i % 60);
  card->state_name = g_strdup ("finished");
  card->verdict = g_strdup ("explained");
  card->frames = g_strdup ("");
  card->misfit = NAN;
  card->psnr = 20 + i % 31;
  card->bytes = 1000 + i;
  return card;
}

static char *
create_catalogue (guint n)
{
  char *folder = g_dir_make_tmp ("prism-library-XXXXXX", NULL);
  g_autoptr (PrismRunCatalogue) catalogue = prism_run_catalogue_new (folder, NULL);

  for (guint i = 0; i < n; i++)
    prism_run_catalogue_add (catalogue, create_card (folder, i));
  g_assert_true (prism_run_catalogue_save (catalogue, NULL));
  return folder;
}

static gboolean
is_at_rest (gpointer window)
{
  return gtk_widget_get_mapped (window) && !PRISM_LIBRARY_WINDOW (window)->reading;
}

static PrismLibraryWindow *
open_library (const char *folder,
              const char *runs)
{
  GtkWidget *window = prism_library_window_new (folder, runs);

  gtk_window_present (GTK_WINDOW (window));
  WAIT_FOR (is_at_rest (window));
  return PRISM_LIBRARY_WINDOW (window);
}

typedef struct
{
  PrismLibraryWindow *window;
  guint n;
} Shown;

/* The runs in the list of a library. */
static GListModel *
get_shown (gpointer library)
{
  return G_LIST_MODEL (gtk_list_view_get_model (widget_test_get_part (library, "list")));
}

static gboolean
shows (gpointer data)
{
  Shown *shown = data;

  return g_list_model_get_n_items (get_shown (shown->window)) == shown->n;
}

static GtkWidget *
find_part (gpointer widget,
           const char *part)
{
  return FIND (widget, GTK_IS_LABEL (it) && gtk_widget_get_mapped (it)
                           && strstr (gtk_label_get_text (GTK_LABEL (it)), part) != NULL);
}

/* Not that of the list of orders. */
static GtkWidget *
find_search (GtkWidget *widget)
{
  return FIND (widget, GTK_IS_SEARCH_ENTRY (it)
                           && gtk_widget_get_ancestor (it, GTK_TYPE_POPOVER) == NULL);
}

static void
search (PrismLibraryWindow *window,
        const char *words,
        guint n)
{
  GtkWidget *entry = find_search (GTK_WIDGET (window));
  Shown shown = { window, n };

  gtk_editable_set_text (GTK_EDITABLE (entry), words);
  WAIT_FOR (shows (&shown));
}

/* As many widgets as are to be seen, however many runs there are. */
TEST (many_runs, "/app/library-window/many")
{
  g_autofree char *folder = create_catalogue (MANY);
  gint64 begun = g_get_monotonic_time ();
  PrismLibraryWindow *window = open_library (folder, "/nowhere");

  g_test_message ("%d runs shown after %.0f ms", MANY,
                  (double) (g_get_monotonic_time () - begun) / 1000);
  g_assert_cmpuint (g_list_model_get_n_items (get_shown (window)), ==, MANY);
  g_assert_cmpuint (
      COUNT (GTK_WIDGET (window), G_TYPE_CHECK_INSTANCE_TYPE (it, PRISM_TYPE_LIBRARY_ROW)), <, 400);
  begun = g_get_monotonic_time ();
  search (window, "CRATER mo\u0301on", 100);
  g_test_message ("found after %.0f ms", (double) (g_get_monotonic_time () - begun) / 1000);
  search (window, "PAPER", 10);
  search (window, "aperture_radius=12;", 250);
  g_signal_emit_by_name (find_search (GTK_WIDGET (window)), "activate");
  g_assert_true (
      gtk_widget_get_sensitive (widget_test_get_part (GTK_WIDGET (window), "open_button")));
  gtk_selection_model_select_item (GTK_SELECTION_MODEL (get_shown (window)), 0, TRUE);
  g_assert_true (
      gtk_widget_get_sensitive (widget_test_get_part (GTK_WIDGET (window), "open_button")));
  search (window, "nothing of that", 0);
  g_assert_false (
      gtk_widget_get_sensitive (widget_test_get_part (GTK_WIDGET (window), "open_button")));
  g_assert_false (
      gtk_widget_get_sensitive (widget_test_get_part (GTK_WIDGET (window), "trash_button")));
  search (window, "", MANY);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* What a run does not share with the others of its folder stands first, the default too; values
 * that no setting states are found as well. */
TEST (differences_come_first, "/app/library-window/differences")
{
  static const char *const settings[] = { "object_size=64;snr=20", "object_size=64;snr=60",
                                          "object_size=64" };
  g_autofree char *folder = create_catalogue (0);
  g_autofree char *runs = g_build_filename (folder, "2077-runs", NULL);
  PrismRunCatalogue *catalogue = prism_run_catalogue_new (folder, NULL);

  g_assert_cmpint (g_mkdir (runs, 0700), ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (settings); i++)
    {
      PrismRunCard *card = create_card (runs, i);

      g_free (card->settings);
      card->settings = g_strdup (settings[i]);
      prism_run_catalogue_add (catalogue, card);
    }
  g_assert_true (prism_run_catalogue_save (catalogue, NULL));
  prism_run_catalogue_free (catalogue);
  PrismLibraryWindow *window = open_library (folder, "/nowhere");
  WAIT_FOR (find_part (window, "Noise (SNR) 20 dB, Object size 64 px") != NULL);
  g_assert_nonnull (find_part (window, "Noise (SNR) No noise, Object size 64 px"));
  search (window, "fermat radius snr 60", 1);
  search (window, "fermat object size 64", 3);
  search (window, "fermat object size 96", 0);
  /* A number is no part of another; a path is asked for with a slash. */
  search (window, "60", 1);
  search (window, "6", 0);
  search (window, "2077", 0);
  search (window, "2077-runs/", 3);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* A setting that changes nothing of its run is not told, nor is one of the folder's other runs. */
TEST (idle, "/app/library-window/idle")
{
  static const char *const settings[] = { "obscuration=0.4;snr=20", "snr=60" };
  g_autofree char *folder = create_catalogue (0);
  PrismRunCatalogue *catalogue = prism_run_catalogue_new (folder, NULL);

  for (guint i = 0; i < 6; i++)
    {
      PrismRunCard *card = create_card (folder, i);

      g_free (card->settings);
      card->settings = g_strdup (i < 2 ? settings[i] : "hold_out=5;tile=256");
      if (i >= 2)
        {
          g_free (card->frames);
          card->frames = g_strdup ("/smear.hdf5");
        }
      prism_run_catalogue_add (catalogue, card);
    }
  g_assert_true (prism_run_catalogue_save (catalogue, NULL));
  prism_run_catalogue_free (catalogue);
  PrismLibraryWindow *window = open_library (folder, "/nowhere");
  WAIT_FOR (find_part (window, "Noise (SNR) 60 dB") != NULL);
  g_assert_nonnull (find_part (window, "Noise (SNR) 20 dB"));
  g_assert_null (find_part (window, "obscuration"));
  g_assert_null (find_part (window, "Held-out frames 15"));
  gtk_window_destroy (GTK_WINDOW (window));
}

/* Of recorded frames settings are in words, too. */
TEST (recorded_in_words, "/app/library-window/recorded")
{
  g_autofree char *folder = create_catalogue (0);
  PrismRunCatalogue *catalogue = prism_run_catalogue_new (folder, NULL);
  PrismRunCard *card = create_card (folder, 0);

  g_free (card->settings);
  g_free (card->frames);
  /* What other frames alone have was kept once, and is not told. */
  card->settings = g_strdup ("samples=60;snr=20;tile=256;method=complex;variation=0.003");
  card->frames = g_strdup ("/smear.hdf5");
  prism_run_catalogue_add (catalogue, card);
  g_assert_true (prism_run_catalogue_save (catalogue, NULL));
  prism_run_catalogue_free (catalogue);
  PrismLibraryWindow *window = open_library (folder, "/nowhere");
  WAIT_FOR (find_part (window, "Tile 256 px, Method Complex decoder") != NULL);
  g_assert_null (find_part (window, "Positions"));
  search (window, "complex decoder", 1);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* That there are none is said once that is known. */
TEST (reading, "/app/library-window/reading")
{
  g_autofree char *folder = create_catalogue (0);
  GtkWidget *window = prism_library_window_new (folder, folder);
  AdwWindowTitle *title = PRISM_LIBRARY_WINDOW (window)->window_title;

  g_assert_cmpstr (adw_window_title_get_subtitle (title), ==, "Reading…");
  gtk_window_present (GTK_WINDOW (window));
  g_assert_nonnull (find_part (window, "Reading…"));
  WAIT_FOR (is_at_rest (window));
  g_assert_cmpstr (adw_window_title_get_subtitle (title), ==, "0 runs, 0 bytes");
  gtk_window_destroy (GTK_WINDOW (window));
}

static void
on_open_run (gpointer window,
             const char *path,
             guint *n)
{
  (*n)++;
}

static PrismLibraryWindow *
find_library (void)
{
  g_autoptr (GList) windows = gtk_window_list_toplevels ();

  for (GList *link = windows; link != NULL; link = link->next)
    if (PRISM_IS_LIBRARY_WINDOW (link->data))
      return link->data;
  return NULL;
}

/* From the search to a row, not to its star, to its name, and back; Escape empties it, then leaves.
 */
TEST (keys, "/app/library-window/keys")
{
  g_autofree char *folder = create_catalogue (3);
  PrismLibraryWindow *window = open_library (folder, "/nowhere");
  GtkWidget *entry = find_search (GTK_WIDGET (window));
  GtkWidget *list = widget_test_get_part (GTK_WIDGET (window), "list");
  GtkWidget *name = widget_test_get_part (GTK_WIDGET (window), "name_entry");
  PrismRunCard *card = ((PrismLibraryItem *) g_list_model_get_item (get_shown (window), 0))->card;
  GtkWidget *focus = gtk_window_get_focus (GTK_WINDOW (window));
  guint n_opened = 0;

  g_signal_connect (window, "open-run", G_CALLBACK (on_open_run), &n_opened);
  /* Settings that have no room are read below the pointer. */
  g_assert_cmpstr (gtk_widget_get_tooltip_text (widget_test_find_part (list, "Radius")), ==,
                   gtk_label_get_label (widget_test_find_part (list, "Radius")));
  g_assert_true (gtk_widget_is_ancestor (focus, entry));
  g_assert_true (widget_test_press (entry, GDK_KEY_Down, 0));
  focus = gtk_window_get_focus (GTK_WINDOW (window));
  g_assert_true (gtk_widget_get_parent (focus) == list);
  g_assert_true (gtk_selection_model_is_selected (GTK_SELECTION_MODEL (get_shown (window)), 0));
  g_assert_true (widget_test_press (GTK_WIDGET (window), GDK_KEY_d, GDK_CONTROL_MASK));
  g_assert_true (card->starred);
  g_assert_true (widget_test_press (list, GDK_KEY_Tab, 0));
  g_assert_true (GTK_IS_TOGGLE_BUTTON (gtk_window_get_focus (GTK_WINDOW (window))));
  g_assert_true (widget_test_press (list, GDK_KEY_Tab, 0));
  g_assert_true (gtk_widget_is_ancestor (gtk_window_get_focus (GTK_WINDOW (window)), name));
  gtk_widget_grab_focus (focus);
  g_assert_true (widget_test_press (name, GDK_KEY_F2, 0));
  g_assert_true (gtk_widget_is_ancestor (gtk_window_get_focus (GTK_WINDOW (window)), name));
  g_assert_true (gtk_widget_activate (focus));
  g_assert_cmpuint (n_opened, ==, 1);
  g_assert_true (card->starred);
  g_assert_true (widget_test_press (entry, GDK_KEY_f, GDK_CONTROL_MASK));
  g_assert_true (gtk_widget_is_ancestor (gtk_window_get_focus (GTK_WINDOW (window)), entry));
  gtk_editable_set_text (GTK_EDITABLE (entry), "a");
  g_assert_true (widget_test_press (entry, GDK_KEY_Escape, 0));
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (entry)), ==, "");
  g_assert_true (widget_test_press (entry, GDK_KEY_Escape, 0));
  WAIT_FOR (find_library () == NULL);
}

/* Star, name and tags are there the next time, a name without Enter, too; it is of one run. */
TEST (what_is_written_stays, "/app/library-window/written")
{
  g_autofree char *folder = create_catalogue (3);
  PrismLibraryWindow *window = open_library (folder, "/nowhere");
  GtkWidget *row = widget_test_find (window, PRISM_TYPE_LIBRARY_ROW);
  GtkSelectionModel *shown = GTK_SELECTION_MODEL (get_shown (window));
  guint n_named = 0;

  g_autofree char *path = g_strdup (gtk_widget_get_tooltip_text (row));
  gtk_toggle_button_set_active (widget_test_find (row, GTK_TYPE_TOGGLE_BUTTON), TRUE);
  for (guint i = 0; i < 3; i++)
    {
      g_autoptr (PrismLibraryItem) item = g_list_model_get_item (G_LIST_MODEL (shown), i);

      gtk_selection_model_select_item (shown, i, TRUE);
      if (g_str_equal (item->card->path, path))
        gtk_editable_set_text (widget_test_get_part (GTK_WIDGET (window), "name_entry"), "Best ");
    }
  gtk_window_destroy (GTK_WINDOW (window));
  g_autoptr (PrismRunCatalogue) catalogue = prism_run_catalogue_new (folder, NULL);
  PrismRunCard *card = prism_run_catalogue_find (catalogue, path);
  g_assert_true (card->starred);
  g_assert_cmpstr (card->name, ==, "Best");
  for (guint i = 0; i < catalogue->cards->len; i++)
    n_named += ((PrismRunCard *) catalogue->cards->pdata[i])->name[0] != '\0';
  g_assert_cmpuint (n_named, ==, 1);
}

static void
fail (const char *sentence,
      gpointer data)
{
  g_assert_not_reached ();
}

static PrismRunCard *
find_first (PrismRunCatalogue *catalogue)
{
  g_autofree char *path
      = g_build_filename (catalogue->folder, "00000.prismrun", NULL);

  return prism_run_catalogue_find (catalogue, path);
}

static void
assert_name_on_disk (const char *folder,
                     const char *name)
{
  g_autoptr (PrismRunCatalogue) catalogue = prism_run_catalogue_new (folder, NULL);

  g_assert_cmpstr (find_first (catalogue)->name, ==, name);
}

static void
name_first (PrismRunCatalogue *catalogue,
            const char *name)
{
  PrismRunCard *card = find_first (catalogue);

  g_free (card->name);
  card->name = g_strdup (name);
}

/* The index is written by itself, and closing writes the newest, whatever a job is about to do. */
TEST (newest_is_written, "/app/library-window/newest")
{
  g_autofree char *folder = create_catalogue (MANY / 10);

  for (int i = 0; i < 5; i++)
    {
      g_autoptr (PrismRunCatalogue) catalogue = prism_run_catalogue_new (folder, NULL);
      PrismLibraryIndex *index = prism_library_index_new (catalogue, fail, NULL);

      name_first (catalogue, "old");
      prism_library_index_changed (index);
      g_assert_false (prism_library_index_is_at_rest (index));
      WAIT_FOR (prism_library_index_is_at_rest (index));
      assert_name_on_disk (folder, "old");
      /* The job begins while the loop waits, and it is closed at once. */
      prism_library_index_changed (index);
      g_usleep (500000);
      g_main_context_iteration (NULL, TRUE);
      name_first (catalogue, "new");
      prism_library_index_changed (index);
      prism_library_index_close (index);
      assert_name_on_disk (folder, "new");
      while (g_main_context_iteration (NULL, FALSE))
        ;
      g_usleep (50000);
      assert_name_on_disk (folder, "new");
    }
}

static void
remember (PrismLibraryWindow *window,
          const char *path,
          char **opened)
{
  g_free (*opened);
  *opened = g_strdup (path);
}

/* A run of the window joins by itself, with its picture, and opens again. */
TEST (run_of_the_program_joins, "/app/library-window/joins")
{
  g_autofree char *folder = create_catalogue (0);
  g_autofree char *runs
      = g_build_filename (g_get_user_state_dir (), "prism-studio", "runs", NULL);
  g_autoptr (PrismConfig) config = widget_test_new_config ();
  g_autofree char *opened = NULL;
  WindowTest test;

  window_test_open (&test, config);
  window_test_activate (&test, "run");
  WAIT_FOR (window_test_has_finished (test.session));
  window_test_close (&test);

  PrismLibraryWindow *library = open_library (folder, runs);
  g_assert_cmpuint (g_list_model_get_n_items (get_shown (library)), ==, 1);
  g_autoptr (PrismLibraryItem) item = g_list_model_get_item (get_shown (library), 0);
  g_autofree char *name = g_strconcat (item->card->key, ".png", NULL);
  g_autofree char *picture = g_build_filename (folder, name, NULL);
  g_assert_true (g_file_test (picture, G_FILE_TEST_EXISTS));
  g_assert_cmpstr (item->card->state_name, ==, "finished");
  g_assert_cmpfloat (item->card->psnr, >, 5);
  g_signal_connect (library, "open-run", G_CALLBACK (remember), &opened);
  GtkWidget *row = widget_test_find (library, PRISM_TYPE_LIBRARY_ROW);
  g_signal_emit_by_name (gtk_widget_get_ancestor (row, GTK_TYPE_LIST_VIEW), "activate", 0);
  g_assert_cmpstr (opened, ==, item->card->path);
  gtk_window_destroy (GTK_WINDOW (library));
}

/* As many files of the same run. */
static char *
create_runs (guint n)
{
  char *folder = g_dir_make_tmp ("prism-runs-XXXXXX", NULL);
  g_autoptr (PrismConfig) config = widget_test_new_config ();
  g_autofree char *own = prism_run_folder_dup_path ();
  g_autofree char *contents = NULL;
  gsize length;
  WindowTest test;

  window_test_open (&test, config);
  window_test_activate (&test, "run");
  WAIT_FOR (window_test_has_finished (test.session));
  window_test_close (&test);
  g_autoptr (GPtrArray) paths = prism_run_folder_list_paths (own);
  g_assert_cmpuint (paths->len, >, 0);
  g_assert_true (g_file_get_contents (paths->pdata[0], &contents, &length, NULL));
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *path = g_strdup_printf ("%s/%u.prismrun", folder, i);

      g_assert_true (g_file_set_contents (path, contents, (gssize) length, NULL));
    }
  return folder;
}

/* How often the folder itself was opened, and files in it, since it has been watched. */
static void
count_opened (int watch,
              guint *n_folder,
              guint *n_files)
{
  char events[65536] __attribute__ ((aligned (8)));
  gssize length;

  *n_folder = *n_files = 0;
  while ((length = read (watch, events, sizeof events)) > 0)
    for (gssize i = 0; i < length;)
      {
        const struct inotify_event *event = (const struct inotify_event *) (events + i);

        g_assert_false (event->mask & IN_Q_OVERFLOW);
        if (event->len == 0)
          (*n_folder)++;
        else
          (*n_files)++;
        i += (gssize) (sizeof *event + event->len);
      }
}

static void
note_changed (PrismLibraryItem *item,
              GPtrArray *changed)
{
  g_ptr_array_add (changed, g_strdup (item->card->path));
}

/* A file that has changed is told of by its own row alone. */
static void
assert_change_shows (const char *folder,
                     const char *runs)
{
  g_autofree char *path = g_build_filename (runs, "7.prismrun", NULL);
  g_autoptr (GPtrArray) changed = g_ptr_array_new_with_free_func (g_free);

  g_assert_cmpint (g_utime (path, &(struct utimbuf) { 1000, 1000 }), ==, 0);
  GtkWidget *library = prism_library_window_new (folder, runs);
  GListModel *shown = get_shown (library);
  g_assert_cmpuint (g_list_model_get_n_items (shown), ==, NEW_FILES);
  for (guint i = 0; i < NEW_FILES; i++)
    {
      g_autoptr (PrismLibraryItem) item = g_list_model_get_item (shown, i);

      g_signal_connect (item, "changed", G_CALLBACK (note_changed), changed);
    }
  gtk_window_present (GTK_WINDOW (library));
  WAIT_FOR (is_at_rest (library));
  g_assert_cmpuint (changed->len, ==, 1);
  g_assert_cmpstr (changed->pdata[0], ==, path);
  gtk_window_destroy (GTK_WINDOW (library));
}

/* Runs of sweeps lie in folders beside the catalogue. */
TEST (sweeps_are_listed, "/app/library-window/sweeps")
{
  g_autofree char *parent = g_dir_make_tmp ("prism-data-XXXXXX", NULL);
  g_autofree char *folder = g_build_filename (parent, "library", NULL);
  g_autofree char *runs = g_build_filename (parent, "nowhere", NULL);
  g_autofree char *sweeps = g_build_filename (parent, "sweeps", NULL);
  g_autofree char *sweep = g_build_filename (sweeps, "snr", NULL);
  g_autofree char *made = create_runs (2);

  g_assert_cmpint (g_mkdir (sweeps, 0700), ==, 0);
  g_assert_cmpint (g_rename (made, sweep), ==, 0);
  PrismLibraryWindow *library = open_library (folder, runs);
  g_assert_cmpuint (g_list_model_get_n_items (get_shown (library)), ==, 2);
  gtk_window_destroy (GTK_WINDOW (library));
}

/* However many files are new, the folder is listed once, and each of them opened once. */
TEST (files_are_opened_once, "/app/library-window/opened-once")
{
  g_autofree char *folder = create_catalogue (0);
  g_autofree char *runs = create_runs (NEW_FILES);
  int watch = inotify_init1 (IN_NONBLOCK | IN_CLOEXEC);
  guint n_folder, n_files;

  g_assert_cmpint (inotify_add_watch (watch, runs, IN_OPEN), >=, 0);
  PrismLibraryWindow *library = open_library (folder, runs);
  g_assert_cmpuint (g_list_model_get_n_items (get_shown (library)), ==,
                    NEW_FILES);
  count_opened (watch, &n_folder, &n_files);
  g_assert_cmpuint (n_folder, ==, 1);
  g_assert_cmpuint (n_files, ==, NEW_FILES);
  gtk_window_destroy (GTK_WINDOW (library));
  /* What is known and has not changed is not opened at all. */
  library = open_library (folder, runs);
  count_opened (watch, &n_folder, &n_files);
  g_assert_cmpuint (n_folder, ==, 1);
  g_assert_cmpuint (n_files, ==, 0);
  gtk_window_destroy (GTK_WINDOW (library));
  close (watch);
  assert_change_shows (folder, runs);
}

/* Where nothing is listed it is said why. */
TEST (empty, "/app/library-window/empty")
{
  g_autofree char *folder = create_catalogue (0);
  g_autofree char *runs = create_runs (0);
  g_autofree char *some = create_catalogue (2);
  PrismLibraryWindow *library = open_library (folder, runs);

  g_assert_nonnull (find_part (library, "no runs yet"));
  gtk_window_destroy (GTK_WINDOW (library));
  library = open_library (some, runs);
  g_assert_null (find_part (library, "no runs yet"));
  gtk_window_destroy (GTK_WINDOW (library));
}

/* A run that ends while the library is open is listed then, without anybody opening it again. */
TEST (run_under_way_joins, "/app/library-window/under-way")
{
  g_autoptr (PrismConfig) config = widget_test_new_config ();
  Shown shown = { 0 };
  WindowTest test;

  window_test_open (&test, config);
  window_test_activate (&test, "library");
  shown.window = find_library ();
  g_assert_nonnull (shown.window);
  WAIT_FOR (is_at_rest (shown.window));
  shown.n = g_list_model_get_n_items (get_shown (shown.window)) + 1;
  window_test_activate (&test, "run");
  WAIT_FOR (window_test_has_finished (test.session));
  WAIT_FOR (shows (&shown));
  WAIT_FOR (is_at_rest (shown.window));
  g_assert_true (widget_test_press (GTK_WIDGET (shown.window), GDK_KEY_w, GDK_CONTROL_MASK));
  WAIT_FOR (find_library () == NULL);
  window_test_close (&test);
}

/* The names of the runs that go next, in the order of the list. */
static char *
dup_next (PrismLibraryWindow *window)
{
  GListModel *shown = get_shown (window);
  GString *names = g_string_new (NULL);

  for (guint i = 0; i < g_list_model_get_n_items (shown); i++)
    {
      g_autoptr (PrismLibraryItem) item = g_list_model_get_item (shown, i);
      g_autofree char *numbers = prism_library_item_dup_numbers (item);

      g_assert_cmpint (item->next, ==, strstr (numbers, "goes next") != NULL);
      if (item->next)
        g_string_append_printf (names, "%.5s ", strrchr (item->card->path, '/') + 1);
    }
  return g_string_free (names, FALSE);
}

static void
assert_next (PrismLibraryWindow *window,
             const char *expected)
{
  SAYS (dup_next (window), expected);
}

/* What goes when another run is kept is seen, what cannot be read, too; what is gone leaves. */
TEST (next_is_shown, "/app/library-window/next")
{
  g_autofree char *folder = create_catalogue (N_LIMIT + 1);
  GtkWidget *row = NULL;

  g_object_set (prism_settings_get_default (), "kept-runs", N_LIMIT, NULL);
  PrismLibraryWindow *window = open_library (folder, folder);
  GListModel *shown = get_shown (window);
  Shown gone = (Shown) { window, g_list_model_get_n_items (shown) - 1 };
  assert_next (window, "00001 00000 ");
  g_assert_nonnull (find_part (window, "its file cannot be read"));
  g_object_set (prism_settings_get_default (), "kept-runs", N_LIMIT + 1, NULL);
  assert_next (window, "00000 ");
  g_autoptr (PrismLibraryItem) oldest = g_list_model_get_item (shown, gone.n);
  for (row = widget_test_find (window, PRISM_TYPE_LIBRARY_ROW);
       !g_str_has_prefix (gtk_widget_get_tooltip_text (row), oldest->card->path);)
    row = gtk_widget_get_first_child (gtk_widget_get_next_sibling (gtk_widget_get_parent (row)));
  gtk_toggle_button_set_active (widget_test_find (row, GTK_TYPE_TOGGLE_BUTTON), TRUE);
  assert_next (window, "");
  g_object_set (prism_settings_get_default (), "kept-runs", N_LIMIT, NULL);
  assert_next (window, "00001 ");
  g_unlink (oldest->card->path);
  prism_library_window_refresh (window);
  WAIT_FOR (shows (&gone));
  gtk_window_destroy (GTK_WINDOW (window));
  g_object_set (prism_settings_get_default (), "kept-runs", 20, NULL);
}

static char *
run_once (WindowTest *test)
{
  window_test_activate (test, "run");
  WAIT_FOR (window_test_is_active (test->session));
  WAIT_FOR (window_test_has_finished (test->session));
  return g_strdup (test->session->run_file);
}

/* The window is called what its run was named in the library. */
TEST (title_follows, "/app/library-window/title-follows")
{
  g_autoptr (PrismConfig) config = widget_test_new_config ();
  WindowTest test;

  window_test_forget_runs ();
  window_test_open (&test, config);
  g_autofree char *file = run_once (&test);
  window_test_activate (&test, "library");
  Shown shown = (Shown) { find_library (), 1 };
  WAIT_FOR (shows (&shown));
  gtk_selection_model_select_item (GTK_SELECTION_MODEL (get_shown (shown.window)), 0, TRUE);
  gtk_editable_set_text (widget_test_get_part (shown.window, "name_entry"), "Board");
  gtk_window_close (GTK_WINDOW (shown.window));
  WAIT_FOR (strstr (gtk_window_get_title (GTK_WINDOW (test.window)), "Board") != NULL);
  window_test_close (&test);
}

/* A run with a star stays, however many come after it; one without goes, also from the library. */
TEST (star_keeps, "/app/library-window/star-keeps")
{
  g_autoptr (PrismConfig) config = widget_test_new_config ();
  g_autofree char *catalogue = prism_run_catalogue_dup_folder ();
  WindowTest test;

  window_test_forget_runs ();
  window_test_open (&test, config);
  g_autofree char *starred = run_once (&test);
  PrismRunCatalogue *written = prism_run_catalogue_new (catalogue, NULL);
  PrismRunCard *card = prism_run_card_read (starred, catalogue, NULL);
  card->starred = TRUE;
  prism_run_catalogue_add (written, card);
  g_assert_true (prism_run_catalogue_save (written, NULL));
  prism_run_catalogue_free (written);
  g_autofree char *plain = run_once (&test);
  window_test_activate (&test, "library");
  Shown shown = (Shown) { find_library (), 2 };
  WAIT_FOR (shows (&shown));
  g_object_set (prism_settings_get_default (), "kept-runs", 1, NULL);
  g_autofree char *last = run_once (&test);
  WAIT_FOR (!g_file_test (plain, G_FILE_TEST_EXISTS));
  WAIT_FOR (is_at_rest (shown.window));
  WAIT_FOR (shows (&shown));
  g_assert_true (g_file_test (starred, G_FILE_TEST_EXISTS));
  g_assert_true (g_file_test (last, G_FILE_TEST_EXISTS));
  window_test_close (&test);
  g_object_set (prism_settings_get_default (), "kept-runs", 20, NULL);
}

/* What a job holds of a closed window goes after the window's parent. */
TEST (leaves_parent, "/app/library-window/leaves-parent")
{
  GtkWindow *parent = GTK_WINDOW (gtk_window_new ());
  GtkWindow *window = g_object_ref (GTK_WINDOW (gtk_window_new ()));

  gtk_window_set_transient_for (window, parent);
  gtk_window_set_destroy_with_parent (window, TRUE);
  gtk_window_present (window);
  gtk_window_destroy (window);
  g_assert_null (gtk_window_get_transient_for (window));
  gtk_window_destroy (parent);
  g_object_unref (window);
}

TESTS
{
  prism_window_keys_init ();
  prism_window_parents_init ();
}
