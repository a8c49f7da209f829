#include "config.h"

#include "support/prism-throttle.h"

struct _PrismThrottle
{
  gint64 interval; /* µs */
  gint64 phase;    /* µs */
  PrismThrottleFunc func;
  gpointer data;
  gint64 called_in; /* the interval of the last call, counted from the phase; -1 before */
  guint source;     /* 0 when no call waits */
};

/**
 * prism_throttle_new:
 * @interval: ms, in each of which there is one call at most that is not asked for at once
 * @phase: ms by which the intervals begin later than those of phase 0
 * @func: (scope notified): called in the default main loop
 * @data: for @func
 *
 * Prepares throttled calls. Those of equal interval and phase come in the same moments, so that
 * what they show is of one moment, too; other phases keep calls that take long apart.
 *
 * Thread: main.
 *
 * Returns: (transfer full): the throttle
 */
PrismThrottle *
prism_throttle_new (guint interval,
                    guint phase,
                    PrismThrottleFunc func,
                    gpointer data)
{
  PrismThrottle *self = g_new0 (PrismThrottle, 1);

  self->interval = interval * 1000;
  self->phase = phase * 1000;
  self->called_in = -1;
  self->func = func;
  self->data = data;
  return self;
}

/**
 * prism_throttle_free:
 * @self: (nullable): a throttle
 *
 * Frees it; a call that waits does not come.
 *
 * Thread: main.
 */
void
prism_throttle_free (PrismThrottle *self)
{
  if (self == NULL)
    return;
  g_clear_handle_id (&self->source, g_source_remove);
  g_free (self);
}

static gint64
get_time (PrismThrottle *self)
{
  return g_get_monotonic_time () - self->phase;
}

static void
call (PrismThrottle *self)
{
  self->called_in = get_time (self) / self->interval;
  self->func (self->data);
}

static gboolean
call_later (gpointer data)
{
  PrismThrottle *self = data;

  self->source = 0;
  call (self);
  return G_SOURCE_REMOVE;
}

/**
 * prism_throttle_call:
 * @self: a throttle
 * @at_once: whether it cannot wait
 *
 * Calls the function, now if it can be and otherwise once later, however often it is asked for.
 *
 * Thread: main.
 */
void
prism_throttle_call (PrismThrottle *self,
                     gboolean at_once)
{
  gint64 now = get_time (self);

  if (at_once || now / self->interval != self->called_in)
    {
      g_clear_handle_id (&self->source, g_source_remove);
      call (self);
    }
  else if (self->source == 0)
    self->source = g_timeout_add ((guint) (self->interval - now % self->interval) / 1000 + 1,
                                  call_later, self);
}
