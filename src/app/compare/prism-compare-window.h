/* prism-compare-window: the runs of the session, held against each other: pictures, curves, table;
 * and the queue of runs that wait. */
#pragma once

#include <adwaita.h>

#include "compare/prism-compare-images.h"
#include "session/prism-run-list.h"

G_BEGIN_DECLS

#define PRISM_TYPE_COMPARE_WINDOW (prism_compare_window_get_type ())

G_DECLARE_FINAL_TYPE (PrismCompareWindow, prism_compare_window, PRISM, COMPARE_WINDOW, AdwWindow)

GtkWidget          *prism_compare_window_new        (PrismRunList *runs);
void                prism_compare_window_show_page  (PrismCompareWindow *self,
                                                     const char         *name);

G_END_DECLS
