#include "config.h"

#include "benchmark/prism-performance-runner.h"

#include "base/prism-clock.h"
#include "base/prism-each.h"
#include "base/prism-number.h"
#include "base/prism-system.h"
#include "base/prism-text.h"
#include "benchmark/prism-series-kind.h"
#include "device/prism-registry.h"

#include <gio/gio.h>
#include <signal.h>

#define MOST_EACH 1.0  /* s of steps for a point */
#define LEAST_EACH 0.1 /* s */
#define BESIDE 0.2     /* s that a process takes besides */
#define SHARE 0.7      /* of the time that is left, for the points that are left */
#define WARM_UP 8      /* steps */
#define LEAST_DISCS 4
#define EXIT_MEMORY 4 /* of prism-cli, without memory */

struct _PrismPerformanceRunner
{
  PrismPerformance *performance;
  char *program;
  double most_seconds; /* 0: as long as it takes */
  PrismPerformanceRunnerFunc func;
  gpointer data;
  gboolean on_gpu;
  double available; /* bytes of the machine's memory */

  guint series; /* of the point under way */
  int value;
  GPtrArray *processes;   /* GSubprocess, those that have not ended */
  PrismSeriesPoint point; /* of what those say that have ended */
  guint n_steps;          /* of a run, of several at a time; 0 while it is not known */
  double point_begun;     /* s */
  PrismSeriesEnd trouble; /* PRISM_SERIES_OPEN while there is none */
  char *problem;          /* (nullable): of it */

  GCancellable *cancellable;
  guint alarm; /* source, 0 for none */
  double begun;
  guint n_done;
  gboolean late;
  gboolean stopped;
  gboolean over;
};

/**
 * prism_performance_runner_new:
 * @performance: gets the points
 * @program: path of prism-cli
 * @most_seconds: after which it ends, finished or not; 0: as long as it takes
 * @func: called after each point
 * @data: for @func
 *
 * Returns: (transfer full): a runner that has not begun
 */
PrismPerformanceRunner *
prism_performance_runner_new (PrismPerformance *performance,
                              const char *program,
                              double most_seconds,
                              PrismPerformanceRunnerFunc func,
                              gpointer data)
{
  PrismPerformanceRunner *self = g_new0 (PrismPerformanceRunner, 1);

  self->performance = prism_performance_ref (performance);
  self->program = g_strdup (program);
  self->most_seconds = most_seconds;
  self->func = func;
  self->data = data;
  self->on_gpu = prism_registry_is_gpu (performance->config->backend);
  self->available = (double) prism_available_get_memory ();
  self->processes = g_ptr_array_new_with_free_func (g_object_unref);
  self->cancellable = g_cancellable_new ();
  return self;
}

static void
end_processes (PrismPerformanceRunner *self)
{
  PRISM_FOR_EACH_POINTER (GSubprocess, process, self->processes)
    g_subprocess_force_exit (process);
}

/**
 * prism_performance_runner_free:
 * @self: (nullable): a runner
 *
 * Ends what is under way.
 */
void
prism_performance_runner_free (PrismPerformanceRunner *self)
{
  if (self == NULL)
    return;
  g_cancellable_cancel (self->cancellable);
  end_processes (self);
  g_clear_handle_id (&self->alarm, g_source_remove);
  g_ptr_array_unref (self->processes);
  g_object_unref (self->cancellable);
  prism_performance_unref (self->performance);
  g_free (self->program);
  g_free (self->problem);
  g_free (self);
}

static double
choose_seconds (const PrismPerformanceRunner *self)
{
  const double seconds_left = self->begun + self->most_seconds - prism_clock_get_seconds ();
  const guint n_left = MAX (prism_performance_count_left (self->performance), 1);

  if (self->most_seconds <= 0.0)
    return MOST_EACH;
  return CLAMP (SHARE * seconds_left / n_left - BESIDE, LEAST_EACH, MOST_EACH);
}

static PrismSeriesKind
get_kind (const PrismPerformanceRunner *self)
{
  return prism_performance_get_series (self->performance, self->series)->kind;
}

static void
add_number (GPtrArray *arguments, const char *name, int value)
{
  g_ptr_array_add (arguments, g_strdup_printf ("%s=%d", name, value));
}

