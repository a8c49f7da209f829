#include "config.h"

#include "prism-document.h"

#include "base/prism-each.h"
#include "base/prism-error.h"
#include "base/prism-number.h"
#include "model/prism-verdict.h"
#include "prism-picture.h"
#include "prism-report-figure.h"
#include "prism-scale.h"

#include <cairo-svg.h>

/* The list of blocks, and the page of HTML that is made of it; prism-document-pages.c
 * makes pages of A4. */

#define CHART_HEIGHT 200
#define RASTER 2        /* pixels a point of what is pixels */
#define POINT (4.0 / 3) /* px of a screen */

static const char style[]
    = ":root{color-scheme:light dark;--page:#fff;--text:#1e1e1e;--dim:#5e5c64;--line:#d5d0cc;"
      "--mark:#1a5fb4;--box:#f6f5f4;--good:#1b7a4b;--care:#8a5a00;--bad:#b5121d}\n"
      "@media (prefers-color-scheme:dark){:root{--page:#1e1e1e;--text:#eeeeec;--dim:#b5b3bd;"
      "--line:#4a4a4f;--mark:#99c1f1;--box:#2b2b2e;--good:#8ff0a4;--care:#f8e45c;--bad:#ff7b63}}\n"
      "body{font:15px/1.45 system-ui,Cantarell,sans-serif;margin:2rem auto;max-width:72rem;"
      "padding:0 1rem;background:var(--page);color:var(--text)}\n"
      "h1{font-size:1.7rem;margin:0}h2{font-size:1.2rem;margin:2.2rem 0 .6rem;"
      "border-bottom:1px solid var(--line)}\n"
      ".dim{color:var(--dim)}\n"
      ".success{color:var(--good)}.warning{color:var(--care)}.error{color:var(--bad)}\n"
      ".wide{overflow-x:auto}\n"
      "table{border-collapse:collapse;font-variant-numeric:tabular-nums}\n"
      "th,td{padding:.2rem .8rem .2rem 0;text-align:left;vertical-align:top}\n"
      "thead th{border-bottom:1px solid var(--line)}tbody th{font-weight:normal;"
      "color:var(--dim)}\n"
      "tr.group th{padding-top:.8rem;color:var(--text);font-weight:600}\n"
      "td.changed{color:var(--mark);font-weight:600}\n"
      "td.changed::before{content:'● '}\n"
      ".row{display:flex;flex-wrap:wrap;gap:1rem;align-items:flex-start}\n"
      "figure{margin:0;max-width:100%}img{max-width:100%;height:auto;display:block}\n"
      ".pixels{width:100%;image-rendering:pixelated;border:1px solid var(--line)}\n"
      "figcaption{font-size:.9rem}\n"
      ".scale{border-top:3px solid var(--text);margin:.3rem 0 0;font-size:.8rem;"
      "line-height:1.3;white-space:nowrap}\n"
      "pre{background:var(--box);padding:.7rem;border-radius:.4rem;white-space:pre-wrap;"
      "overflow-wrap:anywhere}\n"
      "@media print{body{max-width:none;margin:0}h2{break-after:avoid}figure,tr{break-inside:"
      "avoid}}\n";

PRISM_FREE (PrismDocumentRow, row_free, g_free, label, g_free, key, g_strfreev, cells)

static void
block_free (gpointer data)
{
  PrismBlock *block = data;
  PrismDocumentFigure *figure = &block->figure;

  g_free (block->text);
  g_strfreev (block->heads);
  g_clear_pointer (&block->rows, g_ptr_array_unref);
  g_clear_pointer (&figure->image, prism_image_unref);
  g_clear_pointer (&figure->reference, prism_image_unref);
  if (figure->destroy != NULL)
    figure->destroy (figure->subject);
  g_free ((char *) figure->description);
  g_free ((char *) figure->caption);
  g_free ((char *) figure->scale);
  g_free (block);
}

