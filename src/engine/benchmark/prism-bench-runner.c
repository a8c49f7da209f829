#include "config.h"

#include "benchmark/prism-bench-runner.h"

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

/**
 * prism_bench_runner_new:
 * @benchmark: (nullable): gets the runs
 * @performance: (nullable): gets the points, where there is no benchmark
 * @program: path of prism-cli
 * @most_seconds: of a performance, after which it ends; 0: when all is measured
 * @func: called after each of them
 * @data: for @func
 *
 * Returns: (transfer full): a runner that waits for its start
 */
PrismBenchRunner *
prism_bench_runner_new (PrismBenchmark *benchmark,
                        PrismPerformance *performance,
                        const char *program,
                        double most_seconds,
                        PrismBenchRunnerFunc func,
                        gpointer data)
{
  PrismBenchRunner *self = g_new0 (PrismBenchRunner, 1);

  self->benchmark = prism_benchmark_ref (benchmark);
  self->performance = prism_performance_ref (performance);
  self->program = g_strdup (program);
  self->most_seconds = most_seconds;
  self->func = func;
  self->data = data;
  self->on_gpu = performance != NULL && prism_registry_is_gpu (performance->config->backend);
  self->available = (double) prism_available_get_memory ();
  self->processes = g_ptr_array_new_with_free_func (g_object_unref);
  self->cancellable = g_cancellable_new ();
  return self;
}

static void
end_processes (PrismBenchRunner *self, int signal)
{
  PRISM_FOR_EACH_POINTER (GSubprocess, process, self->processes)
    g_subprocess_send_signal (process, signal);
}

/**
 * prism_bench_runner_free:
 * @self: (nullable): a runner
 *
 * Ends what is still running.
 */
void
prism_bench_runner_free (PrismBenchRunner *self)
{
  if (self == NULL)
    return;
  g_cancellable_cancel (self->cancellable);
  end_processes (self, SIGKILL);
  g_clear_handle_id (&self->alarm, g_source_remove);
  g_ptr_array_unref (self->processes);
  g_object_unref (self->cancellable);
  prism_benchmark_unref (self->benchmark);
  prism_performance_unref (self->performance);
  g_free (self->program);
  g_free (self->problem);
  g_free (self);
}

/* Each round begins with the plain run: what drifts meets all variants alike. */
static guint
get_next_variant (const PrismBenchRunner *self)
{
  return prism_benchmark_count_done (self->benchmark) % self->benchmark->variants->len;
}

static PrismSeries *
get_series (const PrismBenchRunner *self)
{
  return prism_performance_get_series (self->performance, self->series);
}

static double
choose_seconds (const PrismBenchRunner *self)
{
  const double seconds_left = self->begun + self->most_seconds - prism_clock_get_seconds ();
  const guint n_left = MAX (prism_performance_count_left (self->performance), 1);

  if (self->most_seconds <= 0.0)
    return MOST_EACH;
  return CLAMP (SHARE * seconds_left / n_left - BESIDE, LEAST_EACH, MOST_EACH);
}

static void
add_number (GPtrArray *arguments, const char *name, int value)
{
  g_ptr_array_add (arguments, g_strdup_printf ("%s=%d", name, value));
}

