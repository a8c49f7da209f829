#include "config.h"

#include "prism-cli-watch.h"

#include "prism-cli-engine.h"

#define SIGNAL_INTERVAL 50 /* ms between two looks for a signal */

static gpointer
watch (gpointer data)
{
  PrismCliWatch *self = data;

  while (!g_atomic_int_get (&self->over))
    {
      if (prism_cli_engine_get_signal () != 0)
        {
          g_cancellable_cancel (self->cancellable);
          break;
        }
      g_usleep (SIGNAL_INTERVAL * 1000);
    }
  return NULL;
}

/**
 * prism_cli_watch_init:
 * @self: (out caller-allocates): what is to be handed to whatever can be cancelled; it must not
 *   move
 *
 * Begins to look for signals that prism_cli_engine_catch_signals() catches.
 */
void
prism_cli_watch_init (PrismCliWatch *self)
{
  self->cancellable = g_cancellable_new ();
  self->over = FALSE;
  self->thread = g_thread_new ("signals", watch, self);
}

/**
 * prism_cli_watch_clear:
 * @self: looking for signals
 *
 * Ends that.
 */
void
prism_cli_watch_clear (PrismCliWatch *self)
{
  g_atomic_int_set (&self->over, TRUE);
  g_thread_join (self->thread);
  g_object_unref (self->cancellable);
}
