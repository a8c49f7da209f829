#include "config.h"

#include "cpu/prism-cpu-tuner.h"

#include "base/prism-clock.h"
#include "base/prism-directory.h"
#include "base/prism-isa.h"
#include "base/prism-number.h"
#include "base/prism-record.h"
#include "base/prism-system.h"
#include "profile/prism-profile.h"

#define LEAST_ROUNDS 3
#define BUDGET 2.0 /* s of steps that were taken to find out */
#define GAIN 0.03  /* what fewer threads must bring */
#define WARM_UP 2  /* steps of a kind that are not timed */
#define RENEW 500  /* steps after which it is found out again: machines have quiet and busy hours */

/**
 * prism_cpu_tuner_init:
 * @self: (out caller-allocates): a tuner
 * @n_threads: all that there are
 * @tuned: what is known already
 */
void
prism_cpu_tuner_init (PrismCpuTuner *self, guint n_threads, const PrismCpuTuned *tuned)
{
  *self = (PrismCpuTuner) { 0 };
  for (guint n = 1; n < n_threads && self->n_candidates + 1 < PRISM_CPU_TUNER_CANDIDATES; n *= 2)
    self->candidates[self->n_candidates++] = n;
  self->candidates[self->n_candidates++] = n_threads;
  for (guint i = 0; i < PRISM_CPU_TUNER_CLASSES; i++)
    self->kinds[i].settled = self->tuned.threads[i]
        = self->n_candidates == 1 ? n_threads : MIN (tuned->threads[i], n_threads);
}

/**
 * prism_cpu_tuner_get_class:
 * @fit_start: whether it is a step of the start
 * @n_terms: of the step
 *
 * Returns: the kind of a step: 0 for the start, then doublings of terms
 */
guint
prism_cpu_tuner_get_class (gboolean fit_start, guint n_terms)
{
  return fit_start ? 0 : MIN (g_bit_storage (MAX (n_terms, 1)), PRISM_CPU_TUNER_CLASSES - 1);
}

/**
 * prism_cpu_tuner_choose:
 * @self: a tuner
 * @kind: of the next step
 *
 * Returns: with how many threads it is to be taken
 */
guint
prism_cpu_tuner_choose (const PrismCpuTuner *self, guint kind)
{
  const PrismCpuTunerKind *of = &self->kinds[kind];

  return of->settled > 0 ? of->settled : self->candidates[of->candidate];
}

static double
get_median (PrismCpuTunerKind *of, guint candidate)
{
  prism_sort_doubles (of->times[candidate], of->round);
  return of->times[candidate][of->round / 2];
}

/* All of them, unless fewer are quicker beyond the chance of a measurement. */
static void
settle (PrismCpuTuner *self, guint kind)
{
  PrismCpuTunerKind *of = &self->kinds[kind];
  guint best = self->n_candidates - 1;
  double least = of->round > 0 ? (1.0 - GAIN) * get_median (of, best) : 0.0;

  for (guint i = 0; i + 1 < self->n_candidates && of->round >= LEAST_ROUNDS; i++)
    {
      const double seconds = get_median (of, i);

      if (seconds >= least)
        continue;
      least = seconds;
      best = i;
    }
  of->settled = self->tuned.threads[kind] = self->candidates[best];
}

/**
 * prism_cpu_tuner_note:
 * @self: a tuner
 * @kind: of a step that was taken with as many threads as prism_cpu_tuner_choose() said
 * @seconds: that it took
 *
 * Candidates take turns, so that what the machine does beside meets them alike.
 *
 * Returns: whether it has just become known how many threads are best
 */
gboolean
prism_cpu_tuner_note (PrismCpuTuner *self, guint kind, double seconds)
{
  PrismCpuTunerKind *of = &self->kinds[kind];

  if (of->settled > 0)
    {
      if (++of->n_steps >= RENEW && self->n_candidates > 1)
        *of = (PrismCpuTunerKind) { 0 };
      return FALSE;
    }
  of->spent += seconds;
  if (of->n_warm < WARM_UP)
    of->n_warm++;
  else
    {
      of->times[of->candidate][of->round] = seconds;
      of->candidate = (of->candidate + 1) % self->n_candidates;
      of->round += of->candidate == 0;
    }
  if (of->round < PRISM_CPU_TUNER_ROUNDS && of->spent < BUDGET)
    return FALSE;
  settle (self, kind);
  return TRUE;
}

