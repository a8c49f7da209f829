#include "config.h"

#include "base/prism-pool.h"

#include "base/prism-clock.h"
#include "base/prism-error.h"
#include "base/prism-system.h"
#include "base/prism-watch.h"

#include <gio/gio.h>
#include <pthread.h>
#include <stdatomic.h>

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#endif

#define MAX_THREADS 256
/* Below this many the window gets by with its share of each. */
#define MIN_PROCESSORS_TO_SPARE 4
#define SPIN 20e-6 /* s */
#define PAUSES_PER_LOOK 16

/* Flush-to-zero and denormals-are-zero: late in a fit Adam's moments sink into the denormals, where
 * each operation would cost about a hundred cycles. */
#define FLUSH_X86 0x8040u
#define FLUSH_AARCH64 (1u << 24)

typedef struct
{
  PrismPool *pool;
  guint index;
} PrismPoolWorker;

/* Fields that several threads write lie on cache lines of their own. */
struct _PrismPool
{
  guint n_threads;
  guint n_started;
  pthread_t threads[MAX_THREADS]; /* [n_started], workers 1…n_threads-1 */
  PrismPoolWorker *workers;       /* [n_threads] */

  pthread_mutex_t mutex;
  pthread_cond_t work_cond;
  pthread_cond_t done_cond;
  pthread_cond_t limit_cond; /* where those wait who may not take part */
  atomic_uint n_sleeping;    /* workers in work_cond */
  atomic_bool caller_sleeps;
  atomic_uint limit; /* workers below it take chunks */
  atomic_bool quit;

  /* Of the current job; read only by a thread that holds one of its chunks. */
  PrismPoolFunc func;
  gpointer data;
  guint number;            /* counts jobs */
  const PrismWatch *watch; /* (nullable) who watches it */
  guint caller;            /* for the watch */

  /* Number of chunks in the high half, next chunk in the low half: a thread that advances it has
   * claimed that chunk of the current job, whichever job it was looking for. */
  _Alignas(64) atomic_ullong ticket;
  _Alignas(64) atomic_uint n_done;
};

