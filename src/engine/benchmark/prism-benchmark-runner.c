#include "config.h"

#include "benchmark/prism-benchmark-runner.h"

#include "base/prism-clock.h"
#include "base/prism-system.h"
#include "base/prism-text.h"

#include <gio/gio.h>
#include <signal.h>

struct _PrismBenchmarkRunner
{
  PrismBenchmark *benchmark; /* borrowed */
  char *program;
  PrismBenchmarkRunnerFunc func;
  gpointer data;

  GSubprocess *process; /* (nullable): the run under way */
  GCancellable *cancellable;
  double begun; /* s */
  gboolean stopped;
  gboolean over;
  char *problem; /* (nullable) */
};

/**
 * prism_benchmark_runner_new:
 * @benchmark: (transfer none): gets the runs; outlives the runner
 * @program: path of prism-cli
 * @func: called after each run
 * @data: for @func
 *
 * Returns: (transfer full): a runner that has not begun
 */
PrismBenchmarkRunner *
prism_benchmark_runner_new (PrismBenchmark *benchmark,
                            const char *program,
                            PrismBenchmarkRunnerFunc func,
                            gpointer data)
{
  PrismBenchmarkRunner *self = g_new0 (PrismBenchmarkRunner, 1);

  self->benchmark = benchmark;
  self->program = g_strdup (program);
  self->func = func;
  self->data = data;
  self->cancellable = g_cancellable_new ();
  return self;
}

/**
 * prism_benchmark_runner_free:
 * @self: (nullable): a runner
 *
 * Ends the run under way.
 */
void
prism_benchmark_runner_free (PrismBenchmarkRunner *self)
{
  if (self == NULL)
    return;
  g_cancellable_cancel (self->cancellable);
  if (self->process != NULL)
    g_subprocess_force_exit (self->process);
  g_clear_object (&self->process);
  g_object_unref (self->cancellable);
  g_free (self->problem);
  g_free (self->program);
  g_free (self);
}

/* Each round begins with the plain run: what drifts meets all variants alike. */
static guint
get_next_variant (const PrismBenchmarkRunner *self)
{
  return prism_benchmark_count_done (self->benchmark) % self->benchmark->variants->len;
}

static GPtrArray *
make_arguments (const PrismBenchmarkRunner *self, const PrismConfig *config)
{
  GPtrArray *arguments = g_ptr_array_new_with_free_func (g_free);

  g_ptr_array_add (arguments, g_strdup (self->program));
  g_ptr_array_add (arguments, g_strdup ("bench"));
  g_ptr_array_add (arguments, g_strdup ("--once"));
  prism_config_add_settings (config, arguments);
  g_ptr_array_add (arguments, NULL);
  return arguments;
}

static GSubprocess *
spawn (PrismBenchmarkRunner *self, guint variant, GError **error)
{
  g_autoptr (GSubprocessLauncher) launcher
      = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE);
  g_autoptr (PrismConfig) config = prism_benchmark_dup_config (self->benchmark, variant, error);
  g_autoptr (GPtrArray) arguments = NULL;
  gsize n;
  const PrismBenchmarkSwitch *switches = prism_benchmark_get_switches (&n);

  if (config == NULL)
    return NULL;
  arguments = make_arguments (self, config);
  for (gsize i = 0; i < n; i++)
    if (prism_benchmark_wants_variable (self->benchmark, variant, &switches[i]))
      g_subprocess_launcher_setenv (launcher, switches[i].variable, "1", TRUE);
  g_subprocess_launcher_set_child_setup (launcher, prism_child_end_with_parent,
                                         GINT_TO_POINTER (SIGTERM), NULL);
  return g_subprocess_launcher_spawnv (launcher, (const char *const *) arguments->pdata, error);
}

static void start_run (PrismBenchmarkRunner *self);

static void
end (PrismBenchmarkRunner *self, const char *problem)
{
  self->over = TRUE;
  self->problem = g_strdup (problem);
  self->func (self, self->data);
}

static gboolean
take_run (PrismBenchmarkRunner *self, const char *output)
{
  g_autoptr (JsonNode) root
      = output != NULL ? prism_json_parse_object (output, strlen (output)) : NULL;
  guint variant = get_next_variant (self);
  const char *device = prism_json_get_text (prism_json_to_object (root), "device");
  PrismBenchmarkRun run;

  if (root == NULL || !prism_benchmark_run_read (&run, json_node_get_object (root)))
    return FALSE;
  if (variant <= 1 && device != NULL)
    {
      g_free (self->benchmark->device);
      self->benchmark->device = g_strdup (device);
    }
  g_array_append_val (prism_benchmark_get_variant (self->benchmark, variant)->runs, run);
  return TRUE;
}

