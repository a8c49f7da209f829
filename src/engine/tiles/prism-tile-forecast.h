/* prism-tile-forecast: how long the tiles of a picture will take that have no result yet.
 * Thread: that of a device where runs may be timed; otherwise any. */
#pragma once

#include "results/prism-sweep-forecast.h"
#include "tiles/prism-tile-plan.h"

G_BEGIN_DECLS

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
