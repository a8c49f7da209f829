#include "config.h"

#include "window/prism-window-private.h"

/* The one file that is being read for the window: a newer one takes its place, and so does whatever
 * else comes in place of what it would become. */

/**
 * prism_window_begin_reading:
 * @self: a window
 *
 * Breaks off what is being read.
 *
 * Returns: (transfer none): what breaks off the reading that begins
 */
GCancellable *
prism_window_begin_reading (PrismWindow *self)
{
  prism_window_end_reading (self);
  self->reading = g_cancellable_new ();
  return self->reading;
}

/**
 * prism_window_end_reading:
 * @self: a window
 *
 * Breaks off what is being read, if anything is.
 */
void
prism_window_end_reading (PrismWindow *self)
{
  g_cancellable_cancel (self->reading);
  g_clear_object (&self->reading);
}
