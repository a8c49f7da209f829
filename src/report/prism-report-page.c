#include "config.h"

#include "prism-report-page.h"

#include "base/prism-error.h"
#include "prism-paint.h"
#include "prism-report-figure.h"
#include "prism-report-private.h"
#include "prism-report-text.h"
#include "prism-scale.h"

#include <cairo-svg.h>
#include <glib/gi18n.h>
#include <string.h>

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

/* In points. */
#define CHART_WIDTH 560
#define CHART_HEIGHT 240
#define BAR_WIDTH 70
#define BAR_HEIGHT 200
#define COVERAGE_SIDE 360
/* Pixels of a picture of k-space per point. */
#define COVERAGE_SCALE 2

static void
draw_chart (PrismPaint *paint, gconstpointer subject, double width, double height)
{
  prism_report_figure_draw_chart (paint, (PrismChartData *) subject, width, height);
}

static void
draw_bar (PrismPaint *paint, gconstpointer subject, double width, double height)
{
  prism_color_bar_draw (paint, subject, 1, 6, 12, height - 12);
}

/* Every pixel of the image, and below it a length to compare with. */
static gboolean
append_image (GString *html,
              PrismImage *image,
              PrismImage *reference,
              const PrismMapping *mapping,
              const char *caption,
              GError **error)
{
  g_autoptr (PrismPicture) picture = NULL;
  double length = prism_report_figure_get_scale (image->width);
  char width[G_ASCII_DTOSTR_BUF_SIZE];

  picture = prism_picture_new (image, reference, mapping, error);
  if (picture == NULL)
    return FALSE;
  g_string_append (html, "<figure>");
  if (!prism_report_page_append_png (html, prism_picture_get_surface (picture, 0), caption, error))
    return FALSE;
  /* A comma would be no number to the page. */
  g_ascii_formatd (width, sizeof width, "%.4g", 100 * length / image->width);
  g_string_append_printf (html, "<div class=\"scale\" style=\"width:%s%%\">%.0f px</div>\n", width,
                          length);
  prism_report_page_append_element (html, "<figcaption>", caption, "</figcaption></figure>\n");
  return TRUE;
}

static void
append_bar (GString *html, const PrismMapping *mapping, const char *description)
{
  g_string_append (html, "<div>");
  prism_report_page_append_drawing (html, draw_bar, mapping, BAR_WIDTH, BAR_HEIGHT, description);
  g_string_append (html, "</div>\n");
}

static void
append_heads (GString *html, const PrismComparison *comparison, const char *first)
{
  prism_report_page_append_element (html, "<div class=\"wide\"><table><thead><tr><th>", first,
                                    "</th>");
  for (guint i = 0; i < comparison->results->len; i++)
    prism_report_page_append_element (html, "<th>",
                                      prism_comparison_get_result (comparison, i)->name, "</th>");
  g_string_append (html, "</tr></thead><tbody>\n");
}

static void
append_results (GString *html, const PrismComparison *comparison)
{
  prism_report_page_append_element (html, "<h2>", _ ("Results"), "</h2>\n");
  append_heads (html, comparison, "");
  for (guint c = 0; c < comparison->columns->len; c++)
    {
      const PrismComparisonColumn *column = prism_comparison_get_column (comparison, c);
      g_autofree char *label = prism_report_dup_label (column);

      prism_report_page_append_element (html, "<tr><th>", label, "</th>");
      for (guint i = 0; i < comparison->results->len; i++)
        {
          g_autofree char *text = prism_comparison_dup_shown_text (
              column, prism_comparison_get_result (comparison, i));
          prism_report_page_append_element (
              html, "<td>", column->numeric || text[0] == '\0' ? text : _ (text), "</td>");
        }
      g_string_append (html, "</tr>\n");
    }
  g_string_append (html, "</tbody></table></div>\n");
}

/* Where the verdict is ambiguous. */
static gboolean
append_second (GString *html,
               const PrismReport *self,
               const PrismSnapshot *snapshot,
               GError **error)
{
  g_string_append (html, "<div class=\"row\">\n");
  if (!append_image (html, snapshot->second, NULL, &self->amplitude, _ ("The other picture"), error)
      || !append_image (html, snapshot->second, snapshot->reconstruction, &self->difference,
                        _ ("The other picture − reconstruction"), error))
    return FALSE;
  g_string_append (html, "</div>\n");
  return TRUE;
}

