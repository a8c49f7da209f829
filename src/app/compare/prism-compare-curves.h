/* prism-compare-curves: one chart with a curve of each compared run. */
#pragma once

#include <gtk/gtk.h>

#include "results/prism-comparison.h"

G_BEGIN_DECLS

#define PRISM_TYPE_COMPARE_CURVES (prism_compare_curves_get_type ())

G_DECLARE_FINAL_TYPE (PrismCompareCurves, prism_compare_curves, PRISM, COMPARE_CURVES, GtkWidget)

void prism_compare_curves_set_comparison (PrismCompareCurves    *self,
                                          const PrismComparison *comparison);

G_END_DECLS
