#include "config.h"

#include "compare/prism-sweep-parts.h"

#include "support/prism-job.h"
#include "support/prism-table.h"
#include "support/prism-widget.h"

G_DEFINE_FINAL_TYPE (PrismSweepPoint, prism_sweep_point, G_TYPE_OBJECT)

/* The number of a column behind that of the verdict. */
static guint
get_measure (PrismSweepColumn column)
{
  static const guint after[] = { PRISM_SWEEP_MEASURE_MISFIT, PRISM_SWEEP_MEASURE_CORRELATION,
                                 PRISM_SWEEP_MEASURE_SECONDS };

  return column < PRISM_SWEEP_COLUMN_MISFIT ? column - PRISM_SWEEP_COLUMN_METRICS
                                            : after[column - PRISM_SWEEP_COLUMN_MISFIT];
}

/**
 * prism_sweep_list_show:
 * @view: of prism_sweep_list_set_up()
 * @recorded: whether the runs are of recorded frames
 *
 * Shows the columns that such runs have: recorded frames have no truth to compare a specimen with.
 */
void
prism_sweep_list_show (GtkColumnView *view,
                       gboolean recorded)
{
  GListModel *columns = gtk_column_view_get_columns (view);

  for (guint i = PRISM_SWEEP_COLUMN_METRICS; i < PRISM_SWEEP_N_COLUMNS; i++)
    {
      g_autoptr (GtkColumnViewColumn) column = g_list_model_get_item (columns, i);

      gtk_column_view_column_set_visible (column,
                                          prism_sweep_measure_is_of (get_measure (i), recorded));
    }
}

static char *
dup_text (PrismSweepPoint *point,
          gpointer column)
{
  return prism_sweep_point_dup_text (point, GPOINTER_TO_INT (column));
}

static double
get_number (const PrismSweepPoint *point,
            gpointer column)
{
  return prism_sweep_point_get_number (point, GPOINTER_TO_INT (column));
}

/* Of the verdict what to do. */
static char *
dup_tip (PrismSweepPoint *point,
         gpointer column)
{
  char *what = GPOINTER_TO_INT (column) == PRISM_SWEEP_COLUMN_VERDICT
                   ? prism_verdict_dup_text (&point->row.verdict)
                   : NULL;

  return what != NULL ? what : dup_text (point, column);
}

/**
 * prism_sweep_list_set_up:
 * @view: a list
 * @points: of PrismSweepPoint
 *
 * Gives the list its columns and the points, sorted by the column that is chosen.
 *
 * Returns: (transfer none): which point is chosen
 */
GtkSingleSelection *
prism_sweep_list_set_up (GtkColumnView *view,
                         GListStore *points)
{
  static const char *const labels[] = { N_ ("Point"), N_ ("State"), N_ ("Verdict") };
  const int most[PRISM_SWEEP_N_COLUMNS]
      = { [PRISM_SWEEP_COLUMN_STATE] = (int) g_utf8_strlen (_ ("No result yet"), -1) };
  GtkSingleSelection *selection;

  for (int i = 0; i < PRISM_SWEEP_N_COLUMNS; i++)
    {
      g_autofree char *label = i < PRISM_SWEEP_COLUMN_METRICS
                                   ? g_strdup (_ (labels[i]))
                                   : prism_metric_dup_title (
                                       prism_sweep_measure_get_info (get_measure (i)));
      GtkColumnViewColumn *column
          = prism_table_append (view, label,
                                &(PrismTableColumn) { dup_text, get_number, dup_tip,
                                                      GINT_TO_POINTER (i),
                                                      .right = i > PRISM_SWEEP_COLUMN_VERDICT,
                                                      /* What went wrong may be long; of a point its
                                                       * value stands at the end. */
                                                      .cut = most[i] });

      gtk_column_view_column_set_expand (column, i <= PRISM_SWEEP_COLUMN_STATE);
    }
  selection = gtk_single_selection_new (prism_table_sort (view, points));
  gtk_single_selection_set_autoselect (selection, FALSE);
  gtk_single_selection_set_can_unselect (selection, TRUE);
  gtk_column_view_set_model (view, GTK_SELECTION_MODEL (selection));
  g_object_unref (selection);
  return selection;
}

static void
prism_sweep_point_finalize (PrismSweepPoint *self)
{
  prism_sweep_row_clear (&self->row);
}

static void
prism_sweep_point_class_init (PrismSweepPointClass *klass)
{
  PRISM_ON_FINALIZE (klass, prism_sweep_point_finalize);
  PRISM_FINALIZE (klass, PrismSweepPoint, g_free, title);
}

static void
prism_sweep_point_init (PrismSweepPoint *self)
{
}

/**
 * prism_sweep_point_new:
 * @sweep: a sweep
 * @point: number of a point
 * @row: what it has come to
 *
 * Returns: (transfer full): the row of the table
 */
PrismSweepPoint *
prism_sweep_point_new (PrismSweep *sweep,
                       guint point,
                       const PrismSweepRow *row)
{
  PrismSweepPoint *self = g_object_new (PRISM_TYPE_SWEEP_POINT, NULL);

  self->point = point;
  self->title = prism_sweep_dup_label (sweep, point);
  prism_sweep_row_copy (&self->row, row);
  g_clear_pointer (&self->row.image, prism_image_unref);
  return self;
}

/**
 * prism_sweep_point_dup_text:
 * @self: a row
 * @column: one of its columns
 *
 * Returns: (transfer full): what the cell shows
 */
