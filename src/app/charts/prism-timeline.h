/* prism-timeline: the range of steps and the cursor that linked charts share. */
#pragma once

#include <glib-object.h>

G_BEGIN_DECLS

#define PRISM_TYPE_TIMELINE (prism_timeline_get_type ())

G_DECLARE_FINAL_TYPE (PrismTimeline, prism_timeline, PRISM, TIMELINE, GObject)

struct _PrismTimeline
{
  GObject parent_instance;

  double first; /* NAN while all of the run is shown */
  double last;
  double cursor; /* NAN without a cursor */
  double moment; /* NAN while the present is shown */
};

void           prism_timeline_set_range  (PrismTimeline *self,
                                          double         first,
                                          double         last);
void           prism_timeline_reset      (PrismTimeline *self);
void           prism_timeline_set_cursor (PrismTimeline *self,
                                          double         step);
void           prism_timeline_set_moment (PrismTimeline *self,
                                          double         step);
void           prism_timeline_pick_moment (PrismTimeline *self,
                                           double         step);

G_END_DECLS