static void
finish_run (GObject *source, GAsyncResult *result, gpointer data)
{
  PrismBenchmarkRunner *self = data;
  GSubprocess *process = G_SUBPROCESS (source);
  g_autofree char *output = NULL, *errors = NULL, *problem = NULL;
  g_autoptr (GError) error = NULL;
  PrismChildEnd ended;

  g_subprocess_communicate_utf8_finish (process, result, &output, &errors, &error);
  /* A runner that is gone has cancelled it. */
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  ended = prism_child_get_end (process);
  if (prism_child_was_asked (&ended))
    self->stopped = TRUE;
  else if (!g_subprocess_get_successful (process))
    problem = prism_child_dup_message (&ended, errors);
  else if (!take_run (self, output))
    problem = g_strdup (_ ("A run gave no figures: this program and prism-cli are not of the "
                           "same version."));
  g_clear_object (&self->process);
  if (self->stopped || problem != NULL
      || prism_benchmark_count_done (self->benchmark)
             == prism_benchmark_count_runs (self->benchmark))
    {
      end (self, problem);
      return;
    }
  start_run (self);
  self->func (self, self->data);
}

static void
start_run (PrismBenchmarkRunner *self)
{
  g_autoptr (GError) error = NULL;

  self->process = spawn (self, get_next_variant (self), &error);
  if (self->process == NULL)
    {
      end (self, error->message);
      return;
    }
  g_subprocess_communicate_utf8_async (self->process, NULL, self->cancellable, finish_run, self);
}

/**
 * prism_benchmark_runner_start:
 * @self: a runner
 *
 * Begins; the rest happens in the thread's main context.
 */
void
prism_benchmark_runner_start (PrismBenchmarkRunner *self)
{
  self->begun = prism_clock_get_seconds ();
  start_run (self);
}

/**
 * prism_benchmark_runner_stop:
 * @self: a runner
 *
 * Ends the run under way, and begins no other.
 */
void
prism_benchmark_runner_stop (PrismBenchmarkRunner *self)
{
  self->stopped = TRUE;
  if (self->process != NULL)
    g_subprocess_send_signal (self->process, SIGTERM);
}

/**
 * prism_benchmark_runner_is_over:
 * @self: a runner
 *
 * Returns: whether no run is under way and none will be
 */
gboolean
prism_benchmark_runner_is_over (PrismBenchmarkRunner *self)
{
  return self->over;
}

/**
 * prism_benchmark_runner_was_stopped:
 * @self: a runner
 *
 * Returns: whether somebody has stopped it
 */
gboolean
prism_benchmark_runner_was_stopped (PrismBenchmarkRunner *self)
{
  return self->stopped;
}

/**
 * prism_benchmark_runner_get_problem:
 * @self: a runner
 *
 * Returns: (transfer none) (nullable): why it has ended early
 */
const char *
prism_benchmark_runner_get_problem (PrismBenchmarkRunner *self)
{
  return self->problem;
}

/* What is left takes as long as what is over, by the run; known after a round. */
static double
get_seconds_left (PrismBenchmarkRunner *self)
{
  guint n_done = prism_benchmark_count_done (self->benchmark);
  guint n_left = prism_benchmark_count_runs (self->benchmark) - n_done;

  if (n_done < self->benchmark->variants->len)
    return 0.0;
  return (prism_clock_get_seconds () - self->begun) / n_done * n_left;
}

/**
 * prism_benchmark_runner_dup_progress:
 * @self: a runner
 *
 * Returns: (transfer full): which run is under way, of how many, and how long the rest will take
 */
char *
prism_benchmark_runner_dup_progress (PrismBenchmarkRunner *self)
{
  guint n_done = prism_benchmark_count_done (self->benchmark);
  guint n_runs = prism_benchmark_count_runs (self->benchmark);
  const PrismBenchmarkVariant *variant
      = prism_benchmark_get_variant (self->benchmark, get_next_variant (self));
  double left = get_seconds_left (self);
  g_autofree char *text = NULL;

  if (n_done == n_runs)
    return g_strdup_printf (ngettext ("%u run is over", "All %u runs are over", n_runs), n_runs);
  if (left <= 0.0)
    return g_strdup_printf (_ ("Run %u of %u: %s"), n_done + 1, n_runs,
                            prism_benchmark_variant_get_label (variant));
  text = prism_clock_dup_duration (left);
  return g_strdup_printf (_ ("Run %u of %u: %s, ≈ %s left"), n_done + 1, n_runs,
                          prism_benchmark_variant_get_label (variant), text);
}
