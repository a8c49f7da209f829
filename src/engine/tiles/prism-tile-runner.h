/* prism-tile-runner: the runs of tiles as processes of prism-cli, several at a time. A tile whose
 * result is there already is not run again.
 *
 * Thread: that of the main context in which it was started. */
#pragma once

#include "batch/prism-batch.h"
#include "results/prism-sweep-runner.h"
#include "tiles/prism-tile-plan.h"

G_BEGIN_DECLS

void             prism_tile_runner_init_need (PrismBatchNeed      *need,
                                              const PrismTilePlan *plan,
                                              gboolean             keeps);
PrismBatch *prism_tile_batch_new (const PrismTilePlan  *plan,
                                  const char           *directory,
                                  const char           *program,
                                  guint                 n_jobs,
                                  gboolean              keeps,
                                  PrismBatchFunc        func,
                                  gpointer              data,
                                  GError              **error);
char       *prism_tile_slurm_save_script (const PrismTilePlan  *plan,
                                          const char           *directory,
                                          const char           *program,
                                          guint                 n_jobs,
                                          gboolean              keeps,
                                          const char *const    *options,
                                          GError              **error);

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

/* The objects of tiles, cut from a picture that is read once in strips, with one
 * row of tiles in memory. Thread: any one. */

typedef struct _PrismTileCut PrismTileCut;

PrismTileCut *prism_tile_cut_new     (const PrismTilePlan  *plan,
                                      const char           *directory,
                                      GError              **error);
void          prism_tile_cut_free    (PrismTileCut *self);
gboolean      prism_tile_cut_prepare (PrismTileCut  *self,
                                      guint          tile,
                                      GError       **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismTileCut, prism_tile_cut_free)

G_END_DECLS
