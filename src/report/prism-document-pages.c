#include "config.h"

#include "base/prism-each.h"
#include "prism-document.h"

#include "base/prism-error.h"
#include "base/prism-file.h"
#include "prism-scale.h"

#include <cairo-pdf.h>

#define WIDTH PRISM_DOCUMENT_WIDTH
#define PAGE_WIDTH 595.28
#define PAGE_HEIGHT 841.89
#define MARGIN (0.5 * (PAGE_WIDTH - WIDTH))
#define BOTTOM (PAGE_HEIGHT - MARGIN)
#define LABEL_WIDTH 168
#define CELL_GAP 6
#define FIGURE_GAP 10
#define TABLE_COLUMNS 4     /* side by side on a page; what is more comes in another table below */
#define TABLE_BEGINNING 100 /* names of columns in some lines, a group and its first row */
#define MONO_FONT "Monospace 7.5px"

/* Pages of A4, from top to bottom. */

typedef struct
{
  const char *title; /* at the foot of each page */
  cairo_t *cr;
  PrismPaint paint;
  double y; /* where the next thing comes */
  int page;
} Sheet;

static void
finish_page (Sheet *self)
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

static void
make_room (Sheet *self,
           double height)
{
  if (self->y + height > BOTTOM && self->y > MARGIN)
    finish_page (self);
}

/* In as many lines as it needs. Returns the height; draws nothing where alpha is 0. */
static double
draw_wrapped (Sheet *self,
              const char *text,
              double x,
              double width,
              double alpha)
{
  prism_paint_set_alpha (&self->paint, alpha);
  return prism_paint_draw_wrapped (&self->paint, text, x, self->y, width, alpha > 0);
}

/* Returns the height; draws nothing where alpha is 0. */
static double
draw_text (Sheet *self,
           const PrismBlock *block,
           double alpha)
{
  PangoFontDescription *mono = pango_font_description_from_string (MONO_FONT);
  double height;

  prism_paint_set_font (&self->paint, 1, block->style == PRISM_TEXT_BOLD);
  if (block->style == PRISM_TEXT_COMMAND)
    pango_layout_set_font_description (self->paint.layout, mono);
  pango_font_description_free (mono);
  height = draw_wrapped (self, block->text, MARGIN, WIDTH,
                         block->style == PRISM_TEXT_DIM ? 0.7 * alpha : alpha);
  prism_paint_set_font (&self->paint, 1, FALSE);
  return height + 4;
}

/* cells: from the first of n; bold: all of them. */
static void
draw_row (Sheet *self,
          const char *label,
          char **cells,
          guint n,
          gboolean bold)
{
  const double width = n > 0 ? (WIDTH - LABEL_WIDTH) / n : 0;
  const double label_width = n > 0 ? LABEL_WIDTH - CELL_GAP : WIDTH;
  double height;

  prism_paint_set_font (&self->paint, 1, bold);
  height = draw_wrapped (self, label, 0, label_width, 0);
  for (guint i = 0; i < n; i++)
    height = fmax (height, draw_wrapped (self, cells[i], 0, width - CELL_GAP, 0));
  make_room (self, height);
  draw_wrapped (self, label, MARGIN, label_width, bold ? 1 : 0.7);
  for (guint i = 0; i < n; i++)
    {
      const gboolean marked = g_str_has_prefix (cells[i], PRISM_DOCUMENT_MARK);

      prism_paint_set_font (&self->paint, 1, bold || marked);
      draw_wrapped (self, cells[i], MARGIN + LABEL_WIDTH + i * width, width - CELL_GAP, 1);
    }
  prism_paint_set_font (&self->paint, 1, FALSE);
  self->y += height + 2;
}

