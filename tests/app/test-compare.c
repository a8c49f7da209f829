#include "config.h"

#include "base/prism-error.h"
#include "canvas/prism-image-view.h"
#include "compare/prism-compare-images.h"
#include "compare/prism-compare-window.h"
#include "prism-report-figure.h"
#include "prism-report.h"
#include "prism-test.h"
#include "run/prism-run-catalogue.h"
#include "run/prism-run-file.h"
#include "session/prism-run-list.h"
#include "support/prism-file-dialog.h"
#include "widget-test.h"
#include "window/prism-window.h"

#include <locale.h>

#define SIZE 16

/* A view of a stage; NULL behind the last one. */
static PrismView *
get_view (PrismCompareStage *stage,
          guint i)
{
  GtkWidget *child = gtk_widget_get_first_child (GTK_WIDGET (stage));

  for (; i > 0 && child != NULL; i--)
    child = gtk_widget_get_next_sibling (child);
  return PRISM_IS_VIEW (child) ? PRISM_VIEW (child) : NULL;
}

static guint
count_views (PrismCompareStage *stage)
{
  guint n = 0;

  while (get_view (stage, n) != NULL)
    n++;
  return n;
}

/* A result whose picture is one grey. */
static PrismResult *
new_result (const char *name,
            float grey,
            double psnr)
{
  g_autoptr (PrismSnapshot) snapshot = prism_snapshot_new ();
  float pixels[SIZE * SIZE];
  float object[SIZE * SIZE];

  for (int i = 0; i < SIZE * SIZE; i++)
    {
      pixels[i] = grey;
      object[i] = i % 2;
    }
  snapshot->state = PRISM_STATE_FINISHED;
  snapshot->config = prism_config_new ();
  snapshot->metrics.psnr = psnr;
  snapshot->reconstruction = prism_image_new_copy (SIZE, SIZE, pixels, NULL);
  snapshot->target = prism_image_new_copy (SIZE, SIZE, object, NULL);
  return prism_result_new (name, snapshot);
}

static PrismComparison *
new_comparison (void)
{
  PrismComparison *comparison = prism_comparison_new ();
  g_autoptr (PrismResult) dark = new_result ("dark", 0, 20);
  g_autoptr (PrismResult) bright = new_result ("bright", 1, NAN);
  g_autoptr (PrismResult) middle = new_result ("middle", 0.5, 5);

  prism_comparison_add (comparison, dark);
  prism_comparison_add (comparison, bright);
  prism_comparison_add (comparison, middle);
  return comparison;
}

static int
get_red (cairo_surface_t *surface,
         int x,
         int y)
{
  return widget_test_get_pixel (surface, x, y) >> 16 & 0xff;
}

static void
wait_for_pictures (PrismCompareStage *stage,
                   guint n)
{
  for (guint i = 0; i < n; i++)
    {
      WAIT_FOR (gtk_widget_get_width (GTK_WIDGET (get_view (stage, i))) > 0);
      widget_test_wait_for_picture (get_view (stage, i));
    }
}

