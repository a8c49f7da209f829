#include "config.h"

#include "compare/prism-sweep-point.h"

#include "results/prism-sweep-measure.h"

#include <glib/gi18n.h>
#include <math.h>

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
