/* prism-pattern-bar: below k-space: what the edited pattern measures, and how to change it. */
#pragma once

#include "kspace/prism-pattern-desk.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define PRISM_TYPE_PATTERN_BAR (prism_pattern_bar_get_type ())

G_DECLARE_FINAL_TYPE (PrismPatternBar, prism_pattern_bar, PRISM, PATTERN_BAR, GtkWidget)

GtkWidget *prism_pattern_bar_new (PrismPatternDesk *desk);

G_END_DECLS
