#include "config.h"

#include "profile/prism-roof.h"

#include "base/prism-arena.h"
#include "base/prism-clock.h"
#include "base/prism-isa.h"
#include "base/prism-pool.h"

#include <string.h>

#define N_BYTES (32u << 20) /* beyond the caches of one processor */
#define N_TRIES 3
#define N_ROUNDS 2000000
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
  char *from; /* [N_BYTES] */
  char *to;   /* [N_BYTES] */
  guint n_chunks;
  float (*chain) (void);
  _Atomic float sink; /* so that the chains are not left out */
} Work;

static void
copy_chunk (gpointer data,
            guint chunk,
            guint worker)
{
  Work *work = data;
  gsize length = N_BYTES / work->n_chunks;

  memcpy (work->to + chunk * length, work->from + chunk * length, length);
}

static void
chain_chunk (gpointer data,
             guint chunk,
             guint worker)
{
  Work *work = data;

  work->sink = work->chain ();
}

static double
time_work (PrismPool *pool,
           PrismPoolFunc func,
           Work *work)
{
  double best = G_MAXDOUBLE;

  for (int i = 0; i < N_TRIES; i++)
    {
      double since = prism_clock_get_seconds ();

      prism_pool_run (pool, work->n_chunks, func, work);
      best = MIN (best, prism_clock_get_seconds () - since);
    }
  return best;
}

static void
choose_chain (Work *work,
              double *flops)
{
  const PrismIsa isa = prism_isa_get ();
  const int lanes = isa == PRISM_ISA_AVX512 ? 16 : 8;

  work->chain = isa == PRISM_ISA_AVX512 ? chain_16 : isa == PRISM_ISA_AVX2 ? chain_8
                                                                           : chain_any;
  *flops = 2.0 * lanes * N_CHAINS * (double) N_ROUNDS;
}

/**
 * prism_roof_measure:
 * @self: (out): the machine's most; 0 where there is no memory to find it out
 *
 * Copies and multiplies on all threads that a run has, for a tenth of a second or so.
 */
void
prism_roof_measure (PrismRoof *self)
{
  prism_autofree_array char *from = prism_arena_new_array (N_BYTES, "a copy", NULL);
  prism_autofree_array char *to = prism_arena_new_array (N_BYTES, "a copy", NULL);
  guint n_threads = prism_pool_count_threads (0);
  g_autoptr (PrismPool) pool = prism_pool_new (n_threads, NULL);
  Work work = { .from = from, .to = to, .n_chunks = n_threads };
  double flops;

  *self = (PrismRoof) { 0 };
  if (from == NULL || to == NULL || pool == NULL)
    return;
  memset (from, 1, N_BYTES);
  memset (to, 1, N_BYTES);
  self->bandwidth = 2.0 * N_BYTES / time_work (pool, copy_chunk, &work);
  choose_chain (&work, &flops);
  self->rate = n_threads * flops / time_work (pool, chain_chunk, &work);
}
