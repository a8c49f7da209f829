#include "config.h"

#include "profile/prism-trace-summary.h"

#include "base/prism-each.h"
#include "base/prism-number.h"

/* Takes the time of a span from the self time of the innermost one around it. */
static void
add_thread (PrismTraceSummary *self,
            const PrismTraceThread *thread)
{
  g_autoptr (GArray) open = g_array_new (FALSE, FALSE, sizeof (PrismSpan));

  PRISM_FOR_EACH (const PrismSpan, span, thread->spans)
    {
      PrismStageSummary *stage = &self->stages[span->kind];
      double seconds = 1e-9 * (span->end - span->begin);

      while (open->len > 0 && g_array_index (open, PrismSpan, open->len - 1).end <= span->begin)
        g_array_set_size (open, open->len - 1);
      if (open->len > 0)
        self->stages[g_array_index (open, PrismSpan, open->len - 1).kind].self -= seconds;
      g_array_append_vals (open, span, 1);
      stage->n_calls++;
      stage->total += seconds;
      stage->self += seconds;
      stage->count += span->count;
      stage->bytes += span->bytes;
      stage->operations += span->value;
    }
}

static void
find_quantiles (PrismStageSummary *summary,
                const PrismTrace *trace,
                PrismStage stage)
{
  g_autofree double *times = g_new (double, summary->n_calls + 1);
  guint n = 0;

  PRISM_FOR_EACH_POINTER (const PrismTraceThread, thread, trace->threads)
    {
      if (thread->worker == 0)
        PRISM_FOR_EACH (const PrismSpan, span, thread->spans)
          {
            if (span->kind == stage)
              times[n++] = 1e-9 * (span->end - span->begin);
          }
    }
  if (n == 0)
    return;
  prism_sort_doubles (times, n);
  summary->median = times[n / 2];
  summary->p99 = times[MIN (n - 1, n * 99 / 100)];
}

static const PrismCounter counters[PRISM_N_TRACE_MEMORIES] = {
  [PRISM_TRACE_MEMORY_ARRAYS] = PRISM_COUNTER_ARRAYS,
  [PRISM_TRACE_MEMORY_DEVICE] = PRISM_COUNTER_DEVICE_MEMORY,
};

/* The samples of a counter, by time. */
static GArray *
get_samples (const PrismTrace *trace,
             PrismCounter counter)
{
  GArray *samples = g_array_new (FALSE, FALSE, sizeof (PrismSpan));

  for (guint i = 0; i < trace->samples->len; i++)
    {
      const PrismSpan *sample = &g_array_index (trace->samples, PrismSpan, i);

      if (sample->kind == PRISM_N_STAGES + counter)
        g_array_append_vals (samples, sample, 1);
    }
  return samples;
}

/* How many samples there are up to a time. */
static guint
count_until (const GArray *samples,
             gint64 time)
{
  guint first = 0, end = samples->len;

  while (first < end)
    {
      const guint middle = first + (end - first) / 2;

      if (g_array_index (samples, PrismSpan, middle).begin <= time)
        first = middle + 1;
      else
        end = middle;
    }
  return first;
}

typedef struct
{
  gint64 begin; /* of the first call */
  gint64 end;   /* of the last call */
} Extent;

/* A counter stands as it was noted until it is noted again. */
static void
add_memory (PrismStageMemory *memory,
            Extent *extent,
            const PrismSpan *span,
            const GArray *samples)
{
  const PrismSpan *values = (const PrismSpan *) samples->data;
  const guint first = count_until (samples, span->begin), end = count_until (samples, span->end);

  if (first > 0 && span->begin < extent->begin)
    memory->first = values[first - 1].value;
  extent->begin = MIN (extent->begin, span->begin);
  if (end > 0 && span->end >= extent->end)
    memory->last = values[end - 1].value;
  extent->end = MAX (extent->end, span->end);
  for (guint i = MAX (first, 1) - 1; i < end; i++)
    memory->most = fmax (memory->most, values[i].value);
}

/**
 * prism_trace_summary_init:
 * @self: (out): times by stage
 * @trace: a profile
 *
 * Adds the spans of all threads up; what workers do is part of their callers' stages.
 */
