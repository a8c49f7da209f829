#include "config.h"

#include "cpu/prism-cpu-timing.h"

#include "base/prism-sort.h"
#include "model/prism-decoder-table.h"
#include "profile/prism-profile.h"

#define N_TIMES PRISM_CPU_TIMING_N_TIMES

static const char *const part_names[PRISM_CPU_N_PARTS] = {
  "decoder forward",
  "telescope and loss",
  "decoder backward and Adam",
};

/* What a profile calls a part, and how often it has the products of a forward pass. */
static const struct
{
  PrismStage stage;
  int n_times;
} stages[PRISM_CPU_N_PARTS] = {
  { PRISM_STAGE_FORWARD, 1 },
  { PRISM_STAGE_TELESCOPE, 0 },
  { PRISM_STAGE_BACKWARD, 2 },
};

/**
 * prism_cpu_timing_init:
 * @self: (out): no times
 * @plan: of the decoder whose steps are timed
 */
void
prism_cpu_timing_init (PrismCpuTiming *self,
                       const PrismDecoderPlan *plan)
{
  PrismDecoderRow rows[PRISM_DECODER_TABLE_MAX_ROWS], sum;
  guint n_rows = prism_decoder_table_get_rows (plan, rows);

  prism_decoder_table_get_sum (rows, n_rows, &sum);
  *self = (PrismCpuTiming) { .n_products = (double) sum.n_products };
}

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
 * @operations: multiplications and additions beside those of the decoder
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
    prism_profile_add (stages[part].stage, since, 1, 0,
                       2.0 * stages[part].n_times * self->n_products + operations);
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
