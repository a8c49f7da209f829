#include "config.h"

#include "prism-chart-draw.h"

#include "prism-chart-curve.h"

#include <glib/gi18n.h>
#include <math.h>

/* When marks come nearer to each other than this, only those with a label are painted. */
#define MARK_SPACING 7.0
/* Between two texts in one line. */
#define TITLE_GAP 8.0
/* Lower decades have no lines between their powers of ten: they would run into each other. */
#define DECADE_HEIGHT 32.0

static double
snap (double x)
{
  return floor (x) + 0.5;
}

static gboolean
has_minor_lines (const PrismChartLayout *layout,
                 const PrismChartScale *scale)
{
  return scale->logarithmic && layout->height >= DECADE_HEIGHT * log10 (scale->high / scale->low);
}

static void
draw_grid (PrismPaint *paint,
           const PrismChartLayout *layout)
{
  PrismChartSide side = layout->scales[PRISM_CHART_LEFT].shown
                            ? PRISM_CHART_LEFT
                            : PRISM_CHART_RIGHT;
  const PrismTicks *ticks = &layout->scales[side].ticks;
  int n_minor = has_minor_lines (layout, &layout->scales[side]) ? ticks->n_minor : 0;

  cairo_set_line_width (paint->cr, 1);
  for (int i = 0; i < n_minor; i++)
    {
      double y = snap (prism_chart_layout_get_y (layout, side, ticks->minor[i]));
      cairo_move_to (paint->cr, layout->left, y);
      cairo_rel_line_to (paint->cr, layout->width, 0);
    }
  prism_paint_set_alpha (paint, 0.045);
  cairo_stroke (paint->cr);

  for (int i = 0; i < ticks->n_major; i++)
    {
      double y = snap (prism_chart_layout_get_y (layout, side, ticks->major[i]));
      cairo_move_to (paint->cr, layout->left, y);
      cairo_rel_line_to (paint->cr, layout->width, 0);
    }
  prism_paint_set_alpha (paint, 0.12);
  cairo_stroke (paint->cr);
}

/* The note says the unit, too: where both do not fit side by side it stands alone. */
static gboolean
yields_to_note (const PrismChartData *data,
                PrismPaint *paint,
                const PrismChartLayout *layout)
{
  double title;
  double note;

  if (data->note == NULL || layout->scales[PRISM_CHART_RIGHT].shown)
    return FALSE;
  prism_paint_measure (paint, data->axes[PRISM_CHART_LEFT].title, &title, NULL);
  prism_paint_measure (paint, data->note, &note, NULL);
  return MAX (0, layout->left - 5) + title + TITLE_GAP + note > layout->left + layout->width;
}

/* The first title moves over its numbers' column where it would meet the other one. */
static double
place_left_title (const PrismChartData *data,
                  PrismPaint *paint,
                  const PrismChartLayout *layout)
{
  const char *other = data->axes[PRISM_CHART_RIGHT].title;
  double place = MAX (0, layout->left - 5);
  double title;
  double width;

  if (!layout->scales[PRISM_CHART_RIGHT].shown || other == NULL)
    return place;
  prism_paint_measure (paint, data->axes[PRISM_CHART_LEFT].title, &title, NULL);
  prism_paint_measure (paint, other, &width, NULL);
  return CLAMP (layout->left + layout->width + 5 - width - TITLE_GAP - title, 0, place);
}

/* The text, or as much of it with an ellipsis as has room. */
static char *
dup_fitting (PrismPaint *paint,
             const char *text,
             double room)
{
  g_autofree char *whole = g_strdup (text);
  double width;

  prism_paint_measure (paint, whole, &width, NULL);
  for (glong n = g_utf8_strlen (text, -1) - 1; width > room && n > 0; n--)
    {
      g_autofree char *part = g_utf8_substring (text, 0, n);

      g_free (whole);
      whole = g_strconcat (g_strchomp (part), "…", NULL);
      prism_paint_measure (paint, whole, &width, NULL);
    }
  return g_steal_pointer (&whole);
}

/* Where there is a title at the other side, too, the first one ends before it. */
static void
draw_left_title (const PrismChartData *data,
                 PrismPaint *paint,
                 const PrismChartLayout *layout)
{
  const char *other = data->axes[PRISM_CHART_RIGHT].title;
  const char *title = data->axes[PRISM_CHART_LEFT].title;
  double place = place_left_title (data, paint, layout);
  g_autofree char *shown = NULL;
  double width;

  if (layout->scales[PRISM_CHART_RIGHT].shown && other != NULL)
    {
      prism_paint_measure (paint, other, &width, NULL);
      shown = dup_fitting (paint, title,
                           layout->left + layout->width + 5 - width - TITLE_GAP - place);
    }
  prism_paint_draw_text (paint, shown != NULL ? shown : title, place, 0, 0, 0);
}

