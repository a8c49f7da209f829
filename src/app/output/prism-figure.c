#include "config.h"

#include "output/prism-figure.h"

#include "base/prism-each.h"
#include "base/prism-error.h"
#include "base/prism-file.h"
#include "config/prism-units.h"
#include "prism-mark-draw.h"

/* Of a page without a size. All lengths in points. */
#define VIEW_WIDTH 340
#define CHART_WIDTH 430
#define RESOLUTION 200
#define POINTS_PER_INCH 72.0
#define FONT_SIZE 9.0 /* of a page that is not asked for another */
/* An image in a vector format keeps all its pixels, however small it is printed. */
#define VECTOR_SCALE 1000
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
/* Height over width of a chart, and of the profile along a line. */
#define CHART_SHAPE 0.62
#define PROFILE_SHAPE 0.4

/* Where a panel stands, and what it looks like. */
typedef struct
{
  PrismPaint *paint;          /* in points, 0, 0 is the corner of the cell */
  PrismFigureOptions options; /* with the size of the cell */
  double device_scale;        /* pixels per point */
  char label[4];              /* before the title, which panel it is; "" where there is one */
} Cell;

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

  if (!gtk_widget_get_visible (GTK_WIDGET (view->color_bar)))
    return MARGIN;
  prism_view_get_mapping (view, &mapping);
  return BAR_GAP + BAR_WIDTH + prism_color_bar_get_room (&mapping, BAR_NUMBERS);
}

/* The part of the image that is in sight on the screen; all of it when it was never shown. */
static void
get_visible_part (PrismView *view,
                  Box *part)
{
  PrismImage *image = view->image;
  PrismFrame frame;
  double right;
  double bottom;

  *part = (Box) { 0, 0, image->width, image->height };
  if (!prism_canvas_get_frame (view->canvas, &frame))
    return;
  right = MIN (image->width, (frame.area_width - frame.x0) / frame.scale);
  bottom = MIN (image->height, (frame.area_height - frame.y0) / frame.scale);
  part->x = MAX (0, -frame.x0 / frame.scale);
  part->y = MAX (0, -frame.y0 / frame.scale);
  part->width = right - part->x;
  part->height = bottom - part->y;
}

/* What leaves no empty space. */
static double
get_panel_height (GtkWidget *panel,
                  const PrismFigureOptions *options)
{
  PrismView *view;
  double width;
  Box part;

  if (!PRISM_IS_VIEW (panel))
    return CHART_SHAPE * options->width;
  view = PRISM_VIEW (panel);
  width = options->width - MARGIN - LEFT_AXIS - get_right (view);
  get_visible_part (view, &part);
  return get_top (prism_view_get_title (view), options) + BOTTOM_AXIS + MARGIN
         + MAX (width, 20) * part.height / part.width;
}

static void
draw_heading (const Cell *cell,
              const char *title)
{
  g_autofree char *labelled
      = g_strdup_printf ("%s%s%s", cell->label, cell->label[0] != '\0' ? "  " : "", title);
  double y = MARGIN;

  if (title != NULL && title[0] != '\0')
    {
      prism_paint_set_font (cell->paint, 1.2, TRUE);
      prism_paint_set_alpha (cell->paint, 1);
      prism_paint_draw_text (cell->paint, labelled, MARGIN, y, 0, 0);
      y += TITLE_HEIGHT;
    }
  prism_paint_set_font (cell->paint, 0.9, FALSE);
  prism_paint_set_alpha (cell->paint, 0.65);
  if (cell->options.subtitle != NULL)
    prism_paint_draw_text (cell->paint, cell->options.subtitle, MARGIN, y, 0, 0);
  prism_paint_set_font (cell->paint, 1, FALSE);
}

