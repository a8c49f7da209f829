#include "config.h"

#include "profile/prism-profile.h"

#include "base/prism-arena.h"
#include "base/prism-each.h"
#include "base/prism-watch.h"

#include <pthread.h>
#include <time.h>

/* One thread writes a lane and publishes its length; who stops the profile reads up to there.
 * Lanes and their chunks are kept for the next profile, so that nobody can meet freed memory. */

#define CHUNK 4096u
#define MAX_CHUNKS 256u      /* a million spans, 48 MiB per thread; later ones are lost */
#define MAX_ALL_CHUNKS 2048u /* eight million of all threads: a file of them can still be read */
#define MAX_OPEN 64u
#define N_CALIBRATION 250
#define N_ROUNDS 8

/* A stage that is under way, where times are only added up. */
typedef struct
{
  gint64 begin; /* ns */
  gint64 inner; /* ns: of the stages within it that are over */
} Open;

typedef struct _Lane Lane;

struct _Lane
{
  Lane *next;
  guint index;  /* 1… in the order in which lanes were made */
  guint worker; /* its number in this profile, 0 where it is none of a pool */
  const char *name;
  atomic_bool taken;
  atomic_uint profile; /* whose records these are */
  atomic_uint n;
  atomic_ullong n_lost;
  PrismSpan *chunks[MAX_CHUNKS]; /* [CHUNK] each */
  PrismStageSummary totals[PRISM_N_STAGES];
  Open open[MAX_OPEN]; /* outer ones first */
  guint n_open;
};

atomic_bool prism_profile_on;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static Lane *lanes; /* by lock; the last one first */
static atomic_uint current;
static atomic_uint n_workers; /* in this profile */
static atomic_uint n_all_chunks;
static atomic_bool only_totals;
static gint64 started;   /* ns */
static double span_cost; /* s */
static _Thread_local Lane *own;
static _Thread_local const char *own_name = "thread";
static _Thread_local gboolean is_worker;
static _Thread_local guint served; /* index of the lane that this worker works for */

static void
release_lane (void *data)
{
  Lane *lane = data;

  atomic_store (&lane->taken, FALSE);
}

static void
make_key (void)
{
  pthread_key_create (&key, release_lane);
}

static Lane *
get_lane (void)
{
  guint profile = atomic_load_explicit (&current, memory_order_acquire);

  if (own == NULL)
    {
      Lane *lane;

      pthread_once (&once, make_key);
      pthread_mutex_lock (&lock);
      for (lane = lanes; lane != NULL; lane = lane->next)
        /* Whether nobody writes it. What it has of this profile is another thread's, unless both
         * are workers: some loops have a team of their own. */
        if (!atomic_load (&lane->taken)
            && (atomic_load (&lane->profile) != profile || (is_worker && lane->worker > 0)))
          break;
      if (lane == NULL)
        {
          lane = g_new0 (Lane, 1);
          lane->next = lanes;
          lane->index = lanes != NULL ? lanes->index + 1 : 1;
          lanes = lane;
        }
      atomic_store (&lane->taken, TRUE);
      pthread_mutex_unlock (&lock);
      pthread_setspecific (key, lane);
      own = lane;
    }
  if (G_UNLIKELY (atomic_load_explicit (&own->profile, memory_order_relaxed) != profile))
    {
      own->name = own_name;
      own->worker = is_worker ? atomic_fetch_add (&n_workers, 1) + 1 : 0;
      atomic_store (&own->n, 0);
      atomic_store (&own->n_lost, 0);
      memset (own->totals, 0, sizeof own->totals);
      own->n_open = 0;
      atomic_store_explicit (&own->profile, profile, memory_order_release);
    }
  return own;
}

/* Whether there is a place for a span. */
static gboolean
reserve (Lane *lane,
         guint n)
{
  if (n / CHUNK >= MAX_CHUNKS)
    return FALSE;
  if (lane->chunks[n / CHUNK] == NULL && atomic_load (&n_all_chunks) < MAX_ALL_CHUNKS)
    {
      atomic_fetch_add (&n_all_chunks, 1);
      lane->chunks[n / CHUNK] = g_new (PrismSpan, CHUNK);
    }
  return lane->chunks[n / CHUNK] != NULL;
}

static void
append (const PrismSpan *span)
{
  Lane *lane = get_lane ();
  guint n = atomic_load_explicit (&lane->n, memory_order_relaxed);

  if (!reserve (lane, n))
    {
      atomic_fetch_add_explicit (&lane->n_lost, 1, memory_order_relaxed);
      return;
    }
  lane->chunks[n / CHUNK][n % CHUNK] = *span;
  atomic_store_explicit (&lane->n, n + 1, memory_order_release);
}

/**
 * prism_profile_get_time:
 *
 * Units: ns.
 *
 * Returns: a clock that only goes forward
 */
gint64
prism_profile_get_time (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return (gint64) now.tv_sec * 1000000000 + now.tv_nsec;
}

/**
 * prism_profile_open:
 *
 * Notes that a stage begins. Use prism_profile_begin().
 *
 * Units: ns.
 *
 * Returns: the time
 */
