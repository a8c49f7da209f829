#include "config.h"

#include "prism-report-curves.h"

#include "results/prism-frc.h"

#include <glib/gi18n.h>
#include <math.h>

typedef struct
{
  const char *title;
  const char *axis;
  gboolean logarithmic;
} Plan;

static const Plan plans[PRISM_REPORT_N_CURVES] = {
  [PRISM_REPORT_CURVES_LOSS] = { N_ ("Losses"), N_ ("loss"), TRUE },
  [PRISM_REPORT_CURVES_MISFIT] = { N_ ("Misfit"), N_ ("Misfit"), TRUE },
  [PRISM_REPORT_CURVES_CORRELATION] = { N_ ("Fourier ring correlation"), N_ ("correlation") },
};

/* NULL for curves of no metric. */
static const PrismMetric *
get_metric (PrismReportCurves self)
{
  return self >= PRISM_REPORT_CURVES_METRICS && self < PRISM_REPORT_CURVES_MISFIT
             ? &prism_metrics[self - PRISM_REPORT_CURVES_METRICS]
             : NULL;
}

/* Of a double in PrismHistoryRow. */
static gsize
get_offset (PrismReportCurves self)
{
  return get_metric (self) != NULL
             ? G_STRUCT_OFFSET (PrismHistoryRow, metrics.values[self - PRISM_REPORT_CURVES_METRICS])
             : G_STRUCT_OFFSET (PrismHistoryRow, loss_new);
}

static PrismChartSeries *
add_series (PrismChartData *data,
            const char *label)
{
  PrismChartSeries *series = prism_chart_series_new (label, PRISM_CHART_LEFT);

  /* Metrics are computed every few steps only. */
  prism_chart_series_set_joined (series, TRUE);
  g_ptr_array_add (data->series, series);
  return series;
}

/* The loss of passes is the misfit of all measurements, ten decades below those of steps. */
static gboolean
belongs (PrismReportCurves self,
         const PrismHistoryRow *row)
{
  if (self != PRISM_REPORT_CURVES_LOSS && self != PRISM_REPORT_CURVES_MISFIT)
    return TRUE;
  return (self == PRISM_REPORT_CURVES_MISFIT) == (row->sample <= PRISM_ROW_POLISH);
}

/* Where training follows passes, those that come later are not of the same course. */
static void
append_point (PrismReportCurves self,
              PrismChartSeries *series,
              double x,
              double y,
              gboolean is_own)
{
  if (is_own)
    prism_chart_series_append (series, x, y);
  else if (self == PRISM_REPORT_CURVES_MISFIT)
    prism_chart_series_interrupt (series, x);
}

/* Two steps within one tick of the clock are one point, and so are two rows of one step, which runs
 * of earlier programs have: with the newest value that there is. */
static void
append_rows (PrismReportCurves self,
             PrismChartSeries *series,
             const PrismSnapshot *snapshot,
             gsize offset,
             gboolean over_time)
{
  PrismHistoryRow rows[PRISM_HISTORY_BLOCK];
  guint64 n_rows = snapshot->history != NULL ? snapshot->n_rows : 0;
  double at = -INFINITY;
  double value = NAN;
  gboolean is_own = FALSE;

  for (guint64 i = 0; i < n_rows; i++)
    {
      const PrismHistoryRow *row = &rows[i % PRISM_HISTORY_BLOCK];
      double x, y;

      if (row == rows)
        prism_history_read (snapshot->history, i, MIN (n_rows - i, PRISM_HISTORY_BLOCK), rows);
      x = over_time ? row->seconds : (double) row->step;
      y = belongs (self, row) ? *(const double *) ((const char *) row + offset) : NAN;
      if (x > at)
        {
          append_point (self, series, at, value, is_own);
          at = x;
          value = NAN;
          is_own = FALSE;
        }
      value = isnan (y) ? value : y;
      is_own |= belongs (self, row);
    }
  append_point (self, series, at, value, is_own);
}

static void
append_rings (PrismChartSeries *series,
              const PrismSnapshot *snapshot)
{
  g_autoptr (PrismFrc) frc = prism_frc_new_snapshot (snapshot, NULL);

  for (guint ring = 0; frc != NULL && ring < frc->n_rings; ring++)
    prism_chart_series_append (series, ring, frc->correlation[ring]);
}

/* Where the steps end and passes over all measurements begin; NAN where none do. */
static double
find_polish (const PrismSnapshot *snapshot)
{
  PrismHistoryRow rows[PRISM_HISTORY_BLOCK];
  double polish = NAN;

  if (snapshot->history == NULL || !prism_config_trains (snapshot->config))
    return NAN;
  for (guint64 i = 0; i < snapshot->n_rows; i++)
    {
      const PrismHistoryRow *row = &rows[i % PRISM_HISTORY_BLOCK];

      if (row == rows)
        prism_history_read (snapshot->history, i, MIN (snapshot->n_rows - i, PRISM_HISTORY_BLOCK),
                            rows);
      /* Training after a polish means that another one comes. */
      if (row->sample > PRISM_ROW_POLISH)
        polish = NAN;
      else if (row->sample == PRISM_ROW_POLISH && i > 0 && isnan (polish))
        polish = (double) row->step - 1;
    }
  return polish;
}