#define N_TIMES PRISM_CPU_TIMING_N_TIMES

static const char *const part_names[PRISM_CPU_N_PARTS] = {
  "decoder forward",
  "telescope and loss",
  "decoder backward and Adam",
};

/* What a profile calls a part. */
static const PrismStage stages[PRISM_CPU_N_PARTS] = {
  PRISM_STAGE_FORWARD,
  PRISM_STAGE_TELESCOPE,
  PRISM_STAGE_BACKWARD,
};

/**
 * prism_cpu_timing_begin:
 *
 * Units: ns.
 *
 * Returns: the time at which a part begins, for prism_cpu_timing_add()
 */
gint64
prism_cpu_timing_begin (void)
{
  return prism_profile_is_on () ? prism_profile_open () : prism_profile_get_time ();
}

/**
 * prism_cpu_timing_add:
 * @part: of a step
 * @since: when it began, by prism_cpu_timing_begin()
 * @operations: its multiplications and additions
 *
 * Takes the time of a part that is over.
 */
void
prism_cpu_timing_add (PrismCpuTiming *self,
                      PrismCpuPart part,
                      gint64 since,
                      double operations)
{
  if (prism_profile_is_on ())
    prism_profile_add (stages[part], since, 1, 0, operations);
  self->times[part][self->n_times[part]++ % N_TIMES] = 1e-6 * (prism_profile_get_time () - since);
}

/**
 * prism_cpu_timing_take:
 * @self: times, those of @part are forgotten
 * @part: from 0
 * @name: (out): of the part
 *
 * As PrismBackendOps.get_part_time.
 *
 * Units: ms.
 *
 * Returns: the median, 0 where there was none, -1 where there is no such part
 */
double
prism_cpu_timing_take (PrismCpuTiming *self,
                       guint part,
                       const char **name)
{
  guint n;

  if (part >= PRISM_CPU_N_PARTS)
    return -1.0;
  *name = part_names[part];
  n = MIN (self->n_times[part], N_TIMES);
  self->n_times[part] = 0;
  if (n == 0)
    return 0.0;
  prism_sort_doubles (self->times[part], n);
  return self->times[part][n / 2];
}

struct _PrismCpuTuning
{
  PrismBackendSpec spec;
  PrismPool *pool;
  PrismCpuTuner tuner;
  guint kind;      /* of the newest step; PRISM_CPU_TUNER_CLASSES before the first */
  double since;    /* s, of the step under way */
  gboolean is_new; /* something was found out that no file has */
};

/**
 * prism_cpu_tuning_new:
 * @spec: of a run
 * @pool: (transfer none): whose threads take its steps
 *
 * Returns: (transfer full) (nullable): a tuning, %NULL where there is nothing to choose
 */
PrismCpuTuning *
prism_cpu_tuning_new (const PrismBackendSpec *spec, PrismPool *pool)
{
  const guint n_threads = prism_pool_get_n_threads (pool);
  PrismCpuTuning *self;
  PrismCpuTuned tuned;

  if (!spec->tuning || n_threads == 1)
    return NULL;
  self = g_new0 (PrismCpuTuning, 1);
  self->spec = *spec;
  self->pool = pool;
  self->kind = PRISM_CPU_TUNER_CLASSES;
  prism_cpu_tuned_load (&tuned, spec, n_threads);
  prism_cpu_tuner_init (&self->tuner, n_threads, &tuned);
  return self;
}

/**
 * prism_cpu_tuning_free:
 * @self: (nullable): a tuning
 *
 * Keeps what it has found out. A cache that cannot be written costs no more than finding it out
 * again.
 */
void
prism_cpu_tuning_free (PrismCpuTuning *self)
{
  if (self == NULL)
    return;
  if (self->is_new)
    prism_cpu_tuned_save (&self->tuner.tuned, &self->spec, prism_pool_get_n_threads (self->pool),
                          NULL);
  g_free (self);
}

/**
 * prism_cpu_tuning_is_on:
 * @self: (nullable): a tuning
 *
 * Returns: whether steps like the newest are still timed with several numbers of threads
 */
gboolean
prism_cpu_tuning_is_on (PrismCpuTuning *self)
{
  return self != NULL && self->kind < PRISM_CPU_TUNER_CLASSES
         && self->tuner.kinds[self->kind].settled == 0;
}

/**
 * prism_cpu_tuning_begin:
 * @self: (nullable): a tuning
 * @step: that is about to be taken
 *
 * Says with how many threads.
 */