/* One table after the other, each with a few of the columns. */
static void
draw_table (Sheet *self,
            const PrismBlock *block)
{
  const guint n_columns = block->heads != NULL ? g_strv_length (block->heads) : 1;

  for (guint first = 0; first < n_columns; first += TABLE_COLUMNS)
    {
      const guint n = MIN (TABLE_COLUMNS, n_columns - first);

      make_room (self, TABLE_BEGINNING);
      if (block->heads != NULL)
        {
          draw_row (self, "", block->heads + first, n, TRUE);
          cairo_move_to (self->cr, MARGIN, self->y);
          cairo_rel_line_to (self->cr, WIDTH, 0);
          cairo_set_line_width (self->cr, 0.5);
          prism_paint_set_alpha (&self->paint, 0.4);
          cairo_stroke (self->cr);
          self->y += 3;
        }
      PRISM_FOR_EACH_POINTER (const PrismDocumentRow, row, block->rows)
        {
          g_autofree char *label
              = row->key != NULL ? g_strdup_printf ("%s (%s)", row->label, row->key) : NULL;

          draw_row (self, label != NULL ? label : row->label,
                    row->cells != NULL ? row->cells + first : NULL, row->cells != NULL ? n : 0,
                    row->cells == NULL);
        }
      self->y += 8;
    }
}

static double
get_room (const PrismDocumentFigure *figure)
{
  return figure->width + (figure->bar != NULL ? PRISM_DOCUMENT_BAR : 0);
}

static gboolean
place_figure (Sheet *self,
              const PrismDocumentFigure *figure,
              double x,
              GError **error)
{
  const double top = self->y;
  gboolean good;

  cairo_save (self->cr);
  cairo_translate (self->cr, x, top);
  good = prism_document_draw_figure (&self->paint, figure, figure->width, figure->height, error);
  cairo_restore (self->cr);
  cairo_new_path (self->cr);
  prism_paint_set_font (&self->paint, 0.85, FALSE);
  if (figure->bar != NULL)
    prism_color_bar_draw (&self->paint, figure->bar, x + figure->width + 6, top, 8, figure->height);
  if (figure->scale != NULL)
    {
      const double length = figure->scale_share * figure->width;

      cairo_rectangle (self->cr, x, top + figure->height + 4, length, 2);
      prism_paint_set_alpha (&self->paint, 0.9);
      cairo_fill (self->cr);
      prism_paint_draw_text (&self->paint, figure->scale, x + length + 4, top + figure->height + 5,
                             0, 0.5);
    }
  prism_paint_set_font (&self->paint, 1, FALSE);
  self->y = top + figure->height + (figure->scale != NULL ? 11 : 3);
  if (figure->caption != NULL)
    draw_wrapped (self, figure->caption, x, get_room (figure), 0.9);
  self->y = top;
  return good;
}

/* How many figures from the first one have room beside each other. height: (out): of the highest */
static guint
measure_line (Sheet *self,
              const PrismDocument *document,
              guint first,
              double *height)
{
  double x = 0;
  guint n = 0;

  *height = 0;
  for (; first + n < document->blocks->len; n++)
    {
      const PrismBlock *block = g_ptr_array_index (document->blocks, first + n);
      const PrismDocumentFigure *figure = &block->figure;
      double below = 0;

      if (block->kind != PRISM_BLOCK_FIGURE || (n > 0 && x + get_room (figure) > WIDTH))
        break;
      if (figure->caption != NULL)
        below = draw_wrapped (self, figure->caption, 0, get_room (figure), 0);
      *height = MAX (*height, figure->height + (figure->scale != NULL ? 11 : 3) + below + 8);
      x += get_room (figure) + FIGURE_GAP;
    }
  return n;
}

/* Returns: how many blocks were drawn; 0 after an error */
static guint
draw_line (Sheet *self,
           const PrismDocument *document,
           guint first,
           GError **error)
{
  double x = MARGIN, height;
  const guint n = measure_line (self, document, first, &height);

  for (guint i = first; i < first + n; i++)
    {
      const PrismBlock *block = g_ptr_array_index (document->blocks, i);

      if (!place_figure (self, &block->figure, x, error))
        return 0;
      x += get_room (&block->figure) + FIGURE_GAP;
    }
  self->y += height;
  return n;
}

/* What has to have room on a page for a block to begin there. A heading stays with what follows,
 * and so do a name and a remark: the line of figures below it, or the first rows of a table. */
