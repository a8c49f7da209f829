#include "config.h"

#include "profile/prism-profile.h"

#include <pthread.h>
#include <time.h>

/* One thread writes a lane and publishes its length; who stops the profile reads up to there.
 * Lanes and their chunks are kept for the next profile, so that nobody can meet freed memory. */

#define CHUNK 4096u
#define MAX_CHUNKS 256u /* a million spans, 48 MiB per thread; later ones are counted as lost */
#define N_CALIBRATION 2000

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
};

atomic_bool prism_profile_on;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static Lane *lanes; /* by lock */
static atomic_uint current;
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
 * prism_profile_add:
 * @stage: what is over
 * @begun: when it began, by prism_profile_begin()
 * @count: things that were done
 * @bytes: that were moved
 * @flops: operations, 0 where nobody has counted them
 *
 * Notes a span of this thread. Use prism_profile_end().
 */
void
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
  append (&span);
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

  if (value >= 0.0)
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

/* What a span costs: two looks at the clock and a record. */
static double
calibrate (void)
{
  gint64 begun = prism_profile_get_time (), taken;

  for (int i = 0; i < N_CALIBRATION; i++)
    prism_profile_end (PRISM_STAGE_WAIT, prism_profile_begin ());
  taken = prism_profile_get_time () - begun;
  atomic_store (&get_lane ()->n, 0);
  return 1e-9 * taken / N_CALIBRATION;
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
 * Thread: controlling, the one that started it.
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
  return trace;
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
