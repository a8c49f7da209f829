#include "../engine/support/test-remove-tree.h"
#include "file-answer.h"
#include "instrument/prism-instrument-simulate.h"
#include "measurements/prism-frame-film.h"
#include "measurements/prism-import-window.h"
#include "prism-test.h"
#include "recording/prism-recording-save.h"
#include "widget-test.h"

/* Frames of a small microscope, in a folder of the test. */
typedef struct
{
  char *folder, *frames, *stack;
} Fixture;

SET_UP
{
  PrismInstrument instrument;
  g_autoptr (PrismInstrumentTruth) truth = NULL;
  g_autoptr (PrismRecording) recording = NULL;

  self->folder = g_dir_make_tmp ("prism-import-XXXXXX", NULL);
  self->frames = g_build_filename (self->folder, "cells.hdf5", NULL);
  self->stack = g_build_filename (self->folder, "cells.tif", NULL);
  g_assert_true (prism_instrument_init (&instrument, "microscope", NULL));
  instrument.size = 64;
  instrument.per_side = 5;
  recording = MUST (prism_instrument_simulate (&instrument, &truth, &error));
  g_assert_true (prism_recording_save (recording, self->frames, PRISM_RECORDING_PTYLAB, NULL));
  g_assert_true (prism_recording_save (recording, self->stack, PRISM_RECORDING_TIFF, NULL));
}

TEAR_DOWN
{
  test_remove_tree (self->folder);
  g_free (self->folder);
  g_free (self->frames);
  g_free (self->stack);
}

static guint n_references; /* of a window that reads nothing */

static gboolean
has_read (gpointer window)
{
  return G_OBJECT (window)->ref_count == n_references;
}

static GtkWidget *
open_window (const char *path)
{
  GtkWidget *window = g_object_new (PRISM_TYPE_IMPORT_WINDOW, NULL);

  gtk_window_present (GTK_WINDOW (window));
  n_references = G_OBJECT (window)->ref_count;
  prism_import_window_open (PRISM_IMPORT_WINDOW (window), path);
  WAIT_FOR (has_read (window));
  return window;
}

/* Types a value into the row of a key, which is not confirmed yet. */
static GtkWidget *
enter (GtkWidget *widget,
       const char *key,
       const char *value)
{
  GtkWidget *row = FIND (widget, ADW_IS_ENTRY_ROW (it)
                                     && g_strcmp0 (g_object_get_data (G_OBJECT (it), "key"), key)
                                            == 0);

  g_assert_nonnull (row);
  gtk_editable_set_text (GTK_EDITABLE (row), value);
  return row;
}

/* It begins to read anew. */
static void
type (GtkWidget *widget,
      const char *key,
      const char *value)
{
  g_signal_emit_by_name (enter (widget, key, value), "apply");
}

static void
check_text (GtkWidget *window,
            const char *part)
{
  HAS (gtk_label_get_label (widget_test_get_part (window, "missing")), part);
}

static void
check_label (GtkWidget *window,
             const char *part)
{
  g_assert_nonnull (widget_test_find_part (window, part));
}

TEST_FIXTURE (whole, "/app/import/whole")
{
  g_autoptr (ShownWindow) window = open_window (self->frames);

  check_text (window, "Nothing is missing");
  check_label (window, "Neighbouring pupils share");
  GtkWidget *focus = gtk_root_get_focus (GTK_ROOT (window));
  g_assert_cmpstr (gtk_button_get_label (GTK_BUTTON (focus)), ==, "_Reconstruct");
  check_label (window, "fine enough");
  check_label (window, "within 10 % of the NA edge may be half bright");
  check_label (window, "Wavelength: 630 nm");
  check_label (window, "Pixel at the specimen: 1.845 µm");
  /* Directions have the slide in them; where there are none, there is none until one is said. */
  check_label (window, "Thickness of the slide: not used");
  g_assert_true (gtk_widget_activate_action (window, "import.reconstruct", NULL));
  check_text (window, "Making the frames ready…");
  prism_import_window_open (PRISM_IMPORT_WINDOW (window), self->stack);
  WAIT_FOR (has_read (window));
  check_label (window, "Wavelength, such as 630 nm");
  check_label (window, "Thickness of the slide: 0 mm");
  g_assert_null (widget_test_find_part (window, "Wavelength: 630 nm"));
}

