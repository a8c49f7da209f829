#include "config.h"

#include "prism-benchmark-draw.h"

#include "benchmark/prism-benchmark-text.h"

#include <glib/gi18n.h>
#include <math.h>

#define GAP 10
#define ROW 1.8       /* of a line */
#define BAR 1.1       /* of a line */
#define BAR_PART 0.38 /* of the width: what the longest bar may take at most */
#define WHISKER 0.35  /* of a line, to either side */

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
get_longest (const PrismBenchmark *benchmark)
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
      x - GAP, middle, 1, 0.5);
  if (time.n > 0)
    {
      cairo_set_source_rgba (paint->cr, color->red, color->green, color->blue, 0.55);
      cairo_rectangle (paint->cr, x, middle - 0.5 * height, scale * time.median, height);
      cairo_fill (paint->cr);
      draw_whisker (paint, x, middle, scale, &time);
    }
  prism_paint_set_alpha (paint, 0.9);
  prism_paint_draw_text (paint, remark, x + (time.n > 0 ? scale * time.most : 0) + GAP, middle, 0,
                         0.5);
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
  double longest = get_longest (benchmark);
  double x = measure_labels (paint, benchmark) + GAP;
  double scale = longest > 0.0 ? MAX (width - x, 0) * BAR_PART / longest : 0.0;

  for (guint i = 0; i < benchmark->variants->len; i++)
    draw_row (paint, benchmark, i, x, scale);
}
