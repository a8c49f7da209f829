/* prism-benchmark-report: a benchmark as files to hand on: HTML, PDF, text, JSON. Thread: any. */
#pragma once

#include "benchmark/prism-benchmark.h"
#include "tiles/prism-tile-blend.h"

G_BEGIN_DECLS

gboolean prism_benchmark_report_save     (const PrismBenchmark  *benchmark,
                                          const char            *path,
                                          GError               **error);
gboolean prism_benchmark_report_save_all (const PrismBenchmark  *benchmark,
                                          const char            *directory,
                                          GError               **error);

/* What the tiles of a picture have come to: the picture, tables, a page of HTML.
 * Thread: any. */

#define PRISM_TILE_REPORT_PICTURE "picture.tif"

PrismTileBlend *prism_tile_report_save_all (const PrismTilePlan  *plan,
                                            const PrismTileTable *table,
                                            const char           *directory,
                                            const char           *picture,
                                            GError              **error);

G_END_DECLS
