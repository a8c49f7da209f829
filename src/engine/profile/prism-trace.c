#include "config.h"

#include "profile/prism-trace.h"

static void
free_thread (gpointer data)
{
  PrismTraceThread *thread = data;

  g_free (thread->name);
  g_array_unref (thread->spans);
  g_free (thread);
}

/**
 * prism_trace_new:
 *
 * Returns: (transfer full): a trace without spans
 */
PrismTrace *
prism_trace_new (void)
{
  PrismTrace *self = g_new0 (PrismTrace, 1);

  self->threads = g_ptr_array_new_with_free_func (free_thread);
  self->samples = g_array_new (FALSE, FALSE, sizeof (PrismSpan));
  return self;
}

/**
 * prism_trace_free:
 * @self: (nullable): a trace
 */
void
prism_trace_free (PrismTrace *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->threads);
  g_array_unref (self->samples);
  g_free (self);
}

/**
 * prism_trace_add_thread:
 * @self: a trace
 * @name: of the thread
 *
 * Returns: (transfer none): a thread without spans
 */
PrismTraceThread *
prism_trace_add_thread (PrismTrace *self,
                        const char *name)
{
  PrismTraceThread *thread = g_new0 (PrismTraceThread, 1);

  thread->name = g_strdup (name);
  thread->spans = g_array_new (FALSE, FALSE, sizeof (PrismSpan));
  g_ptr_array_add (self->threads, thread);
  return thread;
}

/**
 * prism_trace_add_span:
 * @self: a trace
 * @thread: of it
 * @span: what is copied; that of a counter belongs to no thread
 */
void
prism_trace_add_span (PrismTrace *self,
                      PrismTraceThread *thread,
                      const PrismSpan *span)
{
  g_array_append_vals (span->kind < PRISM_N_STAGES ? thread->spans : self->samples, span, 1);
}

static int
compare_spans (gconstpointer a,
               gconstpointer b)
{
  const PrismSpan *x = a, *y = b;

  if (x->begin != y->begin)
    return x->begin < y->begin ? -1 : 1;
  return (x->end < y->end) - (x->end > y->end);
}

/**
 * prism_trace_sort:
 * @self: a trace
 *
 * Brings spans into the order of their beginnings, which is not that in which they are over.
 */
void
prism_trace_sort (PrismTrace *self)
{
  for (guint i = 0; i < self->threads->len; i++)
    g_array_sort (((PrismTraceThread *) self->threads->pdata[i])->spans, compare_spans);
  g_array_sort (self->samples, compare_spans);
}

/**
 * prism_trace_get_overhead:
 * @self: a trace
 *
 * Returns: the part of the time that the profile itself took, 0…1: its spans times what one costs;
 *   of workers, which work side by side, those of the one that has most
 */
double
prism_trace_get_overhead (const PrismTrace *self)
{
  guint64 n = self->samples->len, most = 0;

  for (guint i = 0; i < self->threads->len; i++)
    {
      const PrismTraceThread *thread = self->threads->pdata[i];
      const guint64 n_spans = thread->spans->len + thread->n_lost;

      if (thread->worker > 0)
        most = MAX (most, n_spans);
      else
        n += n_spans;
    }
  return self->seconds > 0.0 ? (double) (n + most) * self->span_cost / self->seconds : 0.0;
}
