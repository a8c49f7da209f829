#include "config.h"

#include "benchmark/prism-benchmark-figure.h"

#include "base/prism-sort.h"

#include <glib/gi18n-lib.h>
#include <math.h>

/* Rounds can agree by chance, and clocks have steps: what differs less is no difference. */
#define LEAST_DIFFERENCE 0.01

static const PrismFigureInfo infos[PRISM_N_FIGURES] = {
  [PRISM_FIGURE_SECONDS] = { "seconds", N_ ("Time to the picture"), -1, TRUE },
  [PRISM_FIGURE_PROCESSOR]
  = { "processor_seconds", N_ ("Processor time"), -1, TRUE, .is_processor = TRUE },
  [PRISM_FIGURE_LEFT] = { "processors_left", N_ ("Left by other programs"), 0, FALSE },
  [PRISM_FIGURE_STEP] = { "step_seconds", N_ ("Step"), 0, FALSE },
  [PRISM_FIGURE_SAMPLES] = { "samples_per_second", N_ ("Samples per second"), 0, FALSE },
  [PRISM_FIGURE_STEPS] = { "steps_per_second", N_ ("Steps per second"), 1, TRUE },
  [PRISM_FIGURE_PASSES] = { "passes_per_second", N_ ("Passes per second"), 1, TRUE },
  [PRISM_FIGURE_PEAK] = { "peak_bytes", N_ ("Peak memory"), -1, FALSE },
  [PRISM_FIGURE_HITS] = { "hit_rate", N_ ("Cache hits"), 0, FALSE },
  [PRISM_FIGURE_APERTURES] = { "aperture_hit_rate", N_ ("Aperture hits"), 0, FALSE },
  [PRISM_FIGURE_TRANSFORMS] = { "transform_hit_rate", N_ ("Plan hits"), 0, FALSE },
  [PRISM_FIGURE_TRANSFERS] = { "transfers", N_ ("Transfers"), 0, FALSE },
  [PRISM_FIGURE_TRANSFERRED] = { "transfer_bytes", N_ ("Transferred"), 0, FALSE },
  [PRISM_FIGURE_PSNR] = { "psnr", N_ ("PSNR"), 0, FALSE },
  [PRISM_FIGURE_SSIM] = { "ssim", N_ ("SSIM"), 0, FALSE },
  [PRISM_FIGURE_MSE] = { "mse", N_ ("MSE"), 0, FALSE },
  [PRISM_FIGURE_CORRELATION] = { "pearson", N_ ("Pearson r"), 0, FALSE },
};

/**
 * prism_figure_get_info:
 * @self: a figure
 *
 * Returns: (transfer none): its entry of the table
 */
const PrismFigureInfo *
prism_figure_get_info (PrismFigure self)
{
  return &infos[self];
}

/**
 * prism_figure_dup_text:
 * @self: a figure
 * @value: of it; no number where it was not measured
 *
 * Returns: (transfer full): the value with its unit, as people read it
 */
char *
prism_figure_dup_text (PrismFigure self, double value)
{
  if (!isfinite (value))
    return g_strdup ("–");
  switch (self)
    {
    case PRISM_FIGURE_SECONDS:
    case PRISM_FIGURE_PROCESSOR:
      return g_strdup_printf (_ ("%.2f s"), value);
    case PRISM_FIGURE_STEP:
      return g_strdup_printf (_ ("%.2f ms"), 1e3 * value);
    case PRISM_FIGURE_PEAK:
    case PRISM_FIGURE_TRANSFERRED:
      return g_strdup_printf (_ ("%.1f MiB"), value / (1 << 20));
    case PRISM_FIGURE_LEFT:
    case PRISM_FIGURE_HITS:
    case PRISM_FIGURE_APERTURES:
    case PRISM_FIGURE_TRANSFORMS:
      return g_strdup_printf ("%.1f %%", 100.0 * value);
    case PRISM_FIGURE_PSNR:
      return g_strdup_printf (_ ("%.2f dB"), value);
    case PRISM_FIGURE_SSIM:
    case PRISM_FIGURE_CORRELATION:
      return g_strdup_printf ("%.4f", value);
    case PRISM_FIGURE_MSE:
      return g_strdup_printf ("%.3g", value);
    case PRISM_FIGURE_SAMPLES:
      return g_strdup_printf ("%.1f", value);
    case PRISM_FIGURE_STEPS:
    case PRISM_FIGURE_PASSES:
    case PRISM_FIGURE_TRANSFERS:
    case PRISM_N_FIGURES:
    default:
      return g_strdup_printf ("%.0f", value);
    }
}

/**
 * prism_spread_init:
 * @self: (out): median and ends
 * @values: (array length=n): one of each round, in any order; they are sorted
 * @n: how many
 *
 * What is no number is left out.
 */
void
prism_spread_init (PrismSpread *self, double *values, guint n)
{
  guint kept = 0;

  for (guint i = 0; i < n; i++)
    if (isfinite (values[i]))
      values[kept++] = values[i];
  *self = (PrismSpread) { 0, NAN, NAN, NAN };
  if (kept == 0)
    return;
  prism_sort_doubles (values, kept);
  *self = (PrismSpread) { .n = kept,
                          .median = 0.5 * (values[(kept - 1) / 2] + values[kept / 2]),
                          .least = values[0],
                          .most = values[kept - 1] };
}

/**
 * prism_spread_get_width:
 * @self: a spread
 *
 * Returns: how far the rounds lie apart
 */
double
prism_spread_get_width (const PrismSpread *self)
{
  return self->most - self->least;
}

/**
 * prism_spread_judge:
 * @from: what is compared with
 * @to: what is compared
 *
 * The medians differ where they are further apart than the rounds of either are among themselves,
 * and more than one in a hundred. A single round says nothing of a spread.
 *
 * Returns: how @to differs from @from
 */
PrismJudgement
prism_spread_judge (const PrismSpread *from, const PrismSpread *to)
{
  double difference = to->median - from->median;
  double width = MAX (prism_spread_get_width (from), prism_spread_get_width (to));

  if (from->n < 2 || to->n < 2)
    return PRISM_JUDGEMENT_UNKNOWN;
  if (fabs (difference) <= MAX (width, LEAST_DIFFERENCE * fabs (from->median)))
    return PRISM_JUDGEMENT_SAME;
  return difference > 0.0 ? PRISM_JUDGEMENT_MORE : PRISM_JUDGEMENT_LESS;
}
