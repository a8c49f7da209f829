#include "config.h"

#include "prism-cli-benchmark.h"

#include "base/prism-directory.h"
#include "base/prism-each.h"
#include "base/prism-error.h"
#include "benchmark/prism-benchmark-file.h"
#include "benchmark/prism-bench-runner.h"
#include "benchmark/prism-benchmark-text.h"
#include "prism-benchmark-report.h"
#include "prism-cli-engine.h"
#include "prism-cli-output.h"
#include "profile/prism-profile.h"

static void
print_once (const PrismSnapshot *snapshot, const PrismBenchmarkRun *run)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();

  prism_json_add (builder, "{device: %s", snapshot->device);
  prism_benchmark_run_add_json (run, builder);
  prism_json_add (builder, "}");
  prism_cli_print_json (builder);
}

static PrismExit
run_once (const PrismConfig *config,
          GError **error)
{
  g_autoptr (PrismEngine) engine = NULL;
  g_autoptr (PrismSnapshot) snapshot = NULL;
  PrismTraceSummary totals;
  PrismBenchmarkRun run;
  PrismLoad load;

  prism_cli_engine_catch_signals ();
  prism_profile_start_totals ();
  prism_load_begin (&load);
  engine = prism_engine_new (NULL, NULL, error);
  if (engine != NULL)
    snapshot = prism_cli_engine_run (engine, config, NULL, TRUE, error);
  /* The engine's thread is over before its times are added up. */
  g_clear_pointer (&engine, prism_engine_free);
  prism_load_end (&load);
  prism_profile_stop_totals (&totals);
  if (snapshot == NULL || !prism_cli_engine_check (snapshot, error))
    return PRISM_EXIT_FAILED;
  if (snapshot->state == PRISM_STATE_STOPPED)
    return prism_cli_engine_get_exit ();
  prism_benchmark_run_init (&run, snapshot, &totals, &load);
  print_once (snapshot, &run);
  return PRISM_EXIT_OK;
}

static PrismExit
print_history (void)
{
  g_autoptr (GPtrArray) problems = NULL;
  g_autoptr (GPtrArray) benchmarks = prism_benchmark_history_load (&problems);

  for (guint i = 0; i < benchmarks->len; i++)
    {
      g_autofree char *text = prism_benchmark_dup_text (benchmarks->pdata[i]);

      printf ("%s%s", i > 0 ? "\n" : "", text);
    }
  PRISM_FOR_EACH_POINTER (const char, problem, problems)
    prism_cli_warn ("%s", problem);
  if (benchmarks->len == 0 && problems->len > 0)
    return PRISM_EXIT_FILE;
  if (benchmarks->len == 0)
    puts ("No benchmark has been made here: “prism-cli bench --report DIR” makes one.");
  return PRISM_EXIT_OK;
}

static void
show_progress (PrismBenchRunner *runner, gpointer quiet)
{
  g_autofree char *text = prism_bench_runner_dup_progress (runner);
  const gboolean failed = runner->benchmark != NULL && (runner->stopped || runner->problem != NULL);

  if (!*(gboolean *) quiet && !failed)
    prism_cli_print_line (stderr, "%s", text);
}

static gboolean
is_over (gpointer runner)
{
  return ((PrismBenchRunner *) runner)->over;
}

/**
 * prism_cli_benchmark_measure:
 * @benchmark: (nullable): gets the runs
 * @performance: (nullable): gets the points, where there is no benchmark
 * @most_seconds: of a performance; 0: as long as it takes
 * @quiet: whether to print no progress
 * @error: return location
 *
 * Measures in processes of this program, until all is measured or a signal comes.
 *
 * Errors: PRISM_ERROR_BACKEND where a run of the benchmark failed.
 */
