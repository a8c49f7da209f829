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
#include "../engine/support/test-remove-tree.h"

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

  snapshot->state = PRISM_STATE_FINISHED;
  snapshot->config = prism_config_new ();
  snapshot->metrics.psnr = psnr;
  snapshot->reconstruction = prism_image_new (SIZE, SIZE, NULL);
  snapshot->target = prism_image_new (SIZE, SIZE, NULL);
  for (int i = 0; i < SIZE * SIZE; i++)
    {
      snapshot->reconstruction->pixels[i] = grey;
      snapshot->target->pixels[i] = i % 2;
    }
  return prism_result_new (name, snapshot);
}

/* Takes the result. */
static void
add (PrismComparison *comparison,
     PrismResult *result)
{
  prism_comparison_add (comparison, result);
  prism_result_unref (result);
}

static PrismComparison *
new_comparison (void)
{
  PrismComparison *comparison = prism_comparison_new ();

  add (comparison, new_result ("dark", 0, 20));
  add (comparison, new_result ("bright", 1, NAN));
  add (comparison, new_result ("middle", 0.5, 5));
  return comparison;
}

/* A page in a window, of three runs or of others. */
typedef struct
{
  GtkWidget *page, *window;
  PrismCompareStage *stage;
  PrismComparison *comparison;
} Page;

static void
page_close (Page *self)
{
  gtk_window_destroy (GTK_WINDOW (self->window));
  prism_comparison_free (self->comparison);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Page, page_close)

static Page
open_page (PrismComparison *comparison,
           int mode)
{
  Page self = { .page = g_object_new (PRISM_TYPE_COMPARE_IMAGES, NULL), .comparison = comparison };

  self.stage = widget_test_get_part (self.page, "stage");
  self.window = widget_test_show (self.page, 500, 400);
  prism_compare_images_set_comparison (PRISM_COMPARE_IMAGES (self.page), comparison);
  prism_compare_images_set_mode (PRISM_COMPARE_IMAGES (self.page), mode);
  return self;
}

static void
choose (const Page *self,
        const char *id,
        guint choice)
{
  gtk_drop_down_set_selected (widget_test_get_part (self->page, id), choice);
}

/* How bright it is half way down, so far right of a part of the width. */
static int
get_grey (const Page *self,
          guint n_views,
          double part,
          int right)
{
  GtkWidget *stage = GTK_WIDGET (self->stage);

  for (guint i = 0; i < n_views; i++)
    {
      WAIT_FOR (gtk_widget_get_width (GTK_WIDGET (get_view (self->stage, i))) > 0);
      widget_test_wait_for_picture (get_view (self->stage, i));
    }
  g_autoptr (cairo_surface_t) surface = widget_test_render (stage);
  return widget_test_get_pixel (surface, (int) (part * gtk_widget_get_width (stage)) + right,
                                gtk_widget_get_height (stage) / 2)
         & 0xff;
}

TEST (divider_shows_one_picture_on_either_side, "/app/compare/swipe")
{
  static const GtkAlign sides[] = { GTK_ALIGN_START, GTK_ALIGN_END };
  g_auto (Page) self = open_page (new_comparison (), PRISM_COMPARE_SWIPE);

  gtk_adjustment_set_value (self.stage->divider, 0.4);
  g_assert_cmpint (get_grey (&self, 2, 0.4, -12), <, 8);
  g_assert_cmpint (get_grey (&self, 2, 0.4, 12), >, 247);
  /* Each side reads what it shows, at its own end. */
  for (guint i = 0; i < 2; i++)
    {
      GtkWidget *label = widget_test_get_part (get_view (self.stage, i), "probe_label");

      g_assert_cmpint (gtk_widget_get_halign (label), ==, sides[i]);
    }

  gtk_adjustment_set_value (self.stage->divider, 7);
  g_assert_cmpfloat (gtk_adjustment_get_value (self.stage->divider), ==, 1);
}

