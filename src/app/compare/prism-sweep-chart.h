/* prism-sweep-chart: a number of all runs of a sweep as a curve or a map, to choose runs from.
 * Signals: chosen, with the number of a point; opened, when it is to be opened; problem, with a
 * sentence. */
#pragma once

#include <gtk/gtk.h>

#include "results/prism-sweep-table.h"

G_BEGIN_DECLS

#define PRISM_TYPE_SWEEP_CHART (prism_sweep_chart_get_type ())

G_DECLARE_FINAL_TYPE (PrismSweepChart, prism_sweep_chart, PRISM, SWEEP_CHART, GtkBox)

void  prism_sweep_chart_set_table (PrismSweepChart       *self,
                                   PrismSweep            *sweep,
                                   const PrismSweepTable *table);
void  prism_sweep_chart_mark      (PrismSweepChart *self,
                                   guint            point);
char *prism_sweep_chart_dup_text  (PrismSweepChart *self,
                                   guint            point);

G_END_DECLS
