#include "config.h"

#include "prism-report-sheet.h"

#include "base/prism-error.h"
#include "prism-byte-sink.h"

#include <cairo-pdf.h>
#include <glib/gi18n.h>

#define PAGE_WIDTH PRISM_REPORT_SHEET_PAGE_WIDTH
#define PAGE_HEIGHT PRISM_REPORT_SHEET_PAGE_HEIGHT
#define MARGIN PRISM_REPORT_SHEET_MARGIN
#define WIDTH PRISM_REPORT_SHEET_WIDTH
#define BOTTOM (PAGE_HEIGHT - MARGIN)
#define LABEL_WIDTH 168
#define CELL_GAP 6

static void
finish_page (PrismReportSheet *self)
{
  g_autofree char *number = g_strdup_printf ("%d", self->page);

  prism_paint_set_font (&self->paint, 0.85, FALSE);
  prism_paint_set_alpha (&self->paint, 0.6);
  prism_paint_draw_text (&self->paint, self->title, MARGIN, BOTTOM + 12, 0, 0);
  prism_paint_draw_text (&self->paint, number, PAGE_WIDTH - MARGIN, BOTTOM + 12, 1, 0);
  cairo_show_page (self->cr);
  self->page++;
  self->y = MARGIN;
}

/**
 * prism_report_sheet_make_room:
 * @self: pages
 * @height: that the next thing needs
 *
 * Begins another page when this one has not that much left.
 */
void
prism_report_sheet_make_room (PrismReportSheet *self, double height)
{
  if (self->y + height > BOTTOM && self->y > MARGIN)
    finish_page (self);
}

/**
 * prism_report_sheet_draw_heading:
 * @self: pages
 * @text: of the heading
 * @room: that has to be left below it
 *
 * Draws a heading.
 */
void
prism_report_sheet_draw_heading (PrismReportSheet *self, const char *text, double room)
{
  self->y += self->y > MARGIN ? 12 : 0;
  prism_report_sheet_make_room (self, 20 + room);
  prism_paint_set_font (&self->paint, 1.35, TRUE);
  prism_paint_set_alpha (&self->paint, 1);
  prism_paint_draw_text (&self->paint, text, MARGIN, self->y, 0, 0);
  self->y += 20;
  prism_paint_set_font (&self->paint, 1, FALSE);
}

/**
 * prism_report_sheet_draw_wrapped:
 * @self: pages
 * @text: what to draw
 * @font: (nullable): another than the page's
 * @x: where
 * @width: of the lines
 * @draw: whether to draw it, or only to measure
 *
 * A text in as many lines as it needs.
 *
 * Returns: its height
 */
double
prism_report_sheet_draw_wrapped (PrismReportSheet *self,
                                 const char *text,
                                 const char *font,
                                 double x,
                                 double width,
                                 gboolean draw)
{
  PangoLayout *layout = pango_layout_copy (self->paint.layout);
  int height;

  if (font != NULL)
    {
      PangoFontDescription *description = pango_font_description_from_string (font);
      pango_layout_set_font_description (layout, description);
      pango_font_description_free (description);
    }
  pango_layout_set_width (layout, (int) (width * PANGO_SCALE));
  pango_layout_set_wrap (layout, PANGO_WRAP_WORD_CHAR);
  pango_layout_set_text (layout, text, -1);
  pango_layout_get_size (layout, NULL, &height);
  if (draw)
    {
      cairo_move_to (self->cr, x, self->y);
      pango_cairo_show_layout (self->cr, layout);
      cairo_new_path (self->cr);
    }
  g_object_unref (layout);
  return height / (double) PANGO_SCALE;
}

/**
 * prism_report_sheet_draw_paragraph:
 * @self: pages
 * @text: what to draw
 * @alpha: how dark, 0…1
 *
 * Draws a text over the whole width, and goes on below it.
 */
void
prism_report_sheet_draw_paragraph (PrismReportSheet *self, const char *text, double alpha)
{
  prism_paint_set_font (&self->paint, 1, FALSE);
  prism_report_sheet_make_room (
      self, prism_report_sheet_draw_wrapped (self, text, NULL, MARGIN, WIDTH, FALSE));
  prism_paint_set_alpha (&self->paint, alpha);
  self->y += prism_report_sheet_draw_wrapped (self, text, NULL, MARGIN, WIDTH, TRUE) + 4;
}

