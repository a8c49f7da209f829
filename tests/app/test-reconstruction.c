#include "config.h"

#include "../engine/support/test-remove-tree.h"
#include "canvas/prism-image-view.h"
#include "instrument/prism-instrument-simulate.h"
#include "reconstruction/prism-finding-pages.h"
#include "reconstruction/prism-finding-reporter.h"
#include "reconstruction/prism-finding-view.h"
#include "reconstruction/prism-light-map.h"
#include "reconstruction/prism-reconstruction-window.h"
#include "widget-test.h"

#include <glib/gstdio.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Frames of a small microscope, explained in the window. */
typedef struct
{
  char *folder;
  PrismRecording *recording;
  GtkWidget *widget;
  PrismReconstructionWindow *window;
} Fixture;

static void
set_up (Fixture *self,
        gconstpointer data)
{
  PrismInstrument instrument;
  g_autoptr (PrismInstrumentTruth) truth = NULL;
  g_autoptr (GError) error = NULL;

  self->folder = g_dir_make_tmp ("prism-reconstruction-XXXXXX", NULL);
  g_assert_true (prism_instrument_init (&instrument, "microscope", NULL));
  instrument.size = 64;
  instrument.per_side = 7;
  self->recording = prism_instrument_simulate (&instrument, &truth, &error);
  g_assert_no_error (error);
  self->widget = prism_reconstruction_window_new (self->recording);
  self->window = PRISM_RECONSTRUCTION_WINDOW (self->widget);
  gtk_window_present (GTK_WINDOW (self->widget));
}

static void
tear_down (Fixture *self,
           gconstpointer data)
{
  gtk_window_destroy (GTK_WINDOW (self->widget));
  prism_recording_free (self->recording);
  test_remove_tree (self->folder);
  g_free (self->folder);
}

static GtkWidget *
find (GtkWidget *widget,
      GType type,
      guint *n)
{
  if (G_TYPE_CHECK_INSTANCE_TYPE (widget, type) && (*n)-- == 0)
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = find (child, type, n);

      if (found != NULL)
        return found;
    }
  return NULL;
}

static GtkWidget *
find_nth (Fixture *self,
          GType type,
          guint n)
{
  return find (self->widget, type, &n);
}

/* Types into a row of the model, or chooses the nth of its choices. */
static void
change (Fixture *self,
        const char *title,
        const char *value)
{
  GtkWidget *row = NULL;

  for (guint i = 0; row == NULL
                    || strcmp (adw_preferences_row_get_title (ADW_PREFERENCES_ROW (row)), title);
       i++)
    {
      row = find_nth (self, ADW_TYPE_PREFERENCES_ROW, i);
      g_assert_nonnull (row);
    }
  if (ADW_IS_COMBO_ROW (row))
    adw_combo_row_set_selected (ADW_COMBO_ROW (row), (guint) atoi (value));
  else
    gtk_editable_set_text (GTK_EDITABLE (row), value);
}

static const char *
get_verdict (Fixture *self)
{
  return gtk_label_get_label (widget_test_get_part (self->window, "verdict"));
}

static gboolean
is_idle (gpointer window)
{
  return !prism_reconstruction_window_is_active (window);
}

static gboolean
has_found (gpointer window)
{
  return prism_reconstruction_window_get (window) != NULL;
}

static gboolean
is_there (gpointer path)
{
  return g_file_test (path, G_FILE_TEST_EXISTS);
}

/* One file that has what is found, while the window goes on. */
static void
check_report (Fixture *self)
{
  g_autofree char *path = g_build_filename (self->folder, "report.html", NULL);
  g_autofree char *page = NULL;
  GtkWidget *overlay = find_nth (self, ADW_TYPE_TOAST_OVERLAY, 0);

  prism_finding_reporter_save (prism_reconstruction_window_get (self->window), path,
                               ADW_TOAST_OVERLAY (overlay));
  widget_test_wait (is_there, path);
  g_assert_true (g_file_get_contents (path, &page, NULL, NULL));
  g_assert_nonnull (strstr (page, "<td>49 of 64 × 64 px</td>"));
  g_assert_nonnull (strstr (page, " --set border=0"));
  g_assert_nonnull (strstr (page, "</html>"));
  g_unlink (path);
}

