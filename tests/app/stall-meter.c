#include "config.h"

#include "../engine/support/test-remove-tree.h"
#include "base/prism-error.h"
#include "base/prism-system.h"
#include "config/prism-preset.h"
#include "output/prism-exporter.h"
#include "stall-frames.h"
#include "support/prism-settings.h"
#include "window/prism-application.h"
#include "window/prism-window-private.h"

/* stall-meter: how smooth the window stays, and how much it needs, while the engine works flat out,
 * as one JSON object.
 *
 *   stall-meter [--seconds N] [--preset ID | --config FILE] [--rate N] [--export-seconds N]
 *               [--results MIB] [--log FILE]
 *
 * It opens the program's own window, presses Run once it is drawn, and measures until the time is
 * over: the distance of two frames, what the main thread computed between them, how late a timer
 * of the main loop comes, how long Stop takes to be seen, and the memory. Whether a step or the
 * memory grows in hours is what soak-meter of the engine says.
 * When a run ends, the next one begins. The program saves the runs by itself; --export-seconds has
 * it write a PNG or a CSV in turn, too. The log has a line of JSON for each minute, run, long
 * frame and stall, so that a measurement that is cut off still tells something. */

#define PROBE_INTERVAL 5    /* ms between two probes of the main loop */
#define LONG_FRAME 20.0     /* ms of computing from which on a frame has a line in the log */
#define FIRST_FRAMES 5      /* of the window, before Run is pressed */
#define MEMORY_INTERVAL 1   /* s */
#define WINDOW_SECONDS 1800 /* of which each is judged alone */
#define MINUTE 60.0

typedef struct
{
  PrismApplication *application;
  PrismWindow *window;
  PrismSession *session;
  char *preset;
  char *config; /* (nullable): file name */
  int seconds;
  int rate;           /* previews per second */
  int export_seconds; /* 0 for never */
  int results;        /* MiB of finished runs that the window keeps; 0 as it does by itself */
  FILE *log;          /* (nullable) */

  guint n_first_frames; /* before Run is pressed */
  gint64 begin;         /* µs, when Run was pressed */
  gint64 next_probe;    /* µs */
  gint64 stopped;       /* µs, when Stop was asked for */
  double first_image;   /* s since the process began */
  double stop_latency;  /* ms */
  guint n_runs;
  guint64 n_steps; /* of the runs before */
  guint64 n_snapshots;
  StallFrames frames;
  StallSeries probes;
  StallSeries own; /* the same less what the main thread waited for a processor */
  StallSeries own_minute;
  StallSeries minute;   /* the probes of this minute */
  StallSeries *windows; /* [n_windows]: the probes of each half hour */
  guint n_windows;
  StallTime last_time;   /* at the probe before */
  guint n_own_stalls;    /* in which the main thread itself computed more than the limit */
  guint n_blocked;       /* in which it waited for something else than a processor */
  double worst_own;      /* ms that it computed between two probes */
  double worst_blocked;  /* ms that it neither computed nor waited for a processor, in a stall */
  double memory_at_half; /* MiB, resident */
  double last_minute;    /* s */

  GStatBuf saved; /* the run's file as it was seen last */
  guint n_saves;
  char *folder; /* of exports */
  guint n_exports, n_failed_exports;
} Meter;

static double
get_seconds_since (gint64 begin)
{
  return (double) (g_get_monotonic_time () - begin) / G_TIME_SPAN_SECOND;
}

static void
print_series (const char *name,
              StallSeries *series)
{
  printf ("  \"%s\": {\"count\": %" G_GUINT64_FORMAT ", \"median_ms\": %.2f, \"p99_ms\": %.2f, "
          "\"max_ms\": %.2f, \"above_%.0f_ms\": %" G_GUINT64_FORMAT "},\n",
          name, series->n, stall_series_get_quantile (series, 0.5),
          stall_series_get_quantile (series, 0.99), series->maximum, STALL_LIMIT, series->n_stalls);
}

