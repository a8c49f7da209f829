/* prism-profile-charts: the counters of a profile over time, a chart for each that was noted. */
#pragma once

#include "profile/prism-trace-reading.h"
#include "profile/prism-trace.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

void prism_profile_charts_fill (GtkFlowBox       *box,
                                const PrismTrace *trace);

/* The stages of a profile as rows that can be sorted, each with a bar, and
 * beside them those of another profile. */

#define PRISM_TYPE_PROFILE_TABLE (prism_profile_table_get_type ())

G_DECLARE_FINAL_TYPE (PrismProfileTable, prism_profile_table, PRISM, PROFILE_TABLE, GtkWidget)

void           prism_profile_table_set_readings (PrismProfileTable *self,
                                                 PrismTraceReading *reading,
                                                 PrismTraceReading *before);

G_END_DECLS