/* As many measurements are in the coverage as the step looks at. */
static void
add_step (const PrismBenchRunner *self, GPtrArray *arguments)
{
  const PrismConfig *config = self->performance->config;
  const gboolean terms = get_series (self)->kind == PRISM_SERIES_TERMS;
  const int chunk = get_series (self)->kind == PRISM_SERIES_CHUNK ? self->value : config->chunk;
  const int n_discs = MAX (terms ? self->value : config->replay, LEAST_DISCS);

  if (get_series (self)->kind == PRISM_SERIES_RUNS && self->n_steps > 0)
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

/* Of a process: a whole run of the benchmark, or what a point of the performance is. NULL after an
 * error. */
static GPtrArray *
make_arguments (const PrismBenchRunner *self, GError **error)
{
  g_autoptr (PrismConfig) config
      = self->benchmark != NULL
            ? prism_benchmark_dup_config (self->benchmark, get_next_variant (self), error)
            : prism_config_dup (self->performance->config);
  const PrismSeriesKind kind = self->benchmark != NULL ? PRISM_N_SERIES : get_series (self)->kind;
  GPtrArray *arguments;

  if (config == NULL)
    return NULL;
  arguments = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (arguments, g_strdup (self->program));
  g_ptr_array_add (arguments, g_strdup ("bench"));
  g_ptr_array_add (arguments, g_strdup (self->benchmark != NULL          ? "--once"
                                        : kind == PRISM_SERIES_FRAMES    ? "--pieces"
                                        : kind == PRISM_SERIES_TRANSFERS ? "--transfers"
                                                                         : "--json"));
  if (kind == PRISM_SERIES_TRANSFERS)
    {
      add_number (arguments, "--mib", (int) prism_series_get_mib (self->value));
      g_ptr_array_add (arguments, g_strdup ("--json"));
    }
  else if (kind < PRISM_N_SERIES && kind != PRISM_SERIES_FRAMES)
    add_step (self, arguments);
  prism_config_add_settings (config, arguments);
  if (kind < PRISM_N_SERIES)
    {
      g_auto (GStrv) settings = prism_series_dup_settings (kind, self->value);

      for (char **key = settings; *key != NULL; key += 2)
        g_ptr_array_add (arguments, g_strdup_printf ("--set=%s=%s", key[0], key[1]));
    }
  if (kind == PRISM_SERIES_RUNS && config->threads == 0)
    add_number (arguments, "--threads",
                MAX ((int) prism_available_get_processors () / MAX (self->value, 1), 1));
  g_ptr_array_add (arguments, NULL);
  return arguments;
}

static void
end (PrismBenchRunner *self, PrismSeriesEnd why)
{
  for (guint i = 0; self->performance != NULL && i < self->performance->series->len; i++)
    if (prism_performance_get_series (self->performance, i)->end == PRISM_SERIES_OPEN)
      prism_performance_end (self->performance, i, why, NULL);
  g_clear_handle_id (&self->alarm, g_source_remove);
  if (self->performance != NULL)
    self->performance->seconds = prism_clock_get_seconds () - self->begun;
  self->over = TRUE;
  self->func (self, self->data);
}

/* On a device with memory of its own that counts, and how much of it there is. */
static void
add_memory (PrismBenchRunner *self, JsonObject *object)
{
  PrismSeries *series = get_series (self);
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
get_unit (const PrismBenchRunner *self, JsonObject *object)
{
  const double step = 1e-3 * prism_json_get_number (object, "decile_step_ms");

  if (get_series (self)->kind == PRISM_SERIES_FRAMES)
    return prism_json_get_number (object, "pass_seconds");
  if (get_series (self)->kind == PRISM_SERIES_TERMS)
    return step / prism_json_get_number (object, "terms");
  return step;
}

static gboolean
take_run (PrismBenchRunner *self, JsonObject *object)
{
  const guint variant = get_next_variant (self);
  const char *device = prism_json_get_text (object, "device");
  PrismBenchmarkRun run;

  if (!prism_benchmark_run_read (&run, object))
    return FALSE;
  if (variant <= 1 && device != NULL)
    {
      g_free (self->benchmark->device);
      self->benchmark->device = g_strdup (device);
    }
  g_array_append_val (prism_benchmark_get_variant (self->benchmark, variant)->runs, run);
  return TRUE;
}

static gboolean
take_point (PrismBenchRunner *self, JsonObject *object)
{
  const gboolean is_rate = prism_series_infos[get_series (self)->kind].is_rate;
  const double unit = is_rate ? NAN : get_unit (self, object);

  if (!is_rate && !(isfinite (unit) && unit > 0.0))
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
  if (get_series (self)->kind == PRISM_SERIES_RUNS)
    self->n_steps = (guint) prism_json_get_number (object, "steps");
  return TRUE;
}

static void begin_next (PrismBenchRunner *self);

/* What ended first counts; the others of a point are ended then. */
static void
judge_process (PrismBenchRunner *self, GSubprocess *process, const char *output, const char *errors)
{
  const PrismChildEnd ended = prism_child_get_end (process);
  g_autoptr (JsonNode) root
      = output != NULL ? prism_json_parse_object (output, strlen (output)) : NULL;
  JsonObject *object = prism_json_to_object (root);

  if (self->late || self->problem != NULL)
    return;
  self->stopped |= prism_child_was_asked (&ended);
  if (!self->stopped && !g_subprocess_get_successful (process))
    self->problem = prism_child_dup_message (&ended, errors);
  else if (!self->stopped
           && !(object != NULL
                && (self->benchmark != NULL ? take_run : take_point) (self, object)))
    self->problem = g_strdup (_ ("A measurement gave no figures: this program and prism-cli are not"
                                 " of the same version."));
  /* Where the system is out of memory it ends a process by a signal of its own. */
  self->lacks_memory = ended.signal == SIGKILL || ended.status == EXIT_MEMORY;
  if (self->stopped || self->problem != NULL)
    end_processes (self, SIGKILL);
}

static void
finish_point (PrismBenchRunner *self)
{
  PrismSeries *series = get_series (self);

  if (self->problem != NULL)
    prism_performance_end (self->performance, self->series,
                           self->lacks_memory ? PRISM_SERIES_NO_MEMORY : PRISM_SERIES_FAILED,
                           self->lacks_memory ? NULL : self->problem);
  else
    {
      if (series->kind == PRISM_SERIES_RUNS)
        {
          const double taken = prism_clock_get_seconds () - self->point_begun;

          /* Runs that share processors have quick steps and wait between them: what counts is
           * the time until the last is through. */
          self->point.seconds = taken / ((double) self->value * MAX (self->n_steps, 1));
          self->point.unrest = NAN;
        }
      g_array_append_vals (series->points, &self->point, 1);
    }
  self->n_done++;
}

/* When all processes have ended. */
static void
finish (PrismBenchRunner *self)
{
  if (self->stopped || self->late)
    end (self, self->stopped ? PRISM_SERIES_STOPPED : PRISM_SERIES_NO_TIME);
  else if (self->benchmark != NULL
           && (self->problem != NULL
               || prism_benchmark_count_done (self->benchmark)
                      == prism_benchmark_count_runs (self->benchmark)))
    end (self, PRISM_SERIES_ALL);
  else
    {
      if (self->benchmark == NULL)
        finish_point (self);
      begin_next (self);
    }
}

static void
finish_process (GObject *source, GAsyncResult *result, gpointer data)
{
  PrismBenchRunner *self = data;
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
    finish (self);
}

static gboolean
start_process (PrismBenchRunner *self, GError **error)
{
  g_autoptr (GSubprocessLauncher) launcher
      = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE);
  g_autoptr (GPtrArray) arguments = make_arguments (self, error);
  GSubprocess *process;

  if (arguments == NULL)
    return FALSE;
  for (guint i = 2; self->benchmark != NULL && i < self->benchmark->variants->len; i++)
    {
      const PrismBenchmarkSwitch *of = prism_benchmark_get_variant (self->benchmark, i)->alone;

      if (of->variable != NULL
          && !prism_benchmark_variant_has (
              prism_benchmark_get_variant (self->benchmark, get_next_variant (self)), of))
        g_subprocess_launcher_setenv (launcher, of->variable, "1", TRUE);
    }
  g_subprocess_launcher_set_child_setup (launcher, prism_child_end_with_parent,
                                         GINT_TO_POINTER (SIGTERM), NULL);
  process = g_subprocess_launcher_spawnv (launcher, (const char *const *) arguments->pdata, error);
  if (process == NULL)
    return FALSE;
  g_ptr_array_add (self->processes, process);
  g_subprocess_communicate_utf8_async (process, NULL, self->cancellable, finish_process, self);
  return TRUE;
}

/* A run or a point; several runs at a time are as many processes. */
static void
begin_next (PrismBenchRunner *self)
{
  g_autoptr (GError) error = NULL;
  guint n = 1;

  if (self->benchmark == NULL
      && !prism_performance_get_next (self->performance, &self->series, &self->value))
    {
      end (self, PRISM_SERIES_ALL);
      return;
    }
  self->point = (PrismSeriesPoint) { .value = self->value, .error = NAN };
  self->point_begun = prism_clock_get_seconds ();
  g_clear_pointer (&self->problem, g_free);
  if (self->benchmark == NULL && get_series (self)->kind == PRISM_SERIES_RUNS)
    n = (guint) self->value;
  for (guint i = 0; i < n && error == NULL; i++)
    start_process (self, &error);
  if (error != NULL)
    {
      self->problem = g_strdup (error->message);
      self->lacks_memory = FALSE;
      end_processes (self, SIGKILL);
    }
  if (self->processes->len == 0)
    finish (self);
  else if (self->n_done > 0 || self->benchmark != NULL)
    self->func (self, self->data);
}

static gboolean
on_late (gpointer data)
{
  PrismBenchRunner *self = data;

  self->alarm = 0;
  self->late = TRUE;
  end_processes (self, SIGKILL);
  return G_SOURCE_REMOVE;
}

/**
 * prism_bench_runner_start:
 * @self: a runner
 *
 * Begins; the rest happens in the thread's main context.
 */
void
prism_bench_runner_start (PrismBenchRunner *self)
{
  self->begun = prism_clock_get_seconds ();
  if (self->most_seconds > 0.0)
    self->alarm = g_timeout_add ((guint) (1e3 * self->most_seconds), on_late, self);
  begin_next (self);
}

/**
 * prism_bench_runner_stop:
 * @self: a runner
 *
 * Ends what is under way; what was measured stays.
 */
void
prism_bench_runner_stop (PrismBenchRunner *self)
{
  self->stopped = TRUE;
  end_processes (self, SIGTERM);
}

/* What is left takes as long as what is over, by the run; known after a round. */
static char *
dup_progress_of_runs (const PrismBenchRunner *self)
{
  const guint n_done = prism_benchmark_count_done (self->benchmark);
  const guint n_runs = prism_benchmark_count_runs (self->benchmark);
  const PrismBenchmarkVariant *variant
      = prism_benchmark_get_variant (self->benchmark, get_next_variant (self));
  g_autofree char *left = NULL;

  if (n_done == n_runs)
    return g_strdup_printf (ngettext ("%u run is over", "All %u runs are over", n_runs), n_runs);
  if (n_done < self->benchmark->variants->len)
    return g_strdup_printf (_ ("Run %u of %u: %s"), n_done + 1, n_runs,
                            prism_benchmark_variant_get_label (variant));
  left = prism_clock_dup_duration ((prism_clock_get_seconds () - self->begun) / n_done
                                   * (n_runs - n_done));
  return g_strdup_printf (_ ("Run %u of %u: %s, ≈ %s left"), n_done + 1, n_runs,
                          prism_benchmark_variant_get_label (variant), left);
}

/**
 * prism_bench_runner_dup_progress:
 * @self: a runner that has started
 *
 * Returns: (transfer full): what is measured now, and how long it takes
 */
char *
prism_bench_runner_dup_progress (PrismBenchRunner *self)
{
  const double now = prism_clock_get_seconds ();
  g_autofree char *name = NULL, *time = NULL;

  if (self->benchmark != NULL)
    return dup_progress_of_runs (self);
  time = prism_clock_dup_duration (self->over ? self->performance->seconds : now - self->begun);
  if (self->over)
    return g_strdup_printf (self->stopped ? _ ("Stopped after %s") : _ ("Measured in %s"), time);
  name = prism_series_dup_name (get_series (self)->kind, self->value);
  return g_strdup_printf (_ ("%s: %s, %s so far"),
                          _ (prism_series_infos[get_series (self)->kind].label), name, time);
}