static void
print_windows (Meter *self)
{
  printf ("  \"half_hours\": [");
  for (guint i = 0; i < self->n_windows; i++)
    printf ("%s{\"count\": %" G_GUINT64_FORMAT ", \"p99_ms\": %.2f, \"max_ms\": %.2f,"
            " \"above_%.0f_ms\": %" G_GUINT64_FORMAT "}",
            i > 0 ? ", " : "", self->windows[i].n,
            stall_series_get_quantile (&self->windows[i], 0.99),
            self->windows[i].n > 0 ? self->windows[i].maximum : 0.0, STALL_LIMIT,
            self->windows[i].n_stalls);
  printf ("],\n");
  printf ("  \"stalls_by_own_work\": %u,\n  \"stalls_blocked\": %u,\n", self->n_own_stalls,
          self->n_blocked);
  stall_series_print ("most_own_work_ms", self->worst_own);
  stall_series_print ("longest_block_ms", self->worst_blocked);
}

static guint64
get_n_steps (Meter *self)
{
  PrismSnapshot *snapshot = self->session->snapshot;

  return self->n_steps + (snapshot != NULL ? snapshot->step : 0);
}

static void
print_report (Meter *self)
{
  double seconds = get_seconds_since (self->begin);
  PrismSnapshot *snapshot = self->session->snapshot;

  printf ("{\n");
  printf ("  \"version\": \"%s\",\n", PRISM_VERSION);
  printf ("  \"preset\": \"%s\",\n", self->config != NULL ? self->config : self->preset);
  printf ("  \"device\": \"%s\",\n", snapshot->device != NULL ? snapshot->device : "");
  stall_series_print ("seconds", seconds);
  printf ("  \"runs\": %u,\n", self->n_runs);
  printf ("  \"steps\": %" G_GUINT64_FORMAT ",\n", get_n_steps (self));
  printf ("  \"saves\": %u,\n", self->n_saves);
  printf ("  \"exports\": %u,\n  \"failed_exports\": %u,\n", self->n_exports,
          self->n_failed_exports);
  stall_series_print ("frames_per_second", self->frames.intervals.n / seconds);
  stall_series_print ("snapshots_per_second", self->n_snapshots / seconds);
  print_series ("frame_interval", &self->frames.intervals);
  print_series ("frame_work", &self->frames.work);
  stall_frames_print (&self->frames);
  print_series ("main_loop_latency", &self->probes);
  print_series ("main_loop_latency_of_its_own", &self->own);
  print_windows (self);
  stall_series_print ("first_image_s", self->first_image);
  stall_series_print ("stop_latency_ms", self->stop_latency);
  stall_series_print ("memory_at_half_mib", self->memory_at_half);
  stall_series_print ("memory_at_end_mib", stall_process_get_memory ().resident);
  printf ("  \"open_files\": %u,\n  \"threads\": %u,\n", stall_process_count_files (),
          stall_process_count_threads ());
  printf ("  \"stall_limit_ms\": %.0f\n}\n", STALL_LIMIT);
}

static void G_GNUC_PRINTF (2, 3)
    write_log (Meter *self,
               const char *format,
               ...)
{
  va_list arguments;

  if (self->log == NULL)
    return;
  va_start (arguments, format);
  vfprintf (self->log, format, arguments);
  va_end (arguments);
  fflush (self->log);
}

