#include "config.h"

#include "prism-application.h"
#include "prism-preset.h"
#include "prism-settings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* stall-meter: how smooth the window stays while the engine works flat out, as one JSON object.
 *
 *   stall-meter [--seconds N] [--preset ID] [--rate N]
 *
 * It opens the program's own window, presses Run, and measures until the time is over: the distance
 * of two frames, what the main thread computed between them, how late a timer of the main loop
 * comes, how long Stop takes to be seen, and the resident memory. When a run ends, the next one
 * begins. */

#define PROBE_INTERVAL 5  /* ms between two probes of the main loop */
#define WARM_UP 60.0      /* s at most before the memory's course is judged */
#define STALL 50.0        /* ms that make a stall */
#define MEMORY_INTERVAL 1 /* s */

typedef struct
{
  GArray *values; /* of double, ms */
} Series;

typedef struct
{
  PrismApplication *application;
  PrismWindow *window;
  PrismSession *session;
  char *preset;
  int seconds;
  int rate; /* previews per second */

  gint64 begin;        /* µs, when the window was shown */
  gint64 last_frame;   /* µs, 0 before the first */
  gint64 next_probe;   /* µs */
  gint64 stopped;      /* µs, when Stop was asked for */
  double first_image;  /* s since the process began */
  double stop_latency; /* ms */
  guint n_runs;
  guint64 n_snapshots;
  Series frames;
  Series work;      /* what the main thread computed from one frame to the next */
  double last_work; /* ms */
  Series probes;
  GArray *memory; /* of double: s, MiB in turn */
} Meter;

static double
get_seconds_since (gint64 begin)
{
  return (double) (g_get_monotonic_time () - begin) / G_TIME_SPAN_SECOND;
}

/* The kernel's clock of the process, so that loading the libraries counts. */
static double
get_process_age (void)
{
  g_autofree char *stat = NULL;
  g_autofree char *uptime = NULL;
  g_auto (GStrv) fields = NULL;

  if (!g_file_get_contents ("/proc/self/stat", &stat, NULL, NULL)
      || !g_file_get_contents ("/proc/uptime", &uptime, NULL, NULL))
    return NAN;
  /* The name of the program is in brackets and may hold blanks; the 20th field after it. */
  fields = g_strsplit (strrchr (stat, ')') + 2, " ", -1);
  return g_ascii_strtod (uptime, NULL) - g_ascii_strtod (fields[19], NULL) / sysconf (_SC_CLK_TCK);
}

/* Computing time of this thread in ms: a stall without it is the machine's, not the program's. */
static double
get_thread_time (void)
{
  struct timespec time;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * 1e3 + time.tv_nsec * 1e-6;
}

static double
get_resident_memory (void)
{
  g_autofree char *text = NULL;
  char *second;

  if (!g_file_get_contents ("/proc/self/statm", &text, NULL, NULL))
    return NAN;
  second = strchr (text, ' ');
  return g_ascii_strtod (second, NULL) * sysconf (_SC_PAGESIZE) / (1 << 20);
}

static void
series_add (Series *series,
            double value)
{
  g_array_append_val (series->values, value);
}

static int
compare_values (gconstpointer a,
                gconstpointer b)
{
  double difference = *(const double *) a - *(const double *) b;

  return (difference > 0) - (difference < 0);
}

static double
series_get_quantile (Series *series,
                     double fraction)
{
  guint n = series->values->len;

  return n == 0 ? NAN : g_array_index (series->values, double, (guint) (fraction * (n - 1)));
}

static guint
series_count_above (Series *series,
                    double limit)
{
  guint n = 0;

  for (guint i = 0; i < series->values->len; i++)
    n += g_array_index (series->values, double, i) > limit;
  return n;
}

static void
print_series (const char *name,
              Series *series)
{
  g_array_sort (series->values, compare_values);
  printf ("  \"%s\": {\"count\": %u, \"median_ms\": %.2f, \"p99_ms\": %.2f, \"max_ms\": %.2f, "
          "\"above_%.0f_ms\": %u},\n",
          name, series->values->len, series_get_quantile (series, 0.5),
          series_get_quantile (series, 0.99), series_get_quantile (series, 1), STALL,
          series_count_above (series, STALL));
}