void
prism_cli_benchmark_measure (PrismBenchmark *benchmark,
                             PrismPerformance *performance,
                             double most_seconds,
                             gboolean quiet,
                             GError **error)
{
  g_autofree char *program = prism_cli_dup_program ();
  g_autoptr (PrismBenchRunner) runner = prism_bench_runner_new (
      benchmark, performance, program, most_seconds, show_progress, &quiet);

  prism_bench_runner_start (runner);
  if (!runner->over && benchmark != NULL)
    show_progress (runner, &quiet);
  prism_cli_engine_wait_for (runner, is_over, (void (*) (gpointer)) prism_bench_runner_stop);
  if (benchmark != NULL && runner->problem != NULL)
    prism_error_set (error, PRISM_ERROR_BACKEND, "A run of the benchmark failed: %s",
                     runner->problem);
}

static PrismExit
compare (const PrismBenchmark *benchmark, const PrismBenchmark *baseline)
{
  guint n_slower;
  g_autofree char *text = prism_benchmark_dup_slower (benchmark, baseline, &n_slower);

  if (g_strcmp0 (benchmark->processor, baseline->processor) != 0
      || g_strcmp0 (benchmark->device, baseline->device) != 0)
    prism_cli_warn ("The baseline was made on another machine: %s, %s.",
                    baseline->processor, baseline->device);
  printf ("\n%s%s", text, n_slower > 0 ? "" : "Nothing is slower than the baseline.\n");
  return n_slower > 0 ? PRISM_EXIT_SLOWER : PRISM_EXIT_OK;
}

static PrismExit
conclude (const PrismCliBenchmark *self,
          const PrismBenchmark *benchmark,
          const PrismBenchmark *baseline,
          GError **error)
{
  g_autoptr (GError) unkept = NULL;

  if (!prism_benchmark_report_save_all (benchmark, self->report, error))
    return PRISM_EXIT_FAILED;
  if (!prism_benchmark_history_add (benchmark, &unkept))
    prism_cli_warn ("The benchmark is not in the history: %s",
                    unkept->message);
  if (!self->quiet)
    prism_cli_print_text (prism_benchmark_dup_text (benchmark));
  return baseline != NULL ? compare (benchmark, baseline) : PRISM_EXIT_OK;
}

/* A directory that was made for files that do not come goes again. */
static PrismExit
run_benchmark (const PrismCliBenchmark *self, const PrismConfig *config, GError **error)
{
  g_autoptr (PrismBenchmark) baseline = NULL;
  g_autoptr (PrismBenchmark) benchmark = prism_benchmark_new (
      config, self->switches,
      self->n_rounds != 0 ? (guint) self->n_rounds : PRISM_BENCHMARK_ROUNDS,
      error);
  gboolean is_new = !g_file_test (self->report, G_FILE_TEST_EXISTS);

  if (benchmark != NULL && self->baseline != NULL)
    baseline = prism_benchmark_load (self->baseline, error);
  if (*error != NULL
      || (baseline != NULL && !prism_benchmark_check_baseline (benchmark, baseline, error))
      || !prism_directory_check (self->report, error))
    return PRISM_EXIT_FAILED;
  prism_cli_engine_catch_signals ();
  prism_cli_benchmark_measure (benchmark, NULL, 0, self->quiet, error);
  if (prism_benchmark_count_done (benchmark) == prism_benchmark_count_runs (benchmark))
    return conclude (self, benchmark, baseline, error);
  if (is_new)
    g_rmdir (self->report);
  if (*error == NULL && prism_cli_engine_get_signal () == 0)
    prism_error_set (error, PRISM_ERROR_CANCELLED,
                     "A run of the benchmark was ended by another program: start the benchmark"
                     " again.");
  return prism_cli_engine_get_exit ();
}

/**
 * prism_cli_benchmark_run:
 * @self: options that have been checked
 * @config: what to run
 *
 * Runs the configuration once, or plain and with what makes it faster in turns, or shows what
 * earlier benchmarks have found.
 *
 * Returns: the exit code
 */
PrismExit
prism_cli_benchmark_run (const PrismCliBenchmark *self, const PrismConfig *config, GError **error)
{
  if (self->history)
    return print_history ();
  return self->once ? run_once (config, error) : run_benchmark (self, config, error);
}
