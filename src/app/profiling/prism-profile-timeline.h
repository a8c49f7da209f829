/* prism-profile-timeline: the stages of a profile over time, to be looked at closely: the wheel or
 * +, - and 0 zoom, dragging or the arrow keys move. */
#pragma once

#include "profile/prism-trace-reading.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define PRISM_TYPE_PROFILE_TIMELINE (prism_profile_timeline_get_type ())

G_DECLARE_FINAL_TYPE (PrismProfileTimeline, prism_profile_timeline, PRISM, PROFILE_TIMELINE,
                      GtkDrawingArea)

void prism_profile_timeline_set_reading (PrismProfileTimeline *self,
                                         PrismTraceReading    *reading);
void prism_profile_timeline_zoom        (PrismProfileTimeline *self,
                                         double                place,
                                         double                factor);
void prism_profile_timeline_get_range   (PrismProfileTimeline *self,
                                         double               *from,
                                         double               *to);

G_END_DECLS
