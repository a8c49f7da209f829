#include "config.h"

#include "output/prism-figure-page.h"

#include "prism-chart-draw.h"
#include "prism-mark-draw.h"
#include "prism-picture.h"
#include "prism-scale.h"

#include <glib/gi18n.h>
#include <math.h>

/* All in points. */
#define MARGIN 10
#define TITLE_HEIGHT 16
#define SUBTITLE_HEIGHT 13
#define HEADING_GAP 4
#define LEFT_AXIS 42
#define BOTTOM_AXIS 30
#define BAR_GAP 10
#define BAR_WIDTH 9
#define BAR_NUMBERS 40
#define TICK_LENGTH 3

/* A rectangle, of the page or of the image. */
typedef struct
{
  double x;
  double y;
  double width;
  double height;
} Box;

static double
get_top (const char *title,
         const PrismFigureOptions *options)
{
  double top = MARGIN + HEADING_GAP;

  if (title != NULL && title[0] != '\0')
    top += TITLE_HEIGHT;
  if (options->subtitle != NULL)
    top += SUBTITLE_HEIGHT;
  return top;
}

static double
get_right (PrismView *view)
{
  PrismMapping mapping;
  gboolean has_bar;

  g_object_get (view, "show-color-bar", &has_bar, NULL);
  if (!has_bar)
    return MARGIN;
  prism_view_get_mapping (view, &mapping);
  return BAR_GAP + BAR_WIDTH + prism_color_bar_get_room (&mapping, BAR_NUMBERS);
}

/* The part of the image that is in sight on the screen; all of it when it was never shown. */
static void
get_visible_part (PrismView *view,
                  Box *part)
{
  PrismImage *image = prism_view_get_image (view);
  PrismFrame frame;
  double right;
  double bottom;

  *part = (Box) { 0, 0, image->width, image->height };
  if (!prism_canvas_get_frame (prism_view_get_canvas (view), &frame))
    return;
  right = MIN (image->width, (frame.area_width - frame.x0) / frame.scale);
  bottom = MIN (image->height, (frame.area_height - frame.y0) / frame.scale);
  part->x = MAX (0, -frame.x0 / frame.scale);
  part->y = MAX (0, -frame.y0 / frame.scale);
  part->width = right - part->x;
  part->height = bottom - part->y;
}

/**
 * prism_figure_page_get_view_height:
 * @view: a panel with an image
 * @options: with a width
 *
 * Units: points.
 *
 * Returns: the height that leaves no empty space
 */
double
prism_figure_page_get_view_height (PrismView *view,
                                   const PrismFigureOptions *options)
{
  double width = options->width - MARGIN - LEFT_AXIS - get_right (view);
  Box part;

  get_visible_part (view, &part);
  return get_top (prism_view_get_title (view), options) + BOTTOM_AXIS + MARGIN
         + MAX (width, 20) * part.height / part.width;
}

static void
draw_heading (const PrismFigurePage *page,
              const char *title)
{
  const char *label = page->options->label;
  g_autofree char *labelled = g_strdup_printf ("%s%s%s", label != NULL ? label : "",
                                               label != NULL ? "  " : "", title);
  double y = MARGIN;

  if (title != NULL && title[0] != '\0')
    {
      prism_paint_set_font (page->paint, 1.2, TRUE);
      prism_paint_set_alpha (page->paint, 1);
      prism_paint_draw_text (page->paint, labelled, MARGIN, y, 0, 0);
      y += TITLE_HEIGHT;
    }
  prism_paint_set_font (page->paint, 0.9, FALSE);
  if (page->options->subtitle != NULL)
    {
      prism_paint_set_alpha (page->paint, 0.65);
      prism_paint_draw_text (page->paint, page->options->subtitle, MARGIN, y, 0, 0);
    }
  prism_paint_set_font (page->paint, 1, FALSE);
}

/* The largest box of the shape of part that has room. */
static void
place_plot (const PrismFigurePage *page,
            PrismView *view,
            const Box *part,
            Box *plot)
{
  const PrismFigureOptions *options = page->options;
  double top = get_top (prism_view_get_title (view), options);
  double width = MAX (20, options->width - MARGIN - LEFT_AXIS - get_right (view));
  double height = MAX (20, options->height - top - BOTTOM_AXIS - MARGIN);
  double scale = MIN (width / part->width, height / part->height);

  *plot = (Box) { MARGIN + LEFT_AXIS, top, scale * part->width, scale * part->height };
}

