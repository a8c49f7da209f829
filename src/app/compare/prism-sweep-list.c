#include "config.h"

#include "compare/prism-sweep-list.h"

#include "batch/prism-batch-cost.h"
#include "results/prism-sweep-measure.h"
#include "results/prism-sweep-runner.h"
#include "support/prism-job.h"
#include "support/prism-table.h"
#include "support/prism-widget.h"

#include <glib/gi18n.h>
#include <math.h>

static void
setup_cell (GtkSignalListItemFactory *factory,
            GtkListItem *item,
            gpointer data)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (label), GPOINTER_TO_INT (data) > PRISM_SWEEP_COLUMN_VERDICT);
  /* “not …” would be no verdict. */
  if (GPOINTER_TO_INT (data) != PRISM_SWEEP_COLUMN_VERDICT)
    gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_widget_add_css_class (label, "numeric");
  gtk_list_item_set_child (item, label);
}

static void
bind_cell (GtkSignalListItemFactory *factory,
           GtkListItem *item,
           gpointer data)
{
  GtkWidget *label = gtk_list_item_get_child (item);
  PrismSweepPoint *point = gtk_list_item_get_item (item);
  g_autofree char *text = prism_sweep_point_dup_text (point, GPOINTER_TO_INT (data));
  g_autofree char *tooltip = prism_sweep_point_dup_tooltip (point, GPOINTER_TO_INT (data));

  gtk_label_set_text (GTK_LABEL (label), text);
  gtk_widget_set_tooltip_text (label, tooltip);
}

static int
compare_points (gconstpointer a,
                gconstpointer b,
                gpointer data)
{
  return prism_sweep_point_compare ((PrismSweepPoint *) a, (PrismSweepPoint *) b,
                                    GPOINTER_TO_INT (data));
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
      const gboolean shown = i == PRISM_SWEEP_COLUMN_CORRELATION ? recorded
                             : i < PRISM_SWEEP_COLUMN_MISFIT     ? !recorded
                                                                 : TRUE;

      gtk_column_view_column_set_visible (column, shown);
    }
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
  GtkSingleSelection *selection;

  for (int i = 0; i < PRISM_SWEEP_N_COLUMNS; i++)
    {
      g_autofree char *label = prism_sweep_column_dup_label (i);
      GtkColumnViewColumn *column
          = prism_table_append (view, label, G_CALLBACK (setup_cell), G_CALLBACK (bind_cell),
                                compare_points, GINT_TO_POINTER (i));

      gtk_column_view_column_set_expand (column, i <= PRISM_SWEEP_COLUMN_STATE);
    }
  selection = gtk_single_selection_new (prism_table_sort (view, points));
  gtk_single_selection_set_autoselect (selection, FALSE);
  gtk_single_selection_set_can_unselect (selection, TRUE);
  gtk_column_view_set_model (view, GTK_SELECTION_MODEL (selection));
  g_object_unref (selection);
  return selection;
}

typedef enum
{
  STATE_FINISHED,
  STATE_FAILED,
  STATE_MISSING,
} State;

struct _PrismSweepPoint
{
  GObject parent_instance;

  guint point;
  char *title;
  State state;
  char *failure; /* (nullable) */
  PrismMetrics metrics;
  PrismVerdict verdict;
  double misfit;      /* NAN: not known */
  double correlation; /* NAN: not known */
  double seconds;     /* NAN: not known */
};

G_DEFINE_FINAL_TYPE (PrismSweepPoint, prism_sweep_point, G_TYPE_OBJECT)

static void
prism_sweep_point_finalize (GObject *object)
{
  PrismSweepPoint *self = PRISM_SWEEP_POINT (object);

  g_free (self->title);
  g_free (self->failure);
  G_OBJECT_CLASS (prism_sweep_point_parent_class)->finalize (object);
}

static void
prism_sweep_point_class_init (PrismSweepPointClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = prism_sweep_point_finalize;
}

static void
prism_sweep_point_init (PrismSweepPoint *self)
{
}

static State
get_state (const PrismSweepRow *row)
{
  return row->finished ? STATE_FINISHED : (row->failure != NULL ? STATE_FAILED : STATE_MISSING);
}

