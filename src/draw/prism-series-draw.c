#include "config.h"

#include "prism-series-draw.h"

#include "benchmark/prism-benchmark-text.h"

#include <glib/gi18n.h>
#include <math.h>

#define GAP 4
#define BAR_PART 0.7 /* of the room that a value has */
#define MOST_ROOM 72 /* px of a value: few of them do not become a wall */
#define FAINT 0.35

static const PrismSeriesPoint *
get_point (const PrismSeries *series, guint index)
{
  return &g_array_index (series->points, PrismSeriesPoint, index);
}

static double
get_longest (const PrismSeries *series)
{
  double longest = 0.0;

  for (guint i = 0; i < series->points->len; i++)
    longest = MAX (longest, get_point (series, i)->seconds);
  return longest;
}

/* Above the bar, where there is room: three digits. */
static void
draw_time (PrismPaint *paint, double seconds, double x, double bottom, double room)
{
  const double ms = 1e3 * seconds;
  g_autofree char *text = g_strdup_printf ("%.*f", ms < 1.0 ? 2 : ms < 100.0 ? 1
                                                                             : 0,
                                           ms);
  double text_width, text_height;

  prism_paint_measure (paint, text, &text_width, &text_height);
  if (text_width <= room)
    prism_paint_draw_text (paint, text, x, bottom, 0.5, 1);
}

static void
draw_bar (PrismPaint *paint,
          const PrismSeries *series,
          const PrismSeriesPoint *point,
          double left,
          double room,
          double bottom,
          double scale)
{
  const PrismColor *color = &paint->accent;
  const gboolean is_best = point == prism_series_get_best (series) && series->points->len > 1;
  const double high = scale * point->seconds;
  g_autofree char *name = prism_series_dup_name (series->kind, point->value);

  cairo_set_source_rgba (paint->cr, color->red, color->green, color->blue, is_best ? 1.0 : FAINT);
  cairo_rectangle (paint->cr, left + 0.5 * (1.0 - BAR_PART) * room, bottom - high, BAR_PART * room,
                   high);
  cairo_fill (paint->cr);
  prism_paint_set_font (paint, 0.85, is_best);
  prism_paint_set_alpha (paint, is_best ? 1.0 : 0.75);
  draw_time (paint, point->seconds, left + 0.5 * room, bottom - high - 1, room);
  prism_paint_draw_text (paint, name, left + 0.5 * room, bottom + GAP, 0.5, 0);
  prism_paint_set_font (paint, 1, FALSE);
}

static double
get_most_rate (const PrismSeries *series)
{
  double most = 0.0;

  for (guint i = 0; i < series->points->len; i++)
    for (int kind = 0; kind < PRISM_N_COPIES; kind++)
      most = MAX (most, get_point (series, i)->copies.rates[kind]);
  return most;
}

/* Both ways differ in colour, kinds of memory in strength. */
static void
set_kind_color (PrismPaint *paint, PrismCopyKind kind)
{
  const gboolean is_up = kind == PRISM_COPY_UPLOAD_PINNED || kind == PRISM_COPY_UPLOAD_PAGEABLE;
  const gboolean is_pinned
      = kind == PRISM_COPY_UPLOAD_PINNED || kind == PRISM_COPY_DOWNLOAD_PINNED;
  const PrismColor *color = is_up ? &paint->accent : &paint->foreground;

  cairo_set_source_rgba (paint->cr, color->red, color->green, color->blue,
                         is_pinned ? 0.9 : FAINT);
}

/* Two lines of two kinds each. */
static void
draw_legend (PrismPaint *paint, double width)
{
  const double side = 0.6 * paint->line_height;

  prism_paint_set_font (paint, 0.85, FALSE);
  for (int kind = 0; kind < PRISM_N_COPIES; kind++)
    {
      const double x = 0.5 * width * (kind % 2), y = (1 + kind / 2) * paint->line_height;

      set_kind_color (paint, kind);
      cairo_rectangle (paint->cr, x, y + 0.5 * (paint->line_height - side), side, side);
      cairo_fill (paint->cr);
      prism_paint_set_alpha (paint, 0.75);
      prism_paint_draw_text (paint, _ (prism_copy_kind_get_label (kind)), x + side + GAP, y, 0, 0);
    }
  prism_paint_set_font (paint, 1, FALSE);
}

