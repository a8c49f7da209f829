/* prism-sweep-time: how many runs a sweep is and how long they take, said where it is planned and
 * where it runs. */
#pragma once

#include <gtk/gtk.h>

#include "results/prism-sweep-runner.h"

G_BEGIN_DECLS

void prism_sweep_time_tell (GtkLabel   *label,
                            PrismSweep *sweep);
void prism_sweep_time_show (GtkProgressBar   *bar,
                            PrismSweepRunner *runner,
                            guint             n_points,
                            const char       *directory);

G_END_DECLS