/* Any two can be looked at so: the third, which is between both, in the place of the first. */
TEST (sides_are_chosen, "/app/compare/sides")
{
  g_auto (Page) self = open_page (new_comparison (), PRISM_COMPARE_SWIPE);

  choose (&self, "left", 2);
  int grey = get_grey (&self, 3, 0.5, -12);
  g_assert_cmpint (grey, >, 100);
  g_assert_cmpint (grey, <, 200);
}

static gboolean
is_to_be_seen (PrismCompareStage *stage,
               guint i)
{
  return gtk_widget_get_child_visible (GTK_WIDGET (get_view (stage, i)));
}

TEST (blinking_goes_round, "/app/compare/blink")
{
  g_auto (Page) self = open_page (new_comparison (), PRISM_COMPARE_BLINK);

  g_assert_true (is_to_be_seen (self.stage, 0));
  g_assert_false (is_to_be_seen (self.stage, 2));
  WAIT_FOR (is_to_be_seen (self.stage, 2));
  prism_compare_stage_set_current (self.stage, 3);
  g_assert_true (is_to_be_seen (self.stage, 0));
}

/* Zoom and position are one for all, and so are the levels of the colours. */
TEST (views_are_linked, "/app/compare/linked")
{
  g_auto (Page) self = open_page (new_comparison (), PRISM_COMPARE_SIDE_BY_SIDE);
  PrismMapping first, other;

  g_assert_cmpuint (count_views (self.stage), ==, 3);
  prism_view_get_mapping (get_view (self.stage, 0), &first);
  for (guint i = 1; i < 3; i++)
    {
      PrismView *view = get_view (self.stage, i);

      prism_view_get_mapping (view, &other);
      g_assert_true (prism_mapping_equal (&first, &other));
      g_assert_true (view->canvas->viewport == get_view (self.stage, 0)->canvas->viewport);
    }
  g_assert_cmpfloat (first.black, ==, 0);
  g_assert_cmpfloat (first.white, ==, 1);
}

/* Colours and limits that were chosen are those of the runs that come, too. */
TEST (look_stays, "/app/compare/look-stays")
{
  g_auto (Page) self = open_page (prism_comparison_new (), PRISM_COMPARE_SIDE_BY_SIDE);
  g_autoptr (PrismComparison) more = new_comparison ();
  PrismMapping before, after;

  add (self.comparison, new_result ("middle", 0.5, 5));
  choose (&self, "colors", PRISM_COLORMAP_MAGMA);
  choose (&self, "limits", 1);
  prism_compare_images_set_comparison (PRISM_COMPARE_IMAGES (self.page), self.comparison);
  prism_view_get_mapping (get_view (self.stage, 0), &before);
  g_assert_cmpint (before.colormap, ==, PRISM_COLORMAP_MAGMA);
  g_assert_cmpfloat (before.white, <, 0.6);
  choose (&self, "limits", 2);
  prism_compare_images_set_comparison (PRISM_COMPARE_IMAGES (self.page), more);
  for (guint i = 0; i < 3; i++)
    {
      prism_view_get_mapping (get_view (self.stage, i), &after);
      g_assert_true (prism_mapping_equal (&before, &after));
    }
  choose (&self, "limits", 1);
  prism_view_get_mapping (get_view (self.stage, 0), &after);
  g_assert_cmpfloat (after.white, >, 0.9);
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
  g_auto (Page) self = open_page (prism_comparison_new (), PRISM_COMPARE_SIDE_BY_SIDE);
  g_autoptr (PrismResult) real = new_result ("real", 0.5, 5), a = new_complex_result ("a", SIZE);
  PrismMapping mapping;

  prism_comparison_add (self.comparison, real);
  prism_comparison_add (self.comparison, a);
  add (self.comparison, new_complex_result ("b", 2 * SIZE));
  prism_compare_images_set_comparison (PRISM_COMPARE_IMAGES (self.page), self.comparison);
  g_assert_cmpuint (count_views (self.stage), ==, 3);
  choose (&self, "kind", 3);
  g_assert_cmpuint (count_views (self.stage), ==, 2);
  g_assert_cmpstr (prism_view_get_title (get_view (self.stage, 0)), ==, "a");
  g_assert_true (get_view (self.stage, 0)->image == a->phase);
  prism_view_get_mapping (get_view (self.stage, 1), &mapping);
  g_assert_cmpfloat_with_epsilon (mapping.white - mapping.black, 0.25, 0.02);
  g_assert_cmpfloat_with_epsilon (mapping.white + mapping.black, 0, 0.02);
  choose (&self, "kind", 2);
  g_assert_cmpuint (count_views (self.stage), ==, 2);
  g_assert_null (get_view (self.stage, 1)->image);
  /* Nor is there of another object. */
  g_free (real->snapshot->config->object);
  real->snapshot->config->object = g_strdup ("text");
  choose (&self, "kind", 0);
  choose (&self, "kind", 2);
  g_assert_cmpuint (count_views (self.stage), ==, 2);
  g_assert_null (get_view (self.stage, 0)->image);
}