static void
log_minute (Meter *self,
            double time,
            const StallMemory *memory)
{
  PrismSnapshot *snapshot = self->session->snapshot;

  if (time - self->last_minute < MINUTE)
    return;
  self->last_minute = time;
  StallHeap heap = stall_process_get_heap ();
  write_log (self,
             "{\"t\": %.1f, \"runs\": %u, \"steps\": %" G_GUINT64_FORMAT
             ", \"rss\": %.2f, \"anon\": %.2f, \"heap_used\": %.2f, \"heap_free\": %.2f"
             ", \"probes\": %" G_GUINT64_FORMAT
             ", \"p99\": %.2f, \"max\": %.2f, \"above_50\": %" G_GUINT64_FORMAT
             ", \"own_p99\": %.2f, \"own_max\": %.2f, \"own_above_50\": %" G_GUINT64_FORMAT
             ", \"saves\": %u, \"exports\": %u, \"failed\": %u, \"engine_ms\": %.1f,"
             " \"main_ms\": %.1f, \"files\": %u, \"threads\": %u, \"moved\": %" G_GUINT64_FORMAT
             "}\n",
             time, self->n_runs, get_n_steps (self), memory->resident, memory->anonymous,
             heap.used, heap.free, self->minute.n,
             stall_series_get_quantile (&self->minute, 0.99), self->minute.maximum,
             self->minute.n_stalls, stall_series_get_quantile (&self->own_minute, 0.99),
             self->own_minute.maximum, self->own_minute.n_stalls, self->n_saves, self->n_exports,
             self->n_failed_exports,
             stall_process_get_busiest (), stall_process_get_main_time ().computed,
             stall_process_count_files (),
             stall_process_count_threads (),
             snapshot != NULL && snapshot->history != NULL
                 ? prism_history_get_n_moved (snapshot->history)
                 : 0);
  stall_series_reset (&self->minute);
  stall_series_reset (&self->own_minute);
}

static void
on_frame (const StallFrame *frame,
          gpointer data)
{
  Meter *self = data;

  if (frame->computed < LONG_FRAME)
    return;
  write_log (self, "{\"frame\": %.2f, \"t\": %.3f, \"between\": %.2f, \"update\": %.2f,"
                   " \"layout\": %.2f, \"paint\": %.2f, \"step\": %" G_GUINT64_FORMAT "}\n",
             frame->computed, get_seconds_since (self->begin), frame->parts[STALL_PART_BETWEEN],
             frame->parts[STALL_PART_UPDATE], frame->parts[STALL_PART_LAYOUT],
             frame->parts[STALL_PART_PAINT], get_n_steps (self));
}

/* Whose fault it was that a probe came late. */
static void
explain_stall (Meter *self,
               double late,
               const StallTime *spent)
{
  double blocked = late + PROBE_INTERVAL - spent->computed - spent->waited;

  self->n_own_stalls += spent->computed > STALL_LIMIT;
  self->n_blocked += blocked > STALL_LIMIT;
  self->worst_blocked = MAX (self->worst_blocked, blocked);
  write_log (self, "{\"stall\": %.2f, \"t\": %.3f, \"computed\": %.2f, \"waited\": %.2f,"
                   " \"state\": %d, \"step\": %" G_GUINT64_FORMAT "}\n",
             late, get_seconds_since (self->begin), spent->computed, spent->waited,
             (int) self->session->state, get_n_steps (self));
}

static gboolean
on_probe (gpointer data)
{
  Meter *self = data;
  gint64 now = g_get_monotonic_time ();
  StallTime time = stall_process_get_main_time ();
  StallTime spent = { time.computed - self->last_time.computed,
                      time.waited - self->last_time.waited };
  double late = MAX (0, now - self->next_probe) / 1000.0;
  guint window = (guint) (get_seconds_since (self->begin) / WINDOW_SECONDS);

  if (self->next_probe != 0)
    {
      stall_series_add (&self->probes, late);
      stall_series_add (&self->minute, late);
      stall_series_add (&self->own, MAX (0, late - spent.waited));
      stall_series_add (&self->own_minute, MAX (0, late - spent.waited));
      stall_series_add (&self->windows[MIN (window, self->n_windows - 1)], late);
      self->worst_own = MAX (self->worst_own, spent.computed);
      if (late > STALL_LIMIT)
        explain_stall (self, late, &spent);
    }
  self->last_time = time;
  self->next_probe = now + PROBE_INTERVAL * 1000;
  return G_SOURCE_CONTINUE;
}

/* A file that is replaced is another one. */
static void
look_for_save (Meter *self)
{
  const char *path = self->session->run_file;
  GStatBuf status;

  if (path == NULL || g_stat (path, &status) != 0)
    return;
  self->n_saves += status.st_ino != self->saved.st_ino
                   || status.st_mtim.tv_sec != self->saved.st_mtim.tv_sec
                   || status.st_mtim.tv_nsec != self->saved.st_mtim.tv_nsec;
  self->saved = status;
}