/* unit: of a pixel */
static void
draw_ticks (const Cell *cell,
            const Box *plot,
            const Box *part,
            double origin,
            double unit,
            gboolean vertical)
{
  PrismPaint *paint = cell->paint;
  const double pixels = vertical ? part->height : part->width;
  const double first = ((vertical ? part->y : part->x) - origin) * unit;
  const double length = pixels * unit, middle = 0.5 * unit;
  const double size = vertical ? plot->height : plot->width;
  PrismTicks ticks;

  if (!(length > 0))
    return;
  (unit == 1 ? prism_ticks_init_integer : prism_ticks_init_linear) (
      &ticks, first - middle, first + length - middle, (int) (size / (vertical ? 26 : 40)) + 1);
  for (int i = 0; i < ticks.n_major; i++)
    {
      /* A tick stands at the middle of its pixel. */
      const double along = (ticks.major[i] + middle - first) / length * size;
      const double x = plot->x + (vertical ? 0 : along);
      const double y = plot->y + (vertical ? along : plot->height);
      g_autofree char *label = prism_ticks_dup_label (&ticks, i);

      cairo_move_to (paint->cr, x, y);
      cairo_rel_line_to (paint->cr, vertical ? -TICK_LENGTH : 0, vertical ? 0 : TICK_LENGTH);
      prism_paint_set_alpha (paint, 0.8);
      cairo_set_line_width (paint->cr, 0.7);
      cairo_stroke (paint->cr);
      if (vertical)
        prism_paint_draw_text (paint, label, x - TICK_LENGTH - 2, y, 1, 0.5);
      else
        prism_paint_draw_text (paint, label, x, y + TICK_LENGTH + 1, 0.5, 0);
    }
}

/* Lengths of the object where a pixel of it is known; of spectra pixels from the middle. */
static void
draw_axes (const Cell *cell,
           PrismView *view,
           const Box *plot,
           const Box *part)
{
  const PrismImage *image = view->image;
  PrismPaint *paint = cell->paint;
  const gboolean centered = view->centered;
  const gboolean measured = !centered && view->metres > 0;
  const char *name = "px";
  const double size
      = measured ? prism_units_choose_length (view->metres * MAX (part->width, part->height), &name)
                 : 1;
  const double unit = measured ? view->metres / size : 1;
  g_autofree char *x = g_strdup_printf ("%sx / %s", centered ? "k" : "", name);
  g_autofree char *y = g_strdup_printf ("%sy / %s", centered ? "k" : "", name);

  prism_paint_set_font (paint, 0.9, FALSE);
  draw_ticks (cell, plot, part, centered ? image->width / 2 : 0, unit, FALSE);
  draw_ticks (cell, plot, part, centered ? image->height / 2 : 0, unit, TRUE);
  prism_paint_draw_text (paint, x, plot->x + plot->width / 2,
                         plot->y + plot->height + TICK_LENGTH + 12, 0.5, 0);
  prism_paint_draw_text_up (paint, y, MARGIN, plot->y + plot->height / 2);
  prism_paint_set_font (paint, 1, FALSE);

  cairo_rectangle (paint->cr, plot->x, plot->y, plot->width, plot->height);
  cairo_set_line_width (paint->cr, 0.7);
  prism_paint_set_alpha (paint, 0.8);
  cairo_stroke (paint->cr);
}

/* Title, image, overlay, axes, scale bar and colour bar. */
static gboolean
draw_view (const Cell *cell,
           PrismView *view,
           GError **error)
{
  const PrismFigureOptions *options = &cell->options;
  const char *title = prism_view_get_title (view);
  const double top = get_top (title, options);
  const PrismImage *image = view->image;
  PrismPaint *paint = cell->paint;
  PrismMapping mapping;
  PrismFrame frame;
  Box part, plot;
  double scale;
  gboolean drawn;

  /* The largest box of the shape of the part that has room. */
  get_visible_part (view, &part);
  scale = MIN (MAX (20, options->width - MARGIN - LEFT_AXIS - get_right (view)) / part.width,
               MAX (20, options->height - top - BOTTOM_AXIS - MARGIN) / part.height);
  plot = (Box) { MARGIN + LEFT_AXIS, top, scale * part.width, scale * part.height };
  frame = (PrismFrame) {
    .area_width = plot.width,
    .area_height = plot.height,
    .image_width = image->width,
    .image_height = image->height,
    .scale = scale,
    .x0 = -part.x * scale,
    .y0 = -part.y * scale,
    .device_scale = cell->device_scale,
  };
  prism_view_get_mapping (view, &mapping);
  mapping.levels = PRISM_LEVELS_MANUAL;

  draw_heading (cell, title);
  cairo_save (paint->cr);
  cairo_rectangle (paint->cr, plot.x, plot.y, plot.width, plot.height);
  cairo_clip (paint->cr);
  cairo_translate (paint->cr, plot.x, plot.y);
  drawn = prism_view_draw (view, paint, &mapping, &frame, error);
  cairo_restore (paint->cr);
  if (!drawn)
    return FALSE;
  draw_axes (cell, view, &plot, &part);
  prism_scale_bar_draw (paint, scale, part.width, view->metres,
                        plot.x + plot.width - 10, plot.y + plot.height - 8.5);
  if (get_right (view) > MARGIN)
    {
      prism_paint_set_font (paint, 0.9, FALSE);
      prism_color_bar_draw (paint, &mapping, plot.x + plot.width + BAR_GAP, plot.y, BAR_WIDTH,
                            plot.height);
      prism_paint_set_font (paint, 1, FALSE);
    }
  return TRUE;
}

