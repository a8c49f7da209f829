#include "config.h"

#include "tiles/prism-tile-table.h"

#include "base/prism-number.h"

static const char *const state_names[] = { "missing", "failed", "dark", "finished" };

/**
 * prism_tile_table_load:
 * @plan: of the tiles
 * @directory: where they write
 * @before: (nullable): an earlier table of the same tiles, whose results are taken over
 *
 * Returns: (transfer full): the table
 */
PrismTileTable *
prism_tile_table_load (const PrismTilePlan *plan,
                       const char *directory,
                       const PrismTileTable *before)
{
  PrismTileTable *self = g_new0 (PrismTileTable, 1);

  self->n_rows = plan->n_tiles;
  self->rows = g_new0 (PrismSweepRow, self->n_rows);
  self->states = g_new0 (PrismTileState, self->n_rows);
  for (guint i = 0; i < self->n_rows; i++)
    {
      PrismSweepRow *row = &self->rows[i];
      g_autofree char *folder = prism_tile_plan_dup_path (directory, i, "");

      if (before != NULL && i < before->n_rows && before->states[i] >= PRISM_TILE_DARK)
        {
          prism_sweep_row_copy (row, &before->rows[i]);
          self->states[i] = before->states[i];
        }
      else
        {
          g_autoptr (PrismConfig) config = prism_tile_plan_dup_config (plan, directory, i, NULL);

          prism_sweep_row_load (row, folder, config, FALSE);
          self->states[i] = row->finished && prism_tile_plan_is_finished (plan, directory, i)
                                ? (isfinite (row->steps) ? PRISM_TILE_FINISHED : PRISM_TILE_DARK)
                            : row->failure != NULL ? PRISM_TILE_FAILED
                                                   : PRISM_TILE_MISSING;
        }
      self->n_finished += self->states[i] >= PRISM_TILE_DARK ? 1 : 0;
      self->n_failed += self->states[i] == PRISM_TILE_FAILED ? 1 : 0;
      self->n_unexplained += row->verdict.kind == PRISM_VERDICT_UNEXPLAINED ? 1 : 0;
    }
  return self;
}

/**
 * prism_tile_table_dup:
 *
 * Returns: (transfer full): the copy
 */
PrismTileTable *
prism_tile_table_dup (const PrismTileTable *self)
{
  PrismTileTable *copy = g_memdup2 (self, sizeof *self);

  copy->rows = g_new0 (PrismSweepRow, self->n_rows);
  copy->states = g_memdup2 (self->states, self->n_rows * sizeof *self->states);
  for (guint i = 0; i < self->n_rows; i++)
    prism_sweep_row_copy (&copy->rows[i], &self->rows[i]);
  return copy;
}

/**
 * prism_tile_table_free:
 * @self: (nullable): a table
 */
void
prism_tile_table_free (PrismTileTable *self)
{
  if (self == NULL)
    return;
  for (guint i = 0; i < self->n_rows; i++)
    prism_sweep_row_clear (&self->rows[i]);
  g_free (self->rows);
  g_free (self->states);
  g_free (self);
}

/**
 * prism_tile_table_get_state:
 * @tile: number of a tile
 *
 * Returns: (transfer none): one word, as in files
 */
const char *
prism_tile_table_get_state (const PrismTileTable *self,
                            guint tile)
{
  return state_names[self->states[tile]];
}

/**
 * prism_tile_table_get_median_psnr:
 *
 * Units: dB.
 *
 * Returns: of the tiles that have one; NAN where none has
 */
double
prism_tile_table_get_median_psnr (const PrismTileTable *self)
{
  g_autofree double *values = g_new (double, self->n_rows + 1);
  guint n = 0;

  for (guint i = 0; i < self->n_rows; i++)
    if (self->states[i] == PRISM_TILE_FINISHED && isfinite (self->rows[i].metrics.psnr))
      values[n++] = self->rows[i].metrics.psnr;
  return prism_sort_median (values, n);
}

/**
 * prism_tile_table_get_seconds:
 *
 * Units: seconds.
 *
 * Returns: what all finished tiles took together
 */
double
prism_tile_table_get_seconds (const PrismTileTable *self)
{
  double sum = 0.0;

  for (guint i = 0; i < self->n_rows; i++)
    if (self->states[i] >= PRISM_TILE_DARK && isfinite (self->rows[i].seconds))
      sum += self->rows[i].seconds;
  return sum;
}