/* From the last frame it goes on with the first and the second; held, it stays. */
TEST_FIXTURE (film, "/app/import/film")
{
  g_autoptr (ShownWindow) window = open_window (self->frames);
  PrismFrameFilm *film = widget_test_find (window, PRISM_TYPE_FRAME_FILM);

  gtk_stack_set_visible_child (
      GTK_STACK (gtk_widget_get_ancestor (GTK_WIDGET (film), GTK_TYPE_STACK)), GTK_WIDGET (film));
  check_label (window, "Frame 0 of 0 to 24, its LED at NA 0.0000");
  check_label (window, "bright field");
  prism_frame_film_set_frame (film, 12);
  check_label (window, "Frame 12 of 0 to 24, its LED at NA 0.1");
  check_label (window, "dark field");
  prism_frame_film_set_frame (film, 1000);
  g_assert_cmpuint (prism_frame_film_get_frame (film), ==, 24);
  prism_frame_film_set_playing (film, TRUE);
  WAIT_FOR (prism_frame_film_get_frame (film) == 1);
  prism_frame_film_set_playing (film, FALSE);
  while (g_main_context_iteration (NULL, FALSE))
    ;
  g_assert_cmpuint (prism_frame_film_get_frame (film), ==, 1);
  /* Frames without places, of which there are as many. */
  prism_import_window_open (PRISM_IMPORT_WINDOW (window), self->stack);
  WAIT_FOR (has_read (window));
  check_label (window, "Frame 1 of 0 to 24");
  g_assert_null (widget_test_find_part (window, "its LED at"));
}

/* Frames that are told to be coarser than the objective shows are refused before anything runs. */
TEST_FIXTURE (coarse, "/app/import/coarse")
{
  g_autoptr (ShownWindow) window = open_window (self->frames);

  type (window, "pixel_size", "9 um");
  WAIT_FOR (has_read (window));
  check_text (window, "too large for NA");
}

/* What is missing is asked for, one after the other, until only the table is. */
TEST_FIXTURE (by_hand, "/app/import/by-hand")
{
  static const char *const steps[][3] = {
    { "wavelength", "630 nm", "the wavelength, " },
    { "pixel_size", "1,84 um", "the side of a pixel at the specimen, " },
    { "na", "0,1", "Not known yet: the numerical aperture, " },
  };
  g_autoptr (ShownWindow) window = open_window (self->stack);

  for (gsize i = 0; i < G_N_ELEMENTS (steps); i++)
    {
      check_text (window, steps[i][2]);
      check_text (window, "Type it into the rows below.");
      type (window, steps[i][0], steps[i][1]);
      g_assert_false (has_read (window));
      WAIT_FOR (has_read (window));
    }
  check_text (window, "CSV");
  LACKS (gtk_label_get_label (widget_test_get_part (window, "missing")), "rows");
}

static void
take (PrismProblem **taken,
      PrismProblem *problem)
{
  prism_keep (taken, problem, prism_problem_ref, prism_problem_unref);
}

/* What is typed and not confirmed counts; what cannot be right stops the run. */
TEST_FIXTURE (unconfirmed, "/app/import/unconfirmed")
{
  g_autoptr (ShownWindow) window = open_window (self->frames);
  g_autoptr (PrismProblem) problem = NULL;
  GtkWidget *row = enter (window, "wavelength", "0,63");

  g_signal_connect_swapped (window, "reconstruct", G_CALLBACK (take), &problem);
  g_assert_true (gtk_widget_activate_action (window, "import.reconstruct", NULL));
  g_assert_true (gtk_widget_has_css_class (row, "error"));
  check_text (window, "Nothing is missing");
  enter (window, "wavelength", "0,6 um");
  g_assert_true (gtk_widget_activate_action (window, "import.reconstruct", NULL));
  g_assert_false (gtk_widget_has_css_class (row, "error"));
  WAIT_FOR (problem != NULL);
  g_assert_cmpfloat_with_epsilon (problem->recording->wavelength, 600e-9, 1e-15);
}

