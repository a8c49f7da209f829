#include "config.h"

#include "cpu/prism-cpu-timing.h"

#include "base/prism-clock.h"

#include <stdlib.h>

#define N_TIMES PRISM_CPU_TIMING_N_TIMES

static const char *const part_names[PRISM_CPU_N_PARTS] = {
  "decoder forward",
  "telescope and loss",
  "decoder backward and Adam",
};

/**
 * prism_cpu_timing_add:
 * @part: of a step
 * @since: when it began, by prism_clock_get_seconds()
 *
 * Takes the time of a part that is over.
 */
void
prism_cpu_timing_add (PrismCpuTiming *self,
                      PrismCpuPart part,
                      double since)
{
  self->times[part][self->n_times[part]++ % N_TIMES] = 1e3 * (prism_clock_get_seconds () - since);
}

static int
compare_doubles (gconstpointer a,
                 gconstpointer b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
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
  qsort (self->times[part], n, sizeof (double), compare_doubles);
  return self->times[part][n / 2];
}