/* Numbers keep clear of the one at the bottom of a logarithmic axis, which is not at its place. */
static void
draw_y_numbers (PrismPaint *paint,
                const PrismChartLayout *layout,
                PrismChartSide side)
{
  const PrismChartScale *scale = &layout->scales[side];
  gboolean right = side == PRISM_CHART_RIGHT;
  double x = right ? layout->left + layout->width + 5 : layout->left - 5;
  double bottom = layout->top + layout->height;

  if (!isnan (scale->floor))
    prism_paint_draw_text (paint, prism_chart_scale_get_floor_label (scale), x, bottom, !right,
                           0.5);
  for (int i = 0; i < scale->ticks.n_major; i++)
    {
      double y = prism_chart_layout_get_y (layout, side, scale->ticks.major[i]);
      g_autofree char *label = prism_ticks_dup_label (&scale->ticks, i);

      if (isnan (scale->floor) || y <= bottom - paint->line_height)
        prism_paint_draw_text (paint, label, x, y, !right, 0.5);
    }
}

static void
draw_y_axis (PrismChartData *data,
             PrismPaint *paint,
             const PrismChartLayout *layout,
             PrismChartSide side)
{
  const PrismChartScale *scale = &layout->scales[side];
  gboolean right = side == PRISM_CHART_RIGHT;
  double edge = right ? layout->left + layout->width : layout->left;

  if (!scale->shown)
    return;
  prism_paint_set_alpha (paint, 0.75);
  /* Where nothing is shown, numbers would be made up. */
  if (!layout->empty)
    draw_y_numbers (paint, layout, side);
  if (data->axes[side].title == NULL || layout->untitled
      || (!right && yields_to_note (data, paint, layout)))
    return;
  prism_paint_set_alpha (paint, 0.55);
  if (right)
    prism_paint_draw_text (paint, data->axes[side].title, edge + 5, 0, 1, 0);
  else
    draw_left_title (data, paint, layout);
}

/* Where the title of the second scale begins: at the end where there is none. */
static double
get_polish_start (PrismPaint *paint,
                  const PrismChartLayout *layout)
{
  double end = layout->left + layout->width;
  double width;

  if (!(layout->bend < layout->last))
    return end;
  prism_paint_measure (paint, _ ("Polish"), &width, NULL);
  return end - width;
}

/* What the second scale counts, below it; returns where the room for the first one's title ends. */
static double
draw_polish_title (PrismPaint *paint,
                   const PrismChartLayout *layout,
                   double y)
{
  double end = layout->left + layout->width;

  if (!(layout->bend < layout->last))
    return end;
  prism_paint_set_alpha (paint, 0.55);
  prism_paint_draw_text (paint, _ ("Polish"), end, y, 1, 0);
  return MIN (layout->left + layout->bend_width, get_polish_start (paint, layout) - TITLE_GAP);
}

/* Marks without their number would be read as others. */
static void
draw_x_tick (PrismPaint *paint,
             const PrismChartLayout *layout,
             int i,
             double limit)
{
  double bottom = layout->top + layout->height;
  double x = prism_chart_layout_get_x (layout, layout->x_ticks.major[i]);
  g_autofree char *label = prism_ticks_dup_label (&layout->x_ticks, i);
  double width;

  prism_paint_measure (paint, label, &width, NULL);
  if (x + width / 2 >= limit)
    return;
  prism_paint_set_alpha (paint, 0.75);
  prism_paint_draw_text (paint, label, x, bottom + 4, 0.5, 0);
  cairo_new_path (paint->cr); /* text leaves a current point */
  cairo_move_to (paint->cr, snap (x), bottom);
  cairo_rel_line_to (paint->cr, 0, 3);
  prism_paint_set_alpha (paint, 0.4);
  cairo_stroke (paint->cr);
}

/* Below few steps before many passes the title of the steps begins at the edge of the chart, and is
 * left out where it would meet the other one. Returns where it ends. */
static double
draw_x_title (PrismPaint *paint,
              const PrismChartLayout *layout,
              const char *title,
              double end,
              double y)
{
  double width;
  double place;

  prism_paint_measure (paint, title, &width, NULL);
  place = MAX (end, width);
  if (place > end && place + TITLE_GAP > get_polish_start (paint, layout))
    return end;
  prism_paint_set_alpha (paint, 0.55);
  prism_paint_draw_text (paint, title, place, y, 1, 0);
  return place - width;
}

/* The titles stand below the numbers, or, in a low chart, at the right end in place of those that
 * would touch them. */