/* The caches fill in the first runs; a short measurement cannot wait so long. */
static double
get_warm_up (Meter *self)
{
  return MIN (WARM_UP, self->seconds / 3.0);
}

/* Slope of the straight line through the samples after the warm-up, MiB per hour. */
static double
get_memory_slope (Meter *self)
{
  double n = 0, t = 0, m = 0, tt = 0, tm = 0;

  for (guint i = 0; i + 1 < self->memory->len; i += 2)
    {
      double time = g_array_index (self->memory, double, i);
      double value = g_array_index (self->memory, double, i + 1);

      if (time < get_warm_up (self))
        continue;
      n++;
      t += time;
      m += value;
      tt += time * time;
      tm += time * value;
    }
  return n < 2 ? NAN : 3600 * (n * tm - t * m) / (n * tt - t * t);
}

static double
get_memory_at (Meter *self,
               double time)
{
  for (guint i = 0; i + 1 < self->memory->len; i += 2)
    {
      if (g_array_index (self->memory, double, i) >= time)
        return g_array_index (self->memory, double, i + 1);
    }
  return NAN;
}

static void
print_number (const char *name,
              double value)
{
  if (isfinite (value))
    printf ("  \"%s\": %.2f,\n", name, value);
  else
    printf ("  \"%s\": null,\n", name);
}

static void
print_report (Meter *self)
{
  double seconds = get_seconds_since (self->begin);
  PrismSnapshot *snapshot = prism_session_get_snapshot (self->session);

  printf ("{\n");
  printf ("  \"version\": \"%s\",\n", PRISM_VERSION);
  printf ("  \"preset\": \"%s\",\n", self->preset);
  printf ("  \"device\": \"%s\",\n", snapshot->device != NULL ? snapshot->device : "");
  print_number ("seconds", seconds);
  printf ("  \"runs\": %u,\n", self->n_runs);
  print_number ("frames_per_second", self->frames.values->len / seconds);
  print_number ("snapshots_per_second", self->n_snapshots / seconds);
  print_series ("frame_interval", &self->frames);
  print_series ("frame_work", &self->work);
  print_series ("main_loop_latency", &self->probes);
  print_number ("first_image_s", self->first_image);
  print_number ("stop_latency_ms", self->stop_latency);
  print_number ("memory_after_warm_up_mib", get_memory_at (self, get_warm_up (self)));
  print_number ("memory_at_end_mib", get_resident_memory ());
  print_number ("memory_slope_mib_per_hour", get_memory_slope (self));
  printf ("  \"stall_limit_ms\": %.0f\n}\n", STALL);
}

static gboolean
on_frame (GtkWidget *widget,
          GdkFrameClock *clock,
          gpointer data)
{
  Meter *self = data;
  gint64 now = g_get_monotonic_time ();

  double work = get_thread_time ();

  if (self->last_frame != 0)
    {
      series_add (&self->frames, (now - self->last_frame) / 1000.0);
      series_add (&self->work, work - self->last_work);
    }
  self->last_frame = now;
  self->last_work = work;
  return G_SOURCE_CONTINUE;
}

static gboolean
on_probe (gpointer data)
{
  Meter *self = data;
  gint64 now = g_get_monotonic_time ();

  if (self->next_probe != 0)
    series_add (&self->probes, MAX (0, now - self->next_probe) / 1000.0);
  self->next_probe = now + PROBE_INTERVAL * 1000;
  return G_SOURCE_CONTINUE;
}

static gboolean
on_memory (gpointer data)
{
  Meter *self = data;
  double time = get_seconds_since (self->begin);
  double value = get_resident_memory ();

  g_array_append_val (self->memory, time);
  g_array_append_val (self->memory, value);
  return G_SOURCE_CONTINUE;
}

static gboolean
on_time_over (gpointer data)
{
  Meter *self = data;

  self->stopped = g_get_monotonic_time ();
  prism_session_stop (self->session);
  return G_SOURCE_REMOVE;
}

