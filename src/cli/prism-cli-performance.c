#include "config.h"

#include "prism-cli-performance.h"

#include "base/prism-error.h"
#include "base/prism-json.h"
#include "base/prism-system.h"
#include "benchmark/prism-performance-runner.h"
#include "benchmark/prism-performance-text.h"
#include "forecast/prism-trial.h"
#include "model/prism-config-check.h"
#include "prism-cli-engine.h"
#include "prism-cli-output.h"
#include "prism-cli-passes.h"
#include "prism-cli.h"

#include <signal.h>
#include <stdio.h>

#define SIGNAL_INTERVAL 100 /* ms between two looks for a signal */

typedef struct
{
  PrismPerformanceRunner *runner;
  GMainLoop *loop;
  gboolean quiet;
} Running;

/**
 * prism_cli_performance_is_asked:
 * @self: options
 *
 * Returns: whether any of the options was given
 */
gboolean
prism_cli_performance_is_asked (const PrismCliPerformance *self)
{
  return self->measure || self->find_size || self->pieces || self->passes || self->transfers
         || self->n_mib != PRISM_CLI_TRANSFERS_ALL;
}

static void
add_costs (JsonBuilder *builder, const PrismCosts *costs, const PrismConfig *config)
{
  prism_json_add_number (builder, "frame_seconds", costs->frame);
  prism_json_add_number (builder, "pass_seconds", costs->pass + config->samples * costs->visit);
  prism_json_add_number (builder, "start_step_seconds", costs->start);
  prism_json_add_number (builder, "step_seconds", costs->step);
  prism_json_add_number (builder, "picture_seconds", costs->picture);
  prism_json_add_integer (builder, "peak_bytes", prism_system_get_peak_memory ());
}

/* Training is not spared there: what tells whether it can be takes longest. */
static PrismExit
print_pieces (const PrismConfig *config)
{
  g_autoptr (PrismConfig) plain = prism_config_dup (config);
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  g_autoptr (GError) error = NULL;
  PrismCosts costs;

  prism_config_train_always (plain);
  if (!prism_config_check (plain, &error) || !prism_trial_run (&costs, plain, NULL, &error))
    return prism_cli_report (error);
  json_builder_begin_object (builder);
  add_costs (builder, &costs, plain);
  json_builder_end_object (builder);
  prism_cli_print_json (builder);
  return prism_cli_finish_output ();
}

static void
show_progress (PrismPerformanceRunner *runner, gpointer data)
{
  Running *running = data;
  g_autofree char *text = prism_performance_runner_dup_progress (runner);

  if (!running->quiet)
    prism_cli_print_line (stderr, "%s", text);
  if (prism_performance_runner_is_over (runner))
    g_main_loop_quit (running->loop);
}

static gboolean
check_signal (gpointer data)
{
  Running *running = data;

  if (prism_cli_engine_get_signal () != 0
      && !prism_performance_runner_was_stopped (running->runner))
    prism_performance_runner_stop (running->runner);
  return G_SOURCE_CONTINUE;
}

static void
measure (PrismPerformance *performance, double most_seconds, gboolean quiet)
{
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);
  g_autofree char *program = g_file_read_link ("/proc/self/exe", NULL);
  Running running = { .loop = loop, .quiet = quiet };
  g_autoptr (PrismPerformanceRunner) runner
      = prism_performance_runner_new (performance, program != NULL ? program : "prism-cli",
                                      most_seconds, show_progress, &running);
  guint source;

  running.runner = runner;
  signal (SIGPIPE, SIG_IGN);
  source = g_timeout_add (SIGNAL_INTERVAL, check_signal, &running);
  prism_performance_runner_start (runner);
  if (!prism_performance_runner_is_over (runner))
    g_main_loop_run (loop);
  g_source_remove (source);
}

/* A sentence where nothing at all was measured. */
static gboolean
check_measured (const PrismPerformance *performance, GError **error)
{
  const char *problem = NULL;
  gboolean lacked = FALSE;

  for (guint i = 0; i < performance->series->len; i++)
    {
      const PrismSeries *series = prism_performance_get_series (performance, i);

      if (series->points->len > 0)
        return TRUE;
      if (problem == NULL)
        problem = series->problem != NULL ? series->problem : series->gap;
      lacked |= series->end == PRISM_SERIES_NO_MEMORY;
    }
  if (problem == NULL)
    problem = lacked ? "There is not enough memory: choose smaller sizes."
                     : "30 seconds were not enough: choose smaller sizes, or --find-size.";
  g_set_error (error, PRISM_ERROR, lacked ? PRISM_ERROR_MEMORY : PRISM_ERROR_BACKEND,
               "Nothing was measured. %s", problem);
  return FALSE;
}

static void
print_json (const PrismPerformance *performance)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();

  json_builder_begin_object (builder);
  prism_performance_add_json (performance, builder);
  prism_system_add_versions (builder);
  prism_cli_add_config (builder, performance->config);
  json_builder_end_object (builder);
  prism_cli_print_json (builder);
}

/**
 * prism_cli_performance_run:
 * @self: options of which one was given
 * @config: of the run in question
 * @json: whether to print JSON
 * @quiet: whether to print no progress
 *
 * Measures what sizes pay on this machine, or looks for the best ones, or times the pieces of a
 * run, whole passes, or copies to and from the device.
 *
 * Returns: the exit code
 */
PrismExit
prism_cli_performance_run (const PrismCliPerformance *self,
                           const PrismConfig *config,
                           gboolean json,
                           gboolean quiet)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PrismPerformance) performance = NULL;
  g_autofree char *text = NULL;

  if (self->pieces)
    return print_pieces (config);
  if (self->passes)
    return prism_cli_passes_run (config, json);
  if (self->transfers)
    return prism_cli_transfers_run (config, self->n_mib, json);
  if (!prism_config_check (config, &error))
    return prism_cli_report (error);
  prism_cli_engine_catch_signals ();
  performance = prism_performance_new (config, self->find_size);
  measure (performance, self->measure ? PRISM_PERFORMANCE_SECONDS : 0.0, quiet);
  if (prism_cli_engine_get_signal () != 0 && (json || !check_measured (performance, NULL)))
    return 128 + prism_cli_engine_get_signal ();
  if (!check_measured (performance, &error))
    return prism_cli_report (error);
  text = prism_performance_dup_text (performance);
  if (json)
    print_json (performance);
  else
    fputs (text, stdout);
  return prism_cli_engine_finish_output ();
}