TEST (divider_shows_one_picture_on_either_side, "/app/compare/swipe")
{
  GtkWidget *page = g_object_new (PRISM_TYPE_COMPARE_IMAGES, NULL);
  g_autoptr (PrismComparison) comparison = new_comparison ();
  PrismCompareStage *stage = widget_test_get_part (page, "stage");
  GtkWidget *window = widget_test_show (page, 500, 400);
  cairo_surface_t *surface;
  int width;
  int y;

  prism_compare_images_set_comparison (PRISM_COMPARE_IMAGES (page), comparison);
  prism_compare_images_set_mode (PRISM_COMPARE_IMAGES (page), PRISM_COMPARE_SWIPE);
  gtk_adjustment_set_value (stage->divider, 0.4);
  wait_for_pictures (stage, 2);
  surface = widget_test_render (GTK_WIDGET (stage));
  width = gtk_widget_get_width (GTK_WIDGET (stage));
  y = gtk_widget_get_height (GTK_WIDGET (stage)) / 2;
  g_assert_cmpint (get_red (surface, (int) (0.4 * width) - 12, y), <, 8);
  g_assert_cmpint (get_red (surface, (int) (0.4 * width) + 12, y), >, 247);
  cairo_surface_destroy (surface);
  /* Each side reads what it shows, at its own end. */
  g_assert_cmpint (
      gtk_widget_get_halign (widget_test_get_part (get_view (stage, 0), "probe_label")), ==,
      GTK_ALIGN_START);
  g_assert_cmpint (
      gtk_widget_get_halign (widget_test_get_part (get_view (stage, 1), "probe_label")), ==,
      GTK_ALIGN_END);

  gtk_adjustment_set_value (stage->divider, 7);
  g_assert_cmpfloat (gtk_adjustment_get_value (stage->divider), ==, 1);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* Any two can be looked at so: the third, which is between both, in the place of the first. */
TEST (sides_are_chosen, "/app/compare/sides")
{
  GtkWidget *page = g_object_new (PRISM_TYPE_COMPARE_IMAGES, NULL);
  g_autoptr (PrismComparison) comparison = new_comparison ();
  PrismCompareStage *stage = widget_test_get_part (page, "stage");
  GtkWidget *window = widget_test_show (page, 500, 400);
  cairo_surface_t *surface;
  int red;

  prism_compare_images_set_comparison (PRISM_COMPARE_IMAGES (page), comparison);
  prism_compare_images_set_mode (PRISM_COMPARE_IMAGES (page), PRISM_COMPARE_SWIPE);
  gtk_drop_down_set_selected (widget_test_get_part (page, "left"), 2);
  wait_for_pictures (stage, 3);
  surface = widget_test_render (GTK_WIDGET (stage));
  red = get_red (surface, gtk_widget_get_width (GTK_WIDGET (stage)) / 2 - 12,
                 gtk_widget_get_height (GTK_WIDGET (stage)) / 2);
  g_assert_cmpint (red, >, 100);
  g_assert_cmpint (red, <, 200);
  cairo_surface_destroy (surface);
  gtk_window_destroy (GTK_WINDOW (window));
}

static gboolean
is_to_be_seen (PrismCompareStage *stage,
               guint i)
{
  return gtk_widget_get_child_visible (GTK_WIDGET (get_view (stage, i)));
}

TEST (blinking_goes_round, "/app/compare/blink")
{
  GtkWidget *page = g_object_new (PRISM_TYPE_COMPARE_IMAGES, NULL);
  g_autoptr (PrismComparison) comparison = new_comparison ();
  PrismCompareStage *stage = widget_test_get_part (page, "stage");
  GtkWidget *window = widget_test_show (page, 500, 400);

  prism_compare_images_set_comparison (PRISM_COMPARE_IMAGES (page), comparison);
  prism_compare_images_set_mode (PRISM_COMPARE_IMAGES (page), PRISM_COMPARE_BLINK);
  g_assert_true (is_to_be_seen (stage, 0));
  g_assert_false (is_to_be_seen (stage, 2));
  WAIT_FOR (is_to_be_seen (stage, 2));
  prism_compare_stage_set_current (stage, 3);
  g_assert_true (is_to_be_seen (stage, 0));
  gtk_window_destroy (GTK_WINDOW (window));
}

/* Zoom and position are one for all, and so are the levels of the colours. */
TEST (views_are_linked, "/app/compare/linked")
{
  GtkWidget *page = g_object_ref_sink (g_object_new (PRISM_TYPE_COMPARE_IMAGES, NULL));
  g_autoptr (PrismComparison) comparison = new_comparison ();
  PrismCompareStage *stage = widget_test_get_part (page, "stage");
  PrismMapping first;
  PrismMapping other;

  prism_compare_images_set_comparison (PRISM_COMPARE_IMAGES (page), comparison);
  g_assert_cmpuint (count_views (stage), ==, 3);
  prism_view_get_mapping (get_view (stage, 0), &first);
  for (guint i = 1; i < 3; i++)
    {
      PrismView *view = get_view (stage, i);

      prism_view_get_mapping (view, &other);
      g_assert_true (prism_mapping_equal (&first, &other));
      g_assert_true (view->canvas->viewport == get_view (stage, 0)->canvas->viewport);
    }
  g_assert_cmpfloat (first.black, ==, 0);
  g_assert_cmpfloat (first.white, ==, 1);
  g_object_unref (page);
}

/* Colours and limits that were chosen are those of the runs that come, too. */
TEST (look_stays, "/app/compare/look-stays")
{
  GtkWidget *page = g_object_ref_sink (g_object_new (PRISM_TYPE_COMPARE_IMAGES, NULL));
  g_autoptr (PrismComparison) comparison = prism_comparison_new ();
  g_autoptr (PrismComparison) more = new_comparison ();
  g_autoptr (PrismResult) middle = new_result ("middle", 0.5, 5);
  PrismCompareStage *stage = widget_test_get_part (page, "stage");
  PrismMapping before, after;

  prism_comparison_add (comparison, middle);
  gtk_drop_down_set_selected (widget_test_get_part (page, "colors"), PRISM_COLORMAP_MAGMA);
  gtk_drop_down_set_selected (widget_test_get_part (page, "limits"), 1);
  prism_compare_images_set_comparison (PRISM_COMPARE_IMAGES (page), comparison);
  prism_view_get_mapping (get_view (stage, 0), &before);
  g_assert_cmpint (before.colormap, ==, PRISM_COLORMAP_MAGMA);
  g_assert_cmpfloat (before.white, <, 0.6);
  gtk_drop_down_set_selected (widget_test_get_part (page, "limits"), 2);
  prism_compare_images_set_comparison (PRISM_COMPARE_IMAGES (page), more);
  for (guint i = 0; i < 3; i++)
    {
      prism_view_get_mapping (get_view (stage, i), &after);
      g_assert_true (prism_mapping_equal (&before, &after));
    }
  gtk_drop_down_set_selected (widget_test_get_part (page, "limits"), 1);
  prism_view_get_mapping (get_view (stage, 0), &after);
  g_assert_cmpfloat (after.white, >, 0.9);
  g_object_unref (page);
}

/* Of a complex object, side × side. */
static PrismResult *
new_complex_result (const char *name,
                    int side)
{
  g_autoptr (PrismSnapshot) snapshot = prism_snapshot_new ();

  snapshot->state = PRISM_STATE_FINISHED;
  snapshot->has_no_target = TRUE;
  snapshot->config = prism_config_new_recorded ();
  snapshot->reconstruction = prism_image_new (side, side, NULL);
  snapshot->phase_image = prism_image_new (side, side, NULL);
  for (int i = 0; i < side * side; i++)
    {
      snapshot->reconstruction->pixels[i] = 0.5f;
      snapshot->phase_image->pixels[i] = (i % side / (side / 4)) % 3 == 0 ? 2.0f : 2.25f;
    }
  return prism_result_new (name, snapshot);
}

/* The phase is another picture of the same runs, on a scale of its own; what has no phase is left
 * out, and of another size there is no difference. */
TEST (phase, "/app/compare/phase")
{
  GtkWidget *page = g_object_ref_sink (g_object_new (PRISM_TYPE_COMPARE_IMAGES, NULL));
  g_autoptr (PrismComparison) comparison = prism_comparison_new ();
  g_autoptr (PrismResult) real = new_result ("real", 0.5, 5);
  g_autoptr (PrismResult) a = new_complex_result ("a", SIZE);
  g_autoptr (PrismResult) b = new_complex_result ("b", 2 * SIZE);
  PrismCompareStage *stage = widget_test_get_part (page, "stage");
  PrismMapping mapping;

  prism_comparison_add (comparison, real);
  prism_comparison_add (comparison, a);
  prism_comparison_add (comparison, b);
  prism_compare_images_set_comparison (PRISM_COMPARE_IMAGES (page), comparison);
  g_assert_cmpuint (count_views (stage), ==, 3);
  gtk_drop_down_set_selected (widget_test_get_part (page, "kind"), 3);
  g_assert_cmpuint (count_views (stage), ==, 2);
  g_assert_cmpstr (prism_view_get_title (get_view (stage, 0)), ==, "a");
  g_assert_true (get_view (stage, 0)->image == a->phase);
  prism_view_get_mapping (get_view (stage, 1), &mapping);
  g_assert_cmpfloat_with_epsilon (mapping.white - mapping.black, 0.25, 0.02);
  g_assert_cmpfloat_with_epsilon (mapping.white + mapping.black, 0, 0.02);
  gtk_drop_down_set_selected (widget_test_get_part (page, "kind"), 2);
  g_assert_cmpuint (count_views (stage), ==, 2);
  g_assert_null (get_view (stage, 1)->image);
  /* Nor is there of another object. */
  g_free (real->snapshot->config->object);
  real->snapshot->config->object = g_strdup ("text");
  gtk_drop_down_set_selected (widget_test_get_part (page, "kind"), 0);
  gtk_drop_down_set_selected (widget_test_get_part (page, "kind"), 2);
  g_assert_cmpuint (count_views (stage), ==, 2);
  g_assert_null (get_view (stage, 0)->image);
  g_object_unref (page);
}

static PrismResult *
get_row (PrismCompareTable *table,
         guint i)
{
  GListModel *model = G_LIST_MODEL (gtk_column_view_get_model (
      widget_test_find (table, GTK_TYPE_COLUMN_VIEW)));
  g_autoptr (GObject) row = g_list_model_get_item (model, i);

  return g_object_get_data (row, "prism-result");
}

static GtkColumnViewColumn *
find_column (GtkColumnView *view,
             const char *title)
{
  GListModel *columns = gtk_column_view_get_columns (view);

  for (guint i = 0; i < g_list_model_get_n_items (columns); i++)
    {
      g_autoptr (GtkColumnViewColumn) column = g_list_model_get_item (columns, i);

      if (g_strcmp0 (gtk_column_view_column_get_title (column), title) == 0)
        return column;
    }
  g_assert_not_reached ();
}

TEST (table_sorts_numbers, "/app/compare/table")
{
  GtkWidget *table = g_object_new (PRISM_TYPE_COMPARE_TABLE, NULL);
  g_autoptr (PrismComparison) comparison = new_comparison ();
  GtkColumnView *view = widget_test_find (table, GTK_TYPE_COLUMN_VIEW);
  GtkWidget *window = widget_test_show (table, 500, 300);

  prism_compare_table_set_comparison (PRISM_COMPARE_TABLE (table), comparison);
  g_assert_cmpstr (get_row (PRISM_COMPARE_TABLE (table), 0)->name, ==, "dark");
  gtk_column_view_sort_by_column (view, find_column (view, "PSNR in dB"), GTK_SORT_ASCENDING);
  g_assert_cmpstr (get_row (PRISM_COMPARE_TABLE (table), 0)->name, ==, "middle");
  g_assert_cmpstr (get_row (PRISM_COMPARE_TABLE (table), 1)->name, ==, "dark");
  g_assert_cmpstr (get_row (PRISM_COMPARE_TABLE (table), 2)->name, ==, "bright");
  gtk_column_view_sort_by_column (view, find_column (view, "Run"), GTK_SORT_ASCENDING);
  g_assert_cmpstr (get_row (PRISM_COMPARE_TABLE (table), 0)->name, ==, "bright");
  /* Other columns while one of them sorts. */
  prism_compare_table_set_comparison (PRISM_COMPARE_TABLE (table), comparison);
  gtk_window_destroy (GTK_WINDOW (window));
}

typedef struct
{
  PrismSession *session;
  PrismRunList *runs;
  guint n_results;
} Fixture;

static void
set_up (Fixture *fixture,
        gconstpointer data)
{
  g_autoptr (PrismConfig) config = widget_test_new_config ();

  fixture->session = widget_test_new_session (NULL);
  fixture->runs = prism_run_list_new (fixture->session);
  prism_session_start (fixture->session, config);
}

static void
tear_down (Fixture *fixture,
           gconstpointer data)
{
  g_object_unref (fixture->runs);
  g_object_unref (fixture->session);
}

static gboolean
has_results (gpointer data)
{
  Fixture *fixture = data;
  g_autoptr (PrismComparison) comparison = prism_run_list_new_comparison (fixture->runs);

  return comparison->results->len == fixture->n_results;
}

static void
wait_for_results (Fixture *fixture,
                  guint n)
{
  fixture->n_results = n;
  WAIT_FOR (has_results (fixture));
}

/* The oldest goes. */
static gboolean
is_second_alone (gpointer store)
{
  g_autoptr (PrismRunItem) item = g_list_model_get_item (store, 0);

  return g_list_model_get_n_items (store) == 1 && item->result != NULL
         && item->result->snapshot->run == 2;
}

TEST_FIXTURE (every_run_is_kept, "/app/compare/kept")
{
  prism_session_run (self->session);
  wait_for_results (self, 1);
  self->runs->budget = 1;
  prism_session_run (self->session);
  WAIT_FOR (is_second_alone (self->runs->store));
}

/* The last result is there a moment before the session is ready for another run. */
static gboolean
is_queue_over (gpointer runs)
{
  gboolean running;

  g_object_get (runs, "queue-running", &running, NULL);
  return !running;
}

/* What waits runs with its own settings, whatever is edited meanwhile. */
TEST_FIXTURE (queue_runs_what_was_added, "/app/compare/queue")
{
  PrismDraft *draft = self->session->draft;
  g_autoptr (PrismConfig) config = widget_test_new_config ();
  g_autoptr (PrismComparison) comparison = NULL;
  g_autoptr (GObject) hidden = NULL;

  prism_run_list_enqueue (self->runs, "six", config);
  config->samples = 5;
  prism_run_list_enqueue (self->runs, "five", config);
  g_assert_cmpuint (prism_run_list_count_waiting (self->runs), ==, 2);
  prism_run_list_start_queue (self->runs);
  prism_draft_set_parameter (draft, prism_config_get_param ("snr"), "12", NULL);
  wait_for_results (self, 2);
  comparison = prism_run_list_new_comparison (self->runs);
  g_assert_cmpint (prism_comparison_get_result (comparison, 0)->snapshot->config->samples, ==, 6);
  g_assert_cmpint (prism_comparison_get_result (comparison, 1)->snapshot->config->samples, ==, 5);
  g_assert_cmpfloat (prism_comparison_get_result (comparison, 1)->snapshot->config->snr, ==, 0);
  g_assert_cmpfloat (draft->config->snr, ==, 12);
  g_assert_cmpuint (prism_run_list_count_waiting (self->runs), ==, 0);
  WAIT_FOR (is_queue_over (self->runs));
}

TEST_FIXTURE (stop_holds_the_queue, "/app/compare/stop")
{
  g_autoptr (PrismConfig) config = widget_test_new_config ();
  gboolean running;

  config->method = PRISM_METHOD_DECODER;
  config->start_target = PRISM_START_MEASUREMENT;
  config->steps = 20000;
  prism_run_list_enqueue (self->runs, NULL, config);
  prism_run_list_enqueue (self->runs, NULL, config);
  prism_run_list_start_queue (self->runs);
  WAIT_FOR (prism_session_get_active (self->session));
  prism_session_stop (self->session);
  WAIT_FOR (self->session->state == PRISM_STATE_STOPPED);
  g_object_get (self->runs, "queue-running", &running, NULL);
  g_assert_false (running);
  g_assert_cmpuint (prism_run_list_count_waiting (self->runs), ==, 1);
}

/* How saving went. */
typedef struct
{
  char *path; /* NULL until it is over */
  GError *error;
} Outcome;

static void
on_saved (gpointer owner,
          const char *path,
          const GError *error)
{
  Outcome *outcome = g_object_get_data (owner, "outcome");

  *outcome = (Outcome) { g_strdup (path), error != NULL ? g_error_copy (error) : NULL };
}

static void
save_report (const PrismComparison *comparison,
             const char *path,
             Outcome *outcome)
{
  g_autoptr (GObject) owner = g_object_new (G_TYPE_OBJECT, NULL);

  g_object_set_data (owner, "outcome", outcome);
  prism_file_saver_save (prism_report_save, prism_comparison_dup (comparison),
                         prism_comparison_free, path, on_saved, owner);
  WAIT_FOR (outcome->path != NULL);
}

TEST (saver_writes_a_report, "/app/compare/report")
{
  g_autoptr (PrismComparison) comparison = new_comparison ();
  g_autofree char *folder = g_dir_make_tmp ("prism-compare-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "report.html", NULL);
  g_autofree char *text = NULL;
  Outcome saved = { 0 };
  Outcome refused = { 0 };

  save_report (comparison, path, &saved);
  g_assert_no_error (saved.error);
  g_assert_cmpstr (saved.path, ==, path);
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_true (g_str_has_prefix (text, "<!DOCTYPE html>"));
  save_report (comparison, "/tmp/report.txt", &refused);
  g_assert_error (refused.error, PRISM_ERROR, PRISM_ERROR_CONFIG);
  g_clear_error (&refused.error);
  g_free (saved.path);
  g_free (refused.path);
  g_unlink (path);
  g_rmdir (folder);
}

/* A larger one takes longer to be read. */
static void
save_run_of (const char *path,
             float grey,
             guint n_rows)
{
  g_autoptr (PrismResult) result = new_result ("any", grey, 12);
  const PrismPoint points[1] = { { 0, 0 } };
  g_autoptr (PrismBundle) state = prism_bundle_new ();
  g_autoptr (PrismRunIdentity) identity = prism_run_identity_new (NULL);
  g_autoptr (PrismRunPlace) place = prism_run_place_new (path, NULL, NULL);

  /* Nobody else has seen the snapshot yet. */
  result->snapshot->pattern = prism_pattern_new_points (points, 1);
  result->snapshot->history = prism_history_new ();
  for (guint i = 0; i < n_rows; i++)
    {
      const PrismHistoryRow row = { .step = i + 1, .loss_new = 1 };

      prism_history_append (result->snapshot->history, &row);
    }
  result->snapshot->step = result->snapshot->n_rows = n_rows;
  result->snapshot->config->object_size = SIZE;
  result->snapshot->n_samples = 1;
  MUST (prism_run_file_save (place, result->snapshot, state, identity, &error));
}

static void
save_run (const char *path,
          float grey)
{
  save_run_of (path, grey, 0);
}

static void
on_problem (PrismRunList *runs,
            const char *sentence,
            char **said)
{
  *said = g_strdup (sentence);
}

static const char *
get_name (const PrismComparison *comparison,
          guint i)
{
  return prism_comparison_get_result (comparison, i)->name;
}

/* What the library has called a run. */
static void
name_run (const char *path,
          const char *name)
{
  g_autofree char *folder = prism_run_catalogue_dup_folder ();
  g_autoptr (PrismRunCatalogue) catalogue = prism_run_catalogue_new (folder, NULL);
  PrismRunCard *card = MUST (prism_run_card_read (path, folder, &error));

  g_free (card->name);
  card->name = g_strdup (name);
  prism_run_catalogue_add (catalogue, card);
  g_assert_true (MUST (prism_run_catalogue_save (catalogue, &error)));
}

TEST_FIXTURE (runs_are_opened, "/app/compare/opened")
{
  g_autofree char *folder = g_dir_make_tmp ("prism-compare-XXXXXX", NULL);
  g_autofree char *first = g_build_filename (folder, "first.prismrun", NULL);
  g_autofree char *second = g_build_filename (folder, "2-second.prismrun", NULL);
  g_autofree char *point = g_build_filename (folder, "point-0001.prismrun", NULL);
  g_autofree char *missing = g_build_filename (folder, "missing.prismrun", NULL);
  g_autofree char *said = NULL;
  g_autoptr (PrismComparison) comparison = NULL;

  save_run (first, 0);
  save_run (second, 1);
  name_run (second, "For the paper");
  prism_run_list_open (self->runs, first);
  wait_for_results (self, 1);
  prism_run_list_open (self->runs, second);
  wait_for_results (self, 2);
  save_run (point, 2);
  prism_run_list_open (self->runs, point);
  wait_for_results (self, 3);
  comparison = prism_run_list_new_comparison (self->runs);
  g_assert_true (g_str_has_prefix (get_name (comparison, 0), "first · "));
  g_assert_true (g_str_has_prefix (get_name (comparison, 2), "Point 2 · "));
  g_assert_true (g_str_has_prefix (get_name (comparison, 1), "2 · For the paper · "));
  g_assert_cmpfloat (
      prism_comparison_get_result (comparison, 1)->snapshot->reconstruction->pixels[3], ==, 1);
  g_signal_connect (self->runs, "problem", G_CALLBACK (on_problem), &said);
  prism_run_list_open (self->runs, missing);
  WAIT_FOR (said != NULL);
  g_assert_nonnull (strstr (said, "missing.prismrun"));
  g_unlink (first);
  g_unlink (second);
  g_unlink (point);
  g_rmdir (folder);
}

TEST_FIXTURE (files_keep_their_order, "/app/compare/order")
{
  g_autofree char *folder = g_dir_make_tmp ("prism-compare-XXXXXX", NULL);
  g_autofree char *large = g_build_filename (folder, "large.prismrun", NULL);
  g_autofree char *missing = g_build_filename (folder, "missing.prismrun", NULL);
  g_autofree char *small = g_build_filename (folder, "small.prismrun", NULL);
  g_autoptr (PrismComparison) comparison = NULL;

  save_run_of (large, 0, 30000);
  save_run (small, 1);
  prism_run_list_open (self->runs, large);
  prism_run_list_open (self->runs, missing);
  prism_run_list_open (self->runs, small);
  wait_for_results (self, 2);
  comparison = prism_run_list_new_comparison (self->runs);
  g_assert_true (g_str_has_prefix (get_name (comparison, 0), "large · "));
  g_assert_true (g_str_has_prefix (get_name (comparison, 1), "small · "));
  g_unlink (large);
  g_unlink (small);
  g_rmdir (folder);
}

/* A number tells nobody which run is which. What most that are shown have is not said. */
TEST_FIXTURE (names_say_what_differs, "/app/compare/names")
{
  g_autoptr (PrismConfig) config = widget_test_new_config ();
  g_autoptr (PrismComparison) comparison = NULL;
  g_autoptr (GObject) hidden = NULL;

  prism_run_list_enqueue (self->runs, "six", config);
  prism_run_list_enqueue (self->runs, NULL, config);
  config->snr = 20;
  config->samples = 5;
  prism_run_list_enqueue (self->runs, NULL, config);
  prism_run_list_start_queue (self->runs);
  wait_for_results (self, 3);
  WAIT_FOR (is_queue_over (self->runs));
  comparison = prism_run_list_new_comparison (self->runs);
  g_assert_true (g_str_has_suffix (get_name (comparison, 0), " · six"));
  g_assert_true (g_str_has_suffix (get_name (comparison, 1), " · Moon, PRISM"));
  g_assert_true (g_str_has_suffix (get_name (comparison, 2), " · Positions 5, Noise (SNR) 20 dB"));

  hidden = g_list_model_get_item (G_LIST_MODEL (self->runs->store), 1);
  g_object_set (hidden, "shown", FALSE, NULL);
  g_clear_pointer (&comparison, prism_comparison_free);
  comparison = prism_run_list_new_comparison (self->runs);
  g_assert_true (g_str_has_suffix (get_name (comparison, 1), " · Positions 5, Noise (SNR) 20 dB"));

  /* Another object, or a recording, is named where it is not that of most. */
  g_free (config->object);
  config->object = g_strdup ("/tmp/smear.hdf5");
  config->kind = PRISM_FRAMES_RECORDED;
  prism_run_list_enqueue (self->runs, NULL, config);
  g_clear_pointer (&comparison, prism_comparison_free);
  comparison = prism_run_list_new_comparison (self->runs);
  g_assert_true (g_str_has_suffix (get_name (comparison, 0), " · six"));
  g_assert_true (g_str_has_suffix (get_name (comparison, 1), " · Positions 5, Noise (SNR) 20 dB"));
}

/* Each says what it has otherwise than most, and no more; the number comes first. */
TEST_FIXTURE (no_difference_is_dropped, "/app/compare/no-difference-is-dropped")
{
  g_autoptr (PrismConfig) config = widget_test_new_config ();
  static const char *const words[] = { "Noise (SNR) No noise", "Moon, PRISM",
                                       "Radius 9 px, Square raster, Positions 5, Seed 7" };
  g_autofree char *name = NULL, *folder = prism_run_catalogue_dup_folder ();
  g_autoptr (PrismComparison) comparison = NULL;
  g_autoptr (PrismRunCatalogue) catalogue = prism_run_catalogue_new (folder, NULL);
  PrismRunCard *card;
  guint last;

  prism_run_list_enqueue (self->runs, NULL, config);
  config->snr = 20;
  prism_run_list_enqueue (self->runs, NULL, config);
  config->samples = 5;
  config->aperture_radius = 9;
  config->pattern = PRISM_PATTERN_RASTER;
  config->seed = 7;
  prism_run_list_enqueue (self->runs, NULL, config);
  prism_run_list_start_queue (self->runs);
  wait_for_results (self, 3);
  WAIT_FOR (is_queue_over (self->runs));
  comparison = prism_run_list_new_comparison (self->runs);
  last = self->session->number;
  for (guint i = 0; i < 3; i++)
    {
      g_autofree char *expected = g_strdup_printf ("%u · %s", last - 2 + i, words[i]);

      g_assert_cmpstr (get_name (comparison, i), ==, expected);
    }
  name = prism_run_list_dup_name (self->runs);
  g_assert_cmpstr (name, ==, get_name (comparison, 2));

  /* What it alone has comes before what it shares with another. */
  config->pattern = PRISM_PATTERN_RANDOM_SQUARE;
  prism_run_list_enqueue (self->runs, NULL, config);
  prism_run_list_start_queue (self->runs);
  wait_for_results (self, 4);
  g_clear_pointer (&comparison, prism_comparison_free);
  comparison = prism_run_list_new_comparison (self->runs);
  g_assert_nonnull (strstr (get_name (comparison, 2), " · Square raster, Radius 9 px,"));

  /* What it was called in the library it is called in reports and names of files. */
  WAIT_FOR (is_queue_over (self->runs));
  card = prism_run_card_read (self->session->run_file, catalogue->folder, NULL);
  g_assert_nonnull (card);
  g_free (card->name);
  card->name = g_strdup ("For the paper");
  prism_run_catalogue_add (catalogue, card);
  g_assert_true (prism_run_catalogue_save (catalogue, NULL));
  g_free (name);
  name = prism_run_list_dup_name (self->runs);
  g_assert_true (g_ascii_isdigit (name[0]));
  g_assert_true (g_str_has_suffix (name, " · For the paper"));
  prism_run_list_follow_names (self->runs);
  g_clear_pointer (&comparison, prism_comparison_free);
  comparison = prism_run_list_new_comparison (self->runs);
  g_assert_nonnull (strstr (get_name (comparison, 3), " · For the paper · "));
}

TEST_FIXTURE (reopened_run_comes_once, "/app/compare/reopened")
{
  GListModel *model = G_LIST_MODEL (self->runs->store);
  g_autofree char *folder = g_dir_make_tmp ("prism-compare-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "kept.prismrun", NULL);
  g_autoptr (PrismBundle) state = prism_bundle_new ();
  g_autoptr (PrismRunIdentity) identity = prism_run_identity_new (NULL);
  g_autoptr (PrismRunPlace) place = prism_run_place_new (path, NULL, NULL);

  prism_session_run (self->session);
  wait_for_results (self, 1);
  MUST (prism_run_file_save (place, self->session->snapshot, state, identity, &error));
  prism_run_list_open (self->runs, path);
  WAIT_FOR (G_OBJECT (self->runs)->ref_count == 1);
  g_assert_cmpuint (g_list_model_get_n_items (model), ==, 1);
  g_unlink (path);
  g_rmdir (folder);
}

/* What a browser reads has points, whatever the user's language has. */
static const PrismComparisonColumn *
find_number (const PrismComparison *comparison,
             const char *id)
{
  for (guint i = 0; i < comparison->columns->len; i++)
    if (strcmp (prism_comparison_get_column (comparison, i)->id, id) == 0)
      return prism_comparison_get_column (comparison, i);
  return NULL;
}

/* People read a comma, and so does the report's text; its layout and files of numbers do not. */
TEST (report_in_a_comma_locale, "/app/compare/comma-locale")
{
  g_autofree char *shown = NULL;
  g_autofree char *filed = NULL;
  g_autoptr (PrismComparison) comparison = new_comparison ();
  g_autofree char *folder = g_dir_make_tmp ("prism-compare-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "report.html", NULL);
  g_autofree char *text = NULL;
  g_autofree char *before = g_strdup (setlocale (LC_NUMERIC, NULL));

  if (setlocale (LC_NUMERIC, "de_DE.UTF-8") == NULL)
    {
      g_test_skip ("the locale de_DE.UTF-8 could not be built");
      g_rmdir (folder);
      return;
    }
  g_assert_true (prism_report_save (comparison, path, NULL));
  shown = prism_comparison_dup_shown_text (find_number (comparison, "psnr"),
                                           prism_comparison_get_result (comparison, 0));
  filed = prism_comparison_dup_text (find_number (comparison, "psnr"),
                                     prism_comparison_get_result (comparison, 0));
  setlocale (LC_NUMERIC, before);
  g_assert_nonnull (strchr (shown, ','));
  g_assert_nonnull (strchr (filed, '.'));
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_nonnull (strstr (text, "style=\"width:12.5%\""));
  g_unlink (path);
  g_rmdir (folder);
}

static gboolean
has_four_done (gpointer data)
{
  GListModel *model = data;
  guint n = 0;

  for (guint i = 0; i < g_list_model_get_n_items (model); i++)
    {
      g_autoptr (PrismRunItem) item = g_list_model_get_item (model, i);
      n += item->result != NULL;
    }
  return n == 4;
}

TEST_FIXTURE (window_follows_the_queue, "/app/compare/window")
{
  GtkWidget *window = prism_compare_window_new (self->runs);
  g_autoptr (PrismConfig) config = widget_test_new_config ();
  GtkWidget *images = widget_test_get_part (window, "images");
  PrismCompareStage *stage = widget_test_get_part (images, "stage");
  g_autoptr (PrismRunItem) first = NULL;

  gtk_window_present (GTK_WINDOW (window));
  for (int i = 0; i < 4; i++)
    prism_run_list_enqueue (self->runs, NULL, config);
  gtk_widget_activate_action (window, "compare.queue", NULL);
  WAIT_FOR (has_four_done (G_LIST_MODEL (self->runs->store)));
  g_assert_cmpuint (count_views (stage), ==, 4);
  g_assert_cmpint (gtk_widget_get_width (GTK_WIDGET (stage)), >, 700);
  g_assert_cmpint (gtk_widget_get_height (GTK_WIDGET (stage)), >, 700);
  g_assert_nonnull (
      gtk_list_box_get_row_at_index (widget_test_find (window, GTK_TYPE_LIST_BOX), 3));
  g_assert_null (gtk_list_box_get_row_at_index (widget_test_find (window, GTK_TYPE_LIST_BOX), 4));
  first = g_list_model_get_item (G_LIST_MODEL (self->runs->store), 0);
  g_object_set (first, "shown", FALSE, NULL);
  g_assert_cmpuint (count_views (stage), ==, 3);
  gtk_widget_activate_action (window, "compare.mode", "i", PRISM_COMPARE_BLINK);
  g_assert_true (gtk_toggle_button_get_active (widget_test_get_part (images, "blink")));
  prism_compare_window_show_page (PRISM_COMPARE_WINDOW (window), "curves");
  prism_compare_window_show_page (PRISM_COMPARE_WINDOW (window), "table");
  gtk_window_destroy (GTK_WINDOW (window));
}

static gboolean
has_compare_window (gpointer data)
{
  GListModel *windows = gtk_window_get_toplevels ();

  for (guint i = 0; i < g_list_model_get_n_items (windows); i++)
    {
      g_autoptr (GtkWindow) window = g_list_model_get_item (windows, i);

      if (PRISM_IS_COMPARE_WINDOW (window))
        return count_views (widget_test_get_part (widget_test_get_part (window, "images"), "stage"))
               == 2;
    }
  return FALSE;
}

/* Several runs opened together are compared; one alone, or with something else, is not. */
TEST_FIXTURE (main_window_compares_files, "/app/compare/files-together")
{
  g_autofree char *folder = g_dir_make_tmp ("prism-compare-XXXXXX", NULL);
  g_autofree char *first = g_build_filename (folder, "first.prismrun", NULL);
  g_autofree char *second = g_build_filename (folder, "second.prismrun", NULL);
  g_autoptr (GFile) one = g_file_new_for_path (first);
  g_autoptr (GFile) two = g_file_new_for_path (second);
  g_autoptr (GFile) picture = g_file_new_for_path ("a.png");
  g_autofree char *point = g_build_filename (folder, "point-0001.prismrun", NULL);
  g_autoptr (GFile) three = g_file_new_for_path (point);
  PrismWindow *window = prism_window_new (NULL, self->session);
  g_autoptr (GSList) files = g_slist_append (NULL, one);

  save_run (first, 0);
  save_run (second, 1);
  g_assert_false (prism_window_compare_files (window, files));
  files = g_slist_append (files, picture);
  g_assert_false (prism_window_compare_files (window, files));
  files->next->data = two;
  g_assert_true (prism_window_compare_files (window, files));
  WAIT_FOR (has_compare_window (NULL));
  /* Others are not shown any more; one that is known is shown again. */
  save_run (point, 2);
  files->data = three;
  g_assert_true (prism_window_compare_files (window, files));
  g_assert_false (has_compare_window (NULL));
  WAIT_FOR (has_compare_window (NULL));
  gtk_window_destroy (GTK_WINDOW (window));
  g_unlink (first);
  g_unlink (second);
  g_unlink (point);
  g_rmdir (folder);
}

/* Step 2 has two rows, as runs of earlier programs have at the end of each sample; seconds stand
 * still for two steps. */
static void
add_rows (PrismHistory *history)
{
  const double psnr[] = { NAN, NAN, 20, NAN, 30, 31 };
  const guint64 steps[] = { 1, 2, 2, 3, 4, 5 };

  for (guint i = 0; i < G_N_ELEMENTS (steps); i++)
    {
      PrismHistoryRow row = { .step = steps[i], .loss_new = 1.0 / steps[i], .loss_old = NAN };

      row.metrics.psnr = psnr[i];
      row.metrics.ssim = row.metrics.rmse = psnr[i] / 100;
      row.seconds = steps[i] / 2;
      row.sample = steps[i] == 5 ? -2 : 0;
      g_assert_true (prism_history_append (history, &row));
    }
}

static void
check_curve (PrismReportCurves curves,
             const PrismComparison *comparison,
             gboolean over_time,
             guint n_expected,
             double last)
{
  PrismChartData *data = prism_report_curves_new (curves, comparison, over_time);
  PrismChartSeries *series = prism_chart_data_get_series (data, 0);
  guint64 n = prism_chart_series_get_n_points (series);

  g_assert_cmpuint (n, ==, n_expected);
  g_assert_cmpfloat_with_epsilon (prism_chart_series_get_y (series, n - 1, FALSE), last, 1e-6);
  prism_chart_data_free (data);
}

TEST (curve_has_every_value, "/app/compare/curve-has-every-value")
{
  g_autoptr (PrismComparison) comparison = prism_comparison_new ();
  g_autoptr (PrismResult) result = new_result ("run", 0.5, 31);

  result->snapshot->history = prism_history_new ();
  add_rows (result->snapshot->history);
  result->snapshot->n_rows = prism_history_get_n_rows (result->snapshot->history);
  prism_comparison_add (comparison, result);
  check_curve (PRISM_REPORT_CURVES_LOSS, comparison, FALSE, 4, 0.25);
  check_curve (PRISM_REPORT_CURVES_MISFIT, comparison, FALSE, 1, 0.2);
  check_curve (PRISM_REPORT_CURVES_OF (psnr), comparison, FALSE, 3, 31);
  check_curve (PRISM_REPORT_CURVES_OF (ssim), comparison, FALSE, 3, 0.31);
  check_curve (PRISM_REPORT_CURVES_OF (rmse), comparison, FALSE, 3, 0.31);
  check_curve (PRISM_REPORT_CURVES_OF (psnr), comparison, TRUE, 2, 31);
}

/* Between the passes that did not explain the measurements and those after the training no misfit
 * is known, and only the latter are the polish. */
TEST (curve_of_a_run_that_begins_anew, "/app/compare/begins-anew")
{
  static const gint32 samples[] = { -3, -2, -2, -1, 0, 1, -2, -2 };
  g_autoptr (PrismComparison) comparison = prism_comparison_new ();
  g_autoptr (PrismResult) result = new_result ("run", 0.5, 31);
  g_autoptr (PrismChartData) data = NULL;
  PrismChartSeries *misfit;

  result->snapshot->history = prism_history_new ();
  result->snapshot->n_rows = G_N_ELEMENTS (samples);
  for (guint i = 0; i < G_N_ELEMENTS (samples); i++)
    {
      PrismHistoryRow row = { .step = i + 1, .sample = samples[i], .loss_new = 0.5, .seconds = i };

      g_assert_true (prism_history_append (result->snapshot->history, &row));
    }
  prism_comparison_add (comparison, result);
  data = prism_report_curves_new (PRISM_REPORT_CURVES_MISFIT, comparison, FALSE);
  misfit = prism_chart_data_get_series (data, 0);
  g_assert_cmpfloat (data->polish, ==, 6);
  g_assert_cmpuint (prism_chart_series_get_n_points (misfit), ==, 6);
  g_assert_true (isnan (prism_chart_series_get_y (misfit, 3, FALSE)));
}

/* Whatever is chosen and however long its words are, the window has room on 900 px: English ones
 * leave a fifth to the other languages. */
TEST (page_is_narrow, "/app/compare/narrow")
{
  GtkWidget *page = g_object_ref_sink (g_object_new (PRISM_TYPE_COMPARE_IMAGES, NULL));

  for (int mode = PRISM_COMPARE_SIDE_BY_SIDE; mode <= PRISM_COMPARE_SWIPE; mode++)
    {
      int width;

      prism_compare_images_set_mode (PRISM_COMPARE_IMAGES (page), mode);
      gtk_widget_measure (page, GTK_ORIENTATION_HORIZONTAL, -1, &width, NULL, NULL, NULL);
      g_test_message ("%d px", width);
      g_assert_cmpint (width, <=, 500);
    }
  g_object_unref (page);
}