static gboolean
append_run_images (GString *html,
                   const PrismReport *self,
                   const PrismResult *result,
                   GError **error)
{
  PrismSnapshot *snapshot = result->snapshot;

  if (snapshot->reconstruction == NULL && snapshot->target == NULL)
    return TRUE;
  if (self->comparison->results->len > 1)
    prism_report_page_append_element (html, "<h3>", result->name, "</h3>\n");
  g_string_append (html, "<div class=\"row\">\n");
  if (snapshot->target != NULL
      && !append_image (html, snapshot->target, NULL, &self->amplitude, _ ("Object"), error))
    return FALSE;
  if (snapshot->reconstruction != NULL
      && !append_image (html, snapshot->reconstruction, NULL, &self->amplitude,
                        result->phase != NULL ? _ ("Amplitude") : _ ("Reconstruction"), error))
    return FALSE;
  append_bar (html, &self->amplitude, _ ("Colour bar of the amplitude"));
  if (result->phase != NULL)
    {
      if (!append_image (html, result->phase, NULL, &self->phase,
                         _ ("Phase in rad, ramp taken off"), error))
        return FALSE;
      append_bar (html, &self->phase, _ ("Colour bar of the phase"));
    }
  if (snapshot->target != NULL && snapshot->reconstruction != NULL)
    {
      if (!append_image (html, snapshot->reconstruction, snapshot->target, &self->difference,
                         _ ("Error: reconstruction − object"), error))
        return FALSE;
      append_bar (html, &self->difference, _ ("Colour bar of the error"));
    }
  g_string_append (html, "</div>\n");
  return snapshot->second == NULL || append_second (html, self, snapshot, error);
}

static gboolean
append_images (GString *html, const PrismReport *self, GError **error)
{
  prism_report_page_append_element (html, "<h2>", _ ("Pictures"), "</h2>\n");
  prism_report_page_append_element (
      html, "<p class=\"dim\">",
      _ ("Amplitudes; all objects and reconstructions have one scale, and all errors."), "</p>\n");
  for (guint i = 0; i < self->comparison->results->len; i++)
    if (!append_run_images (html, self, prism_comparison_get_result (self->comparison, i), error))
      return FALSE;
  return TRUE;
}

typedef gboolean (*DrawSquare) (PrismPaint *paint, gconstpointer subject, GError **error);

static gboolean
append_square (GString *html,
               DrawSquare draw,
               gconstpointer subject,
               const char *what,
               const char *caption,
               GError **error)
{
  cairo_surface_t *surface = cairo_image_surface_create (
      CAIRO_FORMAT_RGB24, COVERAGE_SCALE * COVERAGE_SIDE, COVERAGE_SCALE * COVERAGE_SIDE);
  cairo_t *cr;
  PrismPaint paint;
  gboolean good;

  cairo_surface_set_device_scale (surface, COVERAGE_SCALE, COVERAGE_SCALE);
  cr = cairo_create (surface);
  prism_paint_init_figure (&paint, cr, TRUE);
  good = draw (&paint, subject, error);
  prism_paint_finish (&paint);
  cairo_destroy (cr);
  g_string_append (html, "<figure style=\"width:24rem\">");
  good = good && prism_report_page_append_png (html, surface, what, error);
  prism_report_page_append_element (html, "<figcaption>", caption, "</figcaption></figure>\n");
  cairo_surface_destroy (surface);
  return good;
}

static gboolean
draw_marks (PrismPaint *paint, gconstpointer subject, GError **error)
{
  return prism_report_marks_draw (subject, paint, COVERAGE_SIDE, error);
}

static gboolean
draw_coverage (PrismPaint *paint, gconstpointer subject, GError **error)
{
  const PrismResult *result = subject;

  return prism_report_figure_draw_coverage (paint, result->snapshot, COVERAGE_SIDE, error);
}

