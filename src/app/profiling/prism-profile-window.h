/* prism-profile-window: where the time of a run went: stages, counters, sentences; saved, opened
 * and compared. */
#pragma once

#include "prism-chart-draw.h"
#include "profile/prism-trace-reading.h"

#include <adwaita.h>

G_BEGIN_DECLS

/* The stages of a profile over time. */

PrismChartData *prism_profile_chart_new (PrismTraceReading *reading);

/* A window with that, with the stages as rows that can be sorted, and beside them those of another
 * profile. */

#define PRISM_TYPE_PROFILE_WINDOW (prism_profile_window_get_type ())

G_DECLARE_FINAL_TYPE (PrismProfileWindow, prism_profile_window, PRISM, PROFILE_WINDOW, AdwWindow)

GtkWidget         *prism_profile_window_new         (PrismTraceReading *reading);
void               prism_profile_window_open        (PrismProfileWindow *self,
                                                     const char         *path,
                                                     gboolean            compare);

G_END_DECLS
