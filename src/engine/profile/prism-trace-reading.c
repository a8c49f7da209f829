#include "config.h"

#include "profile/prism-trace-reading.h"

#include "profile/prism-trace-counter.h"

#include <glib/gi18n-lib.h>

static char *
dup_text (const PrismTrace *trace)
{
  g_autofree char *advice = prism_trace_dup_advice (trace);
  g_autofree char *memory = prism_trace_dup_memory (trace);
  g_autofree char *cost = g_strdup_printf (_ ("%.2f s in all; the profile itself took %.3f %% of"
                                              " them."),
                                           trace->seconds, 100 * prism_trace_get_overhead (trace));

  if (memory == NULL)
    return g_strjoin ("\n", advice, cost, NULL);
  return g_strjoin ("\n", advice, memory, cost, NULL);
}

/**
 * prism_trace_reading_new:
 * @trace: (transfer full): a profile
 *
 * Reads all of it, which takes a while with many spans.
 *
 * Returns: (transfer full): what it comes to
 */
PrismTraceReading *
prism_trace_reading_new (PrismTrace *trace)
{
  PrismTraceReading *self = g_atomic_rc_box_new0 (PrismTraceReading);

  self->trace = trace;
  prism_trace_summary_init (&self->summary, trace);
  self->text = dup_text (trace);
  return self;
}

/**
 * prism_trace_reading_ref:
 * @self: a reading
 *
 * Returns: (transfer full): the same
 */
PrismTraceReading *
prism_trace_reading_ref (PrismTraceReading *self)
{
  return g_atomic_rc_box_acquire (self);
}

static void
clear (gpointer data)
{
  PrismTraceReading *self = data;

  prism_trace_free (self->trace);
  g_free (self->text);
}

/**
 * prism_trace_reading_unref:
 * @self: a reading
 */
void
prism_trace_reading_unref (PrismTraceReading *self)
{
  g_atomic_rc_box_release_full (self, clear);
}

/**
 * prism_trace_reading_dup_change:
 * @before: a reading
 * @after: another one
 *
 * Returns: (transfer full): a sentence that names what became slower most
 */
char *
prism_trace_reading_dup_change (const PrismTraceReading *before,
                                const PrismTraceReading *after)
{
  int slower = prism_trace_summary_find_slower (&before->summary, &after->summary);

  if (slower < 0)
    return g_strdup (_ ("Nothing became slower."));
  return g_strdup_printf (_ ("What became slower most is “%s”, by %.4f s."),
                          prism_stage_get_label (slower),
                          after->summary.stages[slower].self - before->summary.stages[slower].self);
}
