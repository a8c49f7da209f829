#include "config.h"

#include "prism-mark-chart.h"

#include <glib/gi18n.h>

/**
 * prism_mark_chart_new:
 * @mark: a line
 * @number: by which the picture names it
 *
 * Returns: (transfer full): a chart without curves
 */
PrismChartData *
prism_mark_chart_new (const PrismMark *mark,
                      guint number)
{
  PrismChartData *data = prism_chart_data_new ();

  g_free (data->title);
  g_free (data->x_title);
  data->title = g_strdup_printf (_ ("Profile along line %u"), number);
  data->x_title = g_strdup (_ ("Distance / px"));
  data->axes[PRISM_CHART_LEFT].title = g_strdup (_ ("Amplitude"));
  data->continuous = TRUE;
  return data;
}

/**
 * prism_mark_chart_add:
 * @data: of prism_mark_chart_new()
 * @mark: the line
 * @label: of the picture
 * @image: a picture
 * @reference: (nullable): of the same shape, subtracted from it
 *
 * Adds the values of a picture along the line.
 */
void
prism_mark_chart_add (PrismChartData *data,
                      const PrismMark *mark,
                      const char *label,
                      const PrismImage *image,
                      const PrismImage *reference)
{
  PrismChartSeries *series = prism_chart_series_new (label, PRISM_CHART_LEFT);
  g_autofree double *values = NULL;
  PrismLineProfile line;
  guint n;

  prism_mark_get_line (mark, &line);
  n = prism_line_profile_count (&line);
  values = g_new (double, n);
  prism_line_profile_compute (&line, image, reference, values);
  g_ptr_array_add (data->series, series);
  for (guint i = 0; i < n; i++)
    {
      double distance = n > 1 ? prism_line_profile_get_length (&line) * i / (n - 1) : 0;

      prism_chart_series_append (series, distance, values[i]);
    }
}