gint64
prism_profile_open (void)
{
  return prism_profile_follow (prism_profile_get_time ());
}

/**
 * prism_profile_follow:
 * @now: the time
 *
 * The same for a stage that began then. Use prism_profile_next().
 *
 * Units: ns.
 *
 * Returns: @now
 */
gint64
prism_profile_follow (gint64 now)
{
  if (atomic_load_explicit (&only_totals, memory_order_relaxed))
    {
      Lane *lane = get_lane ();

      if (lane->n_open < MAX_OPEN)
        lane->open[lane->n_open++] = (Open) { now, 0 };
    }
  return now;
}

/* Finds where the stage began; what began later and was never ended is dropped. */
static gint64
close_stage (Lane *lane,
             gint64 begun,
             gint64 taken)
{
  gint64 inner = 0;

  while (lane->n_open > 0 && lane->open[lane->n_open - 1].begin > begun)
    lane->n_open--;
  if (lane->n_open > 0 && lane->open[lane->n_open - 1].begin == begun)
    inner = lane->open[--lane->n_open].inner;
  if (lane->n_open > 0)
    lane->open[lane->n_open - 1].inner += taken;
  return inner;
}

static void
add_up (const PrismSpan *span)
{
  Lane *lane = get_lane ();
  PrismStageSummary *stage = &lane->totals[span->kind];
  gint64 taken = span->end - span->begin;
  gint64 inner = close_stage (lane, span->begin, taken);

  stage->n_calls++;
  stage->total += 1e-9 * taken;
  stage->self += 1e-9 * (taken - inner);
  stage->count += span->count;
  stage->bytes += span->bytes;
  stage->operations += span->value;
}

/**
 * prism_profile_add:
 * @stage: what is over
 * @begun: when it began, by prism_profile_begin()
 * @count: things that were done
 * @bytes: that were moved
 * @flops: operations, 0 where nobody has counted them
 *
 * Notes a span of this thread. Use prism_profile_end().
 *
 * Units: ns.
 *
 * Returns: when it ended
 */
gint64
prism_profile_add (PrismStage stage,
                   gint64 begun,
                   guint64 count,
                   guint64 bytes,
                   double flops)
{
  PrismSpan span = {
    .begin = begun,
    .end = prism_profile_get_time (),
    .count = count,
    .bytes = bytes,
    .value = flops,
    .kind = stage,
  };

  (atomic_load_explicit (&only_totals, memory_order_relaxed) ? add_up : append) (&span);
  return span.end;
}

/**
 * prism_profile_add_sample:
 * @counter: what was counted
 * @value: how it stands now; what is negative or no number is left out
 *
 * Notes a counter. Use prism_profile_sample().
 */
void
prism_profile_add_sample (PrismCounter counter,
                          double value)
{
  gint64 now = prism_profile_get_time ();
  PrismSpan span = { .begin = now, .end = now, .value = value, .kind = PRISM_N_STAGES + counter };

  if (value >= 0.0 && !atomic_load_explicit (&only_totals, memory_order_relaxed))
    append (&span);
}

/**
 * prism_profile_name_thread:
 * @name: (not nullable): a text that stays
 *
 * Says what this thread is called in profiles from now on.
 */
void
prism_profile_name_thread (const char *name)
{
  own_name = name;
}

static void
note_memory (guint64 n_bytes)
{
  prism_profile_add_sample (PRISM_COUNTER_ARRAYS, (double) n_bytes);
}

/* A worker that hands out a job of its own works for who gave it its own. */
static guint
get_caller (void)
{
  return served != 0 ? served : get_lane ()->index;
}

static gint64
begin_work (guint caller)
{
  is_worker = TRUE;
  served = caller;
  return prism_profile_get_time ();
}

/* The stage is known only when it is over: until then the bytes are the lane in which it is. */
static void
end_work (guint caller,
          gint64 begun,
          guint n_chunks)
{
  served = 0;
  append (&(const PrismSpan) {
      .begin = begun,
      .end = prism_profile_get_time (),
      .count = n_chunks,
      .bytes = caller,
      .kind = PRISM_STAGE_WORK,
  });
}

static const PrismWatch watch = { note_memory, get_caller, begin_work, end_work };

/**
 * prism_profile_start:
 *
 * Begins a profile; one that is under way is dropped.
 *
 * Thread: controlling.
 */
void
prism_profile_start (void)
{
  gint64 least;

  atomic_fetch_add (&current, 1);
  atomic_store (&prism_profile_on, TRUE);
  /* What a span costs: two looks at the clock and a record. The quickest of some rounds: another
   * program may have had the processor in the others. */
  least = G_MAXINT64;
  for (int round = 0; round < N_ROUNDS; round++)
    {
      gint64 begun = prism_profile_get_time ();

      for (int i = 0; i < N_CALIBRATION; i++)
        prism_profile_end (PRISM_STAGE_WAIT, prism_profile_begin ());
      least = MIN (least, prism_profile_get_time () - begun);
    }
  atomic_store (&get_lane ()->n, 0);
  span_cost = 1e-9 * least / N_CALIBRATION;
  atomic_store (&n_workers, 0);
  atomic_fetch_add (&current, 1);
  started = prism_profile_get_time ();
  note_memory (prism_arena_get_total ());
  atomic_store (&prism_watch, &watch);
}