static gboolean
append_marked_image (GString *html, const PrismReportMarks *marks, GError **error)
{
  gboolean good;

  g_string_append (html, "<div class=\"row\">\n");
  good = append_square (html, draw_marks, marks, _ ("Reconstruction with marks"),
                        marks->result->name, error);
  append_bar (html, &marks->mapping, _ ("Colour bar of the amplitude"));
  g_string_append (html, "</div>\n");
  return good;
}

static void
append_chart (GString *html, const PrismChartData *data)
{
  g_string_append (html, "<p class=\"chart\">");
  prism_report_page_append_drawing (html, draw_chart, data, CHART_WIDTH, CHART_HEIGHT,
                                    data->title);
  g_string_append (html, "</p>\n");
}

static void
append_readings (GString *html, const PrismReportMarks *marks)
{
  gboolean has_target = marks->result->snapshot->target != NULL;

  prism_report_page_append_element (html, "<div class=\"wide\"><table><thead><tr><th>",
                                    _ ("Mark"), "</th>");
  prism_report_page_append_element (html, "<th>", _ ("Reconstruction"), "</th>");
  if (has_target)
    prism_report_page_append_element (html, "<th>", _ ("Object"), "</th>");
  g_string_append (html, "</tr></thead><tbody>\n");
  for (guint i = 0; i < marks->marks->len; i++)
    {
      g_autofree char *name = prism_report_marks_dup_name (marks, i);

      if (name == NULL)
        continue;
      prism_report_page_append_element (html, "<tr><th>", name, "</th>");
      for (int of_target = 0; of_target <= has_target; of_target++)
        {
          g_autofree char *reading = prism_report_marks_dup_reading (marks, i, of_target);

          prism_report_page_append_element (html, "<td>", reading, "</td>");
        }
      g_string_append (html, "</tr>\n");
    }
  g_string_append (html, "</tbody></table></div>\n");
}

static void
append_profiles (GString *html, const PrismReportMarks *marks)
{
  for (guint i = 0; i < marks->marks->len; i++)
    {
      g_autoptr (PrismChartData) data = prism_report_marks_new_chart (marks, i);

      if (data != NULL)
        append_chart (html, data);
    }
}

static gboolean
append_marks (GString *html, const PrismReport *self, GError **error)
{
  gboolean first = TRUE;

  for (guint i = 0; i < self->comparison->results->len; i++)
    {
      g_autoptr (PrismReportMarks) marks = prism_report_marks_new (
          prism_comparison_get_result (self->comparison, i), &self->amplitude);

      if (marks == NULL)
        continue;
      if (first)
        prism_report_page_append_element (html, "<h2>", _ ("Marks"), "</h2>\n");
      first = FALSE;
      if (!append_marked_image (html, marks, error))
        return FALSE;
      append_readings (html, marks);
      append_profiles (html, marks);
    }
  return TRUE;
}

static void
append_curves (GString *html, const PrismReport *self)
{
  prism_report_page_append_element (html, "<h2>", _ ("Curves"), "</h2>\n");
  for (int curves = 0; curves < PRISM_REPORT_N_CURVES; curves++)
    {
      g_autoptr (PrismChartData) data
          = prism_report_curves_new (curves, self->comparison, self->comparison->results->len > 1);

      if (!prism_report_curves_is_empty (data))
        append_chart (html, data);
    }
}

static gboolean
append_coverages (GString *html, const PrismReport *self, GError **error)
{
  prism_report_page_append_element (html, "<h2>", _ ("Coverage of k-space"),
                                    "</h2>\n<div class=\"row\">\n");
  for (guint i = 0; i < self->comparison->results->len; i++)
    {
      const PrismResult *result = prism_comparison_get_result (self->comparison, i);

      if (result->snapshot->coverage_plane != NULL
          && !append_square (html, draw_coverage, result, _ ("Coverage of k-space"), result->name,
                             error))
        return FALSE;
    }
  g_string_append (html, "</div>\n");
  return TRUE;
}