/* Four bars beside each other, and how much the highest of them is. */
static void
draw_rates (PrismPaint *paint,
            const PrismSeriesPoint *point,
            double left,
            double room,
            double bottom,
            double scale)
{
  const double *rates = point->copies.rates;
  const double each = BAR_PART * room / PRISM_N_COPIES;
  g_autofree char *name = prism_series_dup_name (PRISM_SERIES_TRANSFERS, point->value);
  g_autofree char *number = NULL;
  double most = 0.0;

  for (int kind = 0; kind < PRISM_N_COPIES; kind++)
    {
      set_kind_color (paint, kind);
      cairo_rectangle (paint->cr, left + 0.5 * (1.0 - BAR_PART) * room + kind * each,
                       bottom - scale * rates[kind], 0.9 * each, scale * rates[kind]);
      cairo_fill (paint->cr);
      most = MAX (most, rates[kind]);
    }
  number = prism_copy_rate_dup_number (most);
  prism_paint_set_font (paint, 0.85, FALSE);
  prism_paint_set_alpha (paint, 0.75);
  prism_paint_draw_text (paint, number, left + 0.5 * room, bottom - scale * most - 1, 0.5, 1);
  prism_paint_draw_text (paint, name, left + 0.5 * room, bottom + GAP, 0.5, 0);
  prism_paint_set_font (paint, 1, FALSE);
}

static void
draw_copies (PrismPaint *paint, const PrismSeries *series, double width, double bottom)
{
  const guint n = series->points->len;
  const double room = MIN (width / MAX (n, 1), MOST_ROOM), most = get_most_rate (series);
  const double scale = most > 0.0 ? MAX (bottom - 4 * paint->line_height - GAP, 0.0) / most : 0.0;

  draw_legend (paint, width);
  for (guint i = 0; i < n; i++)
    draw_rates (paint, get_point (series, i), i * room, room, bottom, scale);
}

/**
 * prism_series_draw:
 * @paint: where; from its origin
 * @series: what
 * @width: of all
 * @height: of all
 *
 * Draws a bar for each value that was measured, as high as its unit takes long; the best is marked.
 * Of rates there are four bars for each value, and a legend.
 */
void
prism_series_draw (PrismPaint *paint, const PrismSeries *series, double width, double height)
{
  const guint n = series->points->len;
  const double line = paint->line_height;
  const double bottom = height - line - GAP;
  const double room = n > 0 ? MIN (width / n, MOST_ROOM) : 0.0;
  const double longest = get_longest (series);
  const double scale = longest > 0.0 ? MAX (bottom - 2 * line - GAP, 0.0) / longest : 0.0;
  const PrismSeriesInfo *info = prism_series_get_info (series->kind);
  g_autofree char *unit
      = info->is_rate ? g_strdup (info->unit) : g_strdup_printf (_ ("ms %s"), _ (info->unit));

  prism_paint_set_alpha (paint, 0.75);
  prism_paint_draw_text (paint, unit, 0, 0, 0, 0);
  if (info->is_rate)
    draw_copies (paint, series, width, bottom);
  for (guint i = 0; i < n && !info->is_rate; i++)
    draw_bar (paint, series, get_point (series, i), i * room, room, bottom, scale);
  if (n == 0)
    return;
  prism_paint_set_alpha (paint, 0.4);
  cairo_set_line_width (paint->cr, 1);
  cairo_move_to (paint->cr, 0, bottom + 0.5);
  cairo_line_to (paint->cr, n * room, bottom + 0.5);
  cairo_stroke (paint->cr);
}

#define BENCH_GAP 10
#define ROW 1.8                 /* of a line */
#define BAR 1.1                 /* of a line */
#define BENCHMARK_BAR_PART 0.38 /* of the width: what the longest bar may take at most */
#define WHISKER 0.35            /* of a line, to either side */

