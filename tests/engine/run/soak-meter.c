#include "base/prism-error.h"
#include "base/prism-system.h"
#include "run/prism-engine.h"
#include "stall-process.h"

#include <glib/gstdio.h>
#include <sys/wait.h>

/* soak-meter: whether an engine that has worked for hours needs more for a step, or more memory, as
 * one JSON object.
 *
 *   soak-meter [--seconds N] [--config FILE] [--results N] [--renew N] [--log FILE]
 *
 * It lets one engine do the same run again and again, with previews and saves, keeps the newest
 * results as the window does, and compares each run with that of another process that does the same
 * at the same time on the same processor, and is replaced by a new one after some runs. How fast
 * the machine is just then, and what its neighbours do to its caches, is in both. Runs count once
 * the other process holds as many results. The log has a line of JSON for each run. --peer is the
 * other process. */

#define INTERVAL 16 /* ms between two previews */
#define PATIENCE 1000

/* A process that does what this one does, but has not done it for long. */
typedef struct
{
  GPid pid;      /* 0: none */
  FILE *orders;  /* its standard input */
  FILE *answers; /* its standard output */
  guint n_runs;  /* that it has been told to do */
} SoakPeer;

typedef struct
{
  int seconds, n_results;
  int n_renew; /* runs of the other process */
  gboolean is_peer;
  char *config; /* (nullable): file name */
  FILE *log;    /* (nullable) */

  PrismEngine *engine;
  GPtrArray *results; /* of PrismSnapshot */
  char *folder;       /* of the run's file */
  char *path;
  gint64 begin;  /* µs */
  GArray *marks; /* of Mark */
  guint64 n_steps;
  SoakPeer peer;
} Meter;

/* After a run. */
typedef struct
{
  double time;     /* s */
  double excess;   /* logarithm of its computing to that of the peer; NAN: does not count */
  double resident; /* MiB */
} Mark;

/* One byte orders a run; the answer is a line with its milliseconds. */
#define ORDER '\n'

/* words: the program and its arguments, which make it call serve(). It has the processors that this
 * thread may use. */
static gboolean
soak_peer_start (SoakPeer *self, char **words, GError **error)
{
  int orders, answers;

  if (!g_spawn_async_with_pipes (NULL, words, NULL, G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL,
                                 &self->pid, &orders, &answers, NULL, error))
    return FALSE;
  /* A peer that has gone is told by its missing answer. */
  signal (SIGPIPE, SIG_IGN);
  self->orders = fdopen (orders, "w");
  self->answers = fdopen (answers, "r");
  self->n_runs = 0;
  return TRUE;
}

/* Waits for the end of the run that was ordered. computed: (out): ms that it needed */
static gboolean
soak_peer_receive (SoakPeer *self, double *computed, GError **error)
{
  if (fscanf (self->answers, "%lf", computed) == 1)
    return TRUE;
  g_set_error_literal (error, PRISM_ERROR, PRISM_ERROR_IO,
                       "The process to compare with has ended by itself.");
  return FALSE;
}

/* Waits until it has gone; nothing where there is none. */
static void
soak_peer_end (SoakPeer *self)
{
  if (self->pid == 0)
    return;
  fclose (self->orders);
  fclose (self->answers);
  waitpid (self->pid, NULL, 0);
  g_spawn_close_pid (self->pid);
  self->pid = 0;
}

/* Threads and processes that come from this one share its processor with it: the first of those
 * that taskset or the like has left. */
static void
pin (void)
{
  cpu_set_t processors;
  int i = 0;

  sched_getaffinity (0, sizeof processors, &processors);
  while (i < CPU_SETSIZE - 1 && !CPU_ISSET (i, &processors))
    i++;
  CPU_ZERO (&processors);
  CPU_SET (i, &processors);
  sched_setaffinity (0, sizeof processors, &processors);
}

static PrismConfig *
load_config (Meter *self, GError **error)
{
  PrismConfig *config = self->config != NULL ? prism_config_load (self->config, error)
                                             : prism_config_new ();

  if (config != NULL && self->config == NULL)
    {
      config->image_size = 128;
      config->object_size = 48;
      config->samples = 20;
      config->steps = 400;
      config->autosave_seconds = 5;
    }
  if (config != NULL)
    {
      config->threads = 1;
      config->backend = PRISM_BACKEND_CPU;
    }
  return config;
}

