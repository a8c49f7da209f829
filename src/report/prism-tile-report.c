#include "config.h"

#include "prism-tile-report.h"

#include "base/prism-directory.h"
#include "base/prism-file.h"
#include "prism-report-page.h"
#include "prism-tile-map.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

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