/**
 * prism_benchmark_draw_get_height:
 * @benchmark: one
 * @line_height: of the text
 *
 * Returns: what the bars need
 */
double
prism_benchmark_draw_get_height (const PrismBenchmark *benchmark, double line_height)
{
  return benchmark->variants->len * ROW * line_height;
}

static void
get_time (const PrismBenchmark *benchmark, guint variant, PrismSpread *time)
{
  prism_benchmark_variant_get_spread (prism_benchmark_get_variant (benchmark, variant),
                                      PRISM_FIGURE_SECONDS, time);
}

static double
get_longest_figure (const PrismBenchmark *benchmark)
{
  double longest = 0.0;

  for (guint i = 0; i < benchmark->variants->len; i++)
    {
      PrismSpread time;

      get_time (benchmark, i, &time);
      if (time.n > 0)
        longest = MAX (longest, time.most);
    }
  return longest;
}

static double
measure_labels (PrismPaint *paint, const PrismBenchmark *benchmark)
{
  double widest = 0.0;

  for (guint i = 0; i < benchmark->variants->len; i++)
    {
      double width, height;

      prism_paint_measure (
          paint, prism_benchmark_variant_get_label (prism_benchmark_get_variant (benchmark, i)),
          &width, &height);
      widest = MAX (widest, width);
    }
  return widest;
}

/* From the shortest round to the longest. */
static void
draw_whisker (PrismPaint *paint, double x, double middle, double scale, const PrismSpread *time)
{
  double half = WHISKER * paint->line_height;

  cairo_set_line_width (paint->cr, 1.5);
  prism_paint_set_alpha (paint, 0.9);
  cairo_move_to (paint->cr, x + scale * time->least, middle);
  cairo_line_to (paint->cr, x + scale * time->most, middle);
  cairo_move_to (paint->cr, x + scale * time->least, middle - half);
  cairo_rel_line_to (paint->cr, 0, 2 * half);
  cairo_move_to (paint->cr, x + scale * time->most, middle - half);
  cairo_rel_line_to (paint->cr, 0, 2 * half);
  cairo_stroke (paint->cr);
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

static void
draw_row (PrismPaint *paint, const PrismBenchmark *benchmark, guint variant, double x, double scale)
{
  const PrismColor *color = &paint->accent;
  double middle = (variant + 0.5) * ROW * paint->line_height;
  double height = BAR * paint->line_height;
  g_autofree char *remark = dup_remark (benchmark, variant);
  PrismSpread time;

  get_time (benchmark, variant, &time);
  prism_paint_set_alpha (paint, 1);
  prism_paint_draw_text (
      paint, prism_benchmark_variant_get_label (prism_benchmark_get_variant (benchmark, variant)),
      x - BENCH_GAP, middle, 1, 0.5);
  if (time.n > 0)
    {
      cairo_set_source_rgba (paint->cr, color->red, color->green, color->blue, 0.55);
      cairo_rectangle (paint->cr, x, middle - 0.5 * height, scale * time.median, height);
      cairo_fill (paint->cr);
      draw_whisker (paint, x, middle, scale, &time);
    }
  prism_paint_set_alpha (paint, 0.9);
  x += (time.n > 0 ? scale * time.most : 0) + BENCH_GAP;
  prism_paint_draw_text (paint, remark, x, middle, 0, 0.5);
}

/**
 * prism_benchmark_draw:
 * @paint: where; from its origin
 * @benchmark: what
 * @width: of all
 *
 * Draws a bar for each variant: the median of its times; the mark says how far the rounds
 * lie apart.
 */
void
prism_benchmark_draw (PrismPaint *paint, const PrismBenchmark *benchmark, double width)
{
  double longest = get_longest_figure (benchmark);
  double x = measure_labels (paint, benchmark) + BENCH_GAP;
  double scale = longest > 0.0 ? MAX (width - x, 0) * BENCHMARK_BAR_PART / longest : 0.0;

  for (guint i = 0; i < benchmark->variants->len; i++)
    draw_row (paint, benchmark, i, x, scale);
}
