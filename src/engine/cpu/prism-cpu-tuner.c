#include "config.h"

#include "cpu/prism-cpu-tuner.h"

#include "base/prism-sort.h"

#include <stdlib.h>

#define MOST_CANDIDATES 10 /* 1, 2, 4 … 256, and all */
#define MOST_ROUNDS 9      /* each candidate takes one step of each */
#define LEAST_ROUNDS 3
#define BUDGET 2.0 /* s of steps that were taken to find out */
#define GAIN 0.03  /* what fewer threads must bring */
#define WARM_UP 2  /* steps of a kind that are not timed */
#define RENEW 500  /* steps after which it is found out again: machines have quiet and busy hours */

/* Steps of one kind. */
typedef struct
{
  guint settled; /* threads, 0 while it is tuned */
  guint known;   /* the last that was settled, 0 for none */
  guint n_steps; /* since then */
  guint n_warm;
  guint candidate; /* of the next step */
  guint round;
  double spent;                               /* s */
  double times[MOST_CANDIDATES][MOST_ROUNDS]; /* s */
} Kind;

struct _PrismCpuTuner
{
  guint candidates[MOST_CANDIDATES]; /* the last has all */
  guint n_candidates;
  Kind kinds[PRISM_CPU_TUNER_CLASSES];
};

/**
 * prism_cpu_tuner_new:
 * @n_threads: all that there are
 * @tuned: (nullable): what is known already
 *
 * Returns: (transfer full): a tuner
 */
PrismCpuTuner *
prism_cpu_tuner_new (guint n_threads, const PrismCpuTuned *tuned)
{
  PrismCpuTuner *self = g_new0 (PrismCpuTuner, 1);

  for (guint n = 1; n < n_threads && self->n_candidates + 1 < MOST_CANDIDATES; n *= 2)
    self->candidates[self->n_candidates++] = n;
  self->candidates[self->n_candidates++] = n_threads;
  for (guint i = 0; i < PRISM_CPU_TUNER_CLASSES; i++)
    {
      const guint known = tuned != NULL ? tuned->threads[i] : 0;

      self->kinds[i].settled = self->n_candidates == 1 ? n_threads : MIN (known, n_threads);
      self->kinds[i].known = self->kinds[i].settled;
    }
  return self;
}

/**
 * prism_cpu_tuner_free:
 * @self: (nullable): a tuner
 */
void
prism_cpu_tuner_free (PrismCpuTuner *self)
{
  g_free (self);
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
 * prism_cpu_tuner_is_tuning:
 * @self: a tuner
 * @kind: of a step
 *
 * Returns: whether it is still to be found out
 */
gboolean
prism_cpu_tuner_is_tuning (PrismCpuTuner *self, guint kind)
{
  return self->kinds[kind].settled == 0;
}

/**
 * prism_cpu_tuner_choose:
 * @self: a tuner
 * @kind: of the next step
 *
 * Returns: with how many threads it is to be taken
 */
guint
prism_cpu_tuner_choose (PrismCpuTuner *self, guint kind)
{
  const Kind *of = &self->kinds[kind];

  return of->settled > 0 ? of->settled : self->candidates[of->candidate];
}

static double
get_median (Kind *of, guint candidate)
{
  prism_sort_doubles (of->times[candidate], of->round);
  return of->times[candidate][of->round / 2];
}

/* All of them, unless fewer are quicker beyond the chance of a measurement. */
static void
settle (PrismCpuTuner *self, Kind *of)
{
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
  of->settled = of->known = self->candidates[best];
}

static void
renew (PrismCpuTuner *self, Kind *of)
{
  const guint known = of->known;

  if (++of->n_steps < RENEW || self->n_candidates == 1)
    return;
  *of = (Kind) { .known = known };
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
  Kind *of = &self->kinds[kind];

  if (of->settled > 0)
    {
      renew (self, of);
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
  if (of->round < MOST_ROUNDS && of->spent < BUDGET)
    return FALSE;
  settle (self, of);
  return TRUE;
}

/**
 * prism_cpu_tuner_get_tuned:
 * @self: a tuner
 * @tuned: (out): what is known
 */
void
prism_cpu_tuner_get_tuned (PrismCpuTuner *self, PrismCpuTuned *tuned)
{
  for (guint i = 0; i < PRISM_CPU_TUNER_CLASSES; i++)
    tuned->threads[i] = self->kinds[i].known;
}