static void
draw_ticks (const PrismFigurePage *page,
            const Box *plot,
            const Box *part,
            double origin,
            gboolean vertical)
{
  PrismPaint *paint = page->paint;
  double first = (vertical ? part->y : part->x) - origin;
  double length = vertical ? part->height : part->width;
  double size = vertical ? plot->height : plot->width;
  PrismTicks ticks;

  if (!(length > 0))
    return;
  prism_ticks_init_integer (&ticks, first - 0.5, first + length - 0.5,
                            (int) (size / (vertical ? 26 : 40)) + 1);
  for (int i = 0; i < ticks.n_major; i++)
    {
      /* A tick stands at the middle of its pixel. */
      double along = (ticks.major[i] + 0.5 - first) / length * size;
      g_autofree char *label = prism_ticks_dup_label (&ticks, i);

      if (vertical)
        {
          cairo_move_to (paint->cr, plot->x, plot->y + along);
          cairo_rel_line_to (paint->cr, -TICK_LENGTH, 0);
        }
      else
        {
          cairo_move_to (paint->cr, plot->x + along, plot->y + plot->height);
          cairo_rel_line_to (paint->cr, 0, TICK_LENGTH);
        }
      prism_paint_set_alpha (paint, 0.8);
      cairo_set_line_width (paint->cr, 0.7);
      cairo_stroke (paint->cr);
      if (vertical)
        prism_paint_draw_text (paint, label, plot->x - TICK_LENGTH - 2, plot->y + along, 1, 0.5);
      else
        prism_paint_draw_text (paint, label, plot->x + along,
                               plot->y + plot->height + TICK_LENGTH + 1, 0.5, 0);
    }
}

static void
draw_axes (const PrismFigurePage *page,
           PrismView *view,
           const Box *plot,
           const Box *part)
{
  PrismImage *image = prism_view_get_image (view);
  PrismPaint *paint = page->paint;
  gboolean centered = PRISM_VIEW_GET_CLASS (view)->centered;
  double bottom = plot->y + plot->height;

  prism_paint_set_font (paint, 0.9, FALSE);
  draw_ticks (page, plot, part, centered ? image->width / 2 : 0, FALSE);
  draw_ticks (page, plot, part, centered ? image->height / 2 : 0, TRUE);
  prism_paint_draw_text (paint, centered ? _ ("kx / px") : _ ("x / px"),
                         plot->x + plot->width / 2, bottom + TICK_LENGTH + 12, 0.5, 0);
  prism_paint_draw_text_up (paint, centered ? _ ("ky / px") : _ ("y / px"), MARGIN,
                            plot->y + plot->height / 2);
  prism_paint_set_font (paint, 1, FALSE);

  cairo_rectangle (paint->cr, plot->x, plot->y, plot->width, plot->height);
  cairo_set_line_width (paint->cr, 0.7);
  prism_paint_set_alpha (paint, 0.8);
  cairo_stroke (paint->cr);
}

static gboolean
draw_image (const PrismFigurePage *page,
            PrismView *view,
            const PrismMapping *mapping,
            const Box *plot,
            const Box *part,
            GError **error)
{
  PrismImage *image = prism_view_get_image (view);
  cairo_t *cr = page->paint->cr;
  PrismFrame frame = {
    .area_width = plot->width,
    .area_height = plot->height,
    .image_width = image->width,
    .image_height = image->height,
    .scale = plot->width / part->width,
    .device_scale = page->device_scale,
  };
  gboolean drawn;

  frame.x0 = -part->x * frame.scale;
  frame.y0 = -part->y * frame.scale;
  cairo_save (cr);
  cairo_rectangle (cr, plot->x, plot->y, plot->width, plot->height);
  cairo_clip (cr);
  cairo_translate (cr, plot->x, plot->y);
  drawn = prism_view_draw (view, page->paint, mapping, &frame, error);
  cairo_restore (cr);
  return drawn;
}

