/* prism-tile-table: what tiles have come to, read from the files that they left. Thread: any. */
#pragma once

#include "results/prism-sweep-measure.h"
#include "tiles/prism-tile-plan.h"

G_BEGIN_DECLS

typedef struct _PrismTileTable PrismTileTable;

typedef enum
{
  PRISM_TILE_MISSING,
  PRISM_TILE_FAILED,
  PRISM_TILE_DARK,                      /* no light: nothing was measured */
  PRISM_TILE_FINISHED,
} PrismTileState;

struct _PrismTileTable
{
  PrismSweepRow *rows;                  /* [n_rows], without images */
  PrismTileState *states;               /* [n_rows] */
  guint n_rows;
  guint n_finished;                     /* dark ones included */
  guint n_failed;
  guint n_unexplained;
};

PrismTileTable *prism_tile_table_load      (const PrismTilePlan  *plan,
                                            const char           *directory,
                                            const PrismTileTable *before);
PrismTileTable *prism_tile_table_dup       (const PrismTileTable *self);
void            prism_tile_table_free      (PrismTileTable *self);
const char     *prism_tile_table_get_state (const PrismTileTable *self,
                                            guint                 tile);
double          prism_tile_table_get_median_psnr (const PrismTileTable *self);
double          prism_tile_table_get_seconds     (const PrismTileTable *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismTileTable, prism_tile_table_free)

G_END_DECLS
