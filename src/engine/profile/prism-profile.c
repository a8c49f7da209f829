#include "config.h"

#include "profile/prism-profile.h"

#include <pthread.h>
#include <string.h>
#include <time.h>

/* One thread writes a lane and publishes its length; who stops the profile reads up to there.
 * Lanes and their chunks are kept for the next profile, so that nobody can meet freed memory. */

#define CHUNK 4096u
#define MAX_CHUNKS 256u /* a million spans, 48 MiB per thread; later ones are counted as lost */
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
static Lane *lanes; /* by lock */
static atomic_uint current;
static atomic_bool only_totals;
static gint64 started;   /* ns */
static double span_cost; /* s */
static _Atomic double delays[PRISM_N_STAGES];
static _Thread_local Lane *own;
static _Thread_local const char *own_name = "thread";

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

/* A lane that nobody writes, and that has nothing of this profile. */
static Lane *
take_lane (guint profile)
{
  Lane *lane;

  pthread_once (&once, make_key);
  pthread_mutex_lock (&lock);
  for (lane = lanes; lane != NULL; lane = lane->next)
    if (!atomic_load (&lane->taken) && atomic_load (&lane->profile) != profile)
      break;
  if (lane == NULL)
    {
      lane = g_new0 (Lane, 1);
      lane->next = lanes;
      lanes = lane;
    }
  atomic_store (&lane->taken, TRUE);
  pthread_mutex_unlock (&lock);
  pthread_setspecific (key, lane);
  return lane;
}

static Lane *
get_lane (void)
{
  guint profile = atomic_load_explicit (&current, memory_order_acquire);

  if (own == NULL)
    own = take_lane (profile);
  if (G_UNLIKELY (atomic_load_explicit (&own->profile, memory_order_relaxed) != profile))
    {
      own->name = own_name;
      atomic_store (&own->n, 0);
      atomic_store (&own->n_lost, 0);
      memset (own->totals, 0, sizeof own->totals);
      own->n_open = 0;
      atomic_store_explicit (&own->profile, profile, memory_order_release);
    }
  return own;
}

static void
append (const PrismSpan *span)
{
  Lane *lane = get_lane ();
  guint n = atomic_load_explicit (&lane->n, memory_order_relaxed);

  if (n / CHUNK >= MAX_CHUNKS)
    {
      atomic_fetch_add_explicit (&lane->n_lost, 1, memory_order_relaxed);
      return;
    }
  if (lane->chunks[n / CHUNK] == NULL)
    lane->chunks[n / CHUNK] = g_new (PrismSpan, CHUNK);
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
  double delay = atomic_load_explicit (&delays[stage], memory_order_relaxed);
  PrismSpan span = {
    .begin = begun,
    .end = prism_profile_get_time (),
    .count = count,
    .bytes = bytes,
    .value = flops,
    .kind = stage,
  };

  for (; G_UNLIKELY (span.end < begun + delay * 1e9); span.end = prism_profile_get_time ())
    ;
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

/* What a span costs: two looks at the clock and a record. The quickest of some rounds: another
 * program may have had the processor in the others. */
static double
calibrate (void)
{
  gint64 least = G_MAXINT64;

  for (int round = 0; round < N_ROUNDS; round++)
    {
      gint64 begun = prism_profile_get_time ();

      for (int i = 0; i < N_CALIBRATION; i++)
        prism_profile_end (PRISM_STAGE_WAIT, prism_profile_begin ());
      least = MIN (least, prism_profile_get_time () - begun);
    }
  atomic_store (&get_lane ()->n, 0);
  return 1e-9 * least / N_CALIBRATION;
}

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
  atomic_fetch_add (&current, 1);
  atomic_store (&prism_profile_on, TRUE);
  span_cost = calibrate ();
  atomic_fetch_add (&current, 1);
  started = prism_profile_get_time ();
}

static void
read_lane (PrismTrace *trace,
           Lane *lane)
{
  guint n = atomic_load_explicit (&lane->n, memory_order_acquire);
  PrismTraceThread *thread = prism_trace_add_thread (trace, lane->name);

  thread->n_lost = atomic_load (&lane->n_lost);
  for (guint i = 0; i < n; i++)
    {
      PrismSpan span = lane->chunks[i / CHUNK][i % CHUNK];

      span.begin -= started;
      span.end -= started;
      if (span.begin >= 0)
        prism_trace_add_span (trace, thread, &span);
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

  trace->seconds = 1e-9 * (prism_profile_get_time () - started);
  trace->span_cost = span_cost;
  atomic_store (&prism_profile_on, FALSE);
  pthread_mutex_lock (&lock);
  for (Lane *lane = lanes; lane != NULL; lane = lane->next)
    if (atomic_load_explicit (&lane->profile, memory_order_acquire) == atomic_load (&current)
        && atomic_load (&lane->n) > 0)
      read_lane (trace, lane);
  pthread_mutex_unlock (&lock);
  prism_trace_sort (trace);
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

/**
 * prism_profile_set_delay:
 * @stage: a stage
 * @seconds: what each of its spans takes at least, while a profile is on; 0 as a rule
 *
 * Slows a stage down, so that a test can look for it.
 */
void
prism_profile_set_delay (PrismStage stage,
                         double seconds)
{
  atomic_store (&delays[stage], seconds);
}