static gboolean
on_memory (gpointer data)
{
  Meter *self = data;
  double time = get_seconds_since (self->begin);
  StallMemory memory = stall_process_get_memory ();

  if (isnan (self->memory_at_half) && time >= self->seconds / 2.0)
    self->memory_at_half = memory.resident;
  look_for_save (self);
  log_minute (self, time, &memory);
  return G_SOURCE_CONTINUE;
}

static void
on_exported (gpointer session,
             const char *path,
             const GError *error)
{
  Meter *self = g_object_get_data (session, "meter");

  if (error == NULL)
    return;
  self->n_failed_exports++;
  write_log (self, "{\"failed\": \"%s\"}\n", error->message);
}

static gboolean
on_export (gpointer data)
{
  static const PrismExportKind kinds[]
      = { PRISM_EXPORT_PIXELS_8, PRISM_EXPORT_METRICS, PRISM_EXPORT_PIXELS_16 };
  Meter *self = data;
  PrismSnapshot *snapshot = self->session->snapshot;
  g_autofree char *path = NULL;

  if (snapshot == NULL || snapshot->reconstruction == NULL || snapshot->history == NULL)
    return G_SOURCE_CONTINUE;
  PrismExport *what = prism_exporter_new (kinds[self->n_exports % G_N_ELEMENTS (kinds)], snapshot);
  what->image = prism_image_ref (snapshot->reconstruction);
  what->white = 1.0f;
  path = g_build_filename (self->folder, what->kind == PRISM_EXPORT_METRICS ? "m.csv" : "i.png",
                           NULL);
  self->n_exports++;
  g_object_set_data (G_OBJECT (self->session), "meter", self);
  prism_file_saver_save (prism_exporter_save, what, prism_exporter_free, path, on_exported,
                         self->session);
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
  PrismSnapshot *snapshot = self->session->snapshot;

  self->n_snapshots++;
  if (isnan (self->first_image) && snapshot->reconstruction != NULL && snapshot->step > 1)
    self->first_image = stall_process_get_age ();
}

static void
finish (Meter *self)
{
  print_report (self);
  gtk_window_destroy (GTK_WINDOW (self->window));
}

static void
begin_next (Meter *self)
{
  StallMemory memory = stall_process_get_memory ();

  self->n_runs++;
  self->n_steps += self->session->snapshot->step;
  write_log (self, "{\"run\": %u, \"t\": %.1f, \"rss\": %.2f, \"anon\": %.2f}\n", self->n_runs,
             get_seconds_since (self->begin), memory.resident, memory.anonymous);
  if (self->stopped == 0)
    prism_session_restart (self->session);
  else
    finish (self);
}

static void
on_state (Meter *self)
{
  PrismState state = self->session->state;

  if (state == PRISM_STATE_STOPPED && self->stopped != 0)
    {
      self->stop_latency = (g_get_monotonic_time () - self->stopped) / 1000.0;
      g_idle_add_once ((GSourceOnceFunc) finish, self);
    }
  else if (state == PRISM_STATE_FAILED)
    g_error ("The run failed: %s", self->session->snapshot->message);
  else if (state == PRISM_STATE_FINISHED && self->stopped == 0)
    begin_next (self);
}

static void
begin (Meter *self)
{
  self->begin = g_get_monotonic_time ();
  g_signal_connect_swapped (self->session, "notify::snapshot", G_CALLBACK (on_snapshot), self);
  g_signal_connect_swapped (self->session, "notify::state", G_CALLBACK (on_state), self);
  stall_frames_begin (&self->frames, GTK_WIDGET (self->window), on_frame, self);
  g_timeout_add_full (G_PRIORITY_DEFAULT, PROBE_INTERVAL, on_probe, self, NULL);
  g_timeout_add_seconds (MEMORY_INTERVAL, on_memory, self);
  if (self->export_seconds > 0)
    g_timeout_add_seconds (self->export_seconds, on_export, self);
  g_timeout_add_seconds (self->seconds, on_time_over, self);
  prism_session_run (self->session);
}

/* Nobody presses Run before the window is there, and drawing all of it for the first time is not
 * what is to be measured. */