/* From the first pass to the verdict, more passes, a folder that is read again. */
static void
test_whole (Fixture *self,
            gconstpointer data)
{
  g_autofree char *result = NULL;
  g_autoptr (GDir) folder = NULL;
  const PrismFinding *found;
  double correlation;

  change (self, "Border (px)", "0");
  change (self, "Passes", "6");
  g_assert_true (gtk_widget_activate_action (self->widget, "reconstruction.start", NULL));
  widget_test_wait (is_idle, self->window);
  found = prism_reconstruction_window_get (self->window);
  g_assert_cmpuint (found->pass, ==, 6);
  g_assert_cmpuint (found->n_frames, ==, 49);
  g_test_message ("%s %g", get_verdict (self),
                  found->held_out.correlation);
  g_assert_nonnull (strstr (get_verdict (self), "xplained"));
  for (guint i = 0; i < 4; i++)
    g_assert_nonnull (prism_view_get_image (
        PRISM_VIEW (find_nth (self, PRISM_TYPE_FINDING_VIEW, i))));
  g_assert_true (gtk_widget_activate_action (self->widget, "reconstruction.more", NULL));
  widget_test_wait (is_idle, self->window);
  found = prism_reconstruction_window_get (self->window);
  g_assert_cmpuint (found->pass, ==, 12);
  correlation = found->held_out.correlation;
  check_report (self);
  prism_reconstruction_window_save (self->window, self->folder);
  widget_test_wait (is_idle, self->window);
  folder = g_dir_open (self->folder, 0, NULL);
  result = g_build_filename (self->folder, g_dir_read_name (folder), NULL);
  g_assert_true (g_str_has_suffix (result, "-result"));
  prism_reconstruction_window_open (self->window, result);
  /* A window that has frames of its own shows the result itself, where it is told to. */
  while (prism_reconstruction_window_get (self->window) == found)
    g_main_context_iteration (NULL, TRUE);
  g_assert_cmpfloat_with_epsilon (
      prism_reconstruction_window_get (self->window)->held_out.correlation, correlation, 1e-6);
  widget_test_wait (is_idle, self->window);
}

/* All pictures of the object can be had, on either side. */
static void
test_pictures (Fixture *self,
               gconstpointer data)
{
  GtkWidget *view = find_nth (self, PRISM_TYPE_FINDING_VIEW, 0);
  GtkDropDown *list = GTK_DROP_DOWN (find_nth (self, GTK_TYPE_DROP_DOWN, 0));
  PrismLevels levels;
  float black;

  change (self, "Passes", "1");
  change (self, "Pupil begins with", "1");
  prism_reconstruction_window_start (self->window);
  widget_test_wait (is_idle, self->window);
  for (guint i = 0; i <= PRISM_FINDING_SPECTRUM; i++)
    {
      gtk_drop_down_set_selected (list, i);
      widget_test_wait (is_idle, self->window);
      g_assert_cmpstr (prism_view_get_title (PRISM_VIEW (view)), ==,
                       prism_finding_view_get_label (i));
      g_assert_cmpint (prism_view_get_image (PRISM_VIEW (view))->width, ==,
                       prism_reconstruction_window_get (self->window)->object_width);
      /* The brightness of hues begins at 0. */
      g_object_get (view, "levels", &levels, "black", &black, NULL);
      g_assert_true (i != PRISM_FINDING_COMPLEX || (levels == PRISM_LEVELS_MANUAL && black == 0));
      g_assert_true ((prism_view_get_scale (PRISM_VIEW (view)) > 0)
                     == (i != PRISM_FINDING_SPECTRUM));
      widget_test_wait_for_picture (PRISM_VIEW (view));
    }
}

static gboolean
has_frame (gpointer view)
{
  return prism_view_get_image (view) != NULL;
}

/* A light that is chosen shows its frame beside the prediction; arrows go to its neighbours. */
static void
test_lights (Fixture *self,
             gconstpointer data)
{
  GtkWidget *map = find_nth (self, PRISM_TYPE_LIGHT_MAP, 0);
  guint first = 0;
  GtkWidget *pages = find (find_nth (self, PRISM_TYPE_FINDING_PAGES, 0), GTK_TYPE_STACK, &first);
  PrismView *recorded = PRISM_VIEW (find_nth (self, PRISM_TYPE_IMAGE_VIEW, 0));
  PrismView *predicted = PRISM_VIEW (find_nth (self, PRISM_TYPE_IMAGE_VIEW, 1));
  g_autofree char *text = NULL;
  guint frame;

  change (self, "Passes", "2");
  change (self, "Pupil begins with", "1");
  prism_reconstruction_window_start (self->window);
  widget_test_wait (is_idle, self->window);
  gtk_stack_set_visible_child_name (GTK_STACK (pages), "lights");
  widget_test_wait (is_idle, self->window);
  prism_light_map_choose (PRISM_LIGHT_MAP (map), 24);
  widget_test_wait (has_frame, recorded);
  g_assert_cmpint (prism_view_get_image (recorded)->width, ==, 64);
  g_assert_cmpint (prism_view_get_image (predicted)->width, ==, 64);
  text = prism_light_map_dup_text (PRISM_LIGHT_MAP (map));
  g_assert_nonnull (strstr (text, "Frame 24: misfit"));
  while (gtk_widget_get_width (map) < 50)
    g_main_context_iteration (NULL, TRUE);
  g_assert_true (widget_test_press (map, GDK_KEY_Right, 0));
  g_assert_true (prism_light_map_get_chosen (PRISM_LIGHT_MAP (map), &frame));
  g_test_message ("to the right of frame 24 is %u", frame);
  g_assert_cmpuint (frame, !=, 24);
  g_assert_true (widget_test_press (map, GDK_KEY_Left, 0));
  g_assert_true (prism_light_map_get_chosen (PRISM_LIGHT_MAP (map), &frame));
  g_assert_cmpuint (frame, ==, 24);
  for (guint kind = 0; kind < PRISM_LIGHT_N_KINDS; kind++)
    {
      cairo_surface_t *surface;

      prism_light_map_set_kind (PRISM_LIGHT_MAP (map), kind);
      surface = widget_test_render (map);
      cairo_surface_destroy (surface);
    }
}

