/* prism-sweep-time: says on a bar how many runs a sweep has, and how long they will take. */
#pragma once

#include <gtk/gtk.h>

#include "results/prism-sweep-runner.h"

G_BEGIN_DECLS

void prism_sweep_time_show (GtkProgressBar   *bar,
                            PrismSweepRunner *runner,
                            guint             n_points,
                            const char       *directory);

G_END_DECLS