static GtkWidget *
find_button (GtkWidget *widget,
             const char *label)
{
  return FIND (widget, GTK_IS_BUTTON (it) && gtk_widget_get_visible (it)
                           && g_strcmp0 (gtk_button_get_label (GTK_BUTTON (it)), label) == 0);
}

/* A wavelength that the frames contradict changes the NA: both values stand in its row, the stated
 * one can be kept, and each change taken back. */
TEST_FIXTURE (contradicted, "/app/import/contradicted")
{
  GtkWidget *window = open_window (self->frames), *keep;

  check_label (window, "Aperture of the objective (NA): 0.1");
  g_assert_false (gtk_widget_activate_action (window, "import.undo", NULL) && !has_read (window));
  type (window, "wavelength", "500 nm");
  WAIT_FOR (has_read (window));
  check_text (window, "can keep what was stated");
  check_label (window, ": Aperture of the objective (NA)");
  keep = find_button (window, "Keep 0.1");
  g_assert_nonnull (keep);
  g_signal_emit_by_name (keep, "clicked");
  WAIT_FOR (has_read (window));
  check_label (window, "Aperture of the objective (NA): 0.1");
  check_label (window, "and stays 0.1");
  for (int i = 0; i < 2; i++)
    {
      g_assert_true (gtk_widget_activate_action (window, "import.undo", NULL));
      WAIT_FOR (has_read (window));
    }
  check_label (window, "Wavelength: 630 nm");
  check_text (window, "Nothing is missing.");
  g_assert_null (find_button (window, "Keep 0.1"));
  gtk_window_destroy (GTK_WINDOW (window));
}

/* What changes while a file is read is not forgotten. */
TEST_FIXTURE (while_reading, "/app/import/while-reading")
{
  g_autoptr (ShownWindow) window = open_window (self->frames);

  type (window, "na", "0.2");
  type (window, "wavelength", "none_such");
  WAIT_FOR (has_read (window));
  check_text (window, "none_such");
  type (window, "wavelength", "");
}

/* Of a file before nothing is left to be seen or kept while the next one is read; what is known of
 * the same one stays, and is grey. */
TEST_FIXTURE (before, "/app/import/before")
{
  g_autoptr (ShownWindow) window = open_window (self->frames);
  GtkWidget *pictures = gtk_widget_get_ancestor (
      widget_test_find (window, PRISM_TYPE_FRAME_FILM), GTK_TYPE_STACK);
  GtkWidget *notes = widget_test_get_part (window, "notes");

  type (window, "wavelength", "500 nm");
  check_text (window, "Reading “cells.hdf5”…");
  g_assert_true (gtk_widget_get_visible (notes));
  g_assert_false (gtk_widget_is_sensitive (notes) || gtk_widget_is_sensitive (pictures));
  WAIT_FOR (has_read (window));
  g_assert_true (gtk_widget_is_sensitive (notes) && gtk_widget_is_sensitive (pictures));
  g_assert_nonnull (find_button (window, "Keep 0.1"));
  prism_import_window_open (PRISM_IMPORT_WINDOW (window), self->stack);
  check_text (window, "Reading “cells.tif”…");
  g_assert_false (gtk_widget_get_visible (notes) || gtk_widget_is_sensitive (pictures));
  g_assert_null (find_button (window, "Keep 0.1"));
  g_assert_null (widget_test_find_part (window, "Pixel at the specimen: 1.845 µm"));
  g_assert_false (gtk_widget_is_sensitive (widget_test_get_part (window, "reconstruct_button")));
  WAIT_FOR (has_read (window));
  g_assert_true (gtk_widget_is_sensitive (pictures));
}