/**
 * prism_sweep_point_new:
 * @sweep: a sweep
 * @point: number of a point
 * @row: what it has come to
 *
 * Returns: (transfer full): the row
 */
PrismSweepPoint *
prism_sweep_point_new (PrismSweep *sweep,
                       guint point,
                       const PrismSweepRow *row)
{
  PrismSweepPoint *self = g_object_new (PRISM_TYPE_SWEEP_POINT, NULL);

  self->point = point;
  self->title = prism_sweep_dup_label (sweep, point);
  self->failure = g_strdup (row->failure);
  self->state = get_state (row);
  self->metrics = row->metrics;
  self->verdict = row->verdict;
  self->misfit = row->misfit;
  self->correlation = row->recorded ? row->correlation : NAN;
  self->seconds = row->seconds;
  return self;
}

/**
 * prism_sweep_point_is_of:
 * @self: a row
 * @row: what the same point has come to by now
 *
 * Returns: whether the row says so already
 */
gboolean
prism_sweep_point_is_of (PrismSweepPoint *self,
                         const PrismSweepRow *row)
{
  return self->state == get_state (row) && g_strcmp0 (self->failure, row->failure) == 0;
}

/**
 * prism_sweep_point_get_number:
 *
 * Returns: number of the point in its sweep
 */
guint
prism_sweep_point_get_number (PrismSweepPoint *self)
{
  return self->point;
}

/**
 * prism_sweep_column_dup_label:
 * @column: a column
 *
 * Returns: (transfer full): its title, translated
 */
char *
prism_sweep_column_dup_label (PrismSweepColumn column)
{
  switch (column)
    {
    case PRISM_SWEEP_COLUMN_POINT:
      return g_strdup (_ ("Point"));
    case PRISM_SWEEP_COLUMN_STATE:
      return g_strdup (_ ("State"));
    case PRISM_SWEEP_COLUMN_VERDICT:
      return g_strdup (_ ("Verdict"));
    case PRISM_SWEEP_COLUMN_MISFIT:
      return g_strdup (_ ("Misfit"));
    case PRISM_SWEEP_COLUMN_CORRELATION:
      return prism_sweep_measure_dup_title (PRISM_SWEEP_MEASURE_CORRELATION);
    case PRISM_SWEEP_COLUMN_SECONDS:
      return g_strdup (_ ("Time in s"));
    default:
      return prism_metrics_dup_title (column - PRISM_SWEEP_COLUMN_METRICS);
    }
}

static double
get_number (PrismSweepPoint *self,
            PrismSweepColumn column)
{
  if (column == PRISM_SWEEP_COLUMN_MISFIT)
    return self->misfit;
  if (column == PRISM_SWEEP_COLUMN_CORRELATION)
    return self->correlation;
  if (column == PRISM_SWEEP_COLUMN_SECONDS)
    return self->seconds;
  return self->metrics.values[column - PRISM_SWEEP_COLUMN_METRICS];
}

static char *
dup_state (PrismSweepPoint *self)
{
  switch (self->state)
    {
    case STATE_FINISHED:
      return g_strdup (_ ("Finished"));
    case STATE_FAILED:
      return g_strdup_printf (_ ("Failed: %s"), self->failure);
    case STATE_MISSING:
    default:
      return g_strdup (_ ("No result yet"));
    }
}

static char *
dup_verdict (PrismSweepPoint *self)
{
  if (self->state != STATE_FINISHED)
    return g_strdup ("–");
  return g_strdup (_ (prism_verdict_get_label (self->verdict.kind)));
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
  if (column == PRISM_SWEEP_COLUMN_POINT)
    return g_strdup (self->title);
  if (column == PRISM_SWEEP_COLUMN_STATE)
    return dup_state (self);
  if (column == PRISM_SWEEP_COLUMN_VERDICT)
    return dup_verdict (self);
  if (!isfinite (get_number (self, column)))
    return g_strdup ("–");
  if (column == PRISM_SWEEP_COLUMN_MISFIT)
    return g_strdup_printf ("%.3g", self->misfit);
  if (column == PRISM_SWEEP_COLUMN_CORRELATION)
    return prism_sweep_measure_dup_number (PRISM_SWEEP_MEASURE_CORRELATION, self->correlation);
  if (column == PRISM_SWEEP_COLUMN_SECONDS)
    return g_strdup_printf ("%.1f", self->seconds);
  return prism_metrics_dup_number (&self->metrics, column - PRISM_SWEEP_COLUMN_METRICS);
}