/* Cancelled at once, finished on the way, begun twice, closed while it runs. */
static void
test_hasty (Fixture *self,
            gconstpointer data)
{
  change (self, "Passes", "10000");
  prism_reconstruction_window_start (self->window);
  g_assert_true (gtk_widget_activate_action (self->widget, "reconstruction.finish", NULL));
  widget_test_wait (is_idle, self->window);
  g_assert_nonnull (strstr (get_verdict (self), "stopped"));
  change (self, "Pupil begins with", "1");
  prism_reconstruction_window_start (self->window);
  prism_reconstruction_window_start (self->window);
  widget_test_wait (has_found, self->window);
  g_assert_true (gtk_widget_activate_action (self->widget, "reconstruction.finish", NULL));
  widget_test_wait (is_idle, self->window);
  g_assert_cmpuint (prism_reconstruction_window_get (self->window)->pass, <, 10000);
  prism_reconstruction_window_start (self->window);
}

/* It fits into a small window, also where names are long. */
static void
test_small (Fixture *self,
            gconstpointer data)
{
  int least;

  for (guint i = 0; i <= PRISM_FINDING_SPECTRUM; i++)
    {
      gtk_drop_down_set_selected (GTK_DROP_DOWN (find_nth (self, GTK_TYPE_DROP_DOWN, 1)), i);
      gtk_widget_measure (gtk_widget_get_first_child (self->widget), GTK_ORIENTATION_HORIZONTAL, -1,
                          &least, NULL, NULL, NULL);
      g_test_message ("%d px with %s", least, prism_finding_view_get_label (i));
      g_assert_cmpint (least, <=, 860);
    }
  gtk_widget_measure (gtk_widget_get_first_child (self->widget), GTK_ORIENTATION_VERTICAL, -1,
                      &least, NULL, NULL, NULL);
  g_assert_cmpint (least, <=, 560);
}

/* A row that cannot be starts nothing; frames that cannot be are one sentence. */
static void
test_problems (Fixture *self,
               gconstpointer data)
{
  PrismModelPanel *panel = PRISM_MODEL_PANEL (find_nth (self, PRISM_TYPE_MODEL_PANEL, 0));
  PrismPtychographySettings settings;
  g_autoptr (GError) error = NULL;

  change (self, "Passes", "0");
  g_assert_false (prism_model_panel_get_settings (panel, &settings, &error));
  g_assert_nonnull (strstr (error->message, "from 1 to 10000"));
  gtk_editable_set_text (GTK_EDITABLE (find_nth (self, ADW_TYPE_ENTRY_ROW, 0)), "many");
  g_assert_false (prism_model_panel_get_settings (panel, &settings, NULL));
  prism_reconstruction_window_start (self->window);
  g_assert_true (is_idle (self->window));
  g_assert_null (prism_reconstruction_window_get (self->window));
  gtk_editable_set_text (GTK_EDITABLE (find_nth (self, ADW_TYPE_ENTRY_ROW, 0)), "");
  g_assert_true (prism_model_panel_get_settings (panel, &settings, NULL));
  g_assert_cmpint (settings.passes, ==, 8);
  self->recording->na = NAN;
  prism_reconstruction_window_start (self->window);
  widget_test_wait (is_idle, self->window);
  g_assert_nonnull (strstr (get_verdict (self), "NA is needed"));
}

int
main (int argc,
      char **argv)
{
  widget_test_init (&argc, &argv);
  adw_init ();
#define ADD(name, func) \
  g_test_add ("/app/reconstruction/" name, Fixture, NULL, set_up, func, tear_down)
  ADD ("whole", test_whole);
  ADD ("pictures", test_pictures);
  ADD ("lights", test_lights);
  ADD ("hasty", test_hasty);
  ADD ("small", test_small);
  ADD ("problems", test_problems);
  return g_test_run ();
}