void
prism_trace_summary_init (PrismTraceSummary *self,
                          const PrismTrace *trace)
{
  *self = (PrismTraceSummary) { .roof = trace->roof };
  for (guint i = 0; i < trace->threads->len; i++)
    if (((const PrismTraceThread *) trace->threads->pdata[i])->worker == 0)
      add_thread (self, trace->threads->pdata[i]);
  for (int memory = 0; memory < PRISM_N_TRACE_MEMORIES; memory++)
    {
      g_autoptr (GArray) samples = get_samples (trace, counters[memory]);
      Extent extents[PRISM_N_STAGES];

      for (int stage = 0; stage < PRISM_N_STAGES; stage++)
        {
          extents[stage] = (Extent) { G_MAXINT64, G_MININT64 };
          self->stages[stage].memory[memory] = (PrismStageMemory) { NAN, NAN, NAN };
        }
      PRISM_FOR_EACH_POINTER (const PrismTraceThread, thread, trace->threads)
        {
          if (thread->worker == 0)
            PRISM_FOR_EACH (const PrismSpan, span, thread->spans)
              {
                add_memory (&self->stages[span->kind].memory[memory], &extents[span->kind], span,
                            samples);
              }
        }
    }
  for (int stage = 0; stage < PRISM_N_STAGES; stage++)
    {
      find_quantiles (&self->stages[stage], trace, stage);
      if (stage != PRISM_STAGE_WAIT)
        self->busy += self->stages[stage].self;
    }
}

/* Seconds from the first span to the last. */
static double
get_extent (const PrismTraceThread *thread)
{
  gint64 last = 0;

  if (thread->spans->len == 0)
    return 0.0;
  PRISM_FOR_EACH (const PrismSpan, span, thread->spans)
    last = MAX (last, span->end);
  return 1e-9 * (last - g_array_index (thread->spans, PrismSpan, 0).begin);
}

/**
 * prism_trace_summary_init_thread:
 * @self: (out): times by stage, without quantiles
 * @thread: of a profile
 *
 * Adds the spans of one thread up. A worker waits from its first span to its last wherever it has
 * none.
 */
void
prism_trace_summary_init_thread (PrismTraceSummary *self,
                                 const PrismTraceThread *thread)
{
  *self = (PrismTraceSummary) { 0 };
  add_thread (self, thread);
  for (int stage = 0; stage < PRISM_N_STAGES; stage++)
    if (stage != PRISM_STAGE_WAIT)
      self->busy += self->stages[stage].self;
  if (thread->worker > 0)
    self->stages[PRISM_STAGE_WAIT].self = get_extent (thread) - self->busy;
}

/**
 * prism_trace_summary_add:
 * @self: times by stage
 * @stages: (array fixed-size=PRISM_N_STAGES): those of one more thread
 *
 * Adds a thread that was added up already.
 */
void
prism_trace_summary_add (PrismTraceSummary *self,
                         const PrismStageSummary *stages)
{
  for (int stage = 0; stage < PRISM_N_STAGES; stage++)
    {
      self->stages[stage].n_calls += stages[stage].n_calls;
      self->stages[stage].total += stages[stage].total;
      self->stages[stage].self += stages[stage].self;
      self->stages[stage].count += stages[stage].count;
      self->stages[stage].bytes += stages[stage].bytes;
      self->stages[stage].operations += stages[stage].operations;
      if (stage != PRISM_STAGE_WAIT)
        self->busy += stages[stage].self;
    }
}

/**
 * prism_trace_summary_sort:
 * @self: times by stage
 * @order: (out) (array fixed-size=PRISM_N_STAGES): stages that occur, those first that take longest
 *
 * Returns: how many
 */
guint
prism_trace_summary_sort (const PrismTraceSummary *self,
                          PrismStage *order)
{
  guint n = 0;

  for (int stage = 0; stage < PRISM_N_STAGES; stage++)
    {
      guint place = n;

      if (self->stages[stage].n_calls == 0)
        continue;
      for (; place > 0 && self->stages[order[place - 1]].self < self->stages[stage].self; place--)
        order[place] = order[place - 1];
      order[place] = stage;
      n++;
    }
  return n;
}

static double
divide (double amount,
        double by)
{
  return amount > 0.0 && by > 0.0 ? amount / by : NAN;
}

/* Of what was measured the largest set that a call goes through at least: it reads and writes each
 * byte once at most. So the caches that may hold it are in the figure. 0 where it is not known. */
