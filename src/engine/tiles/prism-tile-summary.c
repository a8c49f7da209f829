#include "config.h"

#include "tiles/prism-tile-blend.h"

#include "base/prism-file.h"
#include "base/prism-text.h"

#include <math.h>
#include <string.h>

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
  for (gsize i = 0; i < G_N_ELEMENTS (numbers); i++)
    {
      g_string_append_c (csv, ',');
      prism_csv_append_number (csv, numbers[i]);
    }
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

  json_builder_begin_object (builder);
  prism_json_add_string (builder, "program", "PRISM Studio " PRISM_VERSION);
  prism_json_add_string (builder, "state",
                         table->n_finished == table->n_rows ? "finished" : "incomplete");
  prism_json_add_string (builder, "picture", picture);
  prism_json_add_string (builder, "result", result);
  prism_json_add_integer (builder, "height", (guint64) plan->height);
  prism_json_add_integer (builder, "width", (guint64) plan->width);
  prism_json_add_integer (builder, "tile", (guint64) plan->side);
  prism_json_add_integer (builder, "overlap", (guint64) plan->overlap);
  prism_json_add_integer (builder, "rows", (guint64) plan->n_rows);
  prism_json_add_integer (builder, "columns", (guint64) plan->n_columns);
  prism_json_add_integer (builder, "tiles", plan->n_tiles);
  prism_json_add_integer (builder, "finished", table->n_finished);
  prism_json_add_integer (builder, "failed", table->n_failed);
  prism_json_add_integer (builder, "unexplained", table->n_unexplained);
  prism_json_add_integer (builder, "pixels_missing", self->n_missing);
  prism_json_add_number (builder, "psnr", self->psnr);
  prism_json_add_number (builder, "median_psnr_of_tiles", prism_tile_table_get_median_psnr (table));
  prism_json_add_number (builder, "seconds_of_tiles", prism_tile_table_get_seconds (table));
  prism_json_add_number (builder, "seconds_of_blending", self->seconds);
  json_builder_end_object (builder);
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