/* Title, legend, axes, curves and items. */
static void
draw_chart (const Cell *cell,
            PrismChartPlot *plot)
{
  PrismChartData *data = plot->data;
  double width = cell->options.width - 2 * MARGIN;
  double y = get_top (data->title, &cell->options);
  PrismChartLayout layout;

  draw_heading (cell, data->title);
  y += prism_chart_draw_legend (data, cell->paint, MARGIN, y, width) + 2;
  cairo_save (cell->paint->cr);
  cairo_translate (cell->paint->cr, MARGIN, y);
  prism_chart_layout_init (&layout, data, cell->paint, width,
                           MAX (20, cell->options.height - MARGIN - y), plot->timeline->first,
                           plot->timeline->last);
  prism_chart_draw (data, cell->paint, &layout);
  cairo_restore (cell->paint->cr);
}

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
  return PRISM_IS_VIEW (panel) && PRISM_VIEW (panel)->image != NULL
         && PRISM_VIEW (panel)->canvas->book != NULL
         && PRISM_VIEW (panel)->canvas->camera == mark->camera;
}

static void
write_text (Pen *pen,
            const char *text,
            double size,
            gboolean bold)
{
  prism_paint_set_font (pen->paint, size, bold);
  prism_paint_set_alpha (pen->paint, 0.9);
  pen->y += prism_paint_draw_wrapped (pen->paint, text, MARGIN, pen->y, pen->width, pen->draw) + 1;
  prism_paint_set_font (pen->paint, 1, FALSE);
}

