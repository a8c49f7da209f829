#include "config.h"

#include "prism-report-page.h"

#include "base/prism-error.h"
#include "prism-byte-sink.h"

#include <cairo-svg.h>
#include <glib/gi18n.h>

static const char style[]
    = ":root{color-scheme:light dark;--page:#fff;--text:#1e1e1e;--dim:#5e5c64;--line:#d5d0cc;"
      "--mark:#1a5fb4;--box:#f6f5f4}\n"
      "@media (prefers-color-scheme:dark){:root{--page:#1e1e1e;--text:#eeeeec;--dim:#b5b3bd;"
      "--line:#4a4a4f;--mark:#99c1f1;--box:#2b2b2e}}\n"
      "body{font:15px/1.45 system-ui,Cantarell,sans-serif;margin:2rem auto;max-width:72rem;"
      "padding:0 1rem;background:var(--page);color:var(--text)}\n"
      "h1{font-size:1.7rem;margin:0}h2{font-size:1.2rem;margin:2.2rem 0 .6rem;"
      "border-bottom:1px solid var(--line)}\n"
      ".dim{color:var(--dim)}\n"
      ".wide{overflow-x:auto}\n"
      "table{border-collapse:collapse;font-variant-numeric:tabular-nums}\n"
      "th,td{padding:.2rem .8rem .2rem 0;text-align:left;vertical-align:top}\n"
      "thead th{border-bottom:1px solid var(--line)}tbody th{font-weight:normal;"
      "color:var(--dim)}\n"
      "tr.group th{padding-top:.8rem;color:var(--text);font-weight:600}\n"
      "td.changed{color:var(--mark);font-weight:600}\n"
      "td.changed::before{content:'● '}\n"
      ".row{display:flex;flex-wrap:wrap;gap:1rem;align-items:flex-start}\n"
      "figure{margin:0;width:16rem}figure img{width:100%;image-rendering:pixelated;"
      "display:block;border:1px solid var(--line)}\n"
      "figcaption{font-size:.9rem}\n"
      ".scale{border-top:3px solid var(--text);margin:.3rem 0 0;font-size:.8rem;"
      "line-height:1.3;white-space:nowrap}\n"
      ".chart img{width:100%;max-width:56rem;height:auto}\n"
      "pre{background:var(--box);padding:.7rem;border-radius:.4rem;white-space:pre-wrap;"
      "overflow-wrap:anywhere}\n"
      "@media print{body{max-width:none;margin:0}h2{break-after:avoid}figure,tr{break-inside:"
      "avoid}}\n";

/**
 * prism_report_page_append:
 * @html: a page
 * @text: what people read
 *
 * Adds a text.
 */
void
prism_report_page_append (GString *html, const char *text)
{
  g_autofree char *escaped = g_markup_escape_text (text, -1);

  g_string_append (html, escaped);
}

/**
 * prism_report_page_append_element:
 * @html: a page
 * @begin: what stands before the text, as HTML
 * @text: what people read
 * @end: what stands after it
 *
 * Adds an element.
 */
void
prism_report_page_append_element (GString *html,
                                  const char *begin,
                                  const char *text,
                                  const char *end)
{
  g_string_append (html, begin);
  prism_report_page_append (html, text);
  g_string_append (html, end);
}

/**
 * prism_report_page_append_data:
 * @html: a page
 * @type: of the bytes
 * @bytes: a picture
 *
 * Adds the address of a picture that is in the page.
 */
void
prism_report_page_append_data (GString *html, const char *type, const GByteArray *bytes)
{
  g_autofree char *text = g_base64_encode (bytes->data, bytes->len);

  g_string_append_printf (html, "data:%s;base64,", type);
  g_string_append (html, text);
}

/**
 * prism_report_page_append_png:
 * @html: a page
 * @surface: a picture
 * @description: what there is to see
 * @error: return location
 *
 * Adds a picture, pixel by pixel.
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: whether it is there
 */