static PrismBlock *
add (PrismDocument *self,
     PrismBlockKind kind,
     const char *text)
{
  PrismBlock *block = g_new0 (PrismBlock, 1);

  block->kind = kind;
  block->text = g_strdup (text);
  g_ptr_array_add (self->blocks, block);
  return block;
}

/**
 * prism_document_new:
 * @title: of the document
 * @summary: a line below it
 *
 * Returns: (transfer full): a document without blocks
 */
PrismDocument *
prism_document_new (const char *title,
                    const char *summary)
{
  PrismDocument *self = g_new0 (PrismDocument, 1);

  self->title = g_strdup (title);
  self->summary = g_strdup (summary);
  self->blocks = g_ptr_array_new_with_free_func (block_free);
  return self;
}

/**
 * prism_document_free:
 * @self: (nullable): a document
 *
 * Frees it.
 */
PRISM_FREE_FOR_ALL (PrismDocument,
                    prism_document_free,
                    g_free,
                    title,
                    g_free,
                    summary,
                    g_ptr_array_unref,
                    blocks)

/**
 * prism_document_add_heading:
 * @text: what the blocks below it are about
 *
 * Adds a heading; it stays with what follows.
 */
void
prism_document_add_heading (PrismDocument *self,
                            const char *text)
{
  add (self, PRISM_BLOCK_HEADING, text);
}

/**
 * prism_document_add_text:
 * @style: how it looks
 * @text: (nullable): nothing is added without
 *
 * Adds a paragraph.
 */
void
prism_document_add_text (PrismDocument *self,
                         PrismTextStyle style,
                         const char *text)
{
  if (text != NULL && text[0] != '\0')
    add (self, PRISM_BLOCK_TEXT, text)->style = style;
}

/**
 * prism_document_add_table:
 * @heads: (nullable) (transfer full): of the columns after the first
 *
 * Begins a table; rows are added to it until another block comes.
 */
void
prism_document_add_table (PrismDocument *self,
                          GStrv heads)
{
  PrismBlock *block = add (self, PRISM_BLOCK_TABLE, NULL);

  block->heads = heads;
  block->rows = g_ptr_array_new_with_free_func (row_free);
}

/**
 * prism_document_add_row:
 * @label: of the row
 * @key: (nullable): what programs call it
 * @cells: (nullable) (transfer full): one for each head; one that begins with PRISM_DOCUMENT_MARK
 *   stands out. Without cells the row is the title of those below it
 *
 * Adds a row to the table that was begun last.
 */
void
prism_document_add_row (PrismDocument *self,
                        const char *label,
                        const char *key,
                        GStrv cells)
{
  PrismBlock *block = g_ptr_array_index (self->blocks, self->blocks->len - 1);
  const PrismDocumentRow row = { g_strdup (label), g_strdup (key), cells };

  g_return_if_fail (block->kind == PRISM_BLOCK_TABLE);
  for (GStrv cell = cells; cell != NULL && *cell != NULL; cell++)
    *cell = prism_ticks_take_minus (*cell);
  g_ptr_array_add (block->rows, g_memdup2 (&row, sizeof row));
}

/**
 * prism_document_add_fact:
 * @label: of the row
 * @text: (transfer full): its only cell
 *
 * Adds a row to a table of two columns.
 */
void
prism_document_add_fact (PrismDocument *self,
                         const char *label,
                         char *text)
{
  GStrv cells = g_new0 (char *, 2);

  cells[0] = text;
  prism_document_add_row (self, label, NULL, cells);
}

/**
 * prism_document_add_figure:
 * @figure: texts and mappings are copied, images are held, the subject is taken over
 *
 * Adds a figure.
 */