/* What the command line calls by its key is called here as its row is. */
TEST_FIXTURE (names, "/app/import/names")
{
  g_autofree char *folder = g_build_filename (self->folder, "hot", NULL);
  static const gsize shape[] = { 64, 64 };
  g_autofree float *frame = g_new (float, 64 * 64);

  g_assert_cmpint (g_mkdir (folder, 0700), ==, 0);
  for (gsize i = 0; i < 25; i++)
    {
      g_autofree char *name = g_strdup_printf ("frame-%02" G_GSIZE_FORMAT ".npy", i);

      for (gsize k = 0; k < 64 * 64; k++)
        frame[k] = (float) (k == 1000 ? 5000 + i : 100 + (k * 7919 + i * 104729) % 13);
      g_assert_true (prism_npy_save (in_folder (folder, name), frame, 2, shape, NULL));
    }
  g_autoptr (ShownWindow) window = open_window (folder);
  check_label (window, "1 hot pixel is masked; “Hot pixels: Used” uses it.");
}

static void
save_frames (const char *folder,
             gsize n)
{
  static const gsize shape[] = { 64, 64 };
  g_autofree float *frame = g_new (float, 64 * 64);

  g_assert_cmpint (g_mkdir (folder, 0700), ==, 0);
  for (gsize i = 0; i < n; i++)
    {
      g_autofree char *name = g_strdup_printf ("frame-%" G_GSIZE_FORMAT ".npy", i);

      for (gsize k = 0; k < 64 * 64; k++)
        frame[k] = (float) (k % 61 + i + 1);
      g_assert_true (prism_npy_save (in_folder (folder, name), frame, 2, shape, NULL));
    }
}

/* A file for each frame. */
TEST_FIXTURE (folder, "/app/import/folder")
{
  g_autofree char *folder = g_build_filename (self->folder, "single", NULL);
  g_autoptr (GFile) file = g_file_new_for_path (folder);
  g_autoptr (ShownWindow) window = open_window (self->frames);

  save_frames (folder, 25);
  g_assert_true (gtk_widget_activate_action (window, "import.open-folder", NULL));
  g_assert_true (file_answer_is_wanted ());
  file_answer_give (file);
  WAIT_FOR (has_read (window));
  check_text (window, "Not known yet: the wavelength");
  check_label (window, "frame-24.npy");
  check_label (window, "Folder: 25 frames of ");
}

/* A slope over the field of all frames is told before anything runs. */
TEST_FIXTURE (stray_light, "/app/import/stray-light")
{
  PrismInstrument instrument;
  g_autoptr (PrismInstrumentTruth) truth = NULL;
  const gsize n_pixels = 64 * 64;
  GtkWidget *window = open_window (self->frames);
  double bright = 0;

  g_assert_null (widget_test_find_part (window, "Stray light is not the same everywhere"));
  gtk_window_destroy (GTK_WINDOW (window));

  g_assert_true (prism_instrument_init (&instrument, "microscope", NULL));
  instrument.size = 64;
  instrument.per_side = 11;
  g_autoptr (PrismRecording) recording = prism_instrument_simulate (&instrument, &truth, NULL);
  g_assert_cmpuint (recording->width, ==, 64);
  for (gsize j = 0; j < recording->n_frames; j++)
    {
      double sum = 0;

      for (gsize k = 0; k < n_pixels; k++)
        sum += (double) recording->frames[j * n_pixels + k];
      bright = MAX (bright, sum / n_pixels);
    }
  for (gsize i = 0; i < recording->n_frames * n_pixels; i++)
    recording->frames[i] += (float) (bright * (0.001 + 0.002 * (i % 64) / 64));
  g_assert_true (prism_recording_save (recording, self->frames, PRISM_RECORDING_PTYLAB, NULL));
  window = open_window (self->frames);
  check_label (window, "Stray light is not the same everywhere");
  gtk_window_destroy (GTK_WINDOW (window));
}

TEST_FIXTURE (bad_file, "/app/import/bad-file")
{
  g_assert_true (g_file_set_contents (self->frames, "nothing", -1, NULL));
  g_autoptr (ShownWindow) window = open_window (self->frames);
  check_text (window, "no recording");
}
