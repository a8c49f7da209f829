#include "config.h"

#include "charts/prism-timeline.h"

#include "support/prism-class.h"

G_DEFINE_FINAL_TYPE (PrismTimeline, prism_timeline, G_TYPE_OBJECT)

static void
prism_timeline_class_init (PrismTimelineClass *klass)
{
  prism_signal_new (klass, "changed", 0);
  prism_signal_new (klass, "cursor-moved", 0);
  /* A step in one of the charts, NAN for the present. */
  prism_signal_new (klass, "moment-picked", 1, G_TYPE_DOUBLE);
}

static void
prism_timeline_init (PrismTimeline *self)
{
  self->first = self->last = self->cursor = self->moment = NAN;
}

/**
 * prism_timeline_set_range:
 * @self: a timeline
 * @first: step at the left edge
 * @last: step at the right edge, above @first
 *
 * Shows a part of the run in all charts that share the timeline, and emits "changed".
 */
void
prism_timeline_set_range (PrismTimeline *self,
                          double first,
                          double last)
{
  g_return_if_fail (first < last);

  if (first == self->first && last == self->last)
    return;
  self->first = first;
  self->last = last;
  g_signal_emit_by_name (self, "changed");
}

/**
 * prism_timeline_reset:
 * @self: a timeline
 *
 * Shows the whole run again.
 */
void
prism_timeline_reset (PrismTimeline *self)
{
  if (isnan (self->first))
    return;
  self->first = self->last = NAN;
  g_signal_emit_by_name (self, "changed");
}

/**
 * prism_timeline_set_cursor:
 * @self: a timeline
 * @step: the step to point at, NAN for none
 *
 * Points at a step in all charts that share the timeline, and emits "cursor-moved".
 */
void
prism_timeline_set_cursor (PrismTimeline *self,
                           double step)
{
  if (step == self->cursor || (isnan (step) && isnan (self->cursor)))
    return;
  self->cursor = step;
  g_signal_emit_by_name (self, "cursor-moved");
}

/**
 * prism_timeline_set_moment:
 * @self: a timeline
 * @step: the step that the pictures show, NAN for the present
 *
 * Marks the moment of the past that is shown, and emits "cursor-moved".
 */
void
prism_timeline_set_moment (PrismTimeline *self,
                           double step)
{
  if (step == self->moment || (isnan (step) && isnan (self->moment)))
    return;
  self->moment = step;
  g_signal_emit_by_name (self, "cursor-moved");
}

/**
 * prism_timeline_pick_moment:
 * @self: a timeline
 * @step: a step, NAN for the present
 *
 * Says in one of the charts that this moment should be shown: emits "moment-picked".
 */
void
prism_timeline_pick_moment (PrismTimeline *self,
                            double step)
{
  g_signal_emit_by_name (self, "moment-picked", step);
}
