#include "config.h"

#include "support/prism-pace.h"

struct _PrismPace
{
  gint64 interval; /* µs */
  gint64 phase;    /* µs */
  PrismPaceFunc func;
  gpointer data;
  gint64 called_in; /* the interval of the last call, counted from the phase; -1 before */
  guint source;     /* 0 when no call waits */
};

/**
 * prism_pace_new:
 * @interval: ms, in each of which there is one call at most that is not asked for at once
 * @phase: ms by which the intervals begin later than those of phase 0
 * @func: (scope notified): called in the default main loop
 * @data: for @func
 *
 * Prepares calls at a pace. Those of equal interval and phase come in the same moments, so that
 * what they show is of one moment, too; other phases keep calls that take long apart.
 *
 * Thread: main.
 *
 * Returns: (transfer full): the pace
 */
PrismPace *
prism_pace_new (guint interval,
                guint phase,
                PrismPaceFunc func,
                gpointer data)
{
  PrismPace *self = g_new0 (PrismPace, 1);

  self->interval = interval * 1000;
  self->phase = phase * 1000;
  self->called_in = -1;
  self->func = func;
  self->data = data;
  return self;
}

/**
 * prism_pace_free:
 * @self: (nullable): a pace
 *
 * Frees it; a call that waits does not come.
 *
 * Thread: main.
 */
void
prism_pace_free (PrismPace *self)
{
  if (self == NULL)
    return;
  g_clear_handle_id (&self->source, g_source_remove);
  g_free (self);
}

static gint64
get_time (PrismPace *self)
{
  return g_get_monotonic_time () - self->phase;
}

static void
call (PrismPace *self)
{
  self->called_in = get_time (self) / self->interval;
  self->func (self->data);
}

static gboolean
call_later (gpointer data)
{
  PrismPace *self = data;

  self->source = 0;
  call (self);
  return G_SOURCE_REMOVE;
}

/**
 * prism_pace_call:
 * @self: a pace
 * @at_once: whether it cannot wait
 *
 * Calls the function, now if it can be and otherwise once later, however often it is asked for.
 *
 * Thread: main.
 */
void
prism_pace_call (PrismPace *self,
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
