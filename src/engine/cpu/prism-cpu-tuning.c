#include "config.h"

#include "cpu/prism-cpu-tuning.h"

#include "base/prism-clock.h"
#include "cpu/prism-cpu-tuned.h"

struct _PrismCpuTuning
{
  PrismBackendSpec spec;
  PrismPool *pool;
  PrismCpuTuner *tuner;
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
  self->tuner = prism_cpu_tuner_new (n_threads, &tuned);
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
  const guint n_threads = self != NULL ? prism_pool_get_n_threads (self->pool) : 0;
  PrismCpuTuned tuned;

  if (self == NULL)
    return;
  prism_cpu_tuner_get_tuned (self->tuner, &tuned);
  if (self->is_new)
    prism_cpu_tuned_save (&tuned, &self->spec, n_threads, NULL);
  prism_cpu_tuner_free (self->tuner);
  g_free (self);
}

static guint
get_kind (const PrismStep *step)
{
  return prism_cpu_tuner_get_class (step->fit_start, 1 + step->n_old);
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
         && prism_cpu_tuner_is_tuning (self->tuner, self->kind);
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
  self->kind = get_kind (step);
  prism_pool_set_limit (self->pool, prism_cpu_tuner_choose (self->tuner, self->kind));
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
      && prism_cpu_tuner_note (self->tuner, get_kind (step),
                               prism_clock_get_seconds () - self->since))
    self->is_new = TRUE;
}
