#include "config.h"

#include "stall-phases.h"

#include "stall-process.h"
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
  self->newest = NAN;
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
  phase.control = self->newest;
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

  if (!g_subprocess_wait_check_finish (G_SUBPROCESS (process), result, &error))
    g_error ("The control failed: %s", error->message);
  self->newest = get_time_of_children () - self->before;
  self->running = FALSE;
}

/* In the child, between fork and exec. */
static void
pin_child (gpointer data)
{
  stall_process_pin (0);
}

/* Begins a phase: starts the control, where there is one, on the processor of the engine. FALSE
 * while the control of the phase before still runs. */
gboolean
stall_phases_begin (StallPhases *self)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GSubprocess) process = NULL;
  g_autoptr (GSubprocessLauncher) launcher = NULL;
  g_auto (GStrv) words = NULL;

  if (self->running || self->control == NULL)
    return !self->running;
  if (!g_shell_parse_argv (self->control, NULL, &words, &error))
    g_error ("%s", error->message);
  stall_process_pin (stall_process_find_busiest ());
  self->before = get_time_of_children ();
  self->newest = NAN;
  launcher = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDOUT_SILENCE);
  g_subprocess_launcher_set_child_setup (launcher, pin_child, NULL, NULL);
  process = g_subprocess_launcher_spawnv (launcher, (const char *const *) words, &error);
  if (process == NULL)
    g_error ("%s", error->message);
  self->running = TRUE;
  g_subprocess_wait_check_async (process, NULL, on_control_done, self);
  return TRUE;
}

/* Whether a control has come to its end in this phase. */
gboolean
stall_phases_is_over (const StallPhases *self)
{
  return isfinite (self->newest);
}

static int
compare_values (gconstpointer a,
                gconstpointer b)
{
  double difference = *(const double *) a - *(const double *) b;

  return (difference > 0) - (difference < 0);
}

static double
take_median (GArray *values)
{
  g_array_sort (values, compare_values);
  return values->len > 0 ? g_array_index (values, double, values->len / 2) : NAN;
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
  return take_median (values);
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

typedef struct
{
  double time;  /* s */
  double value; /* logarithm */
} Point;

/* Each phase against the new process beside it. Returns an array of Point. */
static GArray *
compare_with_controls (StallPhases *self)
{
  GArray *points = g_array_new (FALSE, FALSE, sizeof (Point));

  for (guint i = 0; i < self->phases->len; i++)
    {
      const StallPhase *phase = &g_array_index (self->phases, StallPhase, i);
      Point point = { phase->time, log (phase->computed / phase->control) };

      if (isfinite (point.value))
        g_array_append_val (points, point);
    }
  return points;
}

/* Median of the slopes of all pairs of points, 1/s: outliers do not count (Theil and Sen). */
static double
find_slope (GArray *points)
{
  g_autoptr (GArray) slopes = g_array_new (FALSE, FALSE, sizeof (double));

  for (guint i = 0; i < points->len; i++)
    for (guint k = i + 1; k < points->len; k++)
      {
        const Point *a = &g_array_index (points, Point, i), *b = &g_array_index (points, Point, k);
        double slope = (b->value - a->value) / (b->time - a->time);

        g_array_append_val (slopes, slope);
      }
  return take_median (slopes);
}

/* Standard deviation of what a slope leaves, by its median: 1.4826 is for a normal distribution. */
static double
find_scatter (GArray *points,
              double slope)
{
  g_autoptr (GArray) rests = g_array_new (FALSE, FALSE, sizeof (double));
  double middle;

  for (guint i = 0; i < points->len; i++)
    {
      const Point *point = &g_array_index (points, Point, i);
      double rest = point->value - slope * point->time;

      g_array_append_val (rests, rest);
    }
  middle = take_median (rests);
  for (guint i = 0; i < rests->len; i++)
    g_array_index (rests, double, i) = fabs (g_array_index (rests, double, i) - middle);
  return 1.4826 * take_median (rests);
}

/* Over the whole time, in per cent, with half of its 95 % confidence interval: √12 is of points that
 * are spread evenly, 1.02 of the median of slopes. */
static void
print_drift_against_control (StallPhases *self)
{
  g_autoptr (GArray) points = compare_with_controls (self);
  double slope = find_slope (points), scatter = find_scatter (points, slope);

  stall_series_print ("drift_against_control_percent", 100 * slope * self->seconds);
  stall_series_print ("drift_confidence_percent",
                      100 * 1.96 * 1.02 * sqrt (12.0 / MAX (points->len, 1)) * scatter);
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
  print_drift_against_control (self);
}
