#include "config.h"

#include "prism-benchmark-report.h"

#include "base/prism-directory.h"
#include "base/prism-file.h"
#include "benchmark/prism-benchmark-file.h"
#include "benchmark/prism-benchmark-text.h"
#include "prism-report-page.h"
#include "prism-report-sheet.h"
#include "prism-report.h"
#include "prism-series-draw.h"
#include "prism-tile-map.h"

#include <glib/gi18n-lib.h>
#include <math.h>
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

#define MAP_LONGEST 480
#define MAX_LISTED 100

static void
draw_map (PrismPaint *paint,
          gconstpointer subject,
          double width,
          double height)
{
  prism_tile_map_draw (subject, paint, width, height);
}

static void
append_fact (GString *html,
             const char *label,
             char *text)
{
  g_autofree char *owned = text;

  prism_report_page_append_element (html, "<tr><th>", label, "</th>");
  prism_report_page_append_element (html, "<td>", owned, "</td></tr>\n");
}

static void
append_facts (GString *html,
              const PrismTileBlend *blend,
              const PrismTilePlan *plan,
              const PrismTileTable *table)
{
  double median = prism_tile_table_get_median_psnr (table);

  g_string_append (html, "<div class=\"wide\"><table><tbody>\n");
  append_fact (html, _ ("Picture"), g_strdup_printf ("%d × %d px", plan->width, plan->height));
  append_fact (html, _ ("Tiles"),
               g_strdup_printf (_ ("%u of %d px, %d px shared"), plan->n_tiles, plan->side,
                                plan->overlap));
  append_fact (html, _ ("Finished"), g_strdup_printf ("%u", table->n_finished));
  append_fact (html, _ ("Failed"), g_strdup_printf ("%u", table->n_failed));
  append_fact (html, _ ("Do not explain their measurements"),
               g_strdup_printf ("%u", table->n_unexplained));
  if (isfinite (blend->psnr))
    append_fact (html, _ ("PSNR of the picture"), g_strdup_printf ("%.1f dB", blend->psnr));
  if (isfinite (median))
    append_fact (html, _ ("PSNR of the tiles, median"), g_strdup_printf ("%.1f dB", median));
  append_fact (html, _ ("Time of the tiles"),
               g_strdup_printf ("%.1f s", prism_tile_table_get_seconds (table)));
  append_fact (html, _ ("Time of putting together"), g_strdup_printf ("%.1f s", blend->seconds));
  g_string_append (html, "</tbody></table></div>\n");
}

static void
append_maps (GString *html,
             const PrismTilePlan *plan,
             const PrismTileTable *table)
{
  const double longest = MAX (plan->n_columns, plan->n_rows);

  for (int kind = 0; kind < PRISM_TILE_MAP_N_KINDS; kind++)
    {
      const PrismTileMap map = { plan, table, kind };
      g_autofree char *range = prism_tile_map_dup_range (&map);

      prism_report_page_append_element (html, "<h2>", prism_tile_map_get_title (kind), "</h2>\n");
      g_string_append (html, "<p class=\"chart\">");
      prism_report_page_append_drawing (html, draw_map, &map,
                                        MAX (MAP_LONGEST * plan->n_columns / longest, 8.0),
                                        MAX (MAP_LONGEST * plan->n_rows / longest, 8.0),
                                        _ ("A cell for each tile"));
      prism_report_page_append_element (html, "</p>\n<p class=\"dim\">", range, "</p>\n");
    }
}

/* Those that somebody may want to look at. */
static void
append_problems (GString *html,
                 const PrismTilePlan *plan,
                 const PrismTileTable *table)
{
  guint n = 0;

  for (guint i = 0; i < plan->n_tiles && n < MAX_LISTED; i++)
    {
      const PrismSweepRow *row = &table->rows[i];
      g_autofree char *line = NULL;
      PrismTilePlace place;

      if (table->states[i] >= PRISM_TILE_DARK && row->verdict.kind != PRISM_VERDICT_UNEXPLAINED)
        continue;
      if (n++ == 0)
        prism_report_page_append_element (html, "<h2>", _ ("Tiles to look at"), "</h2>\n<ul>\n");
      prism_tile_plan_get_place (plan, i, &place);
      line = g_strdup_printf (_ ("Tile %u, row %d, column %d: %s"), i, place.row + 1,
                              place.column + 1,
                              row->failure != NULL ? row->failure
                              : table->states[i] >= PRISM_TILE_DARK
                                  ? _ (prism_verdict_get_label (row->verdict.kind))
                                  : _ ("not computed yet"));
      prism_report_page_append_element (html, "<li>", line, "</li>\n");
    }
  if (n > 0)
    g_string_append (html, "</ul>\n");
}

/* Maps of verdict, misfit and time, and what went wrong. */
static gboolean
save_page (const PrismTileBlend *blend,
           const PrismTilePlan *plan,
           const PrismTileTable *table,
           const char *path,
           GError **error)
{
  g_autofree char *name = g_path_get_basename (plan->picture);
  g_autofree char *shown = prism_file_dup_display_name (name);
  g_autofree char *title = g_strdup_printf (_ ("Tiles of %s"), shown);
  g_autofree char *page = NULL;
  GString *html = prism_report_page_new (
      title, _ ("Each tile is a run of its own, with its own measurements of its part of the"
                " scene."));

  append_facts (html, blend, plan, table);
  append_maps (html, plan, table);
  append_problems (html, plan, table);
  page = prism_report_page_finish (html);
  return prism_file_save (path, page, strlen (page), error);
}

/**
 * prism_tile_report_save_all:
 * @plan: of the tiles
 * @table: what they have come to
 * @directory: where they are
 * @picture: (nullable): where else the picture goes; its ending says the format
 *
 * Puts together what is there, and writes picture.tif, map.png, report.html, tiles.csv and
 * summary.json into @directory. Those of an earlier time are replaced as a whole.
 *
 * Errors: PRISM_ERROR_CONFIG, PRISM_ERROR_IO, PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): what it has come to
 */
PrismTileBlend *
prism_tile_report_save_all (const PrismTilePlan *plan,
                            const PrismTileTable *table,
                            const char *directory,
                            const char *picture,
                            GError **error)
{
  g_autoptr (PrismExchange) exchange = prism_exchange_new (directory, error);
  g_autoptr (PrismTileBlend) blend = NULL;
  g_autofree char *path = NULL, *map = NULL, *page = NULL;
  const char *stage;

  if (exchange == NULL)
    return NULL;
  stage = prism_exchange_get_directory (exchange);
  path = picture != NULL ? g_strdup (picture)
                         : g_build_filename (stage, PRISM_TILE_REPORT_PICTURE, NULL);
  map = g_build_filename (stage, "map.png", NULL);
  page = g_build_filename (stage, "report.html", NULL);
  blend = prism_tile_blend_run (plan, table, directory, path, error);
  if (blend == NULL || !prism_tile_map_save_png (plan, table, map, error)
      || !save_page (blend, plan, table, page, error)
      || !prism_tile_blend_save (blend, plan, table, stage, path, error)
      || !prism_exchange_commit (exchange, NULL, error))
    return NULL;
  return g_steal_pointer (&blend);
}
