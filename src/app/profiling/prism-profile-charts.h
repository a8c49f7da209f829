/* prism-profile-charts: the counters of a profile over time, a chart for each that was noted. */
#pragma once

#include "profile/prism-trace.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

void prism_profile_charts_fill (GtkFlowBox       *box,
                                const PrismTrace *trace);

G_END_DECLS