static PrismTraceThread *
read_lane (PrismTrace *trace,
           Lane *lane)
{
  guint n = atomic_load_explicit (&lane->n, memory_order_acquire);
  g_autofree char *name = lane->worker > 0 ? g_strdup_printf ("worker %u", lane->worker)
                                           : g_strdup (lane->name);
  PrismTraceThread *thread = prism_trace_add_thread (trace, name);

  thread->worker = lane->worker;
  thread->n_lost = atomic_load (&lane->n_lost);
  for (guint i = 0; i < n; i++)
    {
      PrismSpan span = lane->chunks[i / CHUNK][i % CHUNK];

      span.begin -= started;
      span.end -= started;
      if (span.begin >= 0)
        prism_trace_add_span (trace, thread, &span);
    }
  return thread;
}

/* Gives what a worker did the innermost stage of its caller at that time. */
static void
name_work (PrismTraceThread *worker,
           PrismTraceThread *const *threads)
{
  const PrismTraceThread *caller = NULL;
  const PrismSpan *open[MAX_OPEN];
  guint n_open = 0, next = 0;

  PRISM_FOR_EACH (PrismSpan, work, worker->spans)
    {
      if (caller != threads[work->bytes])
        n_open = next = 0;
      caller = threads[work->bytes];
      work->bytes = 0;
      for (; caller != NULL && next < caller->spans->len; next++)
        {
          const PrismSpan *span = &g_array_index (caller->spans, PrismSpan, next);

          if (span->begin > work->begin)
            break;
          while (n_open > 0 && open[n_open - 1]->end <= span->begin)
            n_open--;
          if (n_open < MAX_OPEN)
            open[n_open++] = span;
        }
      while (n_open > 0 && open[n_open - 1]->end <= work->begin)
        n_open--;
      if (n_open > 0)
        work->kind = open[n_open - 1]->kind;
    }
}

/**
 * prism_profile_stop:
 *
 * Ends the profile. Stages that are not over by then are not in it.
 *
 * Thread: any, one at a time, and none that starts one meanwhile.
 *
 * Returns: (transfer full): what was noted
 */
PrismTrace *
prism_profile_stop (void)
{
  PrismTrace *trace = prism_trace_new ();
  guint n;
  g_autofree PrismTraceThread **threads = NULL;

  trace->seconds = 1e-9 * (prism_profile_get_time () - started);
  trace->span_cost = span_cost;
  atomic_store (&prism_watch, NULL);
  atomic_store (&prism_profile_on, FALSE);
  pthread_mutex_lock (&lock);
  /* A thread that has noted nothing but counters is none of the trace's. */
  n = lanes != NULL ? lanes->index : 0;
  threads = g_new0 (PrismTraceThread *, n + 1);
  for (Lane *lane = lanes; lane != NULL; lane = lane->next)
    if (atomic_load_explicit (&lane->profile, memory_order_acquire) == atomic_load (&current)
        && atomic_load (&lane->n) > 0)
      threads[lane->index] = read_lane (trace, lane);
  prism_trace_sort (trace);
  for (guint i = 1; i <= n; i++)
    if (threads[i] != NULL && threads[i]->worker > 0)
      name_work (threads[i], threads);
  for (guint i = trace->threads->len; i > 0; i--)
    {
      const PrismTraceThread *thread = trace->threads->pdata[i - 1];

      if (thread->spans->len == 0 && thread->n_lost == 0)
        g_ptr_array_remove_index (trace->threads, i - 1);
    }
  pthread_mutex_unlock (&lock);
  prism_trace_sort_threads (trace);
  return trace;
}

/**
 * prism_profile_start_totals:
 *
 * Begins to add up times by stage, and keeps no spans: it takes no memory that grows.
 *
 * Thread: controlling.
 */
void
prism_profile_start_totals (void)
{
  atomic_store (&only_totals, TRUE);
  atomic_fetch_add (&current, 1);
  atomic_store (&prism_profile_on, TRUE);
}

/**
 * prism_profile_stop_totals:
 * @totals: (out): times by stage, without quantiles
 *
 * Ends what prism_profile_start_totals() began. The threads that noted stages must be over.
 *
 * Thread: any, one at a time, and none that starts one meanwhile.
 */
void
prism_profile_stop_totals (PrismTraceSummary *totals)
{
  *totals = (PrismTraceSummary) { 0 };
  atomic_store (&prism_profile_on, FALSE);
  atomic_store (&only_totals, FALSE);
  pthread_mutex_lock (&lock);
  for (Lane *lane = lanes; lane != NULL; lane = lane->next)
    if (atomic_load_explicit (&lane->profile, memory_order_acquire) == atomic_load (&current))
      prism_trace_summary_add (totals, lane->totals);
  pthread_mutex_unlock (&lock);
}
