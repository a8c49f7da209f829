/* prism-trace: a profile that was recorded: the spans of every thread, counters over time, and what
 * it cost to take it.
 *
 * Units: ns since the start for times of spans. Thread: one at a time. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The one table of what a profile tells apart: stages and counters.
 * Thread: any. */

/* A stage may stand within another: self time is what its inner stages leave. */
typedef enum
{
  PRISM_STAGE_WAIT,                     /* for a command */
  PRISM_STAGE_COMMAND,
  PRISM_STAGE_WORK,                     /* what no inner stage names */
  PRISM_STAGE_OBJECT,
  PRISM_STAGE_PATTERN,
  PRISM_STAGE_MEASURE,
  PRISM_STAGE_EXPOSE,
  PRISM_STAGE_TRAIN,                    /* a chunk of steps */
  PRISM_STAGE_FORWARD,
  PRISM_STAGE_TELESCOPE,                /* transforms, losses and their gradient */
  PRISM_STAGE_LOSS,                     /* with the columns' transforms, on the CPU */
  PRISM_STAGE_BACKWARD,
  PRISM_STAGE_UPDATE,                   /* with the weights' gradient, on the CPU */
  PRISM_STAGE_LIVE,
  PRISM_STAGE_REFINE,
  PRISM_STAGE_PASS,                     /* part of a pass through the measurements */
  PRISM_STAGE_FIELDS,                   /* those behind the frames are searched */
  PRISM_STAGE_ALIGN,                    /* their phases, and the gaps between them */
  PRISM_STAGE_JUDGE,
  PRISM_STAGE_METRICS,
  PRISM_STAGE_MOMENT,
  PRISM_STAGE_PUBLISH,
  PRISM_STAGE_SAVE,
  PRISM_STAGE_EXPORT,
  PRISM_STAGE_COLLECT,                  /* the window takes a snapshot over */
  PRISM_STAGE_RASTER,                   /* values become colours */
  PRISM_STAGE_DRAW,
  PRISM_N_STAGES,
} PrismStage;

typedef enum
{
  PRISM_COUNTER_DEVICE_MEMORY,          /* bytes */
  PRISM_COUNTER_STEP_RATE,              /* 1/s */
  PRISM_COUNTER_HOST_MEMORY,            /* bytes of the process that are in memory */
  PRISM_COUNTER_CACHE_HITS,             /* since the program began */
  PRISM_COUNTER_QUEUE,                  /* commands that wait for the engine */
  PRISM_COUNTER_ARRAYS,                 /* bytes of all arrays of prism-arena, at each change */
  PRISM_N_COUNTERS,
} PrismCounter;

const char *prism_stage_get_id      (guint self);
const char *prism_stage_get_label   (PrismStage self);
const char *prism_stage_get_dependence (PrismStage self);
int         prism_stage_find        (const char *id);

/* The most that a machine's memory and processors can do, for saying how much of it is
 * used.
 * Thread: any. */

/* Bytes that are gone through again and again, of all threads together: from those that lie in the
 * caches to those that do not, where a byte takes up to ten times as long. */
#define PRISM_ROOF_N_SETS 5
#define PRISM_ROOF_SET(i) ((gsize) (256 << 10) << (2 * (i)))
#define PRISM_ROOF_LAST (PRISM_ROOF_N_SETS - 1)

typedef struct
{
  double bandwidths[PRISM_ROOF_N_SETS]; /* bytes/s that copies within a set read and write */
  double rate;                          /* 1/s: multiplications and additions, fused, FP32 */
} PrismRoof;

void prism_roof_measure (PrismRoof *self);

#define PRISM_TRACE_SUFFIX ".prismprof"

typedef struct
{
  gint64 begin;
  gint64 end;
  guint64 count;
  guint64 bytes;
  double value;                         /* operations; of a counter how it stood */
  guint kind;                           /* PrismStage, or PRISM_N_STAGES + PrismCounter */
} PrismSpan;

typedef struct
{
  char *name;
  guint worker;                         /* its number, 0 where it is none of a pool */
  GArray *spans;                        /* PrismSpan, by begin, outer ones first */
  guint64 n_lost;                       /* for which there was no room */
} PrismTraceThread;

typedef struct
{
  double seconds;                       /* from start to stop */
  double span_cost;                     /* s, measured */
  PrismRoof roof;                       /* 0 where it was not measured */
  GPtrArray *threads;                   /* PrismTraceThread */
  GArray *samples;                      /* PrismSpan, of counters, by time */
} PrismTrace;

PrismTrace       *prism_trace_new          (void);
void              prism_trace_free         (PrismTrace *self);
PrismTraceThread *prism_trace_add_thread   (PrismTrace *self,
                                            const char *name);
void              prism_trace_add_span     (PrismTrace       *self,
                                            PrismTraceThread *thread,
                                            const PrismSpan  *span);
void              prism_trace_sort         (PrismTrace *self);
double            prism_trace_get_overhead (const PrismTrace *self);

gboolean          prism_trace_check_path   (const char  *path,
                                            GError     **error);
gboolean          prism_trace_save         (const PrismTrace  *self,
                                            const char        *path,
                                            GError           **error);
PrismTrace       *prism_trace_load         (const char  *path,
                                            GError     **error);
PrismTrace       *prism_trace_read         (const char  *text,
                                            gsize        length,
                                            const char  *shown,
                                            GError     **error);
char             *prism_trace_dup_own      (const PrismTrace *self);
char             *prism_trace_dup_chrome   (const PrismTrace *self);
GBytes           *prism_trace_dup_sysprof  (const PrismTrace *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismTrace, prism_trace_free)

/* What a counter of a profile comes to.
 * Thread: any. */

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
