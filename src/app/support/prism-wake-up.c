#include "config.h"

#include "support/prism-wake-up.h"

struct _PrismWakeUp
{
  GSource *source;
  PrismWakeUpFunc func;
  gpointer data;
};

static gboolean
dispatch (GSource *source,
          GSourceFunc callback,
          gpointer data)
{
  PrismWakeUp *self = data;

  g_source_set_ready_time (source, -1);
  self->func (self->data);
  return G_SOURCE_CONTINUE;
}

static gboolean
do_nothing (gpointer data)
{
  return G_SOURCE_CONTINUE;
}

/**
 * prism_wake_up_new:
 * @func: (scope notified): called in the default main loop
 * @data: for @func
 *
 * Prepares waking the main loop.
 *
 * Thread: main.
 *
 * Returns: (transfer full): the means
 */
PrismWakeUp *
prism_wake_up_new (PrismWakeUpFunc func,
                   gpointer data)
{
  static GSourceFuncs funcs = { .dispatch = dispatch };
  PrismWakeUp *self = g_new0 (PrismWakeUp, 1);

  self->func = func;
  self->data = data;
  self->source = g_source_new (&funcs, sizeof (GSource));
  g_source_set_static_name (self->source, "wake-up");
  g_source_set_callback (self->source, do_nothing, self, NULL);
  g_source_attach (self->source, NULL);
  return self;
}

/**
 * prism_wake_up_free:
 * @self: (nullable): one that nobody triggers any more
 *
 * Frees it; a call that was on its way does not come.
 *
 * Thread: main.
 */
void
prism_wake_up_free (PrismWakeUp *self)
{
  if (self == NULL)
    return;
  g_source_destroy (self->source);
  g_source_unref (self->source);
  g_free (self);
}

/**
 * prism_wake_up_trigger:
 * @self: a wake-up
 *
 * Has the function called once, soon; further triggers before that change nothing.
 *
 * Thread: any.
 */
void
prism_wake_up_trigger (PrismWakeUp *self)
{
  g_source_set_ready_time (self->source, 0);
}