static void
sort (GtkColumnView *view,
      const char *title)
{
  GListModel *columns = gtk_column_view_get_columns (view);

  for (guint i = 0; i < g_list_model_get_n_items (columns); i++)
    {
      g_autoptr (GtkColumnViewColumn) column = g_list_model_get_item (columns, i);

      if (g_strcmp0 (gtk_column_view_column_get_title (column), title) == 0)
        gtk_column_view_sort_by_column (view, column, GTK_SORT_ASCENDING);
    }
}

TEST (table_sorts_numbers, "/app/compare/table")
{
  static const char *const orders[][4] = { { NULL, "dark", "bright", "middle" },
                                           { "PSNR in dB", "middle", "dark", "bright" },
                                           { "Run", "bright", "dark", "middle" } };
  GtkWidget *table = g_object_new (PRISM_TYPE_COMPARE_TABLE, NULL);
  g_autoptr (PrismComparison) comparison = new_comparison ();
  GtkColumnView *view = widget_test_find (table, GTK_TYPE_COLUMN_VIEW);
  g_autoptr (ShownWindow) window = widget_test_show (table, 500, 300);

  prism_compare_table_set_comparison (PRISM_COMPARE_TABLE (table), comparison);
  for (gsize i = 0; i < G_N_ELEMENTS (orders); i++)
    {
      if (orders[i][0] != NULL)
        sort (view, orders[i][0]);
      for (guint k = 0; k < 3; k++)
        {
          GListModel *model = G_LIST_MODEL (gtk_column_view_get_model (view));
          g_autoptr (GObject) row = g_list_model_get_item (model, k);
          const PrismResult *result = g_object_get_data (row, "prism-result");

          g_assert_cmpstr (result->name, ==, orders[i][k + 1]);
        }
    }
  /* Other columns while one of them sorts. */
  prism_compare_table_set_comparison (PRISM_COMPARE_TABLE (table), comparison);
}

typedef struct
{
  PrismSession *session;
  PrismRunList *runs;
} Fixture;

SET_UP
{
  g_autoptr (PrismConfig) config = widget_test_new_config ();

  self->session = widget_test_new_session (NULL);
  self->runs = prism_run_list_new (self->session);
  prism_session_start (self->session, config);
}

TEAR_DOWN
{
  g_object_unref (self->runs);
  g_object_unref (self->session);
}

static const PrismResult *
get_result (Fixture *self,
            guint i)
{
  g_autoptr (PrismRunItem) item = g_list_model_get_item (G_LIST_MODEL (self->runs->store), i);

  return item != NULL ? item->result : NULL;
}

static guint
count_results (Fixture *self)
{
  guint n = 0;

  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (self->runs->store)); i++)
    n += get_result (self, i) != NULL;
  return n;
}