void
prism_document_add_figure (PrismDocument *self,
                           const PrismDocumentFigure *figure)
{
  PrismBlock *block = add (self, PRISM_BLOCK_FIGURE, NULL);
  PrismDocumentFigure *own = &block->figure;

  *own = *figure;
  if (own->image != NULL)
    prism_image_ref (own->image);
  if (own->reference != NULL)
    prism_image_ref (own->reference);
  if (own->mapping != NULL)
    {
      block->mapping = *own->mapping;
      own->mapping = &block->mapping;
    }
  if (own->bar != NULL)
    {
      block->bar = *own->bar;
      own->bar = &block->bar;
    }
  own->description = g_strdup (own->description != NULL ? own->description : own->caption);
  own->caption = g_strdup (own->caption);
  own->scale = g_strdup (own->scale);
}

static gboolean
draw_chart (PrismPaint *paint,
            gconstpointer subject,
            double width,
            double height,
            GError **error)
{
  prism_chart_draw_figure ((PrismChartData *) subject, paint, width, height);
  return TRUE;
}

/**
 * prism_document_add_map:
 * @data: (transfer full): title, axes, curves and items
 * @width: in points
 * @height: in points
 * @caption: (nullable): below it
 *
 * Adds a chart beside others.
 */
void
prism_document_add_map (PrismDocument *self,
                        PrismChartData *data,
                        double width,
                        double height,
                        const char *caption)
{
  const PrismDocumentFigure figure
      = { .draw = draw_chart,
          .subject = data,
          .destroy = (GDestroyNotify) prism_chart_data_free,
          .width = width,
          .height = height,
          .description = data->description != NULL ? data->description : data->title,
          .caption = caption };

  prism_document_add_figure (self, &figure);
}

/**
 * prism_document_add_chart:
 * @data: (transfer full): title, axes and curves
 *
 * Adds a chart as wide as the page.
 */
void
prism_document_add_chart (PrismDocument *self,
                          PrismChartData *data)
{
  prism_document_add_map (self, data, PRISM_DOCUMENT_WIDTH, CHART_HEIGHT, NULL);
}

/* HTML 5 and well-formed XML alike, without script, in one file. */

static void
append (GString *html,
        const char *begin,
        const char *text,
        const char *end)
{
  g_autofree char *escaped = g_markup_escape_text (text, -1);

  g_string_append (html, begin);
  g_string_append (html, escaped);
  g_string_append (html, end);
}

static void
append_data (GString *html,
             const char *type,
             const GByteArray *bytes)
{
  g_autofree char *text = g_base64_encode (bytes->data, bytes->len);

  g_string_append_printf (html, "data:%s;base64,", type);
  g_string_append (html, text);
}

static gboolean
append_png (GString *html,
            cairo_surface_t *surface,
            const PrismDocumentFigure *figure,
            GError **error)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  const cairo_status_t status
      = cairo_surface_write_to_png_stream (surface, prism_byte_sink_write, bytes);

  if (status != CAIRO_STATUS_SUCCESS)
    return prism_error_memory (
        error,
        _ ("A picture of the report could not be made: %s. Close other programs and try "
           "again."),
        cairo_status_to_string (status));
  g_string_append (html, "<img class=\"pixels\" src=\"");
  append_data (html, "image/png", bytes);
  append (html, "\" alt=\"", figure->description, "\"/>\n");
  return TRUE;
}

/**
 * prism_document_draw_figure:
 * @width: in points
 * @height: in points
 *
 * Paints an image, or calls what draws.
 *
 * Errors: PRISM_ERROR_MEMORY, and those of what draws.
 *
 * Returns: whether it is there
 */
gboolean
prism_document_draw_figure (PrismPaint *paint,
                            const PrismDocumentFigure *figure,
                            double width,
                            double height,
                            GError **error)
{
  if (figure->image != NULL)
    return prism_report_figure_draw_image (paint, figure->image, figure->reference, figure->mapping,
                                           width, height, error);
  return figure->draw (paint, figure->subject, width, height, error);
}

static gboolean
draw_bar (PrismPaint *paint,
          gconstpointer subject,
          double width,
          double height,
          GError **error)
{
  prism_color_bar_draw (paint, subject, 1, 6, 10, height - 12);
  return TRUE;
}

