/* prism-trace: a profile that was recorded: the spans of every thread, counters over time, and what
 * it cost to take it.
 *
 * Units: ns since the start for times of spans. Thread: one at a time. */
#pragma once

#include "profile/prism-profile-stage.h"
#include "profile/prism-roof.h"

G_BEGIN_DECLS

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

G_END_DECLS
