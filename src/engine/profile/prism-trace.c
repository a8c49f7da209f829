#include "config.h"

#include "profile/prism-trace.h"

#include "base/prism-arena.h"
#include "base/prism-each.h"
#include "base/prism-isa.h"
#include "base/prism-pool.h"
#include "base/prism-system.h"

#include <time.h>

PRISM_FREE (PrismTraceThread, free_thread, g_free, name, g_array_unref, spans)

/**
 * prism_trace_new:
 *
 * Returns: (transfer full): a trace without spans
 */
PrismTrace *
prism_trace_new (void)
{
  PrismTrace *self = g_new0 (PrismTrace, 1);

  self->threads = g_ptr_array_new_with_free_func (free_thread);
  self->samples = g_array_new (FALSE, FALSE, sizeof (PrismSpan));
  return self;
}

/**
 * prism_trace_free:
 * @self: (nullable): a trace
 */
PRISM_FREE_FOR_ALL (PrismTrace,
                    prism_trace_free,
                    g_ptr_array_unref,
                    threads,
                    g_array_unref,
                    samples)

/**
 * prism_trace_add_thread:
 * @self: a trace
 * @name: of the thread
 *
 * Returns: (transfer none): a thread without spans
 */
PrismTraceThread *
prism_trace_add_thread (PrismTrace *self,
                        const char *name)
{
  PrismTraceThread *thread = g_new0 (PrismTraceThread, 1);

  thread->name = g_strdup (name);
  thread->spans = g_array_new (FALSE, FALSE, sizeof (PrismSpan));
  g_ptr_array_add (self->threads, thread);
  return thread;
}

/**
 * prism_trace_add_span:
 * @self: a trace
 * @thread: of it
 * @span: what is copied; that of a counter belongs to no thread
 */
void
prism_trace_add_span (PrismTrace *self,
                      PrismTraceThread *thread,
                      const PrismSpan *span)
{
  g_array_append_vals (span->kind < PRISM_N_STAGES ? thread->spans : self->samples, span, 1);
}

static int
compare_spans (gconstpointer a,
               gconstpointer b)
{
  const PrismSpan *x = a, *y = b;

  if (x->begin != y->begin)
    return x->begin < y->begin ? -1 : 1;
  return (x->end < y->end) - (x->end > y->end);
}

/**
 * prism_trace_sort:
 * @self: a trace
 *
 * Brings spans into the order of their beginnings, which is not that in which they are over.
 */
void
prism_trace_sort (PrismTrace *self)
{
  PRISM_FOR_EACH_POINTER (PrismTraceThread, thread, self->threads)
    g_array_sort (thread->spans, compare_spans);
  g_array_sort (self->samples, compare_spans);
}

/**
 * prism_trace_get_overhead:
 * @self: a trace
 *
 * Returns: the part of the time that the profile itself took, 0…1: its spans times what one costs;
 *   of workers, which work side by side, those of the one that has most
 */
double
prism_trace_get_overhead (const PrismTrace *self)
{
  guint64 n = self->samples->len, most = 0;

  PRISM_FOR_EACH_POINTER (const PrismTraceThread, thread, self->threads)
    {
      const guint64 n_spans = thread->spans->len + thread->n_lost;

      if (thread->worker > 0)
        most = MAX (most, n_spans);
      else
        n += n_spans;
    }
  return self->seconds > 0.0 ? (double) (n + most) * self->span_cost / self->seconds : 0.0;
}

#define MEBIBYTE 1048576.0

/* Slope of y = a + b·x by least squares. */
typedef struct
{
  double n;
  double x;
  double y;
  double xx;
  double xy;
} Sums;

/**
 * prism_trace_counter_init:
 * @self: (out): how it went
 * @trace: a profile
 * @counter: which counter
 *
 * Reads the samples of a counter.
 */