/* As many measurements are in the coverage as the step looks at. */
static void
add_step (const PrismPerformanceRunner *self, GPtrArray *arguments)
{
  const PrismConfig *config = self->performance->config;
  const gboolean terms = get_kind (self) == PRISM_SERIES_TERMS;
  const int chunk = get_kind (self) == PRISM_SERIES_CHUNK ? self->value : config->chunk;
  const int n_discs = MAX (terms ? self->value : config->replay, LEAST_DISCS);

  if (get_kind (self) == PRISM_SERIES_RUNS && self->n_steps > 0)
    add_number (arguments, "--steps", (int) self->n_steps);
  else
    {
      const char *seconds = prism_digits ("%.3f", choose_seconds (self));

      g_ptr_array_add (arguments, g_strdup_printf ("--seconds=%s", seconds));
    }
  add_number (arguments, "--discs", MIN (n_discs, config->samples - 1));
  if (!self->on_gpu)
    add_number (arguments, "--warm-up", WARM_UP + 2 * chunk);
}

static GPtrArray *
make_arguments (const PrismPerformanceRunner *self)
{
  const PrismConfig *config = self->performance->config;
  const PrismSeriesKind kind = get_kind (self);
  g_auto (GStrv) settings = prism_series_dup_settings (kind, self->value);
  GPtrArray *arguments = g_ptr_array_new_with_free_func (g_free);

  g_ptr_array_add (arguments, g_strdup (self->program));
  g_ptr_array_add (arguments, g_strdup ("bench"));
  g_ptr_array_add (arguments,
                   g_strdup (kind == PRISM_SERIES_FRAMES ? "--pieces" : "--json"));
  if (kind == PRISM_SERIES_TRANSFERS)
    {
      g_ptr_array_add (arguments, g_strdup ("--transfers"));
      add_number (arguments, "--mib", (int) prism_series_get_mib (self->value));
    }
  else if (kind != PRISM_SERIES_FRAMES)
    add_step (self, arguments);
  prism_config_add_settings (config, arguments);
  for (char **key = settings; *key != NULL; key += 2)
    g_ptr_array_add (arguments, g_strdup_printf ("--set=%s=%s", key[0], key[1]));
  if (kind == PRISM_SERIES_RUNS && config->threads == 0)
    add_number (arguments, "--threads",
                MAX ((int) prism_available_get_processors () / MAX (self->value, 1), 1));
  g_ptr_array_add (arguments, NULL);
  return arguments;
}

static void
end (PrismPerformanceRunner *self, PrismSeriesEnd why)
{
  for (guint i = 0; i < self->performance->series->len; i++)
    if (prism_performance_get_series (self->performance, i)->end == PRISM_SERIES_OPEN)
      prism_performance_end (self->performance, i, why, NULL);
  g_clear_handle_id (&self->alarm, g_source_remove);
  self->performance->seconds = prism_clock_get_seconds () - self->begun;
  self->over = TRUE;
  self->func (self, self->data);
}

/* On a device with memory of its own that counts, and how much of it there is. */
static void
add_memory (PrismPerformanceRunner *self, JsonObject *object)
{
  PrismSeries *series = prism_performance_get_series (self->performance, self->series);
  JsonObject *memory = prism_json_to_object (prism_json_find (object, "memory"));

  series->limit = self->available;
  if (!self->on_gpu || memory == NULL)
    {
      self->point.memory += prism_json_get_number (object, "peak_bytes");
      return;
    }
  self->point.memory += prism_json_get_number (memory, "peak");
  series->limit
      = prism_json_get_number (memory, "used") + prism_json_get_number (memory, "available");
}

/* A unit of what the series counts, in seconds. */
static double
get_unit (const PrismPerformanceRunner *self, JsonObject *object)
{
  const double step = 1e-3 * prism_json_get_number (object, "decile_step_ms");

  if (get_kind (self) == PRISM_SERIES_FRAMES)
    return prism_json_get_number (object, "pass_seconds");
  if (get_kind (self) == PRISM_SERIES_TERMS)
    return step / prism_json_get_number (object, "terms");
  return step;
}

