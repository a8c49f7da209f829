/* prism-trace-reading: a profile with all that is said of it, for a page that shows it.
 * Thread: any; immutable and reference counted. */
#pragma once

#include "profile/prism-trace-summary.h"

G_BEGIN_DECLS

typedef enum
{
  PRISM_STAGE_COLUMN_PART,              /* of the work, 0…1 */
  PRISM_STAGE_COLUMN_CALLS,
  PRISM_STAGE_COLUMN_TOTAL,             /* s */
  PRISM_STAGE_COLUMN_SELF,              /* s */
  PRISM_STAGE_COLUMN_MEDIAN,            /* s */
  PRISM_STAGE_COLUMN_P99,               /* s */
  PRISM_STAGE_COLUMN_BANDWIDTH,         /* bytes/s */
  PRISM_STAGE_COLUMN_BANDWIDTH_PART,    /* of the machine's most, 0…1 */
  PRISM_STAGE_COLUMN_RATE,              /* operations/s */
  PRISM_STAGE_COLUMN_RATE_PART,
  PRISM_N_STAGE_COLUMNS,
} PrismStageColumn;

typedef struct
{
  PrismTrace *trace;
  PrismTraceSummary summary;
  char *text;                           /* sentences: bottleneck, memory, cost */
} PrismTraceReading;

PrismTraceReading *prism_trace_reading_new       (PrismTrace *trace);
PrismTraceReading *prism_trace_reading_ref       (PrismTraceReading *self);
void               prism_trace_reading_unref     (PrismTraceReading *self);
double             prism_trace_reading_get_value (const PrismTraceReading *self,
                                                  PrismStage               stage,
                                                  PrismStageColumn         column);
char              *prism_trace_reading_dup_change (const PrismTraceReading *before,
                                                   const PrismTraceReading *after);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismTraceReading, prism_trace_reading_unref)

G_END_DECLS
