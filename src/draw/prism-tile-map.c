#include "config.h"

#include "prism-tile-map.h"

#include "base/prism-file.h"

#define LONGEST 360 /* px: longer side of a map in a file */
#define MARGIN 16
#define TEXT_HEIGHT 44

static const PrismColor failed = { 0.75f, 0.11f, 0.16f, 1.0f };
static const PrismColor unexplained = { 0.96f, 0.65f, 0.04f, 1.0f };
static const PrismColor explained = { 0.18f, 0.65f, 0.41f, 1.0f };
static const PrismColor open_verdict = { 0.38f, 0.51f, 0.71f, 1.0f };
static const PrismColor dark_tile = { 0.1f, 0.1f, 0.1f, 1.0f };
static const PrismColor missing = { 0.5f, 0.5f, 0.5f, 0.25f };

/* What colours of values do not say. */
static const PrismColor *
get_color (const PrismTileTable *table,
           guint tile)
{
  switch (table->states[tile])
    {
    case PRISM_TILE_FAILED:
      return &failed;
    case PRISM_TILE_MISSING:
      return &missing;
    case PRISM_TILE_DARK:
      return &dark_tile;
    default:
      break;
    }
  switch (table->rows[tile].verdict.kind)
    {
    case PRISM_VERDICT_UNEXPLAINED:
      return &unexplained;
    case PRISM_VERDICT_OPEN:
      return &open_verdict;
    default:
      return &explained;
    }
}

static char *
dup_range (PrismTileMapKind kind,
           double low,
           double high)
{
  if (kind == PRISM_TILE_MAP_VERDICT)
    return g_strdup (_ ("green fits, orange does not, blue open, red failed"));
  if (!(high >= low))
    return g_strdup (_ ("nothing yet"));
  if (kind == PRISM_TILE_MAP_MISFIT)
    return g_strdup_printf (_ ("%.2g to %.2g, logarithmic"), low, high);
  return g_strdup_printf (_ ("%.2g to %.2g s"), low, high);
}

/**
 * prism_tile_map_new:
 * @plan: of the tiles
 * @table: what they have come to
 * @kind: what is shown
 *
 * Returns: (transfer full): a cell for each tile, in the place that it has in the picture; the note
 *   says what the darkest and the brightest colour mean, or what colours do
 */
PrismChartData *
prism_tile_map_new (const PrismTilePlan *plan,
                    const PrismTileTable *table,
                    PrismTileMapKind kind)
{
  static const char *const titles[] = { N_ ("Verdict"), N_ ("Misfit"), N_ ("Time") };
  PrismChartData *chart = prism_chart_data_new_titled (_ (titles[kind]), "");
  double low = INFINITY, high = -INFINITY;

  chart->shape = PRISM_CHART_CELLS;
  chart->bare = TRUE;
  chart->first = chart->axes[PRISM_CHART_LEFT].minimum = 0;
  chart->last = plan->n_columns;
  chart->axes[PRISM_CHART_LEFT].maximum = plan->n_rows;
  for (guint i = 0; i < plan->n_tiles; i++)
    {
      const PrismSweepRow *row = &table->rows[i];
      PrismChartItem *item = prism_chart_data_add_item (chart, NULL, NULL);
      PrismTilePlace place;

      prism_tile_plan_get_place (plan, i, &place);
      item->x[1] = (item->x[0] = place.column) + 1;
      item->y[1] = (item->y[0] = place.row) + 1;
      item->color = kind == PRISM_TILE_MAP_VERDICT || table->states[i] != PRISM_TILE_FINISHED
                        ? get_color (table, i)
                        : &missing;
      if (kind != PRISM_TILE_MAP_VERDICT && table->states[i] == PRISM_TILE_FINISHED)
        item->value = kind == PRISM_TILE_MAP_MISFIT ? MAX (row->misfit, 1e-300) : row->seconds;
      if (!isfinite (item->value))
        continue;
      low = MIN (low, item->value);
      high = MAX (high, item->value);
    }
  prism_chart_data_find_colors (chart, kind == PRISM_TILE_MAP_MISFIT);
  chart->note = dup_range (kind, low, high);
  return chart;
}

/**
 * prism_tile_map_save_png:
 * @plan: of the tiles
 * @table: what they have come to
 * @path: of the file
 *
 * Writes the maps of all kinds side by side.
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_MEMORY.
 *
 * Returns: whether the file is on the disk
 */
gboolean
prism_tile_map_save_png (const PrismTilePlan *plan,
                         const PrismTileTable *table,
                         const char *path,
                         GError **error)
{
  const double longest = MAX (plan->n_columns, plan->n_rows);
  const double width = MAX (LONGEST * plan->n_columns / longest, 8.0);
  const double height = MAX (LONGEST * plan->n_rows / longest, 8.0);
  const double step = MAX (width, 300.0);
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  cairo_surface_t *page
      = prism_page_new (path, PRISM_TILE_MAP_N_KINDS * (step + MARGIN) + MARGIN,
                        height + TEXT_HEIGHT + 2 * MARGIN, 1, FALSE, bytes);
  cairo_t *cr = cairo_create (page);
  PrismPaint paint;

  cairo_set_source_rgb (cr, 1, 1, 1);
  cairo_paint (cr);
  prism_paint_init_figure (&paint, cr, FALSE);
  for (int kind = 0; kind < PRISM_TILE_MAP_N_KINDS; kind++)
    {
      g_autoptr (PrismChartData) chart = prism_tile_map_new (plan, table, kind);
      double x = MARGIN + kind * (step + MARGIN);

      cairo_save (cr);
      cairo_translate (cr, x, MARGIN);
      prism_chart_draw_figure (chart, &paint, width, height + PRISM_CHART_TITLE_HEIGHT);
      cairo_restore (cr);
      prism_paint_set_alpha (&paint, 0.7);
      prism_paint_draw_text (&paint, chart->note, x, height + 2 * MARGIN, 0, 0);
    }
  prism_paint_finish (&paint);
  cairo_destroy (cr);
  return prism_page_finish (page, bytes, error)
         && prism_file_save (path, bytes->data, bytes->len, error);
}