/* Of a ruler there is nothing to read in the pictures. */
static void
write_readings (Pen *pen,
                const PrismMark *mark,
                guint number,
                double metres)
{
  g_autofree char *head = prism_mark_text_dup_name (mark, number, metres);

  write_text (pen, head, 0.9, TRUE);
  PRISM_FOR_EACH_POINTER (PrismView, view, pen->panels)
    {
      g_autofree char *reading = NULL;
      g_autofree char *line = NULL;

      if (!shows (GTK_WIDGET (view), mark))
        continue;
      reading = prism_mark_text_dup_reading (mark, view->image,
                                             prism_view_get_reference (view), metres);
      line = g_strdup_printf ("%s: %s", prism_view_get_title (view), reading);
      write_text (pen, mark->kind == PRISM_MARK_RULER ? reading : line, 0.9, FALSE);
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
  const double height = PROFILE_SHAPE * pen->width;

  PRISM_FOR_EACH_POINTER (PrismView, view, pen->panels)
    {
      if (shows (GTK_WIDGET (view), mark))
        prism_mark_chart_add (data, mark, prism_view_get_title (view), view->image,
                              prism_view_get_reference (view));
    }
  if (pen->draw)
    {
      cairo_save (pen->paint->cr);
      cairo_translate (pen->paint->cr, MARGIN, pen->y);
      prism_chart_draw_figure (data, pen->paint, pen->width, height);
      cairo_restore (pen->paint->cr);
      cairo_new_path (pen->paint->cr);
    }
  pen->y += height + MARGIN;
}

/* What the marks over the panels tell, over the whole width of the page, and the caption. All
 * panels of a window share their marks. */
static void
write_words (Pen *pen,
             const PrismFigureOptions *options)
{
  PrismMarkBook *book = NULL;
  const double first = pen->y;

  for (guint i = 0; options->readings && i < pen->panels->len && book == NULL; i++)
    if (PRISM_IS_VIEW (pen->panels->pdata[i]))
      book = PRISM_VIEW (pen->panels->pdata[i])->canvas->book;
  for (guint k = 0; book != NULL && k < book->marks->len; k++)
    {
      const PrismMark *mark = &g_array_index (book->marks, PrismMark, k);
      guint i = 0;

      while (i < pen->panels->len && !shows (pen->panels->pdata[i], mark))
        i++;
      if (i == pen->panels->len)
        continue;
      write_readings (pen, mark, k + 1, PRISM_VIEW (pen->panels->pdata[i])->metres);
      if (mark->kind == PRISM_MARK_LINE)
        draw_profile (pen, mark, k + 1);
    }
  pen->y += pen->y > first ? MARGIN : 0;
  if (options->caption == NULL || options->caption[0] == '\0')
    return;
  write_text (pen, options->caption, 1, FALSE);
  pen->y += MARGIN - 1;
}

/* All lengths of a page follow the size of its font. */
static double
get_scale (const PrismFigureOptions *options)
{
  return options->font_size > 0 ? options->font_size / FONT_SIZE : 1;
}

/* Panels are counted with letters where there are several of them. A height that was asked for is
 * that of the only one. */
static void
init_cell (Cell *self,
           const PrismFigureSheet *sheet,
           const PrismFigureOptions *options,
           guint i)
{
  self->options = *options;
  self->options.width = options->width / CLAMP (sheet->columns, 1, sheet->panels->len);
  self->label[0] = '\0';
  if (sheet->panels->len > 1)
    g_snprintf (self->label, sizeof self->label, "%c", (char) ('a' + i % 26));
  if (sheet->panels->len > 1 || !(options->height > 0))
    self->options.height = get_panel_height (sheet->panels->pdata[i], &self->options);
}

/* Draws the panels, row by row, and the words below them, or measures them alone: without a painter
 * that draws. Returns the height; negative after an error. */
static double
draw_panels (const PrismFigureSheet *self,
             const PrismFigureOptions *options,
             PrismPaint *paint,
             double device_scale,
             gboolean draw,
             GError **error)
{
  const guint columns = CLAMP (self->columns, 1, self->panels->len);
  Pen pen = { self->panels, paint, options->width - 2 * MARGIN, 0, draw };
  double height = 0;

  for (guint i = 0; i < self->panels->len; i++)
    {
      GtkWidget *panel = self->panels->pdata[i];
      Cell cell = { .paint = paint, .device_scale = device_scale };
      gboolean drawn = TRUE;

      init_cell (&cell, self, options, i);
      height = i % columns == 0 ? cell.options.height : MAX (height, cell.options.height);
      cairo_save (paint->cr);
      cairo_translate (paint->cr, i % columns * cell.options.width, pen.y);
      if (draw && PRISM_IS_VIEW (panel))
        drawn = draw_view (&cell, PRISM_VIEW (panel), error);
      else if (draw)
        draw_chart (&cell, PRISM_IS_CHART (panel) ? PRISM_CHART (panel)->plot
                                                  : PRISM_CHART_PLOT (panel));
      cairo_restore (paint->cr);
      if (!drawn)
        return -1;
      if ((i + 1) % columns == 0 || i + 1 == self->panels->len)
        pen.y += height;
    }
  write_words (&pen, options);
  return MAX (pen.y, MARGIN);
}

/* Begins to paint a page, in its font and on its ground. */
static void
begin_page (PrismPaint *paint,
            cairo_t *cr,
            const PrismFigureOptions *options)
{
  const double ground = options->dark ? 0.12 : 1;

  prism_paint_init_figure (paint, cr, options->dark);
  if (options->family != NULL)
    prism_paint_set_family (paint, options->family);
  cairo_set_source_rgb (cr, ground, ground, ground);
  if (!options->transparent)
    cairo_paint (cr);
}

/* The size of a page, where it has none, with the font that it will have. Where a panel is empty,
 * or there is none, there is no page. inner: (out): the same in units of its font */
static gboolean
complete (PrismFigureOptions *self,
          PrismFigureOptions *inner,
          const PrismFigureOptions *given,
          const PrismFigureSheet *sheet,
          GError **error)
{
  cairo_surface_t *surface;
  PrismPaint paint;
  cairo_t *cr;

  prism_figure_options_init (self);
  if (given != NULL)
    *self = *given;
  if (!(self->resolution > 0))
    self->resolution = RESOLUTION;
  for (guint i = 0; i < sheet->panels->len; i++)
    if (PRISM_IS_VIEW (sheet->panels->pdata[i])
        && PRISM_VIEW (sheet->panels->pdata[i])->image == NULL)
      {
        g_set_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG,
                     _ ("The panel “%s” is empty: there is nothing to save yet."),
                     prism_view_get_title (sheet->panels->pdata[i]));
        return FALSE;
      }
  if (sheet->panels->len == 0)
    {
      g_set_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG,
                   _ ("There is no panel in the figure: choose one at least."));
      return FALSE;
    }
  if (!(self->width > 0))
    self->width = PRISM_IS_VIEW (sheet->panels->pdata[0]) ? VIEW_WIDTH : CHART_WIDTH;
  *inner = *self;
  inner->width /= get_scale (self);
  inner->height /= get_scale (self);
  surface = cairo_recording_surface_create (CAIRO_CONTENT_COLOR, NULL);
  cr = cairo_create (surface);
  begin_page (&paint, cr, self);
  if (!(self->height > 0) || sheet->panels->len > 1)
    self->height
        = get_scale (self) * draw_panels (sheet, inner, &paint, VECTOR_SCALE, FALSE, NULL);
  prism_paint_finish (&paint);
  cairo_destroy (cr);
  cairo_surface_destroy (surface);
  return TRUE;
}