static void
draw_x_axis (PrismChartData *data,
             PrismPaint *paint,
             const PrismChartLayout *layout)
{
  double bottom = layout->top + layout->height;
  double limit = layout->left + layout->width + 8;
  double y = bottom + 4 + (layout->titled_below ? 1.1 * paint->line_height : 0);
  double title_end = draw_polish_title (paint, layout, y);
  double title_start;

  cairo_new_path (paint->cr);
  cairo_move_to (paint->cr, layout->left, snap (bottom));
  cairo_rel_line_to (paint->cr, layout->width, 0);
  cairo_set_line_width (paint->cr, 1);
  prism_paint_set_alpha (paint, 0.4);
  cairo_stroke (paint->cr);

  if (data->x_title[0] != '\0')
    {
      title_start = draw_x_title (paint, layout, data->x_title, title_end, y);
      if (!layout->titled_below)
        limit = title_start - TITLE_GAP;
    }
  for (int i = 0; i < layout->x_ticks.n_major && !layout->empty; i++)
    draw_x_tick (paint, layout, i, limit);
}

static guint
count_visible_marks (PrismChartData *data,
                     const PrismChartLayout *layout)
{
  guint n = 0;

  for (guint i = 0; i < data->marks->len; i++)
    {
      double x = g_array_index (data->marks, PrismChartMark, i).x;
      n += x >= layout->first && x <= layout->last;
    }
  return n;
}

static void
draw_mark_label (PrismPaint *paint,
                 const PrismChartLayout *layout,
                 const char *label,
                 double x,
                 double *occupied)
{
  double width;

  prism_paint_measure (paint, label, &width, NULL);
  if (x < *occupied || x + width + 4 > layout->left + layout->width)
    return;
  *occupied = x + width + 8;
  prism_paint_set_alpha (paint, 0.55);
  prism_paint_draw_text (paint, label, x + 4, layout->top + 1, 0, 0);
}

static void
draw_marks (PrismChartData *data,
            PrismPaint *paint,
            const PrismChartLayout *layout)
{
  static const double dashes[] = { 2, 3 };
  gboolean crowded = count_visible_marks (data, layout) * MARK_SPACING > layout->width;
  double occupied = -G_MAXDOUBLE;

  for (guint i = 0; i < data->marks->len; i++)
    {
      const PrismChartMark *mark = &g_array_index (data->marks, PrismChartMark, i);
      double x = floor (prism_chart_layout_get_x (layout, mark->x)) + 0.5;

      if (mark->x < layout->first || mark->x > layout->last || (mark->label == NULL && crowded))
        continue;
      cairo_move_to (paint->cr, x, layout->top);
      cairo_rel_line_to (paint->cr, 0, layout->height);
      cairo_set_line_width (paint->cr, 1);
      cairo_set_dash (paint->cr, dashes, G_N_ELEMENTS (dashes), 0);
      prism_paint_set_alpha (paint, mark->label == NULL ? 0.10 : 0.35);
      cairo_stroke (paint->cr);
      cairo_set_dash (paint->cr, NULL, 0, 0);
      if (mark->label != NULL)
        draw_mark_label (paint, layout, mark->label, x, &occupied);
    }
}

/* Where the horizontal scale is another one, which must be seen. */
static void
draw_polish (PrismPaint *paint,
             const PrismChartLayout *layout)
{
  double x = snap (layout->left + layout->bend_width);

  if (!(layout->bend < layout->last))
    return;
  cairo_rectangle (paint->cr, x, layout->top, layout->left + layout->width - x, layout->height);
  prism_paint_set_alpha (paint, 0.06);
  cairo_fill (paint->cr);
  cairo_move_to (paint->cr, x, layout->top);
  cairo_rel_line_to (paint->cr, 0, layout->height);
  cairo_set_line_width (paint->cr, 1);
  prism_paint_set_alpha (paint, 0.2);
  cairo_stroke (paint->cr);
}

/* Of another run, behind those of this one. */
static void
draw_ghosts (PrismChartData *data,
             PrismPaint *paint,
             const PrismChartLayout *layout)
{
  for (guint i = 0; i < data->ghosts->len; i++)
    if (data->ghosts->pdata[i] != NULL
        && prism_chart_series_is_visible (prism_chart_data_get_series (data, i)))
      prism_chart_curve_draw_ghost (data->ghosts->pdata[i], i, paint, layout, data->smoothing > 0);
}

static void
draw_dots (PrismChartData *data,
           PrismPaint *paint,
           const PrismChartLayout *layout)
{
  gboolean smooth = data->smoothing > 0;

  for (guint i = 0; i < data->series->len; i++)
    {
      PrismChartSeries *series = prism_chart_data_get_series (data, i);

      if (!prism_chart_series_is_visible (series))
        continue;
      if (i < data->ghosts->len && data->ghosts->pdata[i] != NULL)
        prism_chart_curve_draw_dots (data->ghosts->pdata[i], i, paint, layout, smooth, TRUE);
      prism_chart_curve_draw_dots (series, i, paint, layout, smooth, FALSE);
    }
}