void
prism_cpu_tuning_begin (PrismCpuTuning *self, const PrismStep *step)
{
  if (self == NULL)
    return;
  self->kind = prism_cpu_tuner_get_class (step->fit_start, 1 + step->n_old);
  prism_pool_set_limit (self->pool, prism_cpu_tuner_choose (&self->tuner, self->kind));
  self->since = prism_clock_get_seconds ();
}

/**
 * prism_cpu_tuning_end:
 * @self: (nullable): a tuning
 * @step: that was taken
 *
 * Whatever follows has all threads again. Metrics come now and then: such a step says nothing.
 */
void
prism_cpu_tuning_end (PrismCpuTuning *self, const PrismStep *step)
{
  if (self == NULL)
    return;
  prism_pool_set_limit (self->pool, prism_pool_get_n_threads (self->pool));
  if (!step->with_metrics
      && prism_cpu_tuner_note (&self->tuner, self->kind,
                               prism_clock_get_seconds () - self->since))
    self->is_new = TRUE;
}

#define MOST_THREADS 256
#define CLASS(name, number) \
  PRISM_RECORD_PART (PrismCpuTuned, name, threads[number], INTEGER, 0, MOST_THREADS, TRUE)

static const PrismRecordField fields[] = {
  CLASS ("start", 0),
  CLASS ("terms_1", 1),
  CLASS ("terms_2", 2),
  CLASS ("terms_4", 3),
  CLASS ("terms_8", 4),
  CLASS ("terms_16", 5),
  CLASS ("terms_32", 6),
  { NULL },
};

/* Names all that decides with how many threads a step is quickest: program, machine, sizes and
 * decoder. Returns one line. */
static char *
dup_shape (const PrismBackendSpec *spec, guint n_threads)
{
  g_autofree char *processor = prism_system_dup_processor ();
  GString *text = g_string_new (NULL);

  g_string_append_printf (text, "version=%s processor=%s isa=%s threads=%u", PRISM_VERSION,
                          processor != NULL ? processor : "", prism_isa_get_id (prism_isa_get ()),
                          n_threads);
  g_string_append_printf (text, " image=%d object=%d parameters=%" G_GSIZE_FORMAT, spec->image_size,
                          spec->object_size, spec->decoder.n_parameters);
  g_string_append_printf (text, " line=%u amsgrad=%d clips=%d", spec->n_line_points,
                          spec->amsgrad, spec->clips);
  return g_string_free (text, FALSE);
}

static char *
dup_path (const PrismBackendSpec *spec, guint n_threads)
{
  g_autofree char *shape = dup_shape (spec, n_threads);

  return prism_user_cache_dup_path (PRISM_USER_CACHE_TUNING, shape);
}

/**
 * prism_cpu_tuned_load:
 * @self: (out caller-allocates): what is known; nothing where there is no file
 * @spec: of a run
 * @n_threads: all that there are
 *
 * A file that is damaged is as good as none.
 *
 * Returns: whether something is known
 */
gboolean
prism_cpu_tuned_load (PrismCpuTuned *self, const PrismBackendSpec *spec, guint n_threads)
{
  g_autofree char *path = dup_path (spec, n_threads);

  memset (self, 0, sizeof *self);
  if (prism_record_load (fields, self, path, "tuning", NULL))
    return TRUE;
  memset (self, 0, sizeof *self);
  return FALSE;
}

/**
 * prism_cpu_tuned_save:
 * @self: what is known
 * @spec: of the run
 * @n_threads: all that there are
 * @error: return location
 *
 * Errors: PRISM_ERROR_IO.
 *
 * Returns: whether it is kept
 */
gboolean
prism_cpu_tuned_save (const PrismCpuTuned *self,
                      const PrismBackendSpec *spec,
                      guint n_threads,
                      GError **error)
{
  g_autofree char *path = dup_path (spec, n_threads);

  return prism_record_save (fields, self, path, error);
}

/**
 * prism_cpu_tuned_forget:
 * @spec: of a run
 * @n_threads: all that there are
 *
 * Has the next run of this shape find out again.
 *
 * Returns: whether nothing is kept
 */
gboolean
prism_cpu_tuned_forget (const PrismBackendSpec *spec, guint n_threads)
{
  g_autofree char *path = dup_path (spec, n_threads);

  return g_unlink (path) == 0 || !g_file_test (path, G_FILE_TEST_EXISTS);
}
