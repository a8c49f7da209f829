#include "config.h"

#include "prism-cli-engine.h"

#include "base/prism-error.h"
#include "device/prism-registry.h"
#include "prism-cli-output.h"
#include "prism-cli-progress.h"

#include <signal.h>
#include <stdio.h>

#define SIGNAL_INTERVAL 50    /* ms between two looks for a signal */
#define SNAPSHOT_INTERVAL 200 /* ms; each costs a copy of the images */
#define QUIET_INTERVAL 5000   /* ms; nobody looks at them */

static volatile sig_atomic_t caught_signal;
static GError *save_failure; /* (nullable): what ended the run */

static void
catch_signal (int number)
{
  caught_signal = number;
}

/**
 * prism_cli_engine_catch_signals:
 *
 * The first signal stops the run and keeps the result; the second one ends the program. What the
 * program was started to ignore, by nohup or in the background of a shell, stays ignored. A reader
 * that goes away (prism-cli run | head) must not cost the result either.
 */
void
prism_cli_engine_catch_signals (void)
{
  static const int numbers[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM };
  struct sigaction action = { .sa_handler = catch_signal, .sa_flags = SA_RESETHAND }, old;

  sigemptyset (&action.sa_mask);
  for (gsize i = 0; i < G_N_ELEMENTS (numbers); i++)
    if (sigaction (numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
      sigaction (numbers[i], &action, NULL);
  signal (SIGPIPE, SIG_IGN);
}

/**
 * prism_cli_engine_get_signal:
 *
 * Returns: the signal that stopped the run, 0 for none
 */
int
prism_cli_engine_get_signal (void)
{
  return caught_signal;
}

/**
 * prism_cli_engine_stopped:
 * @more: what follows the word, "" for nothing
 *
 * Says that a signal has stopped the program before anything was begun.
 *
 * Returns: the exit code
 */
PrismExit
prism_cli_engine_stopped (const char *more)
{
  fprintf (stderr, "prism-cli: Stopped.%s\n", more);
  return (PrismExit) (128 + caught_signal);
}

/**
 * prism_cli_engine_finish_output:
 *
 * Does what prism_cli_finish_output() does for a program that has kept what it had when a signal
 * stopped it.
 *
 * Returns: the exit code, that of the signal where all was written
 */
PrismExit
prism_cli_engine_finish_output (void)
{
  const PrismExit code = prism_cli_finish_output ();

  return code == PRISM_EXIT_OK && caught_signal != 0 ? (PrismExit) (128 + caught_signal) : code;
}

static gboolean
is_over (PrismState state)
{
  return state == PRISM_STATE_STOPPED || state == PRISM_STATE_FINISHED
         || state == PRISM_STATE_FAILED;
}

/**
 * prism_cli_engine_get_save_failure:
 *
 * Returns: (transfer none) (nullable): why the last run was stopped before its end: its file could
 * not be written, nor when it was tried again
 */
const GError *
prism_cli_engine_get_save_failure (void)
{
  return save_failure;
}

/* What could not be written is tried again once; then what there is goes into the output
 * directory. Returns whether the run is to end. */
static gboolean
give_up_saving (PrismEngine *engine,
                const PrismSnapshot *snapshot)
{
  gboolean again = save_failure != NULL;

  g_clear_error (&save_failure);
  save_failure = g_error_new_literal (PRISM_ERROR, snapshot->error, snapshot->message);
  if (again)
    prism_engine_stop (engine);
  else
    prism_engine_run (engine);
  return again;
}

static void
note_saved (const PrismSnapshot *snapshot)
{
  if (save_failure == NULL || snapshot->error >= 0)
    return;
  fprintf (stderr,
           "prism-cli: The run's file could not be written and was tried again: %s\n",
           save_failure->message);
  g_clear_error (&save_failure);
}

static PrismSnapshot *
wait_for_end (PrismEngine *engine,
              PrismCliProgress *progress)
{
  gboolean stopping = FALSE, gave_up = FALSE;

  g_clear_error (&save_failure);
  for (;;)
    {
      g_autoptr (PrismSnapshot) snapshot = prism_engine_wait (engine, SIGNAL_INTERVAL);

      if (caught_signal != 0 && !stopping)
        {
          prism_engine_stop (engine);
          stopping = TRUE;
        }
      if (snapshot == NULL)
        continue;
      prism_cli_progress_show (progress, snapshot);
      if (!stopping && snapshot->state == PRISM_STATE_PAUSED && snapshot->error >= 0)
        stopping = gave_up = give_up_saving (engine, snapshot);
      else if (!gave_up)
        note_saved (snapshot);
      if (is_over (snapshot->state))
        return g_steal_pointer (&snapshot);
    }
}

/**
 * prism_cli_engine_run:
 * @engine: an engine
 * @config: what to run
 * @quiet: whether to show nothing
 * @error: return location
 *
 * Reconstructs, showing how it gets on. Another run of the same engine finds the measurements that
 * the two have in common.
 *
 * Errors: those of prism_engine_configure().
 *
 * Returns: (transfer full) (nullable): the last snapshot; it may have failed
 */
PrismSnapshot *
prism_cli_engine_run (PrismEngine *engine,
                      const PrismConfig *config,
                      gboolean quiet,
                      GError **error)
{
  g_auto (PrismCliProgress) progress = { 0 };
  PrismSnapshot *snapshot;

  prism_registry_find (config->backend); /* what cannot be run is refused at once then */
  if (!prism_engine_configure (engine, config, error))
    return NULL;
  prism_cli_progress_init (&progress, quiet);
  prism_engine_set_interval (engine, quiet ? QUIET_INTERVAL : SNAPSHOT_INTERVAL);
  prism_engine_run (engine);
  snapshot = wait_for_end (engine, &progress);
  prism_cli_progress_finish (&progress);
  return snapshot;
}

static gboolean
is_ready (PrismState state)
{
  return state == PRISM_STATE_PAUSED || is_over (state);
}

/**
 * prism_cli_engine_go_on:
 * @engine: an engine that has been told to resume a run
 * @quiet: whether to show nothing
 *
 * Waits until the run is there, lets it go on, and shows how it gets on.
 *
 * Returns: (transfer full): the last snapshot; it may have failed
 */
PrismSnapshot *
prism_cli_engine_go_on (PrismEngine *engine,
                        gboolean quiet)
{
  g_auto (PrismCliProgress) progress = { 0 };
  g_autoptr (PrismSnapshot) first = NULL;
  PrismSnapshot *snapshot;

  while (first == NULL || !is_ready (first->state))
    {
      g_clear_pointer (&first, prism_snapshot_unref);
      first = prism_engine_wait (engine, SIGNAL_INTERVAL);
    }
  if (is_over (first->state))
    return g_steal_pointer (&first);
  prism_cli_progress_init (&progress, quiet);
  prism_engine_set_interval (engine, quiet ? QUIET_INTERVAL : SNAPSHOT_INTERVAL);
  prism_engine_run (engine);
  snapshot = wait_for_end (engine, &progress);
  prism_cli_progress_finish (&progress);
  return snapshot;
}