static void
show (Fixture *self,
      guint i,
      gboolean shown)
{
  g_autoptr (GObject) item = g_list_model_get_item (G_LIST_MODEL (self->runs->store), i);

  g_object_set (item, "shown", shown, NULL);
}

/* What those that are shown are called in a comparison, as patterns. */
#define NAMES(...) check_names (self, (const char *[]) { __VA_ARGS__, NULL })

static void
check_names (Fixture *self,
             const char *const *patterns)
{
  g_autoptr (PrismComparison) comparison = prism_run_list_new_comparison (self->runs);

  for (guint i = 0; patterns[i] != NULL; i++)
    if (!g_pattern_match_simple (patterns[i], prism_comparison_get_result (comparison, i)->name))
      g_error ("“%s” is not “%s”", prism_comparison_get_result (comparison, i)->name, patterns[i]);
}

TEST_FIXTURE (every_run_is_kept, "/app/compare/kept")
{
  prism_session_run (self->session);
  WAIT_FOR (count_results (self) == 1);
  self->runs->budget = 1;
  prism_session_run (self->session);
  /* The oldest goes. */
  WAIT_FOR (g_list_model_get_n_items (G_LIST_MODEL (self->runs->store)) == 1
            && get_result (self, 0) != NULL && get_result (self, 0)->snapshot->run == 2);
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

  prism_run_list_enqueue (self->runs, "six", config);
  config->samples = 5;
  prism_run_list_enqueue (self->runs, "five", config);
  g_assert_cmpuint (prism_run_list_count_waiting (self->runs), ==, 2);
  prism_run_list_start_queue (self->runs);
  prism_draft_set_parameter (draft, prism_config_get_param ("snr"), "12", NULL);
  WAIT_FOR (count_results (self) == 2);
  g_assert_cmpint (get_result (self, 0)->snapshot->config->samples, ==, 6);
  g_assert_cmpint (get_result (self, 1)->snapshot->config->samples, ==, 5);
  g_assert_cmpfloat (get_result (self, 1)->snapshot->config->snr, ==, 0);
  g_assert_cmpfloat (draft->config->snr, ==, 12);
  g_assert_cmpuint (prism_run_list_count_waiting (self->runs), ==, 0);
  WAIT_FOR (is_queue_over (self->runs));
}

TEST_FIXTURE (stop_holds_the_queue, "/app/compare/stop")
{
  g_autoptr (PrismConfig) config = widget_test_new_config ();

  config->method = PRISM_METHOD_DECODER;
  config->start_target = PRISM_START_MEASUREMENT;
  config->steps = 20000;
  prism_run_list_enqueue (self->runs, NULL, config);
  prism_run_list_enqueue (self->runs, NULL, config);
  prism_run_list_start_queue (self->runs);
  WAIT_FOR (prism_session_get_active (self->session));
  prism_session_stop (self->session);
  WAIT_FOR (self->session->state == PRISM_STATE_STOPPED);
  g_assert_true (is_queue_over (self->runs));
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
  g_autoptr (TestFolder) folder = test_folder_new ();
  g_autofree char *path = g_build_filename (folder, "report.html", NULL);
  Outcome saved = { 0 }, refused = { 0 };

  save_report (comparison, path, &saved);
  g_assert_no_error (saved.error);
  g_assert_cmpstr (saved.path, ==, path);
  g_autofree char *text = file_text (path);
  g_assert_true (g_str_has_prefix (text, "<!DOCTYPE html>"));
  save_report (comparison, "/tmp/report.txt", &refused);
  g_assert_error (refused.error, PRISM_ERROR, PRISM_ERROR_CONFIG);
  g_clear_error (&refused.error);
  g_free (saved.path);
  g_free (refused.path);
}

/* With many rows it takes longer to be read. (transfer none) */
static const char *
save_run (const char *folder,
          const char *name,
          float grey,
          guint n_rows)
{
  const char *path = in_folder (folder, name);
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
  return path;
}