/**
 * prism_figure_page_draw_view:
 * @page: where
 * @view: a panel with an image
 * @error: return location
 *
 * Paints title, image, overlay, axes, scale bar and colour bar.
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: whether the page is complete
 */
gboolean
prism_figure_page_draw_view (const PrismFigurePage *page,
                             PrismView *view,
                             GError **error)
{
  PrismMapping mapping;
  Box part;
  Box plot;

  get_visible_part (view, &part);
  place_plot (page, view, &part, &plot);
  prism_view_get_mapping (view, &mapping);
  mapping.levels = PRISM_LEVELS_MANUAL;

  draw_heading (page, prism_view_get_title (view));
  if (!draw_image (page, view, &mapping, &plot, &part, error))
    return FALSE;
  draw_axes (page, view, &plot, &part);
  prism_scale_bar_draw (page->paint, plot.width / part.width, part.width,
                        prism_view_get_scale (view), plot.x + plot.width - 10,
                        plot.y + plot.height - 8.5);
  if (get_right (view) > MARGIN)
    {
      prism_paint_set_font (page->paint, 0.9, FALSE);
      prism_color_bar_draw (page->paint, &mapping, plot.x + plot.width + BAR_GAP, plot.y, BAR_WIDTH,
                            plot.height);
      prism_paint_set_font (page->paint, 1, FALSE);
    }
  return TRUE;
}

/**
 * prism_figure_page_draw_chart:
 * @page: where
 * @chart: a chart
 *
 * Paints title, legend, axes and curves.
 */
void
prism_figure_page_draw_chart (const PrismFigurePage *page,
                              PrismChart *chart)
{
  PrismChartData *data = prism_chart_get_data (chart);
  const PrismFigureOptions *options = page->options;
  double width = options->width - 2 * MARGIN;
  double y = get_top (data->title, options);
  PrismChartLayout layout;
  double first;
  double last;

  draw_heading (page, data->title);
  y += prism_chart_draw_legend (data, page->paint, MARGIN, y, width) + 2;
  prism_timeline_get_range (prism_chart_get_timeline (chart), &first, &last);
  cairo_save (page->paint->cr);
  cairo_translate (page->paint->cr, MARGIN, y);
  prism_chart_layout_init (&layout, data, page->paint, width,
                           MAX (20, options->height - MARGIN - y), first, last);
  prism_chart_draw (data, page->paint, &layout);
  cairo_restore (page->paint->cr);
}