/**
 * prism_sweep_point_dup_tooltip:
 * @self: a row
 * @column: one of its columns
 *
 * Returns: (transfer full): all of what the cell shows, and of the verdict what to do
 */
char *
prism_sweep_point_dup_tooltip (PrismSweepPoint *self,
                               PrismSweepColumn column)
{
  char *text = NULL;

  if (column == PRISM_SWEEP_COLUMN_VERDICT)
    text = prism_verdict_dup_text (&self->verdict);
  return text != NULL ? text : prism_sweep_point_dup_text (self, column);
}

/**
 * prism_sweep_point_compare:
 * @a: a row
 * @b: another row
 * @column: by which
 *
 * Orders rows; points by their number, what is not known comes last.
 *
 * Returns: less than, equal to, or more than 0
 */
int
prism_sweep_point_compare (PrismSweepPoint *a,
                           PrismSweepPoint *b,
                           PrismSweepColumn column)
{
  double x, y;

  if (column == PRISM_SWEEP_COLUMN_POINT)
    return a->point < b->point ? -1 : a->point > b->point;
  if (column == PRISM_SWEEP_COLUMN_STATE)
    return (int) a->state - (int) b->state;
  if (column == PRISM_SWEEP_COLUMN_VERDICT)
    return (int) a->verdict.kind - (int) b->verdict.kind;
  x = get_number (a, column);
  y = get_number (b, column);
  if (!isfinite (x) || !isfinite (y))
    return !isfinite (x) - !isfinite (y);
  return x < y ? -1 : x > y;
}

#define MAX_TOLD 400 /* points of a plan that is looked at while it is written */

/* Which runs. */
typedef struct
{
  PrismSweep *sweep;
  char *directory; /* (nullable) */
  char *text;      /* without the time */
  PrismSweepTerms terms;
} Runs;

static void
runs_free (gpointer data)
{
  Runs *self = data;

  prism_sweep_free (self->sweep);
  g_free (self->directory);
  g_free (self->text);
  g_free (self);
}

static char *
answer (gpointer data,
        GCancellable *cancellable)
{
  const Runs *self = data;
  g_autofree char *program = prism_program_dup_cli ();
  PrismSweepTerms terms = self->terms;
  PrismForecast forecast;

  terms.cancellable = cancellable;
  if (program != NULL && self->sweep->frames == NULL)
    terms.start = prism_batch_cost_get_start (program, self->sweep->base, cancellable);
  return prism_sweep_forecast_init (&forecast, self->sweep, self->directory, &terms)
                 && forecast.most > 0.0
             ? prism_forecast_dup_text (&forecast)
             : NULL;
}

static void
set_text (GtkWidget *widget,
          const char *text)
{
  if (GTK_IS_LABEL (widget))
    gtk_label_set_text (GTK_LABEL (widget), text);
  else
    gtk_progress_bar_set_text (GTK_PROGRESS_BAR (widget), text);
}

static void
show (GtkWidget *widget,
      gpointer data,
      const char *time)
{
  const Runs *self = data;
  g_autofree char *text = NULL;

  if (time == NULL)
    return;
  text = g_strdup_printf ("%s, %s", self->text, time);
  set_text (widget, text);
}