char *
prism_sweep_point_dup_text (PrismSweepPoint *self,
                            PrismSweepColumn column)
{
  const PrismSweepRow *row = &self->row;

  if (column == PRISM_SWEEP_COLUMN_POINT)
    return g_strdup (self->title);
  if (column == PRISM_SWEEP_COLUMN_STATE && !row->finished && row->failure != NULL)
    return g_strdup_printf (_ ("Failed: %s"), row->failure);
  if (column == PRISM_SWEEP_COLUMN_STATE)
    return g_strdup (row->finished  ? _ ("Finished")
                     : row->stopped ? _ ("Stopped")
                                    : _ ("No result yet"));
  if (column == PRISM_SWEEP_COLUMN_VERDICT)
    return row->finished ? prism_verdict_dup_label (&row->verdict, row->coverage) : g_strdup ("–");
  return prism_sweep_measure_dup_number (get_measure (column),
                                         prism_sweep_measure_get (get_measure (column), row));
}

/**
 * prism_sweep_point_get_number:
 * @self: a row
 * @column: one of its columns
 *
 * Returns: by which it sorts; finished runs come first, then those that failed
 */
double
prism_sweep_point_get_number (const PrismSweepPoint *self,
                              PrismSweepColumn column)
{
  if (column == PRISM_SWEEP_COLUMN_POINT)
    return self->point;
  if (column == PRISM_SWEEP_COLUMN_STATE)
    return self->row.finished ? 0 : self->row.failure != NULL ? 1
                                                              : 2;
  if (column == PRISM_SWEEP_COLUMN_VERDICT)
    return self->row.verdict.kind;
  return prism_sweep_measure_get (get_measure (column), &self->row);
}

#define MAX_TOLD 400 /* points of a plan that is looked at while it is written */

/* Which runs. */
typedef struct
{
  PrismSweep *sweep;
  char *text; /* without the time */
  PrismSweepTerms terms;
} Runs;

#define TOLD "prism-seconds" /* of a label */

PRISM_FREE (Runs, runs_free, prism_sweep_free, sweep, g_free, text, g_free, terms.seconds)

static char *
answer (Runs *self,
        GCancellable *cancellable)
{
  g_autofree char *program = prism_program_dup_cli ();
  PrismForecast forecast;

  self->terms.cancellable = cancellable;
  self->terms.seconds = g_new0 (double, self->sweep->n_points);
  if (program != NULL && self->sweep->frames == NULL)
    self->terms.start = prism_batch_cost_get_start (program, self->sweep->base, cancellable);
  return prism_sweep_forecast_init (&forecast, self->sweep, NULL, &self->terms)
                 && forecast.most > 0.0
             ? prism_forecast_dup_text (&forecast)
             : NULL;
}

static void
show (GtkWidget *label,
      Runs *self,
      const char *time)
{
  g_autofree char *text = g_strdup_printf (
      "%s, %s", self->text, time != NULL ? time : _ ("the first run will tell how long"));

  gtk_label_set_text (GTK_LABEL (label), text);
  if (time != NULL)
    g_object_set_data_full (G_OBJECT (label), TOLD, g_steal_pointer (&self->terms.seconds),
                            g_free);
}

static void
say (GtkLabel *label,
     PrismSweep *sweep,
     PrismBatch *runner)
{
  static const PrismQuestion question = { "sweep-time", answer, show, runs_free };
  g_autofree char *at_a_time = prism_batch_dup_text (runner);
  /* TRANSLATORS: "12 runs", then "2 at a time, 95 MiB each" */
  Runs *runs = PRISM_NEW (Runs, sweep,
                          g_strdup_printf (ngettext ("%u run, %s", "%u runs, %s", sweep->n_points),
                                           sweep->n_points, at_a_time),
                          { .n_jobs = runner->n_jobs,
                            .n_threads = runner->n_threads,
                            .may_time = TRUE,
                            .on_host_only = TRUE });

  show (GTK_WIDGET (label), runs, _ ("timing this machine…"));
  prism_question_ask (&question, GTK_WIDGET (label), runs, PRISM_QUESTION_DELAY);
}

/**
 * prism_sweep_time_tell:
 * @label: where
 * @sweep: (transfer full) (nullable): what is planned
 *
 * Says how many runs the plan is, how many at a time with how much memory, and a little later how
 * long they take. Runs of a shape that is new to this machine are timed on another thread.
 */
void
prism_sweep_time_tell (GtkLabel *label,
                       PrismSweep *sweep)
{
  const guint n = sweep != NULL ? sweep->n_points : 0;
  g_autoptr (GError) error = NULL;
  const gboolean tells = n > 0 && n <= MAX_TOLD;
  g_autoptr (PrismBatch) runner
      = tells ? prism_sweep_batch_new (sweep, "", "", 0, NULL, NULL, &error) : NULL;
  g_autofree char *text = g_strdup_printf (ngettext ("%u run", "%u runs", n), n);

  g_object_set_data (G_OBJECT (label), TOLD, NULL);
  if (runner != NULL)
    {
      say (label, sweep, runner);
      return;
    }
  gtk_label_set_text (label, error != NULL ? error->message : n > 0 ? text
                                                                    : "");
  prism_question_forget (GTK_WIDGET (label));
  prism_sweep_free (sweep);
}

/**
 * prism_sweep_time_get:
 * @label: of prism_sweep_time_tell()
 *
 * Units: seconds.
 *
 * Returns: (transfer none) (nullable): what it told of each run of the plan, where it knew
 */
const double *
prism_sweep_time_get (GtkLabel *label)
{
  return g_object_get_data (G_OBJECT (label), TOLD);
}
