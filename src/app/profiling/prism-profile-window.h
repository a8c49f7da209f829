/* prism-profile-window: where the time of a run went: stages, counters, sentences; saved, opened
 * and compared. */
#pragma once

#include "profiling/prism-profile-charts.h"

#include <adwaita.h>

G_BEGIN_DECLS

#define PRISM_TYPE_PROFILE_WINDOW (prism_profile_window_get_type ())

G_DECLARE_FINAL_TYPE (PrismProfileWindow, prism_profile_window, PRISM, PROFILE_WINDOW, AdwWindow)

GtkWidget         *prism_profile_window_new         (PrismTraceReading *reading);
void               prism_profile_window_open        (PrismProfileWindow *self,
                                                     const char         *path,
                                                     gboolean            compare);
gboolean           prism_profile_window_get_reading (PrismProfileWindow *self);

G_END_DECLS
