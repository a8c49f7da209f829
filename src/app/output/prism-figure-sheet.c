#include "config.h"

#include "output/prism-figure-sheet.h"

#include "output/prism-figure-marks.h"

#include <math.h>

/* All in points. */
#define MARGIN 10
/* Height over width of a chart. */
#define CHART_SHAPE 0.62

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
  return CHART_SHAPE * options->width;
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
