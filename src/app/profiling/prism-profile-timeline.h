/* prism-profile-timeline: the stages of a profile over time, to be looked at closely: the wheel or
 * +, - and 0 zoom, dragging or the arrow keys move. */
#pragma once

#include "prism-paint.h"
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

/* The stages of a profile over time, a lane for each thread, in which stages
 * stand below those around them. Drawn by cairo, for a stretch of time.
 *
 * Units: s for times, px for places. Thread: one at a time. */

#define PRISM_PROFILE_LANES_MOST_DEPTH 6 /* what is further inside is not drawn */

/* What is seen, from the origin. */
typedef struct
{
  double width;
  double line;                          /* height of a line of text */
  double from;                          /* s */
  double to;                            /* s */
} PrismProfileView;

typedef struct _PrismProfileLanes PrismProfileLanes;

PrismProfileLanes *prism_profile_lanes_new         (PrismTraceReading *reading);
void               prism_profile_lanes_free        (PrismProfileLanes *self);
double             prism_profile_lanes_get_seconds (const PrismProfileLanes *self);
double             prism_profile_lanes_get_height  (const PrismProfileLanes *self,
                                                    double                   line);
const PrismSpan   *prism_profile_lanes_find        (const PrismProfileLanes *self,
                                                    const PrismProfileView  *view,
                                                    double                   x,
                                                    double                   y);
char              *prism_profile_lanes_dup_tip     (const PrismSpan *span);
void               prism_profile_lanes_draw        (const PrismProfileLanes *self,
                                                    PrismPaint              *paint,
                                                    const PrismProfileView  *view);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismProfileLanes, prism_profile_lanes_free)

G_END_DECLS