static void
append_setting (GString *html,
                const PrismComparison *comparison,
                const PrismComparisonColumn *setting)
{
  g_autofree char *label = prism_report_dup_label (setting);

  prism_report_page_append_element (html, "<tr><th>", label, " <code>");
  prism_report_page_append_element (html, "", setting->id, "</code></th>");
  for (guint i = 0; i < comparison->results->len; i++)
    {
      gboolean is_default;
      g_autofree char *text = prism_report_dup_setting (prism_comparison_get_result (comparison, i),
                                                        setting, &is_default);
      prism_report_page_append_element (html, is_default ? "<td>" : "<td class=\"changed\">", text,
                                        "</td>");
    }
  g_string_append (html, "</tr>\n");
}

static void
append_settings (GString *html, const PrismComparison *comparison)
{
  g_autoptr (GArray) settings = prism_report_list_settings (comparison);
  const char *last = NULL;

  prism_report_page_append_element (html, "<h2>", _ ("Settings"), "</h2>\n");
  prism_report_page_append_element (html, "<p class=\"dim\">", _ ("● differs from the default."),
                                    "</p>\n");
  append_heads (html, comparison, "");
  for (guint i = 0; i < settings->len; i++)
    {
      const PrismComparisonColumn *setting
          = &g_array_index (settings, PrismComparisonColumn, i);
      const char *group = prism_report_get_group (setting);

      if (group != last)
        {
          g_string_append_printf (html, "<tr class=\"group\"><th colspan=\"%u\">",
                                  comparison->results->len + 1);
          prism_report_page_append_element (html, "", group, "</th></tr>\n");
        }
      append_setting (html, comparison, setting);
      last = group;
    }
  g_string_append (html, "</tbody></table></div>\n");
}

static void
append_facts (GString *html, const PrismComparison *comparison)
{
  prism_report_page_append_element (html, "<h2>", _ ("Time and device"), "</h2>\n");
  append_heads (html, comparison, "");
  for (guint f = 0; f < prism_report_get_n_facts (); f++)
    {
      g_autoptr (GString) row = g_string_new (NULL);
      const char *label = NULL;
      gboolean known = FALSE;

      for (guint i = 0; i < comparison->results->len; i++)
        {
          g_autofree char *text
              = prism_report_dup_fact (f, prism_comparison_get_result (comparison, i), &label);
          known = known || text[0] != '\0';
          prism_report_page_append_element (row, "<td>", text, "</td>");
        }
      if (!known)
        continue;
      prism_report_page_append_element (html, "<tr><th>", label, "</th>");
      g_string_append_printf (html, "%s</tr>\n", row->str);
    }
  g_string_append (html, "</tbody></table></div>\n");
}

static void
append_commands (GString *html, const PrismComparison *comparison)
{
  prism_report_page_append_element (html, "<h2>", _ ("How to compute it again"), "</h2>\n");
  for (guint i = 0; i < comparison->results->len; i++)
    {
      const PrismResult *result = prism_comparison_get_result (comparison, i);
      g_autofree char *command = prism_report_dup_command (result);
      g_autofree char *remark = prism_report_dup_remark (result);

      if (comparison->results->len > 1)
        prism_report_page_append_element (html, "<h3>", result->name, "</h3>\n");
      if (command != NULL)
        prism_report_page_append_element (html, "<pre>", command, "</pre>\n");
      if (remark != NULL)
        prism_report_page_append_element (html, "<p class=\"dim\">", remark, "</p>\n");
    }
}

/**
 * prism_report_dup_html:
 * @self: a report
 * @error: return location
 *
 * Writes a page that is HTML 5 and well-formed XML alike.
 *
 * Errors: PRISM_ERROR_MEMORY.
 * Thread: any.
 *
 * Returns: (transfer full) (nullable): the page
 */
char *
prism_report_dup_html (const PrismReport *self, GError **error)
{
  g_autoptr (GString) html = prism_report_page_new (self->title, self->summary);

  append_results (html, self->comparison);
  if (!append_images (html, self, error) || !append_marks (html, self, error))
    return NULL;
  append_curves (html, self);
  if (!append_coverages (html, self, error))
    return NULL;
  append_facts (html, self->comparison);
  append_settings (html, self->comparison);
  append_commands (html, self->comparison);
  return prism_report_page_finish (g_steal_pointer (&html));
}
