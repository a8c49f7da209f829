#include "config.h"

#include "prism-benchmark-report.h"

#include "base/prism-directory.h"
#include "base/prism-each.h"
#include "base/prism-file.h"
#include "benchmark/prism-benchmark-file.h"
#include "benchmark/prism-benchmark-text.h"
#include "prism-benchmark-chart.h"
#include "prism-document.h"
#include "prism-report.h"
#include "prism-tile-map.h"

#define NAME "comparison"
#define LINE_HEIGHT 17

static PrismDocument *
make_document (const PrismBenchmark *self)
{
  g_autofree char *title = prism_benchmark_dup_title (self);
  g_autofree char *machine = prism_benchmark_dup_machine (self, NULL, NULL);
  g_autofree char *remarks = prism_benchmark_dup_remarks (self);
  PrismDocument *document = prism_document_new (title, machine);
  g_autoptr (GStrvBuilder) heads = g_strv_builder_new ();
  PrismChartData *bars = prism_benchmark_chart_new (self);

  prism_document_add_heading (document, _ ("Time to the picture"));
  bars->description = g_strdup (_ ("A bar for each kind of run"));
  prism_document_add_map (document, bars, PRISM_DOCUMENT_WIDTH,
                          prism_chart_layout_get_height (bars, LINE_HEIGHT), NULL);
  prism_document_add_heading (document, _ ("Results"));
  for (int figure = 0; figure < PRISM_N_FIGURES; figure++)
    if (prism_benchmark_has_figure (self, figure))
      g_strv_builder_add (heads, _ (prism_figures[figure].label));
  g_strv_builder_add (heads, _ ("Verdict"));
  prism_document_add_table (document, g_strv_builder_end (heads));
  for (guint i = 0; i < self->variants->len; i++)
    {
      g_autoptr (GPtrArray) cells = g_ptr_array_new ();

      for (int figure = 0; figure < PRISM_N_FIGURES; figure++)
        if (prism_benchmark_has_figure (self, figure))
          g_ptr_array_add (cells, prism_benchmark_dup_figure (self, i, figure));
      g_ptr_array_add (cells, prism_benchmark_dup_verdict (self, i));
      g_ptr_array_add (cells, NULL);
      prism_document_add_row (
          document, prism_benchmark_variant_get_label (prism_benchmark_get_variant (self, i)), NULL,
          (GStrv) g_ptr_array_free (g_steal_pointer (&cells), FALSE));
    }
  prism_document_add_text (
      document, PRISM_TEXT_DIM,
      _ ("Whole runs, each in a process of its own, one of each kind in turn. The figures are"
         " medians, ± half the way from the least round to the most. A difference counts where"
         " it is larger than the spread of either; else there is “no difference”. Each switch"
         " alone is a plain run with that one on. Peak memory is the process's (VmHWM)."));
  prism_document_add_text (document, PRISM_TEXT_COMMAND, remarks);
  return document;
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
  g_autoptr (PrismDocument) document = NULL;
  g_autofree char *text = NULL;

  if (has_ending (path, ".json"))
    return prism_benchmark_save (benchmark, path, error);
  if (has_ending (path, ".txt"))
    {
      text = prism_benchmark_dup_text (benchmark);
      return prism_file_save (path, text, strlen (text), error);
    }
  if (!prism_report_check_path (path, error))
    return FALSE;
  document = make_document (benchmark);
  return prism_document_save (document, path, error);
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
  PRISM_FOR_EACH_STRING (name, names)
    {
      g_autofree char *path
          = g_build_filename (prism_exchange_get_directory (exchange), *name, NULL);

      if (!prism_benchmark_report_save (benchmark, path, error))
        return FALSE;
    }
  return prism_exchange_commit (exchange, NULL, error);
}

#define MAP_LONGEST 380
#define MAX_LISTED 100

static void
add_maps (PrismDocument *document,
          const PrismTilePlan *plan,
          const PrismTileTable *table)
{
  const double longest = MAX (plan->n_columns, plan->n_rows);

  for (int kind = 0; kind < PRISM_TILE_MAP_N_KINDS; kind++)
    {
      PrismChartData *map = prism_tile_map_new (plan, table, kind);
      g_autofree char *range = g_strdup (map->note);

      map->description = g_strdup (_ ("A cell for each tile"));
      prism_document_add_heading (document, map->title);
      map->title[0] = '\0';
      prism_document_add_map (document, map, MAX (MAP_LONGEST * plan->n_columns / longest, 8.0),
                              MAX (MAP_LONGEST * plan->n_rows / longest, 8.0), NULL);
      prism_document_add_text (document, PRISM_TEXT_DIM, range);
    }
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
  g_autoptr (PrismDocument) document = prism_document_new (
      title, _ ("Each tile is a run of its own, with its own measurements of its part of the"
                " scene."));
  const double median = prism_tile_table_get_median_psnr (table);
  guint n = 0;

  prism_document_add_table (document, NULL);
  prism_document_add_fact (document, _ ("Picture"),
                           g_strdup_printf ("%d × %d px", plan->width, plan->height));
  prism_document_add_fact (document, _ ("Tiles"),
                           g_strdup_printf (_ ("%u of %d px, %d px shared"), plan->n_tiles,
                                            plan->side, plan->overlap));
  prism_document_add_fact (document, _ ("Finished"), g_strdup_printf ("%u", table->n_finished));
  prism_document_add_fact (document, _ ("Failed"), g_strdup_printf ("%u", table->n_failed));
  prism_document_add_fact (document, _ ("Do not fit their measurements"),
                           g_strdup_printf ("%u", table->n_unexplained));
  if (isfinite (blend->psnr))
    prism_document_add_fact (document, _ ("PSNR of the picture"),
                             g_strdup_printf ("%.1f dB", blend->psnr));
  if (isfinite (median))
    prism_document_add_fact (document, _ ("PSNR of the tiles, median"),
                             g_strdup_printf ("%.1f dB", median));
  prism_document_add_fact (document, _ ("Time of the tiles"),
                           g_strdup_printf ("%.1f s", prism_tile_table_get_seconds (table)));
  prism_document_add_fact (document, _ ("Time of putting together"),
                           g_strdup_printf ("%.1f s", blend->seconds));
  add_maps (document, plan, table);
  /* Those that somebody may want to look at. */
  for (guint i = 0; i < plan->n_tiles && n < MAX_LISTED; i++)
    {
      const PrismSweepRow *row = &table->rows[i];
      g_autofree char *verdict = prism_verdict_dup_label (&row->verdict, NAN);
      g_autofree char *line = NULL;
      PrismTilePlace place;

      if (table->states[i] >= PRISM_TILE_DARK && row->verdict.kind != PRISM_VERDICT_UNEXPLAINED)
        continue;
      if (n++ == 0)
        prism_document_add_heading (document, _ ("Tiles to look at"));
      prism_tile_plan_get_place (plan, i, &place);
      line = g_strdup_printf (_ ("Tile %u, row %d, column %d: %s"), i, place.row + 1,
                              place.column + 1,
                              row->failure != NULL ? row->failure
                              : table->states[i] >= PRISM_TILE_DARK
                                  ? verdict
                                  : _ ("not computed yet"));
      prism_document_add_text (document, PRISM_TEXT_PLAIN, line);
    }
  return prism_document_save (document, path, error);
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