static double
get_bandwidth (const PrismRoof *roof,
               const PrismStageSummary *row)
{
  const double set = row->n_calls > 0 ? 0.5 * (double) row->bytes / row->n_calls : 0.0;
  guint i = PRISM_ROOF_LAST;

  while (i > 0 && (double) PRISM_ROOF_SET (i) > set)
    i--;
  return roof->bandwidths[i];
}

/**
 * prism_trace_summary_get_value:
 * @self: times by stage
 * @stage: a stage
 * @column: what of it; times in s, rates in 1/s, parts 0…1
 *
 * Returns: the value, NAN where it is not known
 */
double
prism_trace_summary_get_value (const PrismTraceSummary *self,
                               PrismStage stage,
                               PrismStageColumn column)
{
  const PrismStageSummary *row = &self->stages[stage];
  double bandwidth = divide ((double) row->bytes, row->total);
  double rate = divide (row->operations, row->total);
  const double values[PRISM_STAGE_COLUMN_ARRAYS_MOST] = {
    [PRISM_STAGE_COLUMN_PART] = stage != PRISM_STAGE_WAIT ? divide (row->self, self->busy) : NAN,
    [PRISM_STAGE_COLUMN_CALLS] = row->n_calls,
    [PRISM_STAGE_COLUMN_TOTAL] = row->total,
    [PRISM_STAGE_COLUMN_SELF] = row->self,
    [PRISM_STAGE_COLUMN_MEDIAN] = row->median,
    [PRISM_STAGE_COLUMN_P99] = row->p99,
    [PRISM_STAGE_COLUMN_BANDWIDTH] = bandwidth,
    [PRISM_STAGE_COLUMN_BANDWIDTH_PART] = divide (bandwidth, get_bandwidth (&self->roof, row)),
    [PRISM_STAGE_COLUMN_RATE] = rate,
    [PRISM_STAGE_COLUMN_RATE_PART] = divide (rate, self->roof.rate),
  };

  if (column >= PRISM_STAGE_COLUMN_ARRAYS_MOST)
    {
      const guint i = column - PRISM_STAGE_COLUMN_ARRAYS_MOST;
      const PrismStageMemory *memory = &row->memory[i / 3];

      return i % 3 == 0 ? memory->most : i % 3 == 1 ? memory->first
                                                    : memory->last;
    }
  return values[column];
}

static double
get_busy (const PrismTraceThread *thread)
{
  PrismTraceSummary summary;

  prism_trace_summary_init_thread (&summary, thread);
  return summary.busy;
}

static int
compare_threads (gconstpointer a,
                 gconstpointer b)
{
  const PrismTraceThread *first = *(PrismTraceThread *const *) a;
  const PrismTraceThread *second = *(PrismTraceThread *const *) b;
  const double x = get_busy (first), y = get_busy (second);

  if (first->worker != second->worker)
    return first->worker < second->worker ? -1 : 1;
  return (x < y) - (x > y);
}

/**
 * prism_trace_sort_threads:
 * @trace: a profile whose spans are sorted
 *
 * Puts those threads first that did most, and workers after them, by their numbers.
 */
void
prism_trace_sort_threads (PrismTrace *trace)
{
  g_ptr_array_sort (trace->threads, compare_threads);
}

/**
 * prism_trace_get_coverage:
 * @thread: of a trace
 *
 * Returns: the part of the time from its first span to its last that lies in spans, 0…1
 */
double
prism_trace_get_coverage (const PrismTraceThread *thread)
{
  gint64 covered = 0, first, last;

  if (thread->spans->len == 0)
    return 0.0;
  first = last = g_array_index (thread->spans, PrismSpan, 0).begin;
  PRISM_FOR_EACH (const PrismSpan, span, thread->spans)
    {
      if (span->end > last)
        covered += span->end - MAX (span->begin, last);
      last = MAX (last, span->end);
    }
  return last > first ? (double) covered / (last - first) : 1.0;
}

/**
 * prism_trace_summary_find_slower:
 * @before: a profile's times
 * @after: another's
 *
 * Returns: the stage whose own time has grown most, -1 where none has
 */
int
prism_trace_summary_find_slower (const PrismTraceSummary *before,
                                 const PrismTraceSummary *after)
{
  double most = 0.0;
  int found = -1;

  for (int stage = 0; stage < PRISM_N_STAGES; stage++)
    {
      double growth = after->stages[stage].self - before->stages[stage].self;

      if (stage == PRISM_STAGE_WAIT || growth <= most)
        continue;
      most = growth;
      found = stage;
    }
  return found;
}