static double
measure_beginning (Sheet *self,
                   const PrismDocument *document,
                   guint i)
{
  const PrismBlock *block = i < document->blocks->len ? g_ptr_array_index (document->blocks, i)
                                                      : NULL;
  double height;

  if (block == NULL || block->kind == PRISM_BLOCK_TABLE)
    return block == NULL ? 0 : TABLE_BEGINNING;
  if (block->kind == PRISM_BLOCK_FIGURE)
    {
      measure_line (self, document, i, &height);
      return height;
    }
  height = (block->kind == PRISM_BLOCK_HEADING ? 20 : 0) + draw_text (self, block, 0);
  if (block->kind == PRISM_BLOCK_TEXT && block->style != PRISM_TEXT_BOLD
      && block->style != PRISM_TEXT_DIM)
    return height;
  return height + measure_beginning (self, document, i + 1);
}

static gboolean
draw_all (Sheet *self,
          const PrismDocument *document,
          GError **error)
{
  const PrismBlock summary
      = { .kind = PRISM_BLOCK_TEXT, .style = PRISM_TEXT_DIM, .text = (char *) document->summary };
  guint n;

  prism_paint_set_font (&self->paint, 2, TRUE);
  self->y += draw_wrapped (self, document->title, MARGIN, WIDTH, 1) + 4;
  self->y += draw_text (self, &summary, 1);
  for (guint i = 0; i < document->blocks->len; i += n)
    {
      const PrismBlock *block = g_ptr_array_index (document->blocks, i);

      n = 1;
      make_room (self, measure_beginning (self, document, i));
      if (block->kind == PRISM_BLOCK_HEADING)
        {
          self->y += self->y > MARGIN ? 12 : 0;
          prism_paint_set_font (&self->paint, 1.35, TRUE);
          self->y += fmax (20, draw_wrapped (self, block->text, MARGIN, WIDTH, 1));
          prism_paint_set_font (&self->paint, 1, FALSE);
        }
      else if (block->kind == PRISM_BLOCK_TEXT)
        self->y += draw_text (self, block, 1);
      else if (block->kind == PRISM_BLOCK_TABLE)
        draw_table (self, block);
      else if ((n = draw_line (self, document, i, error)) == 0)
        return FALSE;
    }
  finish_page (self);
  return TRUE;
}

static GBytes *
dup_pdf (const PrismDocument *self,
         GError **error)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  cairo_surface_t *surface = cairo_pdf_surface_create_for_stream (prism_byte_sink_write, bytes,
                                                                  PAGE_WIDTH, PAGE_HEIGHT);
  Sheet sheet = { .title = self->title, .cr = cairo_create (surface), .y = MARGIN, .page = 1 };
  cairo_status_t status;
  gboolean drawn;

  cairo_pdf_surface_set_metadata (surface, CAIRO_PDF_METADATA_CREATOR,
                                  "PRISM Studio " PRISM_VERSION);
  cairo_pdf_surface_set_metadata (surface, CAIRO_PDF_METADATA_TITLE, self->title);
  prism_paint_init_figure (&sheet.paint, sheet.cr, FALSE);
  drawn = draw_all (&sheet, self, error);
  prism_paint_finish (&sheet.paint);
  cairo_destroy (sheet.cr);
  cairo_surface_finish (surface);
  status = cairo_surface_status (surface);
  cairo_surface_destroy (surface);
  if (drawn && status == CAIRO_STATUS_SUCCESS)
    return g_byte_array_free_to_bytes (g_steal_pointer (&bytes));
  if (drawn)
    prism_error_memory (error, _ ("The report could not be made: %s. Report on fewer runs."),
                        cairo_status_to_string (status));
  return NULL;
}

/**
 * prism_document_save:
 * @path: a name that ends in .pdf, or that of a page of HTML
 * @error: return location
 *
 * Writes the document.
 *
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_IO.
 *
 * Returns: whether the file is on the disk
 */
gboolean
prism_document_save (const PrismDocument *self,
                     const char *path,
                     GError **error)
{
  g_autofree char *lower = g_ascii_strdown (path, -1);
  g_autofree char *html = NULL;
  g_autoptr (GBytes) pdf = NULL;

  if (g_str_has_suffix (lower, ".pdf"))
    {
      pdf = dup_pdf (self, error);
      return pdf != NULL
             && prism_file_save (path, g_bytes_get_data (pdf, NULL), g_bytes_get_size (pdf), error);
    }
  html = prism_document_dup_html (self, error);
  return html != NULL && prism_file_save (path, html, strlen (html), error);
}
