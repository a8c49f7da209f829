#include "config.h"

#include "tiles/prism-tile-blend.h"

#include "base/prism-file.h"
#include "base/prism-csv.h"
#include "base/prism-each.h"
#include "base/prism-text.h"

static void
append_row (GString *csv,
            const PrismTileBlend *self,
            const PrismTilePlan *plan,
            const PrismTileTable *table,
            guint tile)
{
  const PrismSweepRow *row = &table->rows[tile];
  gboolean known = table->states[tile] >= PRISM_TILE_DARK;
  const double numbers[] = { row->seconds, row->steps, row->metrics.psnr, row->misfit,
                             prism_verdict_get_rest (&row->verdict),
                             known ? self->gains[tile] : NAN, known ? self->offsets[tile] : NAN };
  PrismTilePlace place;

  prism_tile_plan_get_place (plan, tile, &place);
  g_string_append_printf (csv, "%u,%d,%d,%d,%d,%s", tile, place.row, place.column, place.y, place.x,
                          prism_tile_table_get_state (table, tile));
  prism_csv_append_numbers (csv, numbers, G_N_ELEMENTS (numbers));
  g_string_append_printf (csv, ",%s,",
                          row->verdict.kind != PRISM_VERDICT_OPEN
                              ? prism_verdict_get_key (row->verdict.kind)
                              : "");
  prism_csv_append_text (csv, row->failure != NULL ? row->failure : "");
  g_string_append_c (csv, '\n');
}

static char *
dup_csv (const PrismTileBlend *self,
         const PrismTilePlan *plan,
         const PrismTileTable *table)
{
  GString *csv = g_string_new ("tile,row,column,y,x,state,seconds,steps,psnr,misfit,verdict_rest,"
                               "gain,offset,verdict,failure\n");

  for (guint i = 0; i < plan->n_tiles; i++)
    append_row (csv, self, plan, table, i);
  return g_string_free (csv, FALSE);
}

static char *
dup_summary (const PrismTileBlend *self,
             const PrismTilePlan *plan,
             const PrismTileTable *table,
             const char *path)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  g_autofree char *picture = prism_file_to_text (plan->picture);
  g_autofree char *result = prism_file_dup_display_name (path);

  prism_json_add (
      builder,
      "{program: %s, state: %s, picture: %s, result: %s, height: %d, width: %d, tile: %d, overlap: "
      "%d, rows: %d, columns: %d, tiles: %u, finished: %u, failed: %u, unexplained: %u, "
      "pixels_missing: %lu, psnr: %g, median_psnr_of_tiles: %g, seconds_of_tiles: %g, "
      "seconds_of_blending: %g}",
      "PRISM Studio " PRISM_VERSION, table->n_finished == table->n_rows ? "finished" : "incomplete",
      picture, result, plan->height, plan->width, plan->side, plan->overlap, plan->n_rows,
      plan->n_columns, plan->n_tiles, table->n_finished, table->n_failed, table->n_unexplained,
      self->n_missing, self->psnr, prism_tile_table_get_median_psnr (table),
      prism_tile_table_get_seconds (table), self->seconds);
  return prism_json_dup_text (builder);
}

/**
 * prism_tile_blend_save:
 * @plan: of the tiles
 * @table: what they have come to
 * @directory: where they are
 * @path: of the picture
 *
 * Writes tiles.csv, a row for each tile, and summary.json.
 *
 * Errors: PRISM_ERROR_IO.
 *
 * Returns: whether both are on the disk
 */
gboolean
prism_tile_blend_save (const PrismTileBlend *self,
                       const PrismTilePlan *plan,
                       const PrismTileTable *table,
                       const char *directory,
                       const char *path,
                       GError **error)
{
  g_autofree char *csv = dup_csv (self, plan, table);
  g_autofree char *summary = dup_summary (self, plan, table, path);
  g_autofree char *csv_path = prism_file_dup_place (directory, "tiles.csv");
  g_autofree char *summary_path = prism_file_dup_place (directory, "summary.json");

  return prism_file_save (csv_path, csv, strlen (csv), error)
         && prism_file_save (summary_path, summary, strlen (summary), error);
}
