/* prism-mark-bench: what the marks over a view tell: a list of numbers, and the chart of the one
 * that is held: along a line, or over the run. */
#pragma once

#include "canvas/prism-view.h"
#include "session/prism-playback.h"

G_BEGIN_DECLS

#define PRISM_TYPE_MARK_BENCH (prism_mark_bench_get_type ())

G_DECLARE_FINAL_TYPE (PrismMarkBench, prism_mark_bench, PRISM, MARK_BENCH, GtkWidget)

GtkWidget *prism_mark_bench_new          (PrismView *view,
                                          gboolean   camera);
void       prism_mark_bench_add_source   (PrismMarkBench *self,
                                          PrismView      *view);
void       prism_mark_bench_set_playback (PrismMarkBench *self,
                                          PrismPlayback  *playback);
char      *prism_mark_bench_dup_csv      (PrismMarkBench *self);

G_END_DECLS
