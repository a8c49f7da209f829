#include "config.h"

#include "cpu/prism-cpu-timing.h"

#include "base/prism-sort.h"
#include "profile/prism-profile.h"

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
