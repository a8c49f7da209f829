#include "config.h"

#include "stall-phases.h"

#include "stall-series.h"

#include <math.h>
#include <stdio.h>

/* Prepares phases of a measurement of so many seconds. */
void
stall_phases_init (StallPhases *self,
                   double seconds)
{
  self->phases = g_array_new (FALSE, FALSE, sizeof (StallPhase));
  self->seconds = seconds;
}

/* Frees what the phases need. */
void
stall_phases_clear (StallPhases *self)
{
  g_array_unref (self->phases);
}

/* Adds the phase of a run. */
void
stall_phases_add (StallPhases *self,
                  StallPhase phase)
{
  g_array_append_val (self->phases, phase);
}

static int
compare_values (gconstpointer a,
                gconstpointer b)
{
  double difference = *(const double *) a - *(const double *) b;

  return (difference > 0) - (difference < 0);
}

/* Median over the phases that ended in a part of the time. offset: of a double in StallPhase. */
static double
get_median (StallPhases *self,
            double from,
            double to,
            gsize offset)
{
  g_autoptr (GArray) values = g_array_new (FALSE, FALSE, sizeof (double));

  for (guint i = 0; i < self->phases->len; i++)
    {
      const StallPhase *phase = &g_array_index (self->phases, StallPhase, i);

      if (phase->time >= from && phase->time < to
          && isfinite (G_STRUCT_MEMBER (double, phase, offset)))
        g_array_append_val (values, G_STRUCT_MEMBER (double, phase, offset));
    }
  g_array_sort (values, compare_values);
  return values->len > 0 ? g_array_index (values, double, values->len / 2) : NAN;
}

/* Last part of the time against the first, in per cent. */
static void
print_drift (StallPhases *self,
             const char *name,
             double part,
             gsize offset)
{
  double first = get_median (self, 0, self->seconds * part, offset);
  double last = get_median (self, self->seconds * (1.0 - part), INFINITY, offset);

  stall_series_print (name, 100 * (last / first - 1));
}

/* Prints the members of a JSON object. */
void
stall_phases_print (StallPhases *self)
{
  printf ("  \"compared_runs\": %u,\n", self->phases->len);
  stall_series_print ("step_computing_ms",
                      get_median (self, 0, INFINITY, G_STRUCT_OFFSET (StallPhase, computed)));
  stall_series_print ("step_ms",
                      get_median (self, 0, INFINITY, G_STRUCT_OFFSET (StallPhase, elapsed)));
  print_drift (self, "step_computing_drift_percent", 0.25, G_STRUCT_OFFSET (StallPhase, computed));
  print_drift (self, "step_drift_percent", 0.25, G_STRUCT_OFFSET (StallPhase, elapsed));
}
