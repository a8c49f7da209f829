#include "config.h"

#include "num/prism-metrics.h"

static double
compute_psnr (const PrismMetricsSums *sums)
{
  return -10.0 * log10 (sums->difference / sums->n_pixels);
}

/* The mean of values that were rounded in single precision may be a little above 1. */
static double
compute_ssim (const PrismMetricsSums *sums)
{
  return sums->similarity > 1.0 ? 1.0 : sums->similarity;
}

static double
compute_rmse (const PrismMetricsSums *sums)
{
  return sums->difference == 0.0 ? 0.0 : 100.0 * sqrt (sums->difference / sums->power);
}

static double
compute_mse (const PrismMetricsSums *sums)
{
  return sums->difference / sums->n_pixels;
}

/* Undefined, and so NAN, where an image is constant. */
static double
compute_pearson (const PrismMetricsSums *sums)
{
  double n = sums->n_pixels;
  double image = sums->image_square - sums->image * sums->image / n;
  double object = sums->object_square - sums->object * sums->object / n;
  double product = sums->product - sums->image * sums->object / n;

  return image > 0.0 && object > 0.0 ? product / sqrt (image * object) : NAN;
}

#define ENTRY(key, name, unit, format, fine_format, logarithmic, note) \
  { #key, name, unit, format, fine_format, logarithmic, note, compute_##key },

const PrismMetric prism_metrics[] = { PRISM_METRICS (ENTRY) };

/**
 * prism_metrics_init:
 * @metrics: (out caller-allocates): metrics of which nothing is known
 */
void
prism_metrics_init (PrismMetrics *metrics)
{
  for (gsize i = 0; i < PRISM_N_METRICS; i++)
    metrics->values[i] = NAN;
}

/**
 * prism_metrics_finish:
 * @metrics: (out caller-allocates): result
 * @sums: what was found out about both images
 *
 * Computes all metrics from what a device has summed up.
 *
 * Units: those of the table.
 * Source: numerics.md, metrics.
 */
void
prism_metrics_finish (PrismMetrics *metrics,
                      const PrismMetricsSums *sums)
{
  for (gsize i = 0; i < PRISM_N_METRICS; i++)
    metrics->values[i] = prism_metrics[i].compute (sums);
}

/**
 * prism_metric_dup_title:
 * @self: a metric, or what else is told like one
 *
 * Returns: (transfer full): heading of a column or an axis, translated: "PSNR in dB"
 */
char *
prism_metric_dup_title (const PrismMetric *self)
{
  if (self->unit[0] == '\0')
    return g_strdup (_ (self->name));
  /* TRANSLATORS: a quantity and its unit, as a heading: "PSNR in dB" */
  return g_strdup_printf (_ ("%s in %s"), _ (self->name), self->unit);
}

/**
 * prism_metrics_dup_number:
 * @metrics: metrics
 * @i: number of a metric
 *
 * Returns: (transfer full): its value as people read it, without the unit, in the current locale;
 *   "–" where it is not known
 */
char *
prism_metrics_dup_number (const PrismMetrics *metrics,
                          gsize i)
{
  return isfinite (metrics->values[i])
             ? g_strdup_printf (prism_metrics[i].format, metrics->values[i])
             : g_strdup ("–");
}

/**
 * prism_metrics_dup_text:
 * @metrics: metrics
 * @first: number of the metric to begin with
 * @with_notes: also say what people should know about them
 *
 * Returns: (transfer full): those that are known, translated: "SSIM 0.9900, NRMSE 1.50 %"
 */
char *
prism_metrics_dup_text (const PrismMetrics *metrics,
                        gsize first,
                        gboolean with_notes)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (gsize i = first; i < PRISM_N_METRICS; i++)
    {
      const PrismMetric *metric = &prism_metrics[i];
      g_autofree char *number = prism_metrics_dup_number (metrics, i);

      if (!isfinite (metrics->values[i]))
        continue;
      g_string_append_printf (text, "%s%s %s", text->len > 0 ? ", " : "", _ (metric->name), number);
      if (metric->unit[0] != '\0')
        g_string_append_printf (text, " %s", metric->unit);
      if (with_notes && metric->note != NULL)
        g_string_append_printf (text, " (%s)", _ (metric->note));
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}