static void
on_snapshot (Meter *self)
{
  PrismSnapshot *snapshot = prism_session_get_snapshot (self->session);

  self->n_snapshots++;
  if (isnan (self->first_image) && snapshot->reconstruction != NULL && snapshot->step > 1)
    self->first_image = get_process_age ();
}

static void
finish (Meter *self)
{
  print_report (self);
  gtk_window_destroy (GTK_WINDOW (self->window));
}

static void
on_state (Meter *self)
{
  PrismState state = prism_session_get_state (self->session);

  if (state == PRISM_STATE_STOPPED && self->stopped != 0)
    {
      self->stop_latency = (g_get_monotonic_time () - self->stopped) / 1000.0;
      g_idle_add_once ((GSourceOnceFunc) finish, self);
    }
  else if (state == PRISM_STATE_FAILED)
    g_error ("The run failed: %s", prism_session_get_snapshot (self->session)->message);
  else if (state == PRISM_STATE_FINISHED && self->stopped == 0)
    {
      self->n_runs++;
      prism_session_restart (self->session);
    }
}

static void
on_activate (Meter *self)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PrismConfig) config = prism_preset_load (self->preset, &error);

  if (config == NULL)
    g_error ("%s", error->message);
  self->window = prism_application_get_window (self->application);
  self->session = prism_window_get_session (self->window);
  self->begin = g_get_monotonic_time ();
  prism_draft_set_config (prism_session_get_draft (self->session), config, "preset");
  g_signal_connect_swapped (self->session, "notify::snapshot", G_CALLBACK (on_snapshot), self);
  g_signal_connect_swapped (self->session, "notify::state", G_CALLBACK (on_state), self);
  gtk_widget_add_tick_callback (GTK_WIDGET (self->window), on_frame, self, NULL);
  g_timeout_add_full (G_PRIORITY_DEFAULT, PROBE_INTERVAL, on_probe, self, NULL);
  g_timeout_add_seconds (MEMORY_INTERVAL, on_memory, self);
  g_timeout_add_seconds (self->seconds, on_time_over, self);
  prism_session_run (self->session);
}

static gboolean
parse (Meter *self,
       int *argc,
       char ***argv,
       GError **error)
{
  const GOptionEntry entries[] = {
    { "seconds", 0, 0, G_OPTION_ARG_INT, &self->seconds, "how long to measure", "N" },
    { "preset", 0, 0, G_OPTION_ARG_STRING, &self->preset, "what to reconstruct", "ID" },
    { "rate", 0, 0, G_OPTION_ARG_INT, &self->rate, "previews per second", "N" },
    { NULL },
  };
  g_autoptr (GOptionContext) context = g_option_context_new ("- how smooth the window stays");

  g_option_context_add_main_entries (context, entries, NULL);
  return g_option_context_parse (context, argc, argv, error);
}

int
main (int argc,
      char *argv[])
{
  g_autoptr (GError) error = NULL;
  Meter self = {
    .seconds = 60,
    .rate = 60,
    .first_image = NAN,
    .stop_latency = NAN,
  };
  int status;

  self.preset = g_strdup ("standard");
  if (!parse (&self, &argc, &argv, &error))
    {
      g_printerr ("%s\n", error->message);
      return 2;
    }
  self.frames.values = g_array_new (FALSE, FALSE, sizeof (double));
  self.work.values = g_array_new (FALSE, FALSE, sizeof (double));
  self.probes.values = g_array_new (FALSE, FALSE, sizeof (double));
  self.memory = g_array_new (FALSE, FALSE, sizeof (double));
  g_object_set (prism_settings_get_default (), "preview-rate", self.rate, NULL);

  self.application = prism_application_new ();
  g_application_set_flags (G_APPLICATION (self.application), G_APPLICATION_NON_UNIQUE);
  g_signal_connect_data (self.application, "activate", G_CALLBACK (on_activate), &self, NULL,
                         G_CONNECT_SWAPPED | G_CONNECT_AFTER);
  status = g_application_run (G_APPLICATION (self.application), 1, argv);

  g_object_unref (self.application);
  g_array_unref (self.frames.values);
  g_array_unref (self.work.values);
  g_array_unref (self.probes.values);
  g_array_unref (self.memory);
  g_free (self.preset);
  return status;
}