static void
draw_curves (PrismChartData *data,
             PrismPaint *paint,
             const PrismChartLayout *layout)
{
  gboolean smooth = data->smoothing > 0;

  cairo_save (paint->cr);
  cairo_rectangle (paint->cr, layout->left - 1, layout->top - 2, layout->width + 2,
                   layout->height + 4);
  cairo_clip (paint->cr);
  draw_ghosts (data, paint, layout);
  for (guint i = 0; i < data->series->len && smooth; i++)
    if (prism_chart_series_is_visible (prism_chart_data_get_series (data, i)))
      prism_chart_curve_draw_faint (prism_chart_data_get_series (data, i), i, paint, layout);
  for (guint i = 0; i < data->series->len; i++)
    {
      PrismChartSeries *series = prism_chart_data_get_series (data, i);

      if (prism_chart_series_is_visible (series))
        prism_chart_curve_draw (series, i, paint, layout, smooth);
    }
  cairo_restore (paint->cr);
  draw_dots (data, paint, layout);
}

static void
draw_limit (PrismChartData *data,
            PrismPaint *paint,
            const PrismChartLayout *layout)
{
  static const double dashes[] = { 6, 3 };
  double end = layout->left + layout->width;
  double y = snap (prism_chart_layout_get_y (layout, PRISM_CHART_LEFT, data->limit));

  if (data->note != NULL && !layout->scales[PRISM_CHART_RIGHT].shown)
    {
      prism_paint_set_alpha (paint, 0.55);
      prism_paint_draw_text (paint, data->note, end, 0, 1, 0);
    }
  if (!layout->scales[PRISM_CHART_LEFT].shown
      || !(data->limit <= layout->scales[PRISM_CHART_LEFT].high))
    return;
  cairo_new_path (paint->cr); /* text leaves a current point */
  cairo_move_to (paint->cr, layout->left, y);
  cairo_rel_line_to (paint->cr, layout->width, 0);
  cairo_set_dash (paint->cr, dashes, G_N_ELEMENTS (dashes), 0);
  cairo_set_line_width (paint->cr, 1);
  prism_paint_set_alpha (paint, 0.6);
  cairo_stroke (paint->cr);
  cairo_set_dash (paint->cr, NULL, 0, 0);
}

static void
draw_empty (PrismChartData *data,
            PrismPaint *paint,
            const PrismChartLayout *layout)
{
  const char *text = data->empty_text != NULL ? data->empty_text : _ ("No values yet");

  prism_paint_set_alpha (paint, 0.45);
  prism_paint_draw_text (paint, text, layout->left + layout->width / 2,
                         layout->top + layout->height / 2, 0.5, 0.5);
}

/**
 * prism_chart_draw:
 * @data: what to show
 * @paint: where
 * @layout: of the same data
 *
 * Paints grid, axes, marks and curves, or why there are none.
 */
void
prism_chart_draw (PrismChartData *data,
                  PrismPaint *paint,
                  const PrismChartLayout *layout)
{
  if (!layout->empty)
    draw_grid (paint, layout);
  draw_y_axis (data, paint, layout, PRISM_CHART_LEFT);
  draw_y_axis (data, paint, layout, PRISM_CHART_RIGHT);
  draw_x_axis (data, paint, layout);
  draw_polish (paint, layout);
  draw_limit (data, paint, layout);
  if (data->show_marks)
    draw_marks (data, paint, layout);
  if (layout->empty)
    draw_empty (data, paint, layout);
  else
    draw_curves (data, paint, layout);
}

/**
 * prism_chart_draw_legend:
 * @data: whose series
 * @paint: where
 * @x: left edge
 * @y: top edge
 * @width: room to the right
 *
 * Paints the visible series side by side, in as many lines as needed.
 *
 * Returns: the height
 */
double
prism_chart_draw_legend (PrismChartData *data,
                         PrismPaint *paint,
                         double x,
                         double y,
                         double width)
{
  const double sample = 26;
  double at = x;
  double top = y;

  for (guint i = 0; i < data->series->len; i++)
    {
      PrismChartSeries *series = prism_chart_data_get_series (data, i);
      const char *label = prism_chart_series_get_label (series);
      double label_width;

      if (!prism_chart_series_is_visible (series))
        continue;
      prism_paint_measure (paint, label, &label_width, NULL);
      if (at > x && at + sample + 6 + label_width > x + width)
        {
          at = x;
          y += 1.3 * paint->line_height;
        }
      prism_chart_curve_draw_sample (paint, i, at, y + paint->line_height / 2, sample);
      prism_paint_set_alpha (paint, 0.9);
      prism_paint_draw_text (paint, label, at + sample + 6, y, 0, 0);
      at += sample + 6 + label_width + 18;
    }
  return y + 1.3 * paint->line_height - top;
}
