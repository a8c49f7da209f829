#include "config.h"

#include "prism-benchmark-report.h"

#include "base/prism-directory.h"
#include "base/prism-file.h"
#include "benchmark/prism-benchmark-file.h"
#include "benchmark/prism-benchmark-text.h"
#include "prism-benchmark-draw.h"
#include "prism-report-page.h"
#include "prism-report-sheet.h"
#include "prism-report.h"

#include <glib/gi18n.h>
#include <string.h>

#define NAME "comparison"
#define BARS_WIDTH 640
#define LINE_HEIGHT 17

static const char *
get_explanation (void)
{
  return _ ("Whole runs, each in a process of its own, one of each kind in turn. The figures are"
            " medians, ± half the way from the least round to the most. A difference counts where"
            " it is larger than the spread of either; else there is “no difference”. Each switch"
            " alone is a plain run with that one on. Peak memory is the process's (VmHWM).");
}

static void
draw_bars (PrismPaint *paint, gconstpointer subject, double width, double height)
{
  prism_benchmark_draw (paint, subject, width);
}

static void
append_heads (GString *html, const PrismBenchmark *self)
{
  g_string_append (html, "<div class=\"wide\"><table><thead><tr><th></th>");
  for (int figure = 0; figure < PRISM_N_FIGURES; figure++)
    if (prism_benchmark_has_figure (self, figure))
      prism_report_page_append_element (html, "<th>", _ (prism_figure_get_info (figure)->label),
                                        "</th>");
  g_string_append (html, "<th></th></tr></thead><tbody>\n");
}

static void
append_row (GString *html, const PrismBenchmark *self, guint variant)
{
  g_autofree char *verdict = prism_benchmark_dup_verdict (self, variant);

  prism_report_page_append_element (
      html, "<tr><th>",
      prism_benchmark_variant_get_label (prism_benchmark_get_variant (self, variant)), "</th>");
  for (int figure = 0; figure < PRISM_N_FIGURES; figure++)
    {
      g_autofree char *text = prism_benchmark_dup_figure (self, variant, figure);

      if (prism_benchmark_has_figure (self, figure))
        prism_report_page_append_element (html, "<td>", text, "</td>");
    }
  prism_report_page_append_element (html, "<td>", verdict, "</td></tr>\n");
}

static char *
dup_html (const PrismBenchmark *self)
{
  g_autofree char *title = prism_benchmark_dup_title (self);
  g_autofree char *machine = prism_benchmark_dup_machine (self, NULL, NULL);
  g_autofree char *remarks = prism_benchmark_dup_remarks (self);
  double height = prism_benchmark_draw_get_height (self, LINE_HEIGHT);
  g_autoptr (GString) html = prism_report_page_new (title, machine);

  prism_report_page_append_element (html, "<h2>", _ ("Time to the picture"), "</h2>\n");
  g_string_append (html, "<p class=\"chart\">");
  prism_report_page_append_drawing (html, draw_bars, self, BARS_WIDTH, height,
                                    _ ("A bar for each kind of run"));
  prism_report_page_append_element (html, "</p>\n<h2>", _ ("Results"), "</h2>\n");
  append_heads (html, self);
  for (guint i = 0; i < self->variants->len; i++)
    append_row (html, self, i);
  g_string_append (html, "</tbody></table></div>\n");
  prism_report_page_append_element (html, "<p class=\"dim\">", get_explanation (), "</p>\n");
  if (remarks[0] != '\0')
    prism_report_page_append_element (html, "<pre>", remarks, "</pre>\n");
  return prism_report_page_finish (g_steal_pointer (&html));
}

/* One figure of all variants: a page is higher than it is wide. */
static void
draw_figure (PrismReportSheet *sheet, const PrismBenchmark *self, int figure)
{
  guint n = self->variants->len;
  g_auto (GStrv) cells = g_new0 (char *, n + 1);

  for (guint i = 0; i < n; i++)
    cells[i] = figure < PRISM_N_FIGURES ? prism_benchmark_dup_figure (self, i, figure)
                                        : prism_benchmark_dup_verdict (self, i);
  prism_report_sheet_draw_row (
      sheet, figure < PRISM_N_FIGURES ? _ (prism_figure_get_info (figure)->label) : _ ("Verdict"),
      cells, NULL, n);
}

