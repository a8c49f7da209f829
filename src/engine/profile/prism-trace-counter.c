#include "config.h"

#include "profile/prism-trace-counter.h"

#include <glib/gi18n-lib.h>

#define MEBIBYTE 1048576.0

/* Slope of y = a + b·x by least squares. */
typedef struct
{
  double n;
  double x;
  double y;
  double xx;
  double xy;
} Sums;

static double
get_slope (const Sums *sums)
{
  double spread = sums->n * sums->xx - sums->x * sums->x;

  return spread > 0.0 ? (sums->n * sums->xy - sums->x * sums->y) / spread : 0.0;
}

/**
 * prism_trace_counter_init:
 * @self: (out): how it went
 * @trace: a profile
 * @counter: which counter
 *
 * Reads the samples of a counter.
 */
void
prism_trace_counter_init (PrismTraceCounter *self,
                          const PrismTrace *trace,
                          PrismCounter counter)
{
  Sums sums = { 0 };

  *self = (PrismTraceCounter) { 0 };
  for (guint i = 0; i < trace->samples->len; i++)
    {
      const PrismSpan *sample = &g_array_index (trace->samples, PrismSpan, i);
      double x = 1e-9 * sample->begin;

      if (sample->kind != PRISM_N_STAGES + counter)
        continue;
      self->n_samples++;
      self->most = MAX (self->most, sample->value);
      self->last = sample->value;
      sums.n += 1.0;
      sums.x += x;
      sums.y += sample->value;
      sums.xx += x * x;
      sums.xy += x * sample->value;
    }
  self->slope = get_slope (&sums);
}

/**
 * prism_trace_dup_memory:
 * @trace: a profile
 *
 * Returns: (transfer full) (nullable): a sentence on the memory of the program and its slope, NULL
 *   where it was not noted
 */
char *
prism_trace_dup_memory (const PrismTrace *trace)
{
  PrismTraceCounter memory;

  prism_trace_counter_init (&memory, trace, PRISM_COUNTER_HOST_MEMORY);
  if (memory.n_samples == 0)
    return NULL;
  return g_strdup_printf (_ ("The program had %.1f MiB at most;"
                             " its memory changed by %+.2f MiB/s."),
                          memory.most / MEBIBYTE, memory.slope / MEBIBYTE);
}