/* All in points. */
/* Height over width of a chart. */
#define CHART_SHAPE 0.4

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

  if (pen->draw)
    {
      cairo_save (pen->paint->cr);
      cairo_translate (pen->paint->cr, MARGIN, pen->y);
      prism_chart_draw_figure (data, pen->paint, pen->width, height, NAN, NAN);
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

/* All in points. */
/* Height over width of a chart. */
#define SHEET_CHART_SHAPE 0.62

/* Where a panel stands: width and height of its options are those of its cell. */
typedef struct
{
  PrismFigureOptions options;
  char label[4];
} Cell;

static guint
get_columns (const PrismFigureSheet *self)
{
  return CLAMP (self->columns, 1, MAX (self->panels->len, 1));
}

static double
get_panel_height (GtkWidget *panel,
                  const PrismFigureOptions *options)
{
  if (PRISM_IS_VIEW (panel))
    return prism_figure_page_get_view_height (PRISM_VIEW (panel), options);
  return SHEET_CHART_SHAPE * options->width;
}

/* Panels are counted with letters where there are several of them. */
static void
init_cell (Cell *self,
           const PrismFigureSheet *sheet,
           const PrismFigureOptions *options,
           guint i)
{
  self->options = *options;
  self->options.width = options->width / get_columns (sheet);
  g_snprintf (self->label, sizeof self->label, "%c", (char) ('a' + i % 26));
  self->options.label = sheet->panels->len > 1 ? self->label : NULL;
  self->options.height = get_panel_height (sheet->panels->pdata[i], &self->options);
}

static double
get_row_height (const PrismFigureSheet *self,
                const PrismFigureOptions *options,
                guint row)
{
  guint columns = get_columns (self);
  double height = 0;

  for (guint i = row * columns; i < MIN ((row + 1) * columns, self->panels->len); i++)
    {
      Cell cell;

      init_cell (&cell, self, options, i);
      height = MAX (height, cell.options.height);
    }
  return height;
}

static guint
count_rows (const PrismFigureSheet *self)
{
  return (self->panels->len + get_columns (self) - 1) / get_columns (self);
}

static double
draw_caption (PangoLayout *font,
              cairo_t *cr,
              const PrismFigureOptions *options,
              double y)
{
  g_autoptr (PangoLayout) layout = NULL;
  int height;

  if (options->caption == NULL || options->caption[0] == '\0')
    return 0;
  layout = pango_layout_copy (font);
  pango_layout_set_width (layout, (int) ((options->width - 2 * MARGIN) * PANGO_SCALE));
  pango_layout_set_wrap (layout, PANGO_WRAP_WORD_CHAR);
  pango_layout_set_text (layout, options->caption, -1);
  pango_layout_get_size (layout, NULL, &height);
  if (cr != NULL)
    {
      cairo_move_to (cr, MARGIN, y);
      pango_cairo_show_layout (cr, layout);
    }
  return height / (double) PANGO_SCALE + MARGIN;
}

/* With the font that the page will have. */
static double
measure_words (const PrismFigureSheet *self,
               const PrismFigureOptions *options)
{
  cairo_surface_t *surface = cairo_recording_surface_create (CAIRO_CONTENT_COLOR, NULL);
  cairo_t *cr = cairo_create (surface);
  PrismPaint paint;
  double height;

  prism_paint_init_figure (&paint, cr, FALSE);
  if (options->family != NULL)
    prism_paint_set_family (&paint, options->family);
  height = prism_figure_marks_draw (self->panels, options, &paint, 0, FALSE)
           + draw_caption (paint.layout, NULL, options, 0);
  prism_paint_finish (&paint);
  cairo_destroy (cr);
  cairo_surface_destroy (surface);
  return height;
}

/**
 * prism_figure_sheet_get_height:
 * @self: a sheet
 * @options: with a width
 *
 * Units: points.
 *
 * Returns: the height that leaves no empty space
 */
double
prism_figure_sheet_get_height (const PrismFigureSheet *self,
                               const PrismFigureOptions *options)
{
  double height = measure_words (self, options);

  for (guint row = 0; row < count_rows (self); row++)
    height += get_row_height (self, options, row);
  return MAX (height, MARGIN);
}

static gboolean
draw_panel (const PrismFigurePage *page,
            GtkWidget *panel,
            const Cell *cell,
            double x,
            double y,
            GError **error)
{
  PrismFigurePage part = *page;
  gboolean drawn = TRUE;

  part.options = &cell->options;
  cairo_save (page->paint->cr);
  cairo_translate (page->paint->cr, x, y);
  if (PRISM_IS_VIEW (panel))
    drawn = prism_figure_page_draw_view (&part, PRISM_VIEW (panel), error);
  else
    prism_figure_page_draw_chart (&part, PRISM_CHART (panel));
  cairo_restore (page->paint->cr);
  return drawn;
}

/**
 * prism_figure_sheet_draw:
 * @page: where; its options have the size of the page
 * @self: a sheet
 * @error: return location
 *
 * Paints the panels, row by row, and below them what marks tell, and the caption.
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: whether the page is complete
 */
gboolean
prism_figure_sheet_draw (const PrismFigurePage *page,
                         const PrismFigureSheet *self,
                         GError **error)
{
  guint columns = get_columns (self);
  double y = 0;

  for (guint row = 0; row < count_rows (self); row++)
    {
      for (guint i = row * columns; i < MIN ((row + 1) * columns, self->panels->len); i++)
        {
          Cell cell;

          init_cell (&cell, self, page->options, i);
          if (!draw_panel (page, self->panels->pdata[i], &cell,
                           (i % columns) * cell.options.width, y, error))
            return FALSE;
        }
      y += get_row_height (self, page->options, row);
    }
  y += prism_figure_marks_draw (self->panels, page->options, page->paint, y, TRUE);
  prism_paint_set_font (page->paint, 1, FALSE);
  prism_paint_set_alpha (page->paint, 0.9);
  draw_caption (page->paint->layout, page->paint->cr, page->options, y);
  return TRUE;
}