void
prism_trace_counter_init (PrismTraceCounter *self,
                          const PrismTrace *trace,
                          PrismCounter counter)
{
  Sums sums = { 0 };
  double spread;

  *self = (PrismTraceCounter) { 0 };
  PRISM_FOR_EACH (const PrismSpan, sample, trace->samples)
    {
      double x = 1e-9 * sample->begin;

      if (sample->kind != PRISM_N_STAGES + counter)
        continue;
      self->n_samples++;
      self->most = MAX (self->most, sample->value);
      self->last = sample->value;
      sums.n += 1.0;
      sums.x += x;
      sums.y += sample->value;
      sums.xx += x * x;
      sums.xy += x * sample->value;
    }
  spread = sums.n * sums.xx - sums.x * sums.x;
  self->slope = spread > 0.0 ? (sums.n * sums.xy - sums.x * sums.y) / spread : 0.0;
}

/**
 * prism_trace_dup_memory:
 * @trace: a profile
 *
 * Returns: (transfer full) (nullable): a sentence on the memory of the program and its slope, NULL
 *   where it was not noted
 */
char *
prism_trace_dup_memory (const PrismTrace *trace)
{
  PrismTraceCounter memory;

  prism_trace_counter_init (&memory, trace, PRISM_COUNTER_HOST_MEMORY);
  if (memory.n_samples == 0)
    return NULL;
  return g_strdup_printf (_ ("The program had %.1f MiB at most;"
                             " its memory changed by %+.2f MiB/s."),
                          memory.most / MEBIBYTE, memory.slope / MEBIBYTE);
}

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
  PrismIsa isa;
  int lanes;

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
  isa = prism_isa_get ();
  lanes = isa == PRISM_ISA_AVX512 ? 16 : 8;
  work.chain = isa == PRISM_ISA_AVX512 ? chain_16 : isa == PRISM_ISA_AVX2 ? chain_8
                                                                          : chain_any;
  work.flops = 2.0 * lanes * N_CHAINS * (double) N_ROUNDS;
  self->rate = find_most (pool, chain_chunk, &work);
}

/* What a stage is called in files and by people, and what its time depends on in any run; why it
 * was long in this one no profile knows. */