static void
say (GtkWidget *widget,
     PrismSweep *sweep,
     PrismBatch *runner,
     const char *directory,
     guint delay)
{
  static const PrismQuestion question = { "sweep-time", answer, show, runs_free };
  Runs *runs = g_new0 (Runs, 1);
  g_autofree char *at_a_time = prism_batch_dup_text (runner);

  runs->sweep = sweep;
  runs->directory = g_strdup (directory);
  /* TRANSLATORS: "12 runs", then "2 at a time, 95 MiB each" */
  runs->text = g_strdup_printf (ngettext ("%u run, %s", "%u runs, %s", sweep->n_points),
                                sweep->n_points, at_a_time);
  runs->terms = (PrismSweepTerms) {
    .n_jobs = prism_batch_get_n_jobs (runner),
    .n_threads = prism_batch_get_n_threads (runner),
    .may_time = TRUE,
    .on_host_only = TRUE,
  };
  set_text (widget, runs->text);
  prism_question_ask (&question, widget, runs, delay);
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
  g_autoptr (PrismBatch) runner = NULL;
  g_autoptr (GError) error = NULL;

  if (sweep != NULL && sweep->n_points <= MAX_TOLD)
    {
      runner = prism_sweep_batch_new (sweep, "", "", 0, NULL, NULL, &error);
      if (runner != NULL)
        {
          say (GTK_WIDGET (label), sweep, runner, NULL, PRISM_QUESTION_DELAY);
          return;
        }
      gtk_label_set_text (label, error->message);
    }
  else if (sweep != NULL)
    {
      g_autofree char *text
          = g_strdup_printf (ngettext ("%u run", "%u runs", sweep->n_points), sweep->n_points);
      gtk_label_set_text (label, text);
    }
  else
    gtk_label_set_text (label, "");
  prism_question_forget (GTK_WIDGET (label));
  prism_sweep_free (sweep);
}

/**
 * prism_sweep_time_show:
 * @bar: where
 * @runner: what is about to run
 * @n_points: of the sweep
 * @directory: where it was saved
 *
 * Says the same of what is left of a sweep that begins.
 */
void
prism_sweep_time_show (GtkProgressBar *bar,
                       PrismBatch *runner,
                       guint n_points,
                       const char *directory)
{
  PrismSweep *sweep = prism_sweep_load (directory, NULL);

  gtk_progress_bar_set_show_text (bar, TRUE);
  if (sweep != NULL)
    say (GTK_WIDGET (bar), sweep, runner, directory, 0);
}

/**
 * prism_sweep_reading_new_input:
 * @directory: of a sweep
 * @before: (nullable): an earlier reading of the same directory
 * @save: whether to write table and pictures together
 *
 * Thread: main.
 *
 * Returns: (transfer full): the input of prism_sweep_reading_new()
 */
gpointer
prism_sweep_reading_new_input (const char *directory,
                               const PrismSweepReading *before,
                               gboolean save)
{
  PrismSweepReadingInput *input = g_new0 (PrismSweepReadingInput, 1);

  input->directory = g_strdup (directory);
  input->before = before != NULL ? prism_sweep_table_dup (before->table) : NULL;
  input->save = save;
  return input;
}

/**
 * prism_sweep_reading_free_input:
 * @input: (transfer full): of prism_sweep_reading_new_input()
 */
void
prism_sweep_reading_free_input (gpointer input)
{
  PrismSweepReadingInput *self = input;

  g_free (self->directory);
  prism_sweep_table_free (self->before);
  g_free (self);
}

/**
 * prism_sweep_reading_new:
 * @input: of prism_sweep_reading_new_input()
 *
 * Reads the plan and what its points have come to; results that are known already are taken over.
 *
 * Thread: a worker.
 *
 * Returns: (transfer full) (nullable): the reading; %NULL when there is no plan any more
 */
gpointer
prism_sweep_reading_new (gpointer input)
{
  const PrismSweepReadingInput *wanted = input;
  g_autoptr (GError) error = NULL;
  PrismSweep *sweep = prism_sweep_load (wanted->directory, NULL);
  PrismSweepReading *self;

  if (sweep == NULL)
    return NULL;
  self = g_new0 (PrismSweepReading, 1);
  self->sweep = sweep;
  self->table = prism_sweep_table_load_since (sweep, wanted->directory, wanted->before);
  self->sheet = prism_sweep_sheet_new (sweep, self->table);
  if (wanted->save
      && !prism_sweep_sheet_save_all (self->sheet, sweep, self->table, wanted->directory, &error))
    self->problem = g_strdup (error->message);
  return self;
}

/**
 * prism_sweep_reading_free:
 * @self: (transfer full): a reading
 */
void
prism_sweep_reading_free (gpointer self)
{
  PrismSweepReading *reading = self;

  prism_sweep_sheet_free (reading->sheet);
  prism_sweep_table_free (reading->table);
  prism_sweep_free (reading->sweep);
  g_free (reading->problem);
  g_free (reading);
}