/* The newest results stay, as in the window. */
static void
keep (Meter *self, PrismSnapshot *snapshot)
{
  self->n_steps += snapshot->step;
  g_ptr_array_add (self->results, snapshot);
  if (self->results->len > (guint) self->n_results)
    g_ptr_array_remove_index (self->results, 0);
}

static gboolean
run (Meter *self, GError **error)
{
  g_autoptr (PrismConfig) config = load_config (self, error);

  if (config == NULL || !prism_engine_configure (self->engine, config, error))
    return FALSE;
  prism_engine_set_run_file (self->engine, self->path);
  prism_engine_run (self->engine);
  for (;;)
    {
      g_autoptr (PrismSnapshot) snapshot = prism_engine_wait (self->engine, PATIENCE);

      if (snapshot == NULL)
        continue;
      if (snapshot->state == PRISM_STATE_FAILED)
        {
          g_set_error (error, PRISM_ERROR, snapshot->error, "%s", snapshot->message);
          return FALSE;
        }
      if (snapshot->state == PRISM_STATE_FINISHED)
        {
          keep (self, g_steal_pointer (&snapshot));
          return TRUE;
        }
    }
}

/* What the other process does: a run for each order, until there is nobody who could give one. */
static gboolean
serve (Meter *self, GError **error)
{
  while (getchar () == ORDER)
    {
      double before = stall_process_get_computed ();

      if (!run (self, error))
        return FALSE;
      printf ("%.3f\n", stall_process_get_computed () - before);
      fflush (stdout);
    }
  return TRUE;
}

/* There is always one, and none that is too old. */
static gboolean
ensure_peer (Meter *self, GError **error)
{
  g_autofree char *n_results = g_strdup_printf ("%d", self->n_results);
  char *words[] = { "/proc/self/exe", "--peer", "--results", n_results, NULL, NULL, NULL };

  if (self->peer.pid != 0 && self->peer.n_runs < (guint) self->n_renew)
    return TRUE;
  soak_peer_end (&self->peer);
  if (self->config != NULL)
    {
      words[4] = "--config";
      words[5] = self->config;
    }
  return soak_peer_start (&self->peer, words, error);
}

static void
write_line (Meter *self, const Mark *mark, double computed, double other)
{
  StallHeap heap = stall_process_get_heap ();

  fprintf (self->log,
           "{\"run\": %u, \"t\": %.1f, \"computed_ms\": %.2f, \"other_ms\": %.2f,"
           " \"other_run\": %u, \"resident_mib\": %.2f, \"held_mib\": %.2f,"
           " \"free_mib\": %.2f}\n",
           self->marks->len, mark->time, computed, other, self->peer.n_runs, mark->resident,
           heap.used, heap.free);
  fflush (self->log);
}

static gboolean
run_beside_peer (Meter *self, GError **error)
{
  double other;
  Mark mark;

  if (!ensure_peer (self, error))
    return FALSE;
  /* Has it do a run, without waiting for that. */
  self->peer.n_runs++;
  putc (ORDER, self->peer.orders);
  fflush (self->peer.orders);
  double before = stall_process_get_computed ();
  if (!run (self, error))
    return FALSE;
  double computed = stall_process_get_computed () - before;
  if (!soak_peer_receive (&self->peer, &other, error))
    return FALSE;
  mark.time = (double) (g_get_monotonic_time () - self->begin) / G_TIME_SPAN_SECOND;
  mark.excess = self->peer.n_runs > (guint) self->n_results ? log (computed / other) : NAN;
  mark.resident = stall_process_get_memory ().resident;
  g_array_append_val (self->marks, mark);
  if (self->log != NULL)
    write_line (self, &mark, computed, other);
  return TRUE;
}

/* Least squares from a mark on, per second. offset: of a double in Mark, which does not count where
 * it is NAN. error: standard error. NAN for fewer than three. */
static double
get_slope (Meter *self, guint first, gsize offset, double *error)
{
  double n = 0, mean_t = 0, mean_y = 0, tt = 0, ty = 0, yy = 0;

  for (int round = 0; round < 2; round++)
    for (guint i = first; i < self->marks->len; i++)
      {
        const Mark *mark = &g_array_index (self->marks, Mark, i);
        double t = mark->time - mean_t, y = G_STRUCT_MEMBER (double, mark, offset) - mean_y;

        if (isnan (y))
          continue;
        if (round == 0)
          {
            n++;
            mean_t += t / n;
            mean_y += y / n;
            continue;
          }
        tt += t * t;
        ty += t * y;
        yy += y * y;
      }
  *error = NAN;
  if (n < 3)
    return NAN;
  double slope = ty / tt;
  *error = sqrt ((yy - slope * ty) / (n - 2) / tt);
  return slope;
}