static gboolean
on_first_frames (GtkWidget *widget,
                 GdkFrameClock *clock,
                 gpointer data)
{
  Meter *self = data;

  if (self->n_first_frames++ < FIRST_FRAMES)
    return G_SOURCE_CONTINUE;
  begin (self);
  return G_SOURCE_REMOVE;
}

static void
on_activate (Meter *self)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PrismConfig) config = self->config != NULL ? prism_config_load (self->config, &error)
                                                        : prism_preset_load (self->preset, &error);

  if (config == NULL)
    g_error ("%s", error->message);
  self->window = prism_application_get_window (self->application);
  self->session = self->window->session;
  if (self->results > 0)
    self->window->runs->budget = (guint64) self->results << 20;
  prism_draft_set_config (self->session->draft, config, "preset");
  gtk_widget_add_tick_callback (GTK_WIDGET (self->window), on_first_frames, self, NULL);
}

static gboolean
parse (Meter *self,
       int *argc,
       char ***argv,
       GError **error)
{
  g_autofree char *log = NULL;
  const GOptionEntry entries[] = {
    { "seconds", 0, 0, G_OPTION_ARG_INT, &self->seconds, "how long to measure", "N" },
    { "preset", 0, 0, G_OPTION_ARG_STRING, &self->preset, "what to reconstruct", "ID" },
    { "config", 0, 0, G_OPTION_ARG_FILENAME, &self->config, "the same, of a file", "FILE" },
    { "rate", 0, 0, G_OPTION_ARG_INT, &self->rate, "previews per second", "N" },
    { "export-seconds", 0, 0, G_OPTION_ARG_INT, &self->export_seconds, "export so often", "N" },
    { "results", 0, 0, G_OPTION_ARG_INT, &self->results, "memory for finished runs", "MIB" },
    { "log", 0, 0, G_OPTION_ARG_FILENAME, &log, "lines of JSON on the way", "FILE" },
    { NULL },
  };
  g_autoptr (GOptionContext) context = g_option_context_new ("- how smooth the window stays");

  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, argc, argv, error))
    return FALSE;
  if (log != NULL)
    self->log = fopen (log, "we");
  if (log == NULL || self->log != NULL)
    return TRUE;
  g_set_error (error, PRISM_ERROR, PRISM_ERROR_IO, "“%s” cannot be written.", log);
  return FALSE;
}

/* All memory is taken now, so that measuring for hours does not look like a leak. */
static void
prepare (Meter *self)
{
  stall_frames_init (&self->frames);
  stall_series_init (&self->probes);
  stall_series_init (&self->minute);
  stall_series_init (&self->own);
  stall_series_init (&self->own_minute);
  self->n_windows = MAX (self->seconds, 1) / WINDOW_SECONDS
                    + (MAX (self->seconds, 1) % WINDOW_SECONDS != 0);
  self->windows = g_new0 (StallSeries, self->n_windows);
  for (guint i = 0; i < self->n_windows; i++)
    stall_series_init (&self->windows[i]);
  self->folder = g_dir_make_tmp ("stall-meter-XXXXXX", NULL);
}

int
main (int argc,
      char *argv[])
{
  g_autoptr (GError) error = NULL;
  Meter self = { .seconds = 60, .rate = 60, .first_image = NAN, .stop_latency = NAN };

  self.memory_at_half = NAN;
  self.preset = g_strdup ("standard");
  if (!parse (&self, &argc, &argv, &error))
    {
      g_printerr ("%s\n", error->message);
      return 2;
    }
  prism_heap_init ();
  prepare (&self);
  g_object_set (prism_settings_get_default (), "preview-rate", self.rate, NULL);

  self.application = prism_application_new ();
  g_application_set_flags (G_APPLICATION (self.application), G_APPLICATION_NON_UNIQUE);
  g_signal_connect_data (self.application, "activate", G_CALLBACK (on_activate), &self, NULL,
                         G_CONNECT_SWAPPED | G_CONNECT_AFTER);
  int status = g_application_run (G_APPLICATION (self.application), 1, argv);

  g_object_unref (self.application);
  test_remove_tree (self.folder);
  if (self.log != NULL)
    fclose (self.log);
  return status;
}
