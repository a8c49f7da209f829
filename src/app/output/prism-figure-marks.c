#include "config.h"

#include "output/prism-figure-marks.h"

#include "prism-chart-draw.h"
#include "prism-mark-draw.h"

#include <math.h>

/* All in points. */
#define MARGIN 10
/* Height over width of a chart. */
#define CHART_SHAPE 0.4
#define TITLE_HEIGHT 16

/* A pen that moves down the page; what it does not draw it measures. */
typedef struct
{
  const GPtrArray *panels;
  PrismPaint *paint;
  double width; /* of a line */
  double y;
  gboolean draw;
} Pen;

static gboolean
shows (GtkWidget *panel,
       const PrismMark *mark)
{
  return PRISM_IS_VIEW (panel) && prism_view_get_image (PRISM_VIEW (panel)) != NULL
         && prism_canvas_get_marks (prism_view_get_canvas (PRISM_VIEW (panel))) != NULL
         && prism_canvas_get_camera (prism_view_get_canvas (PRISM_VIEW (panel))) == mark->camera;
}

/* All panels of a window share their marks. */
static const GArray *
find_marks (const GPtrArray *panels)
{
  for (guint i = 0; i < panels->len; i++)
    {
      PrismMarkBook *book
          = PRISM_IS_VIEW (panels->pdata[i])
                ? prism_canvas_get_marks (prism_view_get_canvas (panels->pdata[i]))
                : NULL;

      if (book != NULL)
        return prism_mark_book_get_marks (book);
    }
  return NULL;
}

static void
write_text (Pen *pen,
            const char *text,
            gboolean bold)
{
  g_autoptr (PangoLayout) layout = NULL;
  int height;

  prism_paint_set_font (pen->paint, 0.9, bold);
  prism_paint_set_alpha (pen->paint, 0.9);
  layout = pango_layout_copy (pen->paint->layout);
  pango_layout_set_width (layout, (int) (pen->width * PANGO_SCALE));
  pango_layout_set_wrap (layout, PANGO_WRAP_WORD_CHAR);
  pango_layout_set_text (layout, text, -1);
  pango_layout_get_size (layout, NULL, &height);
  if (pen->draw)
    {
      cairo_move_to (pen->paint->cr, MARGIN, pen->y);
      pango_cairo_show_layout (pen->paint->cr, layout);
      cairo_new_path (pen->paint->cr);
    }
  pen->y += height / (double) PANGO_SCALE + 1;
  prism_paint_set_font (pen->paint, 1, FALSE);
}

static void
draw_chart (Pen *pen,
            PrismChartData *data)
{
  const double height = CHART_SHAPE * pen->width;
  PrismChartLayout layout;
  double y = TITLE_HEIGHT;

  if (pen->draw)
    {
      cairo_save (pen->paint->cr);
      cairo_translate (pen->paint->cr, MARGIN, pen->y);
      prism_paint_draw_text (pen->paint, data->title, 0, 0, 0, 0);
      y += prism_chart_draw_legend (data, pen->paint, 0, y, pen->width) + 2;
      cairo_translate (pen->paint->cr, 0, y);
      prism_chart_layout_init (&layout, data, pen->paint, pen->width, MAX (20, height - y), NAN,
                               NAN);
      prism_chart_draw (data, pen->paint, &layout);
      cairo_restore (pen->paint->cr);
      cairo_new_path (pen->paint->cr);
    }
  pen->y += height + MARGIN;
}

/* Of a ruler there is nothing to read in the pictures. */
static void
write_readings (Pen *pen,
                const PrismMark *mark,
                guint number,
                double metres)
{
  g_autofree char *head = prism_mark_text_dup_name (mark, number, metres);

  write_text (pen, head, TRUE);
  for (guint i = 0; i < pen->panels->len; i++)
    {
      PrismView *view = pen->panels->pdata[i];
      g_autofree char *reading = NULL;
      g_autofree char *line = NULL;

      if (!shows (GTK_WIDGET (view), mark))
        continue;
      reading = prism_mark_text_dup_reading (mark, prism_view_get_image (view),
                                             prism_view_get_reference (view), metres);
      line = g_strdup_printf ("%s: %s", prism_view_get_title (view), reading);
      write_text (pen, mark->kind == PRISM_MARK_RULER ? reading : line, FALSE);
      if (mark->kind == PRISM_MARK_RULER)
        break;
    }
}

static void
draw_profile (Pen *pen,
              const PrismMark *mark,
              guint number)
{
  g_autoptr (PrismChartData) data = prism_mark_chart_new (mark, number);

  for (guint i = 0; i < pen->panels->len; i++)
    {
      PrismView *view = pen->panels->pdata[i];

      if (shows (GTK_WIDGET (view), mark))
        prism_mark_chart_add (data, mark, prism_view_get_title (view), prism_view_get_image (view),
                              prism_view_get_reference (view));
    }
  draw_chart (pen, data);
}

static double
find_metres (const GPtrArray *panels,
             const PrismMark *mark)
{
  for (guint i = 0; i < panels->len; i++)
    if (shows (panels->pdata[i], mark))
      return prism_view_get_scale (panels->pdata[i]);
  return -1;
}

/**
 * prism_figure_marks_draw:
 * @panels: (element-type GtkWidget): of the figure
 * @options: with a width
 * @paint: with the font of the page
 * @y: where it begins
 * @draw: whether to draw it, or only to measure
 *
 * Writes what the marks over the panels tell, over the whole width of the page.
 *
 * Units: points.
 *
 * Returns: its height; 0 where there are no marks or nobody wants them
 */
double
prism_figure_marks_draw (const GPtrArray *panels,
                         const PrismFigureOptions *options,
                         PrismPaint *paint,
                         double y,
                         gboolean draw)
{
  const GArray *marks = options->readings ? find_marks (panels) : NULL;
  Pen pen = { panels, paint, options->width - 2 * MARGIN, y, draw };

  for (guint i = 0; marks != NULL && i < marks->len; i++)
    {
      const PrismMark *mark = &g_array_index (marks, PrismMark, i);
      double metres = find_metres (panels, mark);

      if (metres < 0)
        continue;
      write_readings (&pen, mark, i + 1, metres);
      if (mark->kind == PRISM_MARK_LINE)
        draw_profile (&pen, mark, i + 1);
    }
  return pen.y > y ? pen.y - y + MARGIN : 0;
}