static const struct
{
  const char *id;
  const char *label;
  const char *dependence;
} kinds[PRISM_N_STAGES + PRISM_N_COUNTERS] = {
  [PRISM_STAGE_WAIT] = { "wait", NC_ ("stage", "waiting") },
  [PRISM_STAGE_COMMAND]
  = { "command", NC_ ("stage", "commands"), N_ ("it grows with what is asked of the engine") },
  [PRISM_STAGE_WORK] = { "work", NC_ ("stage", "other work"), N_ ("it is in no stage of its own") },
  [PRISM_STAGE_OBJECT] = { "object", NC_ ("stage", "object"),
                           N_ ("it is taken once for an object and grows with its pixels") },
  [PRISM_STAGE_PATTERN] = { "pattern", NC_ ("stage", "pattern"),
                            N_ ("it is taken once for a pattern and grows with its positions") },
  [PRISM_STAGE_MEASURE] = { "measure", NC_ ("stage", "measurement"),
                            N_ ("it grows with the frames that are not in the cache") },
  [PRISM_STAGE_EXPOSE] = { "expose", NC_ ("stage", "exposure"),
                           N_ ("it grows with the frames that are not in the cache") },
  [PRISM_STAGE_TRAIN] = { "train", NC_ ("stage", "training"),
                          N_ ("it grows with the steps and the size of the decoder") },
  [PRISM_STAGE_FORWARD] = { "forward", NC_ ("stage", "forward"),
                            N_ ("it grows with the steps and the size of the decoder") },
  [PRISM_STAGE_TELESCOPE]
  = { "telescope", NC_ ("stage", "telescope"),
      N_ ("it grows with the steps, the frames of a step and their pixels") },
  [PRISM_STAGE_LOSS] = { "loss", NC_ ("stage", "loss"),
                         N_ ("it grows with the steps, the frames of a step and their pixels") },
  [PRISM_STAGE_BACKWARD] = { "backward", NC_ ("stage", "backward"),
                             N_ ("it grows with the steps and the size of the decoder") },
  [PRISM_STAGE_UPDATE] = { "update", NC_ ("stage", "update"),
                           N_ ("it grows with the steps and the size of the decoder") },
  [PRISM_STAGE_LIVE] = { "live-picture", NC_ ("stage", "live picture"),
                         N_ ("it grows with the passes, the frames and their pixels") },
  [PRISM_STAGE_REFINE] = { "refinement", NC_ ("stage", "refinement"),
                           N_ ("it grows with the passes, the frames and their pixels") },
  [PRISM_STAGE_PASS] = { "pass", NC_ ("stage", "passes"),
                         N_ ("it grows with the passes, the frames and their pixels") },
  [PRISM_STAGE_FIELDS]
  = { "fields", NC_ ("stage", "fields"), N_ ("it grows with the frames and their pixels") },
  [PRISM_STAGE_ALIGN]
  = { "alignment", NC_ ("stage", "alignment"), N_ ("it grows with the frames and their pixels") },
  [PRISM_STAGE_JUDGE]
  = { "judge", NC_ ("stage", "verdict"), N_ ("it grows with the frames and their pixels") },
  [PRISM_STAGE_METRICS] = { "metrics", NC_ ("stage", "metrics"),
                            N_ ("it grows with how often the image is compared with the object") },
  [PRISM_STAGE_MOMENT]
  = { "moment", NC_ ("stage", "moments"), N_ ("it grows with the moments that are kept") },
  [PRISM_STAGE_PUBLISH]
  = { "publish", NC_ ("stage", "publishing"), N_ ("it grows with how often pictures are shown") },
  [PRISM_STAGE_SAVE]
  = { "save", NC_ ("stage", "saving"), N_ ("it grows with how often and how much is saved") },
  [PRISM_STAGE_EXPORT]
  = { "export", NC_ ("stage", "export"), N_ ("it grows with the files that are written") },
  [PRISM_STAGE_COLLECT]
  = { "collect", NC_ ("stage", "collecting"), N_ ("it grows with how often pictures are shown") },
  [PRISM_STAGE_RASTER] = { "raster", NC_ ("stage", "colouring"),
                           N_ ("it grows with the pictures shown and their pixels") },
  [PRISM_STAGE_DRAW]
  = { "draw", NC_ ("stage", "drawing"), N_ ("it grows with the pictures shown and their pixels") },
  /* The counters, in their order. */
  { "device-memory" },
  { "steps-per-second" },
  { "host-memory" },
  { "cache-hits" },
  { "queue" },
  { "array-memory" },
};

/**
 * prism_stage_get_id:
 * @self: a stage, or PRISM_N_STAGES and a counter
 *
 * Returns: (transfer none): its name in files and tables
 */
const char *
prism_stage_get_id (guint self)
{
  return kinds[self].id;
}

/**
 * prism_stage_get_label:
 * @self: a stage
 *
 * Returns: (transfer none): its name in sentences and on pages, in the user's language
 */
const char *
prism_stage_get_label (PrismStage self)
{
  return g_dpgettext2 (GETTEXT_PACKAGE, "stage", kinds[self].label);
}

/**
 * prism_stage_get_dependence:
 *
 * Returns: what its time depends on, to be translated
 */
const char *
prism_stage_get_dependence (PrismStage self)
{
  return kinds[self].dependence;
}

/**
 * prism_stage_find:
 * @id: a name
 *
 * Returns: the stage of that name, PRISM_N_STAGES and the counter of that name, -1 for none
 */
int
prism_stage_find (const char *id)
{
  for (gsize kind = 0; kind < G_N_ELEMENTS (kinds); kind++)
    if (strcmp (kinds[kind].id, id) == 0)
      return (int) kind;
  return -1;
}