/* name: whose ending says the format */
static GByteArray *
make (const PrismFigureSheet *sheet,
      const char *name,
      const PrismFigureOptions *given,
      GError **error)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  PrismFigureOptions options, inner;
  double device_scale = VECTOR_SCALE;
  cairo_surface_t *surface;
  PrismPaint paint;
  gboolean drawn;
  cairo_t *cr;

  if (!complete (&options, &inner, given, sheet, error))
    return NULL;
  surface = prism_page_new (name, options.width, options.height,
                            options.resolution / POINTS_PER_INCH, options.transparent, bytes);
  if (cairo_surface_get_type (surface) == CAIRO_SURFACE_TYPE_IMAGE)
    device_scale = get_scale (&options) * options.resolution / POINTS_PER_INCH;
  cr = cairo_create (surface);
  begin_page (&paint, cr, &options);
  cairo_scale (cr, get_scale (&options), get_scale (&options));
  drawn = draw_panels (sheet, &inner, &paint, device_scale, TRUE, error) >= 0;
  prism_paint_finish (&paint);
  cairo_show_page (cr);
  cairo_destroy (cr);
  if (drawn)
    return prism_page_finish (surface, bytes, error) ? g_steal_pointer (&bytes) : NULL;
  cairo_surface_destroy (surface);
  return NULL;
}

/**
 * prism_figure_options_init:
 * @self: (out caller-allocates): options
 *
 * A light page at 200 dots per inch, as large as its content needs.
 */
void
prism_figure_options_init (PrismFigureOptions *self)
{
  *self = (PrismFigureOptions) { .resolution = RESOLUTION };
}

/**
 * prism_figure_save_sheet:
 * @sheet: panels
 * @path: file name that ends in .png, .svg or .pdf
 * @options: (nullable): size and look of the page
 * @error: return location
 *
 * Saves what the panels show now as one figure: of images the part that is in sight, with axes,
 * scale bar and colour bar, of charts with axes and legend.
 *
 * Errors: PRISM_ERROR_CONFIG where a panel is empty or there is none, PRISM_ERROR_FORMAT,
 * PRISM_ERROR_IO, PRISM_ERROR_MEMORY.
 *
 * Returns: whether the file was written
 */
gboolean
prism_figure_save_sheet (const PrismFigureSheet *sheet,
                         const char *path,
                         const PrismFigureOptions *options,
                         GError **error)
{
  static const char *const endings[] = { ".png", ".svg", ".pdf" };
  g_autofree char *lower = g_ascii_strdown (path, -1);
  g_autofree char *name = prism_file_dup_display_name (path);
  g_autoptr (GByteArray) bytes = NULL;

  PRISM_FOR_EACH_OF (ending, endings)
    if (g_str_has_suffix (lower, *ending))
      {
        bytes = make (sheet, path, options, error);
        return bytes != NULL && prism_file_save (path, bytes->data, bytes->len, error);
      }
  g_set_error (error, PRISM_ERROR, PRISM_ERROR_FORMAT,
               _ ("The figure “%s” cannot be written: its name must end in .png, .svg or .pdf."),
               name);
  return FALSE;
}

/**
 * prism_figure_render_sheet:
 * @sheet: panels
 * @options: (nullable): size and look of the page
 * @error: return location
 *
 * As prism_figure_save_sheet(), without a file.
 *
 * Errors: PRISM_ERROR_CONFIG where a panel is empty or there is none, PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): a PNG
 */
GBytes *
prism_figure_render_sheet (const PrismFigureSheet *sheet,
                           const PrismFigureOptions *options,
                           GError **error)
{
  GByteArray *bytes = make (sheet, ".png", options, error);

  return bytes != NULL ? g_byte_array_free_to_bytes (bytes) : NULL;
}
