#include "config.h"

#include "prism-report-figure.h"

#include "base/prism-each.h"
#include "model/prism-aperture.h"
#include "prism-kspace-overlay.h"
#include "results/prism-frc.h"

/* Device pixels per point of a page that can be enlarged: no pixel of an image gets lost. */
#define VECTOR_SCALE 1000

/**
 * prism_report_figure_draw_image:
 * @paint: where; the origin is the upper left corner
 * @image: what
 * @reference: (nullable): subtracted from it
 * @mapping: its colours, with the levels to use
 * @width: of the area to fill, in points
 * @height: the same
 * @error: return location
 *
 * Paints an image as large as it fits.
 *
 * Shape: @image and @reference [h][w].
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: whether it is there
 */
gboolean
prism_report_figure_draw_image (PrismPaint *paint,
                                PrismImage *image,
                                PrismImage *reference,
                                const PrismMapping *mapping,
                                double width,
                                double height,
                                GError **error)
{
  cairo_surface_t *surface = cairo_get_target (paint->cr);
  PrismFrame frame;
  double y;

  prism_frame_init (&frame, width, height, image->width, image->height);
  frame.device_scale = VECTOR_SCALE;
  if (cairo_surface_get_type (surface) == CAIRO_SURFACE_TYPE_IMAGE)
    cairo_surface_get_device_scale (surface, &frame.device_scale, &y);
  return prism_picture_draw_image (paint->cr, image, reference, mapping, &frame, error);
}

static void
draw_overlay (PrismPaint *paint,
              const PrismSnapshot *snapshot,
              const PrismFrame *frame)
{
  const PrismConfig *config = snapshot->config;
  PrismKspaceOverlay overlay = { .pattern = snapshot->pattern,
                                 .n_visited = snapshot->n_visited,
                                 .current = -1,
                                 .states = snapshot->sample_states,
                                 .n_states = snapshot->n_samples,
                                 .roi = config->roi > 0 ? config->roi : config->image_size };

  prism_aperture_init_config (&overlay.aperture, config);
  cairo_save (paint->cr);
  cairo_rectangle (paint->cr, 0, 0, frame->area_width, frame->area_height);
  cairo_clip (paint->cr);
  prism_kspace_overlay_draw (&overlay, paint, frame);
  prism_paint_set_font (paint, 1, FALSE);
  cairo_restore (paint->cr);
}

/**
 * prism_report_figure_draw_coverage:
 * @paint: where; the origin is the upper left corner
 * @subject: a PrismSnapshot with coverage
 * @width: of the square to fill, in points
 * @height: the same
 * @error: return location
 *
 * Paints the spectrum, tinted where it was measured, and the centres of the aperture over it.
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: whether it is there
 */
gboolean
prism_report_figure_draw_coverage (PrismPaint *paint,
                                   gconstpointer subject,
                                   double width,
                                   double height,
                                   GError **error)
{
  const PrismSnapshot *snapshot = subject;
  PrismImage *plane = snapshot->coverage_plane;
  PrismMapping spectrum;
  PrismMapping coverage;
  PrismFrame frame;

  prism_mapping_init_spectrum (&spectrum);
  prism_mapping_init (&coverage);
  coverage.colormap = PRISM_COLORMAP_COVERAGE;

  cairo_rectangle (paint->cr, 0, 0, width, width);
  cairo_set_source_rgb (paint->cr, 0.05, 0.05, 0.06);
  cairo_fill (paint->cr);
  if (snapshot->spectrum != NULL
      && !prism_report_figure_draw_image (paint, snapshot->spectrum, NULL, &spectrum, width, height,
                                          error))
    return FALSE;
  if (!prism_report_figure_draw_image (paint, plane, NULL, &coverage, width, height, error))
    return FALSE;
  prism_frame_init (&frame, width, width, plane->width, plane->height);
  draw_overlay (paint, snapshot, &frame);
  return TRUE;
}

typedef struct
{
  const char *title;
  const char *axis;
  gboolean logarithmic;
} Plan;

static const Plan plans[PRISM_REPORT_N_CURVES] = {
  [PRISM_REPORT_CURVES_LOSS] = { N_ ("Losses"), N_ ("loss"), TRUE },
  [PRISM_REPORT_CURVES_MISFIT] = { N_ ("Misfit"), N_ ("Misfit"), TRUE },
  [PRISM_REPORT_CURVES_PREDICTION] = { N_ ("Held-out correlation"), N_ ("correlation") },
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
  if (get_metric (self) != NULL)
    return G_STRUCT_OFFSET (PrismHistoryRow, metrics.values[self - PRISM_REPORT_CURVES_METRICS]);
  return self == PRISM_REPORT_CURVES_PREDICTION ? G_STRUCT_OFFSET (PrismHistoryRow, correlation)
                                                : G_STRUCT_OFFSET (PrismHistoryRow, loss_new);
}

static PrismChartSeries *
add_series (PrismChartData *data,
            const char *label)
{
  PrismChartSeries *series = prism_chart_data_add_series (data, label, PRISM_CHART_LEFT);

  /* Metrics are computed every few steps only. */
  series->joined = TRUE;
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

static void
fill (PrismReportCurves self,
      PrismChartData *data,
      const PrismComparison *comparison,
      gboolean over_time)
{
  PRISM_FOR_EACH_POINTER (PrismResult, result, comparison->results)
    {
      gboolean both = self == PRISM_REPORT_CURVES_LOSS && comparison->results->len == 1;
      const gboolean lacking
          = result->snapshot->has_no_target
            && (get_metric (self) != NULL || self == PRISM_REPORT_CURVES_CORRELATION);
      g_autofree char *label
          = g_strdup_printf (lacking ? _ ("%s (no target)") : "%s", result->name);
      PrismChartSeries *series = add_series (data, both ? _ ("New measurement") : label);

      if (lacking && data->empty_text == NULL)
        data->empty_text = g_strdup (_ ("No target: unknown"));
      if (self == PRISM_REPORT_CURVES_CORRELATION)
        {
          g_autoptr (PrismFrc) frc = prism_frc_new_snapshot (result->snapshot, NULL);

          for (guint ring = 0; frc != NULL && ring < frc->n_rings; ring++)
            prism_chart_series_append (series, ring, frc->correlation[ring]);
        }
      else if (self != PRISM_REPORT_CURVES_PREDICTION
               || prism_snapshot_is_recorded (result->snapshot))
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
  PRISM_FOR_EACH_POINTER (PrismResult, result, comparison->results)
    {
      const PrismSnapshot *snapshot = result->snapshot;

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
  const gboolean rings = self == PRISM_REPORT_CURVES_CORRELATION;
  g_autofree char *title = metric != NULL
                               ? prism_metric_dup_title (metric)
                               : g_strdup (_ (plans[self].axis));
  PrismChartData *data;

  over_time = over_time && has_times (comparison);
  data = prism_chart_data_new_titled (prism_report_curves_get_title (self),
                                      rings       ? _ ("Radius in k-space in px")
                                      : over_time ? _ ("Time in s")
                                                  : _ ("Step"));
  data->continuous = over_time && !rings;
  prism_chart_data_set_axis (data, PRISM_CHART_LEFT, title,
                             metric != NULL ? metric->logarithmic : plans[self].logarithmic,
                             rings ? 0 : NAN, rings ? 1 : NAN);
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