static void
on_problem (PrismRunList *runs,
            const char *sentence,
            char **said)
{
  *said = g_strdup (sentence);
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
  g_autoptr (TestFolder) folder = test_folder_new ();
  const char *const paths[]
      = { save_run (folder, "first.prismrun", 0, 0), save_run (folder, "2-second.prismrun", 1, 0),
          save_run (folder, "point-0001.prismrun", 2, 0) };
  g_autofree char *said = NULL;

  name_run (paths[1], "For the paper");
  for (guint i = 0; i < G_N_ELEMENTS (paths); i++)
    {
      prism_run_list_open (self->runs, paths[i]);
      WAIT_FOR (count_results (self) == i + 1);
    }
  NAMES ("first · *", "2 · For the paper · *", "Point 2 · *");
  g_assert_cmpfloat (get_result (self, 1)->snapshot->reconstruction->pixels[3], ==, 1);
  g_signal_connect (self->runs, "problem", G_CALLBACK (on_problem), &said);
  prism_run_list_open (self->runs, in_folder (folder, "missing.prismrun"));
  WAIT_FOR (said != NULL);
  HAS (said, "missing.prismrun");
}

TEST_FIXTURE (files_keep_their_order, "/app/compare/order")
{
  g_autoptr (TestFolder) folder = test_folder_new ();

  prism_run_list_open (self->runs, save_run (folder, "large.prismrun", 0, 30000));
  prism_run_list_open (self->runs, in_folder (folder, "missing.prismrun"));
  prism_run_list_open (self->runs, save_run (folder, "small.prismrun", 1, 0));
  WAIT_FOR (count_results (self) == 2);
  NAMES ("large · *", "small · *");
}

/* A number tells nobody which run is which. What most that are shown have is not said. */
TEST_FIXTURE (names_say_what_differs, "/app/compare/names")
{
  g_autoptr (PrismConfig) config = widget_test_new_config ();

  prism_run_list_enqueue (self->runs, "six", config);
  prism_run_list_enqueue (self->runs, NULL, config);
  config->snr = 20;
  config->samples = 5;
  prism_run_list_enqueue (self->runs, NULL, config);
  prism_run_list_start_queue (self->runs);
  WAIT_FOR (count_results (self) == 3);
  WAIT_FOR (is_queue_over (self->runs));
  NAMES ("* · six", "* · Moon, PRISM", "* · Positions 5, Noise (SNR) 20 dB");
  show (self, 1, FALSE);
  NAMES ("* · six", "* · Positions 5, Noise (SNR) 20 dB");

  /* Another object, or a recording, is named where it is not that of most. */
  g_free (config->object);
  config->object = g_strdup ("/tmp/smear.hdf5");
  config->kind = PRISM_FRAMES_RECORDED;
  prism_run_list_enqueue (self->runs, NULL, config);
  NAMES ("* · six", "* · Positions 5, Noise (SNR) 20 dB");
}

