/* prism-compare-window: the runs of the session, held against each other: pictures, curves, table;
 * and the queue of runs that wait. */
#pragma once

#include "compare/prism-compare-images.h"
#include "session/prism-run-list.h"

#include <adwaita.h>

G_BEGIN_DECLS

#define PRISM_TYPE_COMPARE_WINDOW (prism_compare_window_get_type ())

G_DECLARE_FINAL_TYPE (PrismCompareWindow, prism_compare_window, PRISM, COMPARE_WINDOW, AdwWindow)

GtkWidget          *prism_compare_window_new        (PrismRunList *runs);
void                prism_compare_window_show_page  (PrismCompareWindow *self,
                                                     const char         *name);

/* What the compared runs came to, and where their settings differ, as a table
 * that sorts by any column. */

#define PRISM_TYPE_COMPARE_TABLE (prism_compare_table_get_type ())

G_DECLARE_FINAL_TYPE (PrismCompareTable, prism_compare_table, PRISM, COMPARE_TABLE, AdwBin)

void           prism_compare_table_set_comparison (PrismCompareTable     *self,
                                                   const PrismComparison *comparison);

G_END_DECLS