/* Of a result that it cannot be known of. */
static gboolean
lacks_target (PrismReportCurves self,
              const PrismResult *result)
{
  return result->snapshot->has_no_target
         && (get_metric (self) != NULL || self == PRISM_REPORT_CURVES_CORRELATION);
}

static char *
dup_label (PrismReportCurves self,
           const PrismResult *result,
           gboolean both)
{
  if (both)
    return g_strdup (_ ("New measurement"));
  return lacks_target (self, result) ? g_strdup_printf (_ ("%s (no target)"), result->name)
                                     : g_strdup (result->name);
}

static void
fill (PrismReportCurves self,
      PrismChartData *data,
      const PrismComparison *comparison,
      gboolean over_time)
{
  for (guint i = 0; i < comparison->results->len; i++)
    {
      PrismResult *result = prism_comparison_get_result (comparison, i);
      gboolean both = self == PRISM_REPORT_CURVES_LOSS && comparison->results->len == 1;
      g_autofree char *label = dup_label (self, result, both);
      PrismChartSeries *series = add_series (data, label);

      if (lacks_target (self, result) && data->empty_text == NULL)
        data->empty_text = g_strdup (_ ("No target: unknown"));
      if (self == PRISM_REPORT_CURVES_CORRELATION)
        append_rings (series, result->snapshot);
      else
        append_rows (self, series, result->snapshot, get_offset (self), over_time);
      if (both)
        append_rows (self, add_series (data, _ ("Earlier measurements")), result->snapshot,
                     G_STRUCT_OFFSET (PrismHistoryRow, loss_old), over_time);
    }
  if (comparison->results->len == 1 && self != PRISM_REPORT_CURVES_CORRELATION && !over_time)
    data->polish = find_polish (prism_comparison_get_result (comparison, 0)->snapshot);
}

static gboolean
has_times (const PrismComparison *comparison)
{
  for (guint i = 0; i < comparison->results->len; i++)
    {
      const PrismSnapshot *snapshot = prism_comparison_get_result (comparison, i)->snapshot;

      if (snapshot->history != NULL && snapshot->n_rows > 0
          && isnan (prism_history_get_row (snapshot->history, 0).seconds))
        return FALSE;
    }
  return TRUE;
}

/**
 * prism_report_curves_get_title:
 * @self: which curves
 *
 * Returns: (transfer none): what a user reads above them, translated
 */
const char *
prism_report_curves_get_title (PrismReportCurves self)
{
  g_return_val_if_fail ((guint) self < PRISM_REPORT_N_CURVES, NULL);

  return _ (get_metric (self) != NULL ? get_metric (self)->name : plans[self].title);
}

/**
 * prism_report_curves_new:
 * @self: which curves
 * @comparison: whose
 * @over_time: over seconds of computing instead of steps
 *
 * Puts one curve per result into one chart; the losses of a single result are two, on the newest
 * measurement and on earlier ones. Steps of a decoder and passes of ePIE are no common measure:
 * over time they compare fairly. A result that does not know the times has all over steps.
 *
 * Thread: any.
 *
 * Returns: (transfer full): the chart's data
 */
PrismChartData *
prism_report_curves_new (PrismReportCurves self,
                         const PrismComparison *comparison,
                         gboolean over_time)
{
  const PrismMetric *metric = get_metric (self);
  PrismChartData *data = prism_chart_data_new ();
  PrismChartAxis *axis = &data->axes[PRISM_CHART_LEFT];

  over_time = over_time && has_times (comparison);
  g_free (data->title);
  g_free (data->x_title);
  data->title = g_strdup (prism_report_curves_get_title (self));
  if (self == PRISM_REPORT_CURVES_CORRELATION)
    data->x_title = g_strdup (_ ("Radius in k-space in px"));
  else
    data->x_title = g_strdup (over_time ? _ ("Time in s") : _ ("Step"));
  data->continuous = over_time && self != PRISM_REPORT_CURVES_CORRELATION;
  axis->title = metric != NULL ? prism_metrics_dup_title (self - PRISM_REPORT_CURVES_METRICS)
                               : g_strdup (_ (plans[self].axis));
  axis->logarithmic = metric != NULL ? metric->logarithmic : plans[self].logarithmic;
  if (self == PRISM_REPORT_CURVES_CORRELATION)
    axis->minimum = 0, axis->maximum = 1;
  fill (self, data, comparison, over_time);
  return data;
}

/**
 * prism_report_curves_is_empty:
 * @data: of prism_report_curves_new()
 *
 * Returns: whether there is no point to show
 */
gboolean
prism_report_curves_is_empty (PrismChartData *data)
{
  double first;
  double last;

  return !prism_chart_data_get_extent (data, &first, &last);
}