/* Each says what it has otherwise than most, and no more; the number comes first. */
TEST_FIXTURE (no_difference_is_dropped, "/app/compare/no-difference-is-dropped")
{
  g_autoptr (PrismConfig) config = widget_test_new_config ();

  prism_run_list_enqueue (self->runs, NULL, config);
  config->snr = 20;
  prism_run_list_enqueue (self->runs, NULL, config);
  config->samples = 5;
  config->aperture_radius = 9;
  config->pattern = PRISM_PATTERN_RASTER;
  config->seed = 7;
  prism_run_list_enqueue (self->runs, NULL, config);
  prism_run_list_start_queue (self->runs);
  WAIT_FOR (count_results (self) == 3);
  WAIT_FOR (is_queue_over (self->runs));
  guint last = self->session->number;
  g_autofree char *expected
      = g_strdup_printf ("%u · Noise (SNR) No noise|%u · Moon, PRISM|"
                         "%u · Radius 9 px, Square raster, Positions 5, Seed 7",
                         last - 2, last - 1, last);
  g_auto (GStrv) names = g_strsplit (expected, "|", -1);
  check_names (self, (const char *const *) names);
  g_autofree char *name = prism_run_list_dup_name (self->runs);
  g_assert_cmpstr (name, ==, names[2]);

  /* What it alone has comes before what it shares with another. */
  config->pattern = PRISM_PATTERN_RANDOM_SQUARE;
  prism_run_list_enqueue (self->runs, NULL, config);
  prism_run_list_start_queue (self->runs);
  WAIT_FOR (count_results (self) == 4);
  WAIT_FOR (is_queue_over (self->runs));
  NAMES ("*", "*", "* · Square raster, Radius 9 px,*");

  /* What it was called in the library it is called in reports and names of files. */
  name_run (self->session->run_file, "For the paper");
  g_free (name);
  name = prism_run_list_dup_name (self->runs);
  g_assert_true (g_ascii_isdigit (name[0]));
  g_assert_true (g_str_has_suffix (name, " · For the paper"));
  prism_run_list_follow_names (self->runs);
  NAMES ("*", "*", "*", "* · For the paper · *");
}

TEST_FIXTURE (reopened_run_comes_once, "/app/compare/reopened")
{
  g_autoptr (TestFolder) folder = test_folder_new ();
  g_autofree char *path = g_build_filename (folder, "kept.prismrun", NULL);
  g_autoptr (PrismBundle) state = prism_bundle_new ();
  g_autoptr (PrismRunIdentity) identity = prism_run_identity_new (NULL);
  g_autoptr (PrismRunPlace) place = prism_run_place_new (path, NULL, NULL);

  prism_session_run (self->session);
  WAIT_FOR (count_results (self) == 1);
  MUST (prism_run_file_save (place, self->session->snapshot, state, identity, &error));
  prism_run_list_open (self->runs, path);
  WAIT_FOR (G_OBJECT (self->runs)->ref_count == 1);
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (self->runs->store)), ==, 1);
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
  g_autofree char *shown = NULL, *filed = NULL;
  g_autoptr (PrismComparison) comparison = new_comparison ();
  g_autoptr (TestFolder) folder = test_folder_new ();
  g_autofree char *path = g_build_filename (folder, "report.html", NULL);
  g_autofree char *before = g_strdup (setlocale (LC_NUMERIC, NULL));

  if (setlocale (LC_NUMERIC, "de_DE.UTF-8") == NULL)
    {
      g_test_skip ("the locale de_DE.UTF-8 could not be built");
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
  g_autofree char *text = file_text (path);
  g_assert_true (g_regex_match_simple ("style=\"width:\\d+\\.\\d+%\"", text, 0, 0));
}

TEST_FIXTURE (window_follows_the_queue, "/app/compare/window")
{
  g_autoptr (ShownWindow) window = prism_compare_window_new (self->runs);
  g_autoptr (PrismConfig) config = widget_test_new_config ();
  GtkWidget *images = widget_test_get_part (window, "images");
  PrismCompareStage *stage = widget_test_get_part (images, "stage");

  gtk_window_present (GTK_WINDOW (window));
  for (int i = 0; i < 4; i++)
    prism_run_list_enqueue (self->runs, NULL, config);
  gtk_widget_activate_action (window, "compare.queue", NULL);
  WAIT_FOR (count_results (self) == 4);
  g_assert_cmpuint (count_views (stage), ==, 4);
  g_assert_cmpint (gtk_widget_get_width (GTK_WIDGET (stage)), >, 700);
  g_assert_cmpint (gtk_widget_get_height (GTK_WIDGET (stage)), >, 700);
  g_assert_nonnull (
      gtk_list_box_get_row_at_index (widget_test_find (window, GTK_TYPE_LIST_BOX), 3));
  g_assert_null (gtk_list_box_get_row_at_index (widget_test_find (window, GTK_TYPE_LIST_BOX), 4));
  show (self, 0, FALSE);
  g_assert_cmpuint (count_views (stage), ==, 3);
  gtk_widget_activate_action (window, "compare.mode", "i", PRISM_COMPARE_BLINK);
  g_assert_true (gtk_toggle_button_get_active (widget_test_get_part (images, "blink")));
  prism_compare_window_show_page (PRISM_COMPARE_WINDOW (window), "curves");
  prism_compare_window_show_page (PRISM_COMPARE_WINDOW (window), "table");
}

