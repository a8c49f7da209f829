#include "config.h"

#include "prism-benchmark-chart.h"

#include "benchmark/prism-benchmark-text.h"

#define BAR 0.35      /* half of a bar; between two is 1 */
#define LEAST_BARS 6  /* few of them do not become a wall */
#define HEADROOM 1.15 /* for the number above the highest */
/* Of lanes, in lines of text. */
#define TITLE 1.4
#define ROW 1.3
#define GAP 0.5

/* A curve for either way and kind of memory. */
static void
add_rates (PrismChartData *chart,
           const PrismSeries *series)
{
  for (int kind = 0; kind < PRISM_N_COPIES; kind++)
    {
      PrismChartSeries *curve = prism_chart_data_add_series (
          chart, _ (prism_copy_kind_get_label (kind)), PRISM_CHART_LEFT);

      for (guint i = 0; i < series->points->len; i++)
        {
          const PrismSeriesPoint *point = &g_array_index (series->points, PrismSeriesPoint, i);

          prism_chart_series_append (curve, i, 1e-9 * point->copies.rates[kind]);
        }
    }
}

/* A bar for each value, as high as its unit takes long. */
static void
add_bars (PrismChartData *chart,
          const PrismSeries *series)
{
  double longest = 0.0;

  for (guint i = 0; i < series->points->len; i++)
    {
      const PrismSeriesPoint *point = &g_array_index (series->points, PrismSeriesPoint, i);
      g_autofree char *name = prism_series_dup_name (series->kind, point->value);
      const double ms = 1e3 * point->seconds; /* as three digits */
      const int n_decimals = ms < 1.0 ? 2 : ms < 100.0;
      char *time = g_strdup_printf ("%.*f", n_decimals, ms);
      PrismChartItem *item
          = prism_chart_data_add_item (chart, time, g_strdup_printf (_ ("%s: %s ms"), name, time));

      item->x[0] = i - BAR;
      item->x[1] = i + BAR;
      item->y[0] = 0.0;
      item->y[1] = ms;
      item->bold = point == prism_series_get_best (series) && series->points->len > 1;
      longest = MAX (longest, item->y[1]);
    }
  chart->first = -0.5;
  chart->last = MAX (series->points->len, LEAST_BARS) - 0.5;
  chart->axes[PRISM_CHART_LEFT].maximum = longest > 0.0 ? HEADROOM * longest : NAN;
}

/**
 * prism_series_chart_new:
 * @series: what sizes take
 *
 * Returns: (transfer full): a bar for each value that was measured, the best one strong; rates of
 *   copies as curves
 */
PrismChartData *
prism_series_chart_new (const PrismSeries *series)
{
  const PrismSeriesInfo *info = &prism_series_infos[series->kind];
  g_autofree char *unit
      = info->is_rate ? g_strdup (info->unit) : g_strdup_printf (_ ("ms %s"), _ (info->unit));
  PrismChartData *chart = prism_chart_data_new_titled (_ (info->label), "");

  prism_chart_data_set_axis (chart, PRISM_CHART_LEFT, unit, FALSE, 0, NAN);
  for (guint i = 0; i < series->points->len; i++)
    {
      g_autofree char *name = prism_series_dup_name (
          series->kind, g_array_index (series->points, PrismSeriesPoint, i).value);

      prism_chart_data_add_mark (chart->names[0], i, name);
    }
  if (info->is_rate)
    add_rates (chart, series);
  else
    add_bars (chart, series);
  return chart;
}

static char *
dup_remark (const PrismBenchmark *benchmark, guint variant)
{
  g_autofree char *time = prism_benchmark_dup_figure (benchmark, variant, PRISM_FIGURE_SECONDS);
  g_autofree char *verdict = prism_benchmark_dup_verdict (benchmark, variant);

  if (prism_benchmark_get_variant (benchmark, variant)->runs->len == 0)
    return g_strdup (_ ("not measured yet"));
  return verdict[0] != '\0' ? g_strdup_printf ("%s, %s", time, verdict) : g_steal_pointer (&time);
}

/**
 * prism_benchmark_chart_new:
 * @benchmark: what
 *
 * Returns: (transfer full): a lane for each variant with the median of its times, the least and the
 *   most of all rounds, and its verdict
 */
PrismChartData *
prism_benchmark_chart_new (const PrismBenchmark *benchmark)
{
  PrismChartData *chart = prism_chart_data_new_titled ("", _ ("Time in s"));
  double longest = 0.0;

  chart->shape = PRISM_CHART_LANES;
  chart->continuous = TRUE;
  for (guint i = 0; i < benchmark->variants->len; i++)
    {
      const PrismBenchmarkVariant *variant = prism_benchmark_get_variant (benchmark, i);
      g_autofree char *remark = dup_remark (benchmark, i);
      g_autofree char *name
          = g_strdup_printf ("%s: %s", prism_benchmark_variant_get_label (variant), remark);
      const double top = i * (TITLE + ROW + GAP);
      PrismChartItem *item = prism_chart_data_add_item (chart, NULL, g_strdup (name));
      const PrismSpread time = prism_benchmark_variant_get_spread (variant, PRISM_FIGURE_SECONDS);

      prism_chart_data_add_mark (chart->names[1], top, name);
      item->y[0] = top + TITLE;
      item->y[1] = top + TITLE + ROW;
      item->x[0] = item->x[1] = 0.0;
      if (time.n == 0)
        continue;
      item->x[1] = time.median;
      item->spread[0] = time.least;
      item->spread[1] = time.most;
      longest = MAX (longest, time.most);
    }
  chart->first = 0.0;
  chart->last = longest > 0.0 ? 1.02 * longest : 1.0;
  prism_chart_data_set_axis (chart, PRISM_CHART_LEFT, NULL, FALSE, 0,
                             benchmark->variants->len * (TITLE + ROW + GAP));
  return chart;
}
