#include "config.h"

#include "profile/prism-roof.h"

#include "base/prism-arena.h"
#include "base/prism-available.h"
#include "base/prism-isa.h"
#include "base/prism-pool.h"

#include <string.h>
#include <time.h>

#define N_BYTES PRISM_ROOF_SET (PRISM_ROOF_LAST) /* that are copied in a try, whatever the set */
#define N_TRIES 6
#define MOST_THREADS 256
#define N_ROUNDS 1000000
#define N_CHAINS 10 /* as many as hide the latency of a fused multiplication */

typedef float Lanes8 __attribute__ ((vector_size (32)));
typedef float Lanes16 __attribute__ ((vector_size (64)));

/* Chains of x·a + b, which do not wait for each other. */
#define CHAINS(Lanes)                                                                \
  Lanes chains[N_CHAINS];                                                            \
  Lanes a = (Lanes) { 0 } + 0.999f, b = (Lanes) { 0 } + 0.001f, sum = (Lanes) { 0 }; \
                                                                                     \
  for (int k = 0; k < N_CHAINS; k++)                                                 \
    chains[k] = (Lanes) { 0 } + (float) k;                                           \
  for (int i = 0; i < N_ROUNDS; i++)                                                 \
    for (int k = 0; k < N_CHAINS; k++)                                               \
      chains[k] = chains[k] * a + b;                                                 \
  for (int k = 0; k < N_CHAINS; k++)                                                 \
    sum += chains[k];                                                                \
  return sum[0]

#if defined(__x86_64__)
#define FAST(isa) __attribute__ ((target (isa), optimize ("O3", "fp-contract=fast")))
#else
#define FAST(isa)
#endif

FAST ("avx2,fma")
static float
chain_8 (void)
{
  CHAINS (Lanes8);
}

FAST ("avx512f")
static float
chain_16 (void)
{
  CHAINS (Lanes16);
}

static float
chain_any (void)
{
  CHAINS (Lanes8);
}

typedef struct
{
  char *from;     /* [N_BYTES / 2] */
  char *to;       /* [N_BYTES / 2] */
  double *most;   /* [n_chunks], 1/s of the best try */
  guint n_chunks; /* one for each thread */
  gsize set;      /* bytes of all chunks, of both arrays */
  float (*chain) (void);
  double flops;       /* of a chain */
  _Atomic float sink; /* so that the chains are not left out */
} Work;

/* What the thread itself has had of a processor: what another program takes meanwhile makes the
 * machine's most no less. */
static double
get_seconds (void)
{
  struct timespec now;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec + 1e-9 * now.tv_nsec;
}

static void
note (Work *work,
      guint chunk,
      double amount,
      double seconds)
{
  if (seconds > 0.0)
    work->most[chunk] = MAX (work->most[chunk], amount / seconds);
}

static void
copy_chunk (gpointer data,
            guint chunk,
            guint worker)
{
  Work *work = data;
  const gsize length = work->set / 2 / work->n_chunks;
  const gsize n_times = N_BYTES / work->set;
  const double since = get_seconds ();

  for (gsize i = 0; i < n_times; i++)
    memcpy (work->to + chunk * length, work->from + chunk * length, length);
  note (work, chunk, 2.0 * length * n_times, get_seconds () - since);
}

static void
chain_chunk (gpointer data,
             guint chunk,
             guint worker)
{
  Work *work = data;
  const double since = get_seconds ();

  work->sink = work->chain ();
  note (work, chunk, work->flops, get_seconds () - since);
}

/* Returns: what all threads do in a second, each in its best try */
static double
find_most (PrismPool *pool,
           PrismPoolFunc func,
           Work *work)
{
  double sum = 0.0;

  memset (work->most, 0, work->n_chunks * sizeof *work->most);
  for (int i = 0; i < N_TRIES; i++)
    prism_pool_run (pool, work->n_chunks, func, work);
  for (guint i = 0; i < work->n_chunks; i++)
    sum += work->most[i];
  return sum;
}

static void
choose_chain (Work *work)
{
  const PrismIsa isa = prism_isa_get ();
  const int lanes = isa == PRISM_ISA_AVX512 ? 16 : 8;

  work->chain = isa == PRISM_ISA_AVX512 ? chain_16 : isa == PRISM_ISA_AVX2 ? chain_8
                                                                           : chain_any;
  work->flops = 2.0 * lanes * N_CHAINS * (double) N_ROUNDS;
}

/**
 * prism_roof_measure:
 * @self: (out): the machine's most; 0 where there is no memory to find it out
 *
 * Copies and multiplies on all processors, for a tenth of a second or so.
 *
 * Source: Williams, Waterman and Patterson, "Roofline", 2009; with the caches: Ilic, Pratas and
 * Sousa, "Cache-aware roofline model", 2014.
 */
void
prism_roof_measure (PrismRoof *self)
{
  prism_autofree_array char *from = prism_arena_new_array (N_BYTES / 2, "a copy", NULL);
  prism_autofree_array char *to = prism_arena_new_array (N_BYTES / 2, "a copy", NULL);
  const guint n_threads = MIN (prism_available_get_processors (), MOST_THREADS);
  g_autoptr (PrismPool) pool = prism_pool_new (n_threads, NULL);
  g_autofree double *most = g_new (double, n_threads);
  Work work = { .from = from, .to = to, .most = most, .n_chunks = n_threads };

  *self = (PrismRoof) { 0 };
  if (from == NULL || to == NULL || pool == NULL)
    return;
  memset (from, 1, N_BYTES / 2);
  memset (to, 1, N_BYTES / 2);
  for (guint i = 0; i < PRISM_ROOF_N_SETS; i++)
    {
      work.set = PRISM_ROOF_SET (i);
      self->bandwidths[i] = find_most (pool, copy_chunk, &work);
    }
  choose_chain (&work);
  self->rate = find_most (pool, chain_chunk, &work);
}