static gboolean
take_output (PrismPerformanceRunner *self, const char *output)
{
  g_autoptr (JsonNode) root
      = output != NULL ? prism_json_parse_object (output, strlen (output)) : NULL;
  JsonObject *object = prism_json_to_object (root);
  const gboolean is_rate = prism_series_get_info (get_kind (self))->is_rate;
  const double unit = is_rate ? NAN : get_unit (self, object);

  if (object == NULL || !(is_rate || (isfinite (unit) && unit > 0.0)))
    return FALSE;
  if (self->performance->device == NULL)
    self->performance->device = g_strdup (prism_json_get_text (object, "device"));
  if (is_rate)
    {
      JsonArray *list = prism_json_to_list (prism_json_find (object, "transfers"));
      const guint n = list != NULL ? json_array_get_length (list) : 0;
      JsonObject *first = n > 0 ? prism_json_to_object (json_array_get_element (list, 0)) : NULL;

      /* A process that was asked for copies of one size. */
      self->point.seconds = self->point.memory = self->point.unrest = NAN;
      return first != NULL && prism_copy_rate_read (&self->point.copies, first);
    }
  add_memory (self, object);
  self->point.error = prism_json_get_number (object, "gradient_error");
  self->point.unrest = prism_json_get_number (object, "median_step_ms")
                           / prism_json_get_number (object, "decile_step_ms")
                       - 1.0;
  self->point.seconds = unit;
  if (get_kind (self) == PRISM_SERIES_RUNS)
    self->n_steps = (guint) prism_json_get_number (object, "steps");
  return TRUE;
}

static void
judge_process (PrismPerformanceRunner *self,
               GSubprocess *process,
               const char *output,
               const char *errors)
{
  const PrismChildEnd ended = prism_child_get_end (process);
  g_autofree char *problem = NULL;

  if (self->late || self->trouble != PRISM_SERIES_OPEN)
    return;
  if (prism_child_was_asked (&ended))
    self->stopped = TRUE;
  /* Where the system is out of memory it ends a process by a signal of its own. */
  else if (ended.signal == SIGKILL || ended.status == EXIT_MEMORY)
    self->trouble = PRISM_SERIES_NO_MEMORY;
  else if (!g_subprocess_get_successful (process))
    problem = prism_child_dup_message (&ended, errors);
  else if (!take_output (self, output))
    problem = g_strdup (_ ("A measurement gave no figures: this program and prism-cli are not of "
                           "the same version."));
  if (problem != NULL)
    {
      self->trouble = PRISM_SERIES_FAILED;
      g_free (self->problem);
      self->problem = g_steal_pointer (&problem);
    }
  if (self->stopped || self->trouble != PRISM_SERIES_OPEN)
    end_processes (self);
}

static void begin_point (PrismPerformanceRunner *self);

static void
finish_point (PrismPerformanceRunner *self)
{
  if (self->late || self->stopped)
    {
      end (self, self->stopped ? PRISM_SERIES_STOPPED : PRISM_SERIES_NO_TIME);
      return;
    }
  if (self->trouble != PRISM_SERIES_OPEN)
    prism_performance_end (self->performance, self->series, self->trouble, self->problem);
  else
    {
      if (get_kind (self) == PRISM_SERIES_RUNS)
        {
          const double taken = prism_clock_get_seconds () - self->point_begun;

          /* Runs that share processors have quick steps and wait between them: what counts is
           * the time until the last is through. */
          self->point.seconds = taken / ((double) self->value * MAX (self->n_steps, 1));
          self->point.unrest = NAN;
        }
      g_array_append_vals (prism_performance_get_series (self->performance, self->series)->points,
                           &self->point, 1);
    }
  self->n_done++;
  begin_point (self);
}

static void
finish_process (GObject *source, GAsyncResult *result, gpointer data)
{
  PrismPerformanceRunner *self = data;
  GSubprocess *process = G_SUBPROCESS (source);
  g_autofree char *output = NULL, *errors = NULL;
  g_autoptr (GError) error = NULL;

  g_subprocess_communicate_utf8_finish (process, result, &output, &errors, &error);
  /* A runner that is gone has cancelled it. */
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  judge_process (self, process, output, errors);
  g_ptr_array_remove_fast (self->processes, process);
  if (self->processes->len == 0)
    finish_point (self);
}

