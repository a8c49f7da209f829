/* prism-trace-counter: what a counter of a profile comes to.
 * Thread: any. */
#pragma once

#include "profile/prism-trace.h"

G_BEGIN_DECLS

typedef struct
{
  guint n_samples;
  double most;
  double last;
  double slope;                         /* 1/s, of the line nearest to the samples; 0 where there
                                         * are not two moments */
} PrismTraceCounter;

void  prism_trace_counter_init       (PrismTraceCounter *self,
                                      const PrismTrace  *trace,
                                      PrismCounter       counter);
char *prism_trace_dup_memory         (const PrismTrace *trace);

G_END_DECLS
