#include "config.h"

#include "prism-tile-map.h"

#include "base/prism-error.h"
#include "base/prism-file.h"
#include "prism-mapping.h"
#include "prism-paint.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#define LONGEST 360 /* px: longer side of a map in a file */
#define MARGIN 16
#define TEXT_HEIGHT 44

typedef struct
{
  double low;
  double high;
} Range;

static const PrismColor failed = { 0.75f, 0.11f, 0.16f, 1.0f };
static const PrismColor unexplained = { 0.96f, 0.65f, 0.04f, 1.0f };
static const PrismColor explained = { 0.18f, 0.65f, 0.41f, 1.0f };
static const PrismColor open_verdict = { 0.38f, 0.51f, 0.71f, 1.0f };
static const PrismColor dark_tile = { 0.1f, 0.1f, 0.1f, 1.0f };
static const PrismColor missing = { 0.5f, 0.5f, 0.5f, 0.25f };

/**
 * prism_tile_map_get_title:
 * @kind: what is shown
 *
 * Returns: (transfer none): its name, translated
 */
const char *
prism_tile_map_get_title (PrismTileMapKind kind)
{
  static const char *const titles[] = { N_ ("Verdict"), N_ ("Misfit"), N_ ("Time") };

  return _ (titles[kind]);
}

static double
get_value (const PrismTileMap *self,
           guint tile)
{
  const PrismSweepRow *row = &self->table->rows[tile];

  if (self->table->states[tile] != PRISM_TILE_FINISHED)
    return NAN;
  return self->kind == PRISM_TILE_MAP_MISFIT ? log10 (MAX (row->misfit, 1e-300)) : row->seconds;
}

static Range
get_range (const PrismTileMap *self)
{
  Range range = { INFINITY, -INFINITY };

  for (guint i = 0; i < self->table->n_rows; i++)
    {
      double value = get_value (self, i);

      if (!isfinite (value))
        continue;
      range.low = MIN (range.low, value);
      range.high = MAX (range.high, value);
    }
  return range;
}

/**
 * prism_tile_map_dup_range:
 *
 * Returns: (transfer full): what the darkest and the brightest colour mean, or what colours do
 */
char *
prism_tile_map_dup_range (const PrismTileMap *self)
{
  Range range = get_range (self);

  if (self->kind == PRISM_TILE_MAP_VERDICT)
    return g_strdup (_ ("green explained, orange not, blue open, red failed"));
  if (!(range.high >= range.low))
    return g_strdup (_ ("nothing yet"));
  if (self->kind == PRISM_TILE_MAP_MISFIT)
    return g_strdup_printf (_ ("%.2g to %.2g, logarithmic"), pow (10.0, range.low),
                            pow (10.0, range.high));
  return g_strdup_printf (_ ("%.2g to %.2g s"), range.low, range.high);
}

static PrismColor
get_verdict_color (const PrismSweepRow *row)
{
  switch (row->verdict.kind)
    {
    case PRISM_VERDICT_UNEXPLAINED:
      return unexplained;
    case PRISM_VERDICT_OPEN:
      return open_verdict;
    default:
      return explained;
    }
}

static PrismColor
get_scale_color (double value,
                 Range range)
{
  const guint32 *table = prism_colormap_get_table (PRISM_COLORMAP_VIRIDIS);
  double part = range.high > range.low ? (value - range.low) / (range.high - range.low) : 0.5;
  guint32 color = table[(int) CLAMP (lround (part * (PRISM_COLORMAP_SIZE - 1)), 0,
                                     PRISM_COLORMAP_SIZE - 1)];

  return (PrismColor) { (color >> 16 & 0xff) / 255.0f, (color >> 8 & 0xff) / 255.0f,
                        (color & 0xff) / 255.0f, 1.0f };
}

static PrismColor
get_color (const PrismTileMap *self,
           guint tile,
           Range range)
{
  double value;

  if (self->table->states[tile] == PRISM_TILE_FAILED)
    return failed;
  if (self->table->states[tile] == PRISM_TILE_MISSING)
    return missing;
  if (self->table->states[tile] == PRISM_TILE_DARK)
    return dark_tile;
  if (self->kind == PRISM_TILE_MAP_VERDICT)
    return get_verdict_color (&self->table->rows[tile]);
  value = get_value (self, tile);
  return isfinite (value) ? get_scale_color (value, range) : missing;
}

/**
 * prism_tile_map_draw:
 * @paint: where
 * @width: of the map
 * @height: of the map
 *
 * One cell for each tile, in the place that it has in the picture.
 */
void
prism_tile_map_draw (const PrismTileMap *self,
                     PrismPaint *paint,
                     double width,
                     double height)
{
  const PrismTilePlan *plan = self->plan;
  const double w = width / plan->n_columns, h = height / plan->n_rows;
  const double gap = MIN (w, h) > 6.0 ? 1.0 : 0.0;
  Range range = get_range (self);

  for (guint i = 0; i < plan->n_tiles; i++)
    {
      PrismColor color = get_color (self, i, range);
      PrismTilePlace place;

      prism_tile_plan_get_place (plan, i, &place);
      cairo_set_source_rgba (paint->cr, color.red, color.green, color.blue, color.alpha);
      cairo_rectangle (paint->cr, place.column * w, place.row * h, w - gap, h - gap);
      cairo_fill (paint->cr);
    }
}

static void
draw_all (const PrismTilePlan *plan,
          const PrismTileTable *table,
          cairo_t *cr,
          double step,
          double width,
          double height)
{
  PrismPaint paint;

  cairo_set_source_rgb (cr, 1, 1, 1);
  cairo_paint (cr);
  prism_paint_init_figure (&paint, cr, FALSE);
  for (int kind = 0; kind < PRISM_TILE_MAP_N_KINDS; kind++)
    {
      const PrismTileMap map = { plan, table, kind };
      g_autofree char *range = prism_tile_map_dup_range (&map);
      double x = MARGIN + kind * (step + MARGIN);

      prism_paint_set_alpha (&paint, 1.0);
      prism_paint_draw_text (&paint, prism_tile_map_get_title (kind), x, MARGIN, 0, 0);
      prism_paint_set_alpha (&paint, 0.7);
      prism_paint_draw_text (&paint, range, x, MARGIN + paint.line_height, 0, 0);
      cairo_save (cr);
      cairo_translate (cr, x, TEXT_HEIGHT + MARGIN);
      prism_tile_map_draw (&map, &paint, width, height);
      cairo_restore (cr);
    }
  prism_paint_finish (&paint);
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
  cairo_surface_t *surface = cairo_image_surface_create (
      CAIRO_FORMAT_RGB24, (int) (PRISM_TILE_MAP_N_KINDS * (step + MARGIN)) + MARGIN,
      (int) height + TEXT_HEIGHT + 2 * MARGIN);
  cairo_t *cr = cairo_create (surface);
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  gboolean ok;

  draw_all (plan, table, cr, step, width, height);
  cairo_destroy (cr);
  ok = cairo_surface_write_to_png_stream (surface, prism_byte_sink_write, bytes)
       == CAIRO_STATUS_SUCCESS;
  cairo_surface_destroy (surface);
  if (ok)
    return prism_file_save (path, bytes->data, bytes->len, error);
  g_set_error (error, PRISM_ERROR, PRISM_ERROR_MEMORY,
               _ ("There is no memory for the map of the tiles. Close other programs."));
  return FALSE;
}
