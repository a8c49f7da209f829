/* prism-timeline: the range of steps and the cursor that linked charts share. */
#pragma once

#include <glib-object.h>

G_BEGIN_DECLS

#define PRISM_TYPE_TIMELINE (prism_timeline_get_type ())

G_DECLARE_FINAL_TYPE (PrismTimeline, prism_timeline, PRISM, TIMELINE, GObject)

PrismTimeline *prism_timeline_new        (void);
void           prism_timeline_set_range  (PrismTimeline *self,
                                          double         first,
                                          double         last);
void           prism_timeline_reset      (PrismTimeline *self);
gboolean       prism_timeline_get_range  (PrismTimeline *self,
                                          double        *first,
                                          double        *last);
void           prism_timeline_set_cursor (PrismTimeline *self,
                                          double         step);
double         prism_timeline_get_cursor (PrismTimeline *self);
void           prism_timeline_set_moment (PrismTimeline *self,
                                          double         step);
double         prism_timeline_get_moment (PrismTimeline *self);
void           prism_timeline_pick_moment (PrismTimeline *self,
                                           double         step);

G_END_DECLS