gboolean
prism_report_page_append_png (GString *html,
                              cairo_surface_t *surface,
                              const char *description,
                              GError **error)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  cairo_status_t status = cairo_surface_write_to_png_stream (surface, prism_byte_sink_write, bytes);

  if (status != CAIRO_STATUS_SUCCESS)
    {
      g_set_error (error, PRISM_ERROR, PRISM_ERROR_MEMORY,
                   _ ("A picture of the report could not be made: %s. Close other programs and try "
                      "again."),
                   cairo_status_to_string (status));
      return FALSE;
    }
  g_string_append (html, "<img src=\"");
  prism_report_page_append_data (html, "image/png", bytes);
  prism_report_page_append_element (html, "\" alt=\"", description, "\"/>\n");
  return TRUE;
}

static GByteArray *
draw_svg (PrismReportDraw draw, gconstpointer subject, double width, double height, gboolean dark)
{
  GByteArray *bytes = g_byte_array_new ();
  cairo_surface_t *surface
      = cairo_svg_surface_create_for_stream (prism_byte_sink_write, bytes, width, height);
  cairo_t *cr = cairo_create (surface);
  PrismPaint paint;

  prism_paint_init_figure (&paint, cr, dark);
  draw (&paint, subject, width, height);
  prism_paint_finish (&paint);
  cairo_destroy (cr);
  cairo_surface_finish (surface);
  cairo_surface_destroy (surface);
  return bytes;
}

/**
 * prism_report_page_append_drawing:
 * @html: a page
 * @draw: draws it
 * @subject: for @draw
 * @width: in points
 * @height: in points
 * @description: what there is to see
 *
 * Adds two drawings, of which the reader's theme chooses one. As images of their own they share no
 * names.
 */
void
prism_report_page_append_drawing (GString *html,
                                  PrismReportDraw draw,
                                  gconstpointer subject,
                                  double width,
                                  double height,
                                  const char *description)
{
  g_autoptr (GByteArray) light = draw_svg (draw, subject, width, height, FALSE);
  g_autoptr (GByteArray) dark = draw_svg (draw, subject, width, height, TRUE);

  g_string_append (html, "<picture><source media=\"(prefers-color-scheme: dark)\" srcset=\"");
  prism_report_page_append_data (html, "image/svg+xml", dark);
  g_string_append (html, "\"/><img src=\"");
  prism_report_page_append_data (html, "image/svg+xml", light);
  g_string_append_printf (html, "\" width=\"%.0f\" height=\"%.0f\"", width, height);
  prism_report_page_append_element (html, " alt=\"", description, "\"/></picture>\n");
}

/**
 * prism_report_page_new:
 * @title: of the page
 * @summary: a line below it
 *
 * Returns: (transfer full): a page of HTML 5 up to where its sections begin
 */
GString *
prism_report_page_new (const char *title, const char *summary)
{
  GString *html = g_string_new ("<!DOCTYPE html>\n");

  /* TRANSLATORS: the code of your language, as “de”: a reader of the screen pronounces it. */
  g_string_append_printf (html, "<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"%s\">\n",
                          _ ("en"));
  g_string_append (html, "<head>\n"
                         "<meta charset=\"utf-8\"/>\n"
                         "<meta name=\"viewport\" content=\"width=device-width\"/>\n");
  prism_report_page_append_element (html, "<title>", title, "</title>\n");
  g_string_append_printf (html, "<style>\n%s</style>\n</head>\n<body>\n", style);
  prism_report_page_append_element (html, "<h1>", title, "</h1>\n");
  prism_report_page_append_element (html, "<p class=\"dim\">", summary, "</p>\n");
  return html;
}

/**
 * prism_report_page_finish:
 * @html: (transfer full): a page with its sections
 *
 * Returns: (transfer full): the whole page
 */
char *
prism_report_page_finish (GString *html)
{
  g_string_append (html, "</body>\n</html>\n");
  return g_string_free (html, FALSE);
}
