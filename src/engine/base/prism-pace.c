#include "config.h"

#include "base/prism-pace.h"

#include <math.h>

/**
 * prism_pace_init:
 * @self: (out caller-allocates): a pace
 * @most: units that the device likes to get at once
 *
 * Begins with one unit: nobody knows yet how long it takes.
 */
void
prism_pace_init (PrismPace *self,
                 guint most)
{
  self->most = MAX (most, 1);
  self->n = 1;
  self->seconds = NAN;
}

/**
 * prism_pace_get:
 * @n_left: units that are left to do
 *
 * Returns: units to do at once, at least 1
 */
guint
prism_pace_get (const PrismPace *self,
                guint n_left)
{
  return CLAMP (self->n, 1, MAX (n_left, 1));
}

/**
 * prism_pace_update:
 * @n_done: units that were done at once
 * @seconds: how long that took
 *
 * Learns from a piece of work. The number at most doubles, so that one that was quick by chance
 * does no harm.
 */
void
prism_pace_update (PrismPace *self,
                   guint n_done,
                   double seconds)
{
  double allowed = seconds > 0.0 ? PRISM_PACE_MOMENT * n_done / seconds : self->most;

  self->n = (guint) CLAMP (MIN (allowed, 2.0 * self->n), 1.0, (double) self->most);
  self->seconds = seconds / n_done;
}

/**
 * prism_pace_get_seconds:
 *
 * Units: s.
 *
 * Returns: what one unit took, the last time; NAN before
 */
double
prism_pace_get_seconds (const PrismPace *self)
{
  return self->seconds;
}