static gboolean
start_process (PrismPerformanceRunner *self, GError **error)
{
  g_autoptr (GSubprocessLauncher) launcher
      = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE);
  g_autoptr (GPtrArray) arguments = make_arguments (self);
  GSubprocess *process;

  g_subprocess_launcher_set_child_setup (launcher, prism_child_end_with_parent,
                                         GINT_TO_POINTER (SIGTERM), NULL);
  process = g_subprocess_launcher_spawnv (launcher, (const char *const *) arguments->pdata, error);
  if (process == NULL)
    return FALSE;
  g_ptr_array_add (self->processes, process);
  g_subprocess_communicate_utf8_async (process, NULL, self->cancellable, finish_process, self);
  return TRUE;
}

/* Several runs at a time are as many processes. */
static void
begin_point (PrismPerformanceRunner *self)
{
  g_autoptr (GError) error = NULL;
  guint n = 1;

  if (!prism_performance_get_next (self->performance, &self->series, &self->value))
    {
      end (self, PRISM_SERIES_ALL);
      return;
    }
  self->point = (PrismSeriesPoint) { .value = self->value, .error = NAN };
  self->point_begun = prism_clock_get_seconds ();
  self->trouble = PRISM_SERIES_OPEN;
  g_clear_pointer (&self->problem, g_free);
  if (get_kind (self) == PRISM_SERIES_RUNS)
    n = (guint) self->value;
  for (guint i = 0; i < n && error == NULL; i++)
    start_process (self, &error);
  if (self->n_done > 0)
    self->func (self, self->data);
  if (error == NULL)
    return;
  self->trouble = PRISM_SERIES_FAILED;
  self->problem = g_strdup (error->message);
  end_processes (self);
  if (self->processes->len == 0)
    finish_point (self);
}

static gboolean
on_late (gpointer data)
{
  PrismPerformanceRunner *self = data;

  self->alarm = 0;
  self->late = TRUE;
  end_processes (self);
  return G_SOURCE_REMOVE;
}

/**
 * prism_performance_runner_start:
 * @self: a runner
 *
 * Begins; the rest happens in the thread's main context.
 */
void
prism_performance_runner_start (PrismPerformanceRunner *self)
{
  self->begun = prism_clock_get_seconds ();
  if (self->most_seconds > 0.0)
    self->alarm = g_timeout_add ((guint) (1e3 * self->most_seconds), on_late, self);
  begin_point (self);
}

/**
 * prism_performance_runner_stop:
 * @self: a runner
 *
 * Ends what is under way, and begins nothing else. What was measured stays.
 */
void
prism_performance_runner_stop (PrismPerformanceRunner *self)
{
  self->stopped = TRUE;
  end_processes (self);
}

/**
 * prism_performance_runner_is_over:
 * @self: a runner
 *
 * Returns: whether nothing is under way and nothing will be
 */
gboolean
prism_performance_runner_is_over (PrismPerformanceRunner *self)
{
  return self->over;
}

/**
 * prism_performance_runner_get_fraction:
 * @self: a runner
 *
 * Returns: how much of what there may be to measure is measured, 0…1
 */
double
prism_performance_runner_get_fraction (PrismPerformanceRunner *self)
{
  const guint n_left = prism_performance_count_left (self->performance);

  return self->over ? 1.0 : self->n_done / (double) MAX (self->n_done + n_left, 1);
}

/**
 * prism_performance_runner_dup_progress:
 * @self: a runner
 *
 * Returns: (transfer full): what is under way
 */
char *
prism_performance_runner_dup_progress (PrismPerformanceRunner *self)
{
  const PrismSeriesKind kind = get_kind (self);
  g_autofree char *name = prism_series_dup_name (kind, self->value);
  g_autofree char *time
      = prism_clock_dup_duration (self->over ? self->performance->seconds
                                             : prism_clock_get_seconds () - self->begun);

  if (self->over && self->stopped)
    return g_strdup_printf (_ ("Stopped after %s"), time);
  if (self->over)
    return g_strdup_printf (_ ("Measured in %s"), time);
  return g_strdup_printf (_ ("%s: %s, %s so far"), _ (prism_series_get_info (kind)->label), name,
                          time);
}
