/* prism-compare-table: what the compared runs came to, and where their settings differ, as a table
 * that sorts by any column. */
#pragma once

#include <gtk/gtk.h>

#include "results/prism-comparison.h"

G_BEGIN_DECLS

#define PRISM_TYPE_COMPARE_TABLE (prism_compare_table_get_type ())

G_DECLARE_FINAL_TYPE (PrismCompareTable, prism_compare_table, PRISM, COMPARE_TABLE, GtkWidget)

void           prism_compare_table_set_comparison (PrismCompareTable     *self,
                                                   const PrismComparison *comparison);

G_END_DECLS
