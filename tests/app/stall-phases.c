#include "config.h"

#include "stall-phases.h"

#include "stall-series.h"

#include <math.h>
#include <stdio.h>
#include <sys/resource.h>

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
  g_free (self->control);
}

/* Adds the phase of a run. */
void
stall_phases_add (StallPhases *self,
                  StallPhase phase)
{
  g_array_append_val (self->phases, phase);
}

/* ms of all processes that were waited for. */
static double
get_time_of_children (void)
{
  struct rusage usage;

  getrusage (RUSAGE_CHILDREN, &usage);
  return 1e3 * (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
         + 1e-3 * (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static void
on_control_done (GObject *process,
                 GAsyncResult *result,
                 gpointer user)
{
  g_autoptr (GError) error = NULL;
  StallPhases *self = user;
  StallPhase *last = &g_array_index (self->phases, StallPhase, self->phases->len - 1);

  if (!g_subprocess_wait_check_finish (G_SUBPROCESS (process), result, &error))
    g_error ("The control failed: %s", error->message);
  last->ratio = last->computed / (get_time_of_children () - self->before);
  self->done (self->user);
}

/* Runs the control once, after a phase, and then calls @done; at once where there is none. */
void
stall_phases_control (StallPhases *self,
                      GSourceFunc done,
                      gpointer user)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GSubprocess) process = NULL;
  g_auto (GStrv) words = NULL;

  self->done = done;
  self->user = user;
  if (self->control == NULL || self->phases->len == 0)
    {
      done (user);
      return;
    }
  if (!g_shell_parse_argv (self->control, NULL, &words, &error))
    g_error ("%s", error->message);
  self->before = get_time_of_children ();
  process = g_subprocess_newv ((const char *const *) words, G_SUBPROCESS_FLAGS_STDOUT_SILENCE,
                               &error);
  if (process == NULL)
    g_error ("%s", error->message);
  g_subprocess_wait_check_async (process, NULL, on_control_done, self);
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
  print_drift (self, "drift_against_control_percent", 0.5, G_STRUCT_OFFSET (StallPhase, ratio));
}