static gboolean
compares_two (void)
{
  GtkWidget *window = widget_test_find_window (PRISM_TYPE_COMPARE_WINDOW);

  return window != NULL && count_views (widget_test_find (window, PRISM_TYPE_COMPARE_STAGE)) == 2;
}

/* Several runs opened together are compared; one alone, or with something else, is not. */
TEST_FIXTURE (main_window_compares_files, "/app/compare/files-together")
{
  g_autoptr (TestFolder) folder = test_folder_new ();
  g_autoptr (GFile) one = g_file_new_for_path (save_run (folder, "first.prismrun", 0, 0));
  g_autoptr (GFile) two = g_file_new_for_path (save_run (folder, "second.prismrun", 1, 0));
  g_autoptr (GFile) three = g_file_new_for_path (save_run (folder, "point-0001.prismrun", 2, 0));
  g_autoptr (GFile) picture = g_file_new_for_path ("a.png");
  PrismWindow *window = prism_window_new (NULL, self->session);
  g_autoptr (GSList) files = g_slist_append (NULL, one);

  g_assert_false (prism_window_compare_files (window, files));
  files = g_slist_append (files, picture);
  g_assert_false (prism_window_compare_files (window, files));
  files->next->data = two;
  g_assert_true (prism_window_compare_files (window, files));
  WAIT_FOR (compares_two ());
  /* Others are not shown any more; one that is known is shown again. */
  files->data = three;
  g_assert_true (prism_window_compare_files (window, files));
  g_assert_false (compares_two ());
  WAIT_FOR (compares_two ());
  gtk_window_destroy (GTK_WINDOW (window));
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

  result->snapshot->history = prism_history_new ();
  result->snapshot->n_rows = G_N_ELEMENTS (samples);
  for (guint i = 0; i < G_N_ELEMENTS (samples); i++)
    {
      PrismHistoryRow row = { .step = i + 1, .sample = samples[i], .loss_new = 0.5, .seconds = i };

      g_assert_true (prism_history_append (result->snapshot->history, &row));
    }
  prism_comparison_add (comparison, result);
  data = prism_report_curves_new (PRISM_REPORT_CURVES_MISFIT, comparison, FALSE);
  PrismChartSeries *misfit = prism_chart_data_get_series (data, 0);
  g_assert_cmpfloat (data->polish, ==, 6);
  g_assert_cmpuint (prism_chart_series_get_n_points (misfit), ==, 6);
  g_assert_true (isnan (prism_chart_series_get_y (misfit, 3, FALSE)));
}

/* Whatever is chosen and however long its words are, the window has room on 900 px: English ones
 * leave a fifth to the other languages. */
TEST (page_is_narrow, "/app/compare/narrow")
{
  g_autoptr (GtkWidget) page = g_object_ref_sink (g_object_new (PRISM_TYPE_COMPARE_IMAGES, NULL));

  for (int mode = PRISM_COMPARE_SIDE_BY_SIDE; mode <= PRISM_COMPARE_SWIPE; mode++)
    {
      int width;

      prism_compare_images_set_mode (PRISM_COMPARE_IMAGES (page), mode);
      gtk_widget_measure (page, GTK_ORIENTATION_HORIZONTAL, -1, &width, NULL, NULL, NULL);
      g_test_message ("%d px", width);
      g_assert_cmpint (width, <=, 500);
    }
}