/**
 * prism_report_sheet_draw_row:
 * @self: pages
 * @label: of the row
 * @cells: (array length=n_cells): one text for each
 * @marked: (nullable) (array length=n_cells): which are bold
 * @n_cells: how many
 *
 * Draws a row of a table.
 */
void
prism_report_sheet_draw_row (
    PrismReportSheet *self, const char *label, char **cells, const gboolean *marked, guint n_cells)
{
  double cell_width = (WIDTH - LABEL_WIDTH) / n_cells;
  double height
      = prism_report_sheet_draw_wrapped (self, label, NULL, 0, LABEL_WIDTH - CELL_GAP, FALSE);

  for (guint i = 0; i < n_cells; i++)
    height = MAX (height, prism_report_sheet_draw_wrapped (self, cells[i], NULL, 0,
                                                           cell_width - CELL_GAP, FALSE));
  prism_report_sheet_make_room (self, height);
  prism_paint_set_font (&self->paint, 1, FALSE);
  prism_paint_set_alpha (&self->paint, 0.7);
  prism_report_sheet_draw_wrapped (self, label, NULL, MARGIN, LABEL_WIDTH - CELL_GAP, TRUE);
  for (guint i = 0; i < n_cells; i++)
    {
      prism_paint_set_font (&self->paint, 1, marked != NULL && marked[i]);
      prism_paint_set_alpha (&self->paint, 1);
      prism_report_sheet_draw_wrapped (self, cells[i], NULL, MARGIN + LABEL_WIDTH + i * cell_width,
                                       cell_width - CELL_GAP, TRUE);
    }
  prism_paint_set_font (&self->paint, 1, FALSE);
  self->y += height + 2;
}

/**
 * prism_report_sheet_draw_rule:
 * @self: pages
 *
 * Draws a line over the whole width.
 */
void
prism_report_sheet_draw_rule (PrismReportSheet *self)
{
  cairo_move_to (self->cr, MARGIN, self->y);
  cairo_rel_line_to (self->cr, WIDTH, 0);
  cairo_set_line_width (self->cr, 0.5);
  prism_paint_set_alpha (&self->paint, 0.4);
  cairo_stroke (self->cr);
  self->y += 3;
}

/**
 * prism_report_sheet_begin:
 * @self: (out): pages, all else zero
 * @title: of the file; stays
 *
 * Begins the first page.
 */
void
prism_report_sheet_begin (PrismReportSheet *self, const char *title)
{
  self->title = title;
  self->y = MARGIN;
  self->page = 1;
  self->bytes = g_byte_array_new ();
  self->surface = cairo_pdf_surface_create_for_stream (prism_byte_sink_write, self->bytes,
                                                       PAGE_WIDTH, PAGE_HEIGHT);
  cairo_pdf_surface_set_metadata (self->surface, CAIRO_PDF_METADATA_CREATOR,
                                  "PRISM Studio " PRISM_VERSION);
  cairo_pdf_surface_set_metadata (self->surface, CAIRO_PDF_METADATA_TITLE, title);
  self->cr = cairo_create (self->surface);
  prism_paint_init_figure (&self->paint, self->cr, FALSE);
}

/**
 * prism_report_sheet_end:
 * @self: pages
 * @drawn: whether all was drawn; where not, there is an error already
 * @error: return location
 *
 * Ends the last page and frees what the pages hold.
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the file
 */
GBytes *
prism_report_sheet_end (PrismReportSheet *self, gboolean drawn, GError **error)
{
  cairo_status_t status;

  if (drawn)
    finish_page (self);
  prism_paint_finish (&self->paint);
  cairo_destroy (self->cr);
  cairo_surface_finish (self->surface);
  status = cairo_surface_status (self->surface);
  cairo_surface_destroy (self->surface);
  if (drawn && status == CAIRO_STATUS_SUCCESS)
    return g_byte_array_free_to_bytes (self->bytes);

  g_byte_array_unref (self->bytes);
  if (drawn)
    g_set_error (error, PRISM_ERROR, PRISM_ERROR_MEMORY,
                 _ ("The report could not be made: %s. Report on fewer runs."),
                 cairo_status_to_string (status));
  return NULL;
}