static void
print_number (const char *name, double value)
{
  if (isnan (value))
    printf ("  \"%s\": null,\n", name);
  else
    printf ("  \"%s\": %.3f,\n", name, value);
}

static void
print_report (Meter *self)
{
  guint n = self->marks->len, half = n / 2;
  double time = g_array_index (self->marks, Mark, n - 1).time;
  double drift_error, memory_error;
  double drift = get_slope (self, 0, G_STRUCT_OFFSET (Mark, excess), &drift_error);
  double memory = get_slope (self, half, G_STRUCT_OFFSET (Mark, resident), &memory_error);

  printf ("{\n");
  print_number ("drift_percent", 100 * drift * time);
  print_number ("drift_confidence_percent", 196 * drift_error * time);
  print_number ("memory_at_half_mib", g_array_index (self->marks, Mark, half).resident);
  print_number ("memory_at_end_mib", g_array_index (self->marks, Mark, n - 1).resident);
  print_number ("memory_slope_mib_per_hour", 3600 * memory);
  print_number ("seconds", time);
  printf ("  \"runs\": %u,\n  \"steps\": %" G_GUINT64_FORMAT "\n}\n", n, self->n_steps);
}

static gboolean
measure (Meter *self, GError **error)
{
  gint64 end = self->begin + self->seconds * G_TIME_SPAN_SECOND;

  while (g_get_monotonic_time () < end || self->marks->len < 4)
    {
      if (!run_beside_peer (self, error))
        return FALSE;
    }
  print_report (self);
  return TRUE;
}

static gboolean
parse (Meter *self, int *argc, char ***argv, GError **error)
{
  g_autofree char *log = NULL;
  const GOptionEntry entries[] = {
    { "seconds", 0, 0, G_OPTION_ARG_INT, &self->seconds, "how long to measure", "N" },
    { "config", 0, 0, G_OPTION_ARG_FILENAME, &self->config, "what to reconstruct", "FILE" },
    { "results", 0, 0, G_OPTION_ARG_INT, &self->n_results, "how many results are kept", "N" },
    { "renew", 0, 0, G_OPTION_ARG_INT, &self->n_renew, "runs of a process to compare with", "N" },
    { "log", 0, 0, G_OPTION_ARG_FILENAME, &log, "a line per run", "FILE" },
    { "peer", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_NONE, &self->is_peer, NULL, NULL },
    { NULL },
  };
  g_autoptr (GOptionContext) context = g_option_context_new ("- what hours of work change");

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

static void
release (Meter *self)
{
  soak_peer_end (&self->peer);
  prism_engine_free (self->engine);
  g_ptr_array_unref (self->results);
  g_array_unref (self->marks);
  g_unlink (self->path);
  g_rmdir (self->folder);
  g_free (self->path);
  g_free (self->folder);
  g_free (self->config);
  if (self->log != NULL)
    fclose (self->log);
}

int
main (int argc, char *argv[])
{
  g_autoptr (GError) error = NULL;
  Meter self = { .seconds = 60, .n_results = 20, .n_renew = 120 };

  if (!parse (&self, &argc, &argv, &error))
    {
      g_printerr ("%s\n", error->message);
      return 2;
    }
  prism_heap_init ();
  pin ();
  self.marks = g_array_new (FALSE, FALSE, sizeof (Mark));
  self.results = g_ptr_array_new_with_free_func ((GDestroyNotify) prism_snapshot_unref);
  self.folder = g_dir_make_tmp ("soak-meter-XXXXXX", NULL);
  self.path = g_build_filename (self.folder, "soak.prismrun", NULL);
  self.engine = prism_engine_new (NULL, NULL, &error);
  self.begin = g_get_monotonic_time ();
  if (self.engine != NULL)
    {
      prism_engine_set_interval (self.engine, INTERVAL);
      if (self.is_peer)
        serve (&self, &error);
      else
        measure (&self, &error);
    }
  release (&self);
  if (error != NULL)
    g_printerr ("%s\n", error->message);
  return error != NULL;
}