static void
draw_table (PrismReportSheet *sheet, const PrismBenchmark *self)
{
  guint n = self->variants->len;
  g_auto (GStrv) names = g_new0 (char *, n + 1);
  g_autofree gboolean *marked = g_new (gboolean, n);

  for (guint i = 0; i < n; i++)
    {
      names[i]
          = g_strdup (prism_benchmark_variant_get_label (prism_benchmark_get_variant (self, i)));
      marked[i] = TRUE;
    }
  prism_report_sheet_draw_row (sheet, "", names, marked, n);
  prism_report_sheet_draw_rule (sheet);
  for (int figure = 0; figure < PRISM_N_FIGURES; figure++)
    if (prism_benchmark_has_figure (self, figure))
      draw_figure (sheet, self, figure);
  draw_figure (sheet, self, PRISM_N_FIGURES);
}

static GBytes *
dup_pdf (const PrismBenchmark *self, GError **error)
{
  g_autofree char *title = prism_benchmark_dup_title (self);
  g_autofree char *machine = prism_benchmark_dup_machine (self, NULL, NULL);
  g_autofree char *remarks = prism_benchmark_dup_remarks (self);
  PrismReportSheet sheet = { 0 };
  double height;

  prism_report_sheet_begin (&sheet, title);
  height = prism_benchmark_draw_get_height (self, sheet.paint.line_height);
  prism_report_sheet_draw_heading (&sheet, title, 0);
  prism_report_sheet_draw_paragraph (&sheet, machine, 0.7);
  prism_report_sheet_draw_heading (&sheet, _ ("Time to the picture"), height);
  cairo_save (sheet.cr);
  cairo_translate (sheet.cr, PRISM_REPORT_SHEET_MARGIN, sheet.y);
  prism_benchmark_draw (&sheet.paint, self, PRISM_REPORT_SHEET_WIDTH);
  cairo_restore (sheet.cr);
  cairo_new_path (sheet.cr);
  sheet.y += height + 12;
  prism_report_sheet_draw_heading (&sheet, _ ("Results"), 60);
  draw_table (&sheet, self);
  sheet.y += 6;
  prism_report_sheet_draw_paragraph (&sheet, get_explanation (), 0.7);
  if (remarks[0] != '\0')
    prism_report_sheet_draw_paragraph (&sheet, remarks, 0.7);
  return prism_report_sheet_end (&sheet, TRUE, error);
}

static gboolean
has_ending (const char *path, const char *ending)
{
  g_autofree char *lower = g_ascii_strdown (path, -1);

  return g_str_has_suffix (lower, ending);
}

/**
 * prism_benchmark_report_save:
 * @benchmark: one that is over, or part of one
 * @path: a name that ends in .json, .txt, .html, .htm or .pdf
 * @error: return location
 *
 * Writes figures, spreads and verdicts.
 *
 * Errors: PRISM_ERROR_CONFIG for a name with another ending, PRISM_ERROR_MEMORY, PRISM_ERROR_IO.
 *
 * Returns: whether the file is on the disk
 */
gboolean
prism_benchmark_report_save (const PrismBenchmark *benchmark, const char *path, GError **error)
{
  g_autofree char *text = NULL;
  g_autoptr (GBytes) pdf = NULL;

  if (has_ending (path, ".json"))
    return prism_benchmark_save (benchmark, path, error);
  if (!has_ending (path, ".txt") && !prism_report_check_path (path, error))
    return FALSE;
  if (has_ending (path, ".pdf"))
    {
      pdf = dup_pdf (benchmark, error);
      return pdf != NULL
             && prism_file_save (path, g_bytes_get_data (pdf, NULL), g_bytes_get_size (pdf), error);
    }
  text = has_ending (path, ".txt") ? prism_benchmark_dup_text (benchmark) : dup_html (benchmark);
  return prism_file_save (path, text, strlen (text), error);
}

/**
 * prism_benchmark_report_save_all:
 * @benchmark: one that is over
 * @directory: where to; created where it is missing
 * @error: return location
 *
 * Writes comparison.json, comparison.txt, comparison.html and comparison.pdf; those of an earlier
 * one are replaced as a whole.
 *
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_IO.
 *
 * Returns: whether all is on the disk
 */
gboolean
prism_benchmark_report_save_all (const PrismBenchmark *benchmark,
                                 const char *directory,
                                 GError **error)
{
  static const char *const names[] = { NAME ".json", NAME ".txt", NAME ".html", NAME ".pdf", NULL };

  g_autoptr (PrismExchange) exchange = prism_exchange_new (directory, error);

  if (exchange == NULL)
    return FALSE;
  for (gsize i = 0; names[i] != NULL; i++)
    {
      g_autofree char *path
          = g_build_filename (prism_exchange_get_directory (exchange), names[i], NULL);

      if (!prism_benchmark_report_save (benchmark, path, error))
        return FALSE;
    }
  return prism_exchange_commit (exchange, NULL, error);
}