static gboolean
append_svg (GString *html,
            const PrismDocumentFigure *figure,
            gboolean dark,
            GError **error)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  cairo_surface_t *surface = cairo_svg_surface_create_for_stream (prism_byte_sink_write, bytes,
                                                                  figure->width, figure->height);
  cairo_t *cr = cairo_create (surface);
  PrismPaint paint;
  gboolean drawn;

  prism_paint_init_figure (&paint, cr, dark);
  drawn = prism_document_draw_figure (&paint, figure, figure->width, figure->height, error);
  prism_paint_finish (&paint);
  cairo_destroy (cr);
  cairo_surface_finish (surface);
  cairo_surface_destroy (surface);
  append_data (html, "image/svg+xml", bytes);
  return drawn;
}

/* Two drawings, of which the reader's theme chooses one. As images of their own they share no
 * names. */
static gboolean
append_drawing (GString *html,
                const PrismDocumentFigure *figure,
                GError **error)
{
  g_string_append (html, "<picture><source media=\"(prefers-color-scheme: dark)\" srcset=\"");
  if (!append_svg (html, figure, TRUE, error))
    return FALSE;
  g_string_append (html, "\"/><img src=\"");
  if (!append_svg (html, figure, FALSE, error))
    return FALSE;
  g_string_append_printf (html, "\" width=\"%.0f\" height=\"%.0f\"", POINT * figure->width,
                          POINT * figure->height);
  append (html, " alt=\"", figure->description, "\"/></picture>\n");
  return TRUE;
}

static gboolean
append_pixels (GString *html,
               const PrismDocumentFigure *figure,
               GError **error)
{
  g_autoptr (PrismPicture) picture = NULL;
  cairo_surface_t *surface;
  PrismPaint paint;
  gboolean good;

  if (figure->image != NULL)
    {
      picture = prism_picture_new (figure->image, figure->reference, figure->mapping, error);
      return picture != NULL && append_png (html, picture->surface, figure, error);
    }
  surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, (int) (RASTER * figure->width),
                                        (int) (RASTER * figure->height));
  cairo_surface_set_device_scale (surface, RASTER, RASTER);
  prism_paint_init_figure (&paint, cairo_create (surface), TRUE);
  good = prism_document_draw_figure (&paint, figure, figure->width, figure->height, error);
  cairo_destroy (paint.cr);
  prism_paint_finish (&paint);
  good = good && append_png (html, surface, figure, error);
  cairo_surface_destroy (surface);
  return good;
}

static gboolean
append_figure (GString *html,
               const PrismDocumentFigure *figure,
               GError **error)
{
  const PrismDocumentFigure bar = { .draw = draw_bar,
                                    .subject = (gpointer) figure->bar,
                                    .width = PRISM_DOCUMENT_BAR,
                                    .height = 150,
                                    .description = _ ("Colour bar") };
  const gboolean is_pixels = figure->image != NULL || figure->dark;

  if (is_pixels)
    g_string_append_printf (html, "<figure style=\"width:%.0fpx\">", 1.4 * POINT * figure->width);
  else
    g_string_append (html, "<figure>");
  if (!(is_pixels ? append_pixels (html, figure, error) : append_drawing (html, figure, error)))
    return FALSE;
  if (figure->scale != NULL)
    {
      /* A comma would be no number to the page. */
      g_string_append_printf (html, "<div class=\"scale\" style=\"width:%s%%\">",
                              prism_digits ("%.4g", 100 * figure->scale_share));
      append (html, "", figure->scale, "</div>\n");
    }
  if (figure->caption != NULL)
    append (html, "<figcaption>", figure->caption, "</figcaption>");
  g_string_append (html, "</figure>\n");
  if (figure->bar == NULL)
    return TRUE;
  g_string_append (html, "<div>");
  append_drawing (html, &bar, NULL);
  g_string_append (html, "</div>\n");
  return TRUE;
}

