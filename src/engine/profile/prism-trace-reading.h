/* prism-trace-reading: a profile with all that is said of it, for a page that shows it.
 * Thread: any; immutable and reference counted. */
#pragma once

#include "profile/prism-trace-summary.h"

G_BEGIN_DECLS

typedef struct
{
  PrismTrace *trace;
  PrismTraceSummary summary;
  char *text;                           /* sentences: bottleneck, memory, cost */
} PrismTraceReading;

PrismTraceReading *prism_trace_reading_new       (PrismTrace *trace);
PrismTraceReading *prism_trace_reading_ref       (PrismTraceReading *self);
void               prism_trace_reading_unref     (PrismTraceReading *self);
char              *prism_trace_reading_dup_change (const PrismTraceReading *before,
                                                   const PrismTraceReading *after);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismTraceReading, prism_trace_reading_unref)

G_END_DECLS
