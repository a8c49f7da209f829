/* prism-tile-runner: the runs of tiles as processes of prism-cli, several at a time. A tile whose
 * result is there already is not run again.
 *
 * Thread: that of the main context in which it was started. */
#pragma once

#include "batch/prism-batch.h"
#include "results/prism-sweep-runner.h"
#include "tiles/prism-tile-plan.h"

G_BEGIN_DECLS

typedef struct _PrismTileRunner PrismTileRunner;

/* After each tile; message is NULL where it went well. Without a tile (G_MAXUINT) something else
 * has changed, and message is the notice, or NULL. */
typedef void (*PrismTileRunnerFunc) (PrismTileRunner *self,
                                     guint            tile,
                                     const char      *message,
                                     gpointer         data);

void             prism_tile_runner_init_need (PrismBatchNeed      *need,
                                              const PrismTilePlan *plan,
                                              gboolean             keeps);
PrismTileRunner *prism_tile_runner_new   (const PrismTilePlan  *plan,
                                          const char           *directory,
                                          const char           *program,
                                          guint                 n_jobs,
                                          gboolean              keeps,
                                          PrismTileRunnerFunc   func,
                                          gpointer              data,
                                          GError              **error);
void             prism_tile_runner_free  (PrismTileRunner *self);
PrismBatch      *prism_tile_runner_get_batch (PrismTileRunner *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismTileRunner, prism_tile_runner_free)

/* How long the tiles of a picture will take that have no result yet.
 * Thread: that of a device where runs may be timed; otherwise any. */

/* Tiles; those of the plan that are dark, and those without a result. */
typedef struct
{
  guint n_dark;
  guint n_left;
  guint n_runs;                         /* of those left: a dark one is no run */
} PrismTileCounts;

void     prism_tile_forecast_count (PrismTileCounts     *self,
                                    const PrismTilePlan *plan,
                                    const char          *directory);
gboolean prism_tile_forecast_init  (PrismForecast         *self,
                                    const PrismTilePlan   *plan,
                                    guint                  n_runs,
                                    const char            *program,
                                    const PrismSweepTerms *terms);

G_END_DECLS