/* Each line in the colour of its sign, if it has one. */
static void
append_signed (GString *html,
               const char *begin,
               const char *text,
               const char *end)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);

  g_string_append (html, begin);
  for (char **line = lines; *line != NULL; line++)
    {
      const char *style = prism_verdict_get_style (*line);

      if (style != NULL)
        g_string_append_printf (html, "<span class=\"%s\">", style);
      append (html, "", *line, style != NULL ? "</span>" : "");
      g_string_append (html, line[1] != NULL ? "\n" : "");
    }
  g_string_append (html, end);
}

static void
append_table (GString *html,
              const PrismBlock *block)
{
  g_string_append (html, "<div class=\"wide\"><table>");
  if (block->heads != NULL)
    {
      g_string_append (html, "<thead><tr><th></th>");
      PRISM_FOR_EACH_STRING (head, block->heads)
        append (html, "<th>", *head, "</th>");
      g_string_append (html, "</tr></thead>");
    }
  g_string_append (html, "<tbody>\n");
  PRISM_FOR_EACH_POINTER (const PrismDocumentRow, row, block->rows)
    {
      if (row->cells == NULL)
        {
          g_string_append_printf (html, "<tr class=\"group\"><th colspan=\"%u\">",
                                  g_strv_length (block->heads) + 1);
          append (html, "", row->label, "</th></tr>\n");
          continue;
        }
      append (html, "<tr><th>", row->label, "");
      if (row->key != NULL)
        append (html, " <code>", row->key, "</code>");
      g_string_append (html, "</th>");
      PRISM_FOR_EACH_STRING (cell, row->cells)
        if (g_str_has_prefix (*cell, PRISM_DOCUMENT_MARK))
          append (html, "<td class=\"changed\">", *cell + strlen (PRISM_DOCUMENT_MARK), "</td>");
        else
          append_signed (html, "<td>", *cell, "</td>");
      g_string_append (html, "</tr>\n");
    }
  g_string_append (html, "</tbody></table></div>\n");
}

/**
 * prism_document_dup_html:
 * @error: return location
 *
 * Writes a page that needs no other file and no network, and has no script.
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the page
 */
char *
prism_document_dup_html (const PrismDocument *self,
                         GError **error)
{
  static const char *const texts[][2] = { { "<p>", "</p>\n" },
                                          { "<p><b>", "</b></p>\n" },
                                          { "<p class=\"dim\">", "</p>\n" },
                                          { "<pre>", "</pre>\n" } };
  g_autoptr (GString) html = g_string_new ("<!DOCTYPE html>\n");
  gboolean beside = FALSE;

  /* TRANSLATORS: the code of your language, as “de”: a reader of the screen pronounces it. */
  g_string_append_printf (html, "<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"%s\">\n",
                          _ ("en"));
  g_string_append (html, "<head>\n<meta charset=\"utf-8\"/>\n"
                         "<meta name=\"viewport\" content=\"width=device-width\"/>\n");
  append (html, "<title>", self->title, "</title>\n");
  g_string_append_printf (html, "<style>\n%s</style>\n</head>\n<body>\n", style);
  append (html, "<h1>", self->title, "</h1>\n");
  append (html, "<p class=\"dim\">", self->summary, "</p>\n");
  PRISM_FOR_EACH_POINTER (const PrismBlock, block, self->blocks)
    {
      if (beside != (block->kind == PRISM_BLOCK_FIGURE))
        g_string_append (html, beside ? "</div>\n" : "<div class=\"row\">\n");
      beside = block->kind == PRISM_BLOCK_FIGURE;
      if (block->kind == PRISM_BLOCK_HEADING)
        append (html, "<h2>", block->text, "</h2>\n");
      else if (block->kind == PRISM_BLOCK_TEXT)
        append_signed (html, texts[block->style][0], block->text, texts[block->style][1]);
      else if (block->kind == PRISM_BLOCK_TABLE)
        append_table (html, block);
      else if (!append_figure (html, &block->figure, error))
        return NULL;
    }
  g_string_append (html, beside ? "</div>\n</body>\n</html>\n" : "</body>\n</html>\n");
  return g_string_free (g_steal_pointer (&html), FALSE);
}
