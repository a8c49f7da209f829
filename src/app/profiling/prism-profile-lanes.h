/* prism-profile-lanes: the stages of a profile over time, a lane for each thread, in which stages
 * stand below those around them. Drawn by cairo, for a stretch of time.
 *
 * Units: s for times, px for places. Thread: one at a time. */
#pragma once

#include "prism-paint.h"
#include "profile/prism-trace-reading.h"

G_BEGIN_DECLS

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
