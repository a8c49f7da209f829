/* prism-trace-summary: what a profile comes to: times by stage, and what they mean.
 * Thread: any. */
#pragma once

#include "profile/prism-trace.h"

G_BEGIN_DECLS

/* What a counter was while a stage was under way, in bytes; NAN where it was not noted. */
typedef struct
{
  double first;                         /* when the first call began */
  double last;                          /* when the last one ended */
  double most;
} PrismStageMemory;

typedef enum
{
  PRISM_TRACE_MEMORY_ARRAYS,                  /* all that prism-arena has given */
  PRISM_TRACE_MEMORY_DEVICE,                  /* what training has on its device */
  PRISM_N_TRACE_MEMORIES,
} PrismTraceMemory;

typedef struct
{
  guint n_calls;
  double total;                         /* s, inner stages included */
  double self;                          /* s, without them */
  double median;                        /* s, of a call */
  double p99;                           /* s */
  guint64 count;
  guint64 bytes;
  double operations;
  PrismStageMemory memory[PRISM_N_TRACE_MEMORIES];
} PrismStageSummary;

typedef struct
{
  PrismStageSummary stages[PRISM_N_STAGES];
  double busy;                          /* s: Σ self without waiting */
  PrismRoof roof;
} PrismTraceSummary;

typedef enum
{
  PRISM_STAGE_COLUMN_PART,              /* of the work, 0…1 */
  PRISM_STAGE_COLUMN_CALLS,
  PRISM_STAGE_COLUMN_TOTAL,             /* s */
  PRISM_STAGE_COLUMN_SELF,              /* s */
  PRISM_STAGE_COLUMN_MEDIAN,            /* s */
  PRISM_STAGE_COLUMN_P99,               /* s */
  PRISM_STAGE_COLUMN_BANDWIDTH,         /* bytes/s */
  PRISM_STAGE_COLUMN_BANDWIDTH_PART,    /* of its most with as many, 0…1 */
  PRISM_STAGE_COLUMN_RATE,              /* operations/s */
  PRISM_STAGE_COLUMN_RATE_PART,
  PRISM_STAGE_COLUMN_ARRAYS_MOST,       /* bytes */
  PRISM_STAGE_COLUMN_ARRAYS_FIRST,
  PRISM_STAGE_COLUMN_ARRAYS_LAST,
  PRISM_STAGE_COLUMN_DEVICE_MOST,
  PRISM_STAGE_COLUMN_DEVICE_FIRST,
  PRISM_STAGE_COLUMN_DEVICE_LAST,
  PRISM_N_STAGE_COLUMNS,
} PrismStageColumn;

void   prism_trace_summary_init     (PrismTraceSummary *self,
                                     const PrismTrace  *trace);
void   prism_trace_summary_init_thread (PrismTraceSummary      *self,
                                        const PrismTraceThread *thread);
void   prism_trace_summary_add      (PrismTraceSummary       *self,
                                     const PrismStageSummary *stages);
guint  prism_trace_summary_sort     (const PrismTraceSummary *self,
                                     PrismStage              *order);
double prism_trace_summary_get_value (const PrismTraceSummary *self,
                                      PrismStage               stage,
                                      PrismStageColumn         column);
void   prism_trace_sort_threads     (PrismTrace *trace);
double prism_trace_get_coverage     (const PrismTraceThread *thread);
int    prism_trace_summary_find_slower (const PrismTraceSummary *before,
                                        const PrismTraceSummary *after);

char  *prism_trace_dup_text         (const PrismTrace *trace);
char  *prism_trace_dup_advice       (const PrismTrace *trace);
char  *prism_trace_dup_differences  (const PrismTrace *before,
                                     const PrismTrace *after);

G_END_DECLS