static void
pause_briefly (void)
{
#if defined(__x86_64__) || defined(__i386__)
  _mm_pause ();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

/* Returns the state to hand to prism_pool_restore_denormals(). */
static guint64
set_flushing (gboolean flushing)
{
#if defined(__x86_64__)
  unsigned int state = _mm_getcsr ();

  _mm_setcsr (flushing ? state | FLUSH_X86 : state & ~FLUSH_X86);
  return state;
#elif defined(__aarch64__)
  guint64 state;

  __asm__ volatile("mrs %0, fpcr"
                   : "=r"(state));
  __asm__ volatile("msr fpcr, %0"
                   :
                   : "r"(flushing ? state | FLUSH_AARCH64 : state & ~(guint64) FLUSH_AARCH64));
  return state;
#else
  return 0;
#endif
}

/**
 * prism_pool_keep_denormals:
 *
 * Keeps denormals in this thread, for a chunk whose bits must not depend on being one.
 *
 * Thread: any.
 *
 * Returns: the state to hand to prism_pool_restore_denormals()
 */
guint64
prism_pool_keep_denormals (void)
{
  return set_flushing (FALSE);
}

/**
 * prism_pool_restore_denormals:
 * @state: of prism_pool_keep_denormals() in the same thread
 *
 * Flushes them again, or not, as before.
 *
 * Thread: any.
 */
void
prism_pool_restore_denormals (guint64 state)
{
#if defined(__x86_64__)
  _mm_setcsr ((unsigned int) state);
#elif defined(__aarch64__)
  __asm__ volatile("msr fpcr, %0"
                   :
                   : "r"(state));
#endif
}

static gboolean
has_chunk (unsigned long long ticket)
{
  return (guint32) ticket < (guint32) (ticket >> 32);
}

static gboolean
may_work (PrismPool *self,
          guint worker)
{
  return worker < atomic_load (&self->limit);
}

/* What a worker does of a job, for who watches it. */
typedef struct
{
  const PrismWatch *watch; /* (nullable) */
  guint number;
  guint caller;
  guint n_chunks;
  gint64 begun;
} Share;

static void
end_share (Share *share)
{
  if (G_UNLIKELY (share->watch != NULL))
    share->watch->end_work (share->caller, share->begun, share->n_chunks);
  *share = (Share) { 0 };
}

/* With a chunk in hand: another job may have come up without a rest after the last one. */
static void
note_chunk (PrismPool *self,
            Share *share)
{
  if (share->n_chunks > 0 && share->number != self->number)
    end_share (share);
  if (share->n_chunks++ > 0)
    return;
  share->number = self->number;
  share->watch = self->watch;
  share->caller = self->caller;
  if (G_UNLIKELY (share->watch != NULL))
    share->begun = share->watch->begin_work (share->caller);
}

/* Worker 0 is the caller, of whose stages the work is one. */
static void
run_chunks (PrismPool *self,
            guint worker)
{
  unsigned long long ticket = atomic_load (&self->ticket);
  Share share = { 0 };

  while (has_chunk (ticket) && may_work (self, worker))
    {
      if (!atomic_compare_exchange_weak (&self->ticket, &ticket, ticket + 1))
        continue;
      if (worker > 0)
        note_chunk (self, &share);
      self->func (self->data, (guint32) ticket, worker);
      if (atomic_fetch_add (&self->n_done, 1) + 1 == ticket >> 32
          && atomic_load (&self->caller_sleeps))
        {
          pthread_mutex_lock (&self->mutex);
          pthread_cond_signal (&self->done_cond);
          pthread_mutex_unlock (&self->mutex);
        }
      ticket = atomic_load (&self->ticket);
    }
  end_share (&share);
}

/* Spins for a while; returns whether there is something to do. Spinning longer than this ruins the
 * step when another process wants the processor: 136 ms instead of 5 ms were measured. */
static gboolean
spin_for_work (PrismPool *self,
               guint worker)
{
  double end = prism_clock_get_seconds () + SPIN;

  do
    {
      for (int i = 0; i < PAUSES_PER_LOOK; i++)
        {
          if ((may_work (self, worker) && has_chunk (atomic_load (&self->ticket)))
              || atomic_load (&self->quit))
            return TRUE;
          pause_briefly ();
        }
    }
  while (prism_clock_get_seconds () < end);
  return FALSE;
}

/* The order "say that we sleep, then look once more" here and "publish, then look who sleeps" in
 * publish() makes a lost wake-up impossible: all four are sequentially consistent. */
static void
sleep_for_work (PrismPool *self,
                guint worker)
{
  pthread_mutex_lock (&self->mutex);
  while (!may_work (self, worker) && !atomic_load (&self->quit))
    pthread_cond_wait (&self->limit_cond, &self->mutex);
  atomic_fetch_add (&self->n_sleeping, 1);
  while (may_work (self, worker) && !has_chunk (atomic_load (&self->ticket))
         && !atomic_load (&self->quit))
    pthread_cond_wait (&self->work_cond, &self->mutex);
  atomic_fetch_sub (&self->n_sleeping, 1);
  pthread_mutex_unlock (&self->mutex);
}

static void *
worker_main (void *data)
{
  PrismPoolWorker *worker = data;
  PrismPool *self = worker->pool;

  set_flushing (TRUE);
  while (!atomic_load (&self->quit))
    {
      run_chunks (self, worker->index);
      if (!spin_for_work (self, worker->index))
        sleep_for_work (self, worker->index);
    }
  return NULL;
}

/* No more than there are chunks for. One of them may be a worker that may not take part any more:
 * then others do its share. */
static void
wake_workers (PrismPool *self,
              guint n_wanted)
{
  if (atomic_load (&self->n_sleeping) == 0)
    return;
  pthread_mutex_lock (&self->mutex);
  if (n_wanted < atomic_load (&self->n_sleeping))
    for (guint i = 0; i < n_wanted; i++)
      pthread_cond_signal (&self->work_cond);
  else
    pthread_cond_broadcast (&self->work_cond);
  pthread_mutex_unlock (&self->mutex);
}

static void
wake_limited (PrismPool *self)
{
  pthread_mutex_lock (&self->mutex);
  pthread_cond_broadcast (&self->limit_cond);
  pthread_mutex_unlock (&self->mutex);
}

static void
wait_until_done (PrismPool *self,
                 guint n_chunks)
{
  guint64 end;

  if (atomic_load (&self->n_done) == n_chunks)
    return;
  end = prism_clock_get_seconds () + SPIN;
  do
    {
      for (int i = 0; i < PAUSES_PER_LOOK; i++)
        {
          if (atomic_load (&self->n_done) == n_chunks)
            return;
          pause_briefly ();
        }
    }
  while (prism_clock_get_seconds () < end);

  pthread_mutex_lock (&self->mutex);
  atomic_store (&self->caller_sleeps, TRUE);
  while (atomic_load (&self->n_done) != n_chunks)
    pthread_cond_wait (&self->done_cond, &self->mutex);
  atomic_store (&self->caller_sleeps, FALSE);
  pthread_mutex_unlock (&self->mutex);
}

static gboolean
start_workers (PrismPool *self,
               GError **error)
{
  for (guint i = 1; i < self->n_threads; i++)
    {
      int failure;

      self->workers[i] = (PrismPoolWorker) { self, i };
      failure = pthread_create (&self->threads[self->n_started], NULL, worker_main,
                                &self->workers[i]);
      if (failure != 0)
        return prism_error_memory (
            error, _ ("Only %u of %u worker threads could be started: %s. Choose fewer threads."),
            i, self->n_threads, g_strerror (failure));
      self->n_started++;
    }
  return TRUE;
}

/**
 * prism_pool_count_threads:
 * @wanted: 0 for all but what the window needs
 *
 * Thread: any.
 *
 * Returns: threads for prism_pool_new()
 */
guint
prism_pool_count_threads (guint wanted)
{
  guint n;

  if (wanted > 0)
    return wanted;
  n = prism_available_get_processors ();
  if (n > MIN_PROCESSORS_TO_SPARE)
    n--;
  return MIN (n, MAX_THREADS);
}

/**
 * prism_pool_new:
 * @n_threads: threads that compute, the caller of prism_pool_run() included, 1…256
 *
 * Starts n_threads-1 workers. They spin for 20 µs after a job and then sleep until the next one.
 *
 * Errors: PRISM_ERROR_CONFIG for a number out of range, PRISM_ERROR_MEMORY when no thread can be
 * had.
 * Thread: any.
 *
 * Returns: (transfer full) (nullable): the pool
 */
PrismPool *
prism_pool_new (guint n_threads,
                GError **error)
{
  g_autoptr (PrismPool) self = NULL;

  if (n_threads < 1 || n_threads > MAX_THREADS)
    {
      prism_error_config (error, _ ("%u threads were asked for, but the number must be from 1"
                                    " to %d."),
                          n_threads, MAX_THREADS);
      return NULL;
    }

  self = g_aligned_alloc0 (1, sizeof (PrismPool), _Alignof(PrismPool));
  self->n_threads = n_threads;
  atomic_init (&self->limit, n_threads);
  self->workers = g_new0 (PrismPoolWorker, n_threads);
  pthread_mutex_init (&self->mutex, NULL);
  pthread_cond_init (&self->work_cond, NULL);
  pthread_cond_init (&self->done_cond, NULL);
  pthread_cond_init (&self->limit_cond, NULL);
  if (!start_workers (self, error))
    return NULL;
  return g_steal_pointer (&self);
}

/**
 * prism_pool_free:
 * @self: (nullable): a pool that runs nothing
 *
 * Ends the workers.
 *
 * Thread: the one that calls prism_pool_run().
 */
void
prism_pool_free (PrismPool *self)
{
  if (self == NULL)
    return;
  atomic_store (&self->quit, TRUE);
  wake_workers (self, G_MAXUINT);
  wake_limited (self);
  for (guint i = 0; i < self->n_started; i++)
    pthread_join (self->threads[i], NULL);
  pthread_cond_destroy (&self->done_cond);
  pthread_cond_destroy (&self->limit_cond);
  pthread_cond_destroy (&self->work_cond);
  pthread_mutex_destroy (&self->mutex);
  g_free (self->workers);
  g_aligned_free (self);
}

/**
 * prism_pool_get_n_threads:
 *
 * Thread: any.
 *
 * Returns: how many workers @chunk may meet, the caller included
 */
guint
prism_pool_get_n_threads (PrismPool *self)
{
  return self->n_threads;
}

/**
 * prism_pool_set_limit:
 * @n_threads: how many may take part from now on, from 1 to all of them
 *
 * Thread: the one that calls prism_pool_run(), between two of them.
 */
void
prism_pool_set_limit (PrismPool *self,
                      guint n_threads)
{
  const guint before = atomic_load (&self->limit);

  atomic_store (&self->limit, CLAMP (n_threads, 1, self->n_threads));
  if (atomic_load (&self->limit) > before)
    wake_limited (self);
}

/**
 * prism_pool_run:
 * @n_chunks: how often
 * @func: (scope call): the work; must not call prism_pool_run()
 * @data: for @func
 *
 * Calls @func for chunks 0…n_chunks-1 on all workers, this thread included as worker 0, and returns
 * when all are through. Denormals are flushed to zero within.
 *
 * Thread: one at a time, always the same.
 */
void
prism_pool_run (PrismPool *self,
                guint n_chunks,
                PrismPoolFunc func,
                gpointer data)
{
  guint64 state = set_flushing (TRUE);

  if (atomic_load (&self->limit) == 1 || n_chunks <= 1)
    {
      for (guint i = 0; i < n_chunks; i++)
        func (data, i, 0);
      prism_pool_restore_denormals (state);
      return;
    }

  self->func = func;
  self->data = data;
  self->number++;
  self->watch = prism_watch_get ();
  self->caller = self->watch != NULL ? self->watch->get_caller () : 0;
  atomic_store (&self->n_done, 0);
  atomic_store (&self->ticket, (unsigned long long) n_chunks << 32);
  wake_workers (self, n_chunks - 1);
  run_chunks (self, 0);
  wait_until_done (self, n_chunks);
  prism_pool_restore_denormals (state);
}

#define MAX_FOR_ONCE 8    /* more take longer to start than they save */
#define MIN_VALUES 100000 /* fewer are through before a thread has started */

typedef struct
{
  PrismParallelFunc func;
  gpointer data;
  GCancellable *wanted; /* (nullable): the caller's */
} Loop;

/* A turn computes what it would in the caller's thread. */
static void
run_turn (gpointer data,
          guint turn,
          guint worker)
{
  const Loop *loop = data;
  const guint64 state = prism_pool_keep_denormals ();

  if (!g_cancellable_is_cancelled (loop->wanted))
    loop->func (loop->data, turn);
  prism_pool_restore_denormals (state);
}

/**
 * prism_parallel_run:
 * @n: how many turns
 * @n_values: how many values they go through, all of them together
 * @func: (scope call): one of them
 * @data: for @func
 *
 * Runs all turns and returns when they are through. Threads are started for this call, no more than
 * there are turns and processors; where there is one processor, or are few values, or no thread can
 * be had, this thread runs all. Denormals are kept. Turns that are left when prism_parallel_go_on()
 * says no are not run: what they would have made must do no harm until it is asked.
 *
 * Thread: any.
 */
void
prism_parallel_run (guint n,
                    gsize n_values,
                    PrismParallelFunc func,
                    gpointer data)
{
  const guint n_threads
      = n_values < MIN_VALUES ? 1 : MIN (MIN (n, MAX_FOR_ONCE), prism_pool_count_threads (0));
  g_autoptr (PrismPool) pool = n_threads > 1 ? prism_pool_new (n_threads, NULL) : NULL;
  Loop loop = { func, data, g_cancellable_get_current () };

  if (pool != NULL)
    prism_pool_run (pool, n, run_turn, &loop);
  else
    for (guint turn = 0; turn < n; turn++)
      run_turn (&loop, turn, 0);
}

/**
 * prism_parallel_go_on:
 * @error: return location
 *
 * What takes long asks this between two pieces of some tenths of a second. Whoever has begun it
 * says by the #GCancellable that is the thread's current one that nobody waits for it any more.
 *
 * Errors: PRISM_ERROR_CANCELLED.
 * Thread: the one that called prism_parallel_run().
 *
 * Returns: whether to go on
 */
gboolean
prism_parallel_go_on (GError **error)
{
  return !g_cancellable_is_cancelled (g_cancellable_get_current ())
         || prism_error_set (error, PRISM_ERROR_CANCELLED,
                             _ ("Stopped while the frames were made ready; nothing is written."));
}
