#include "config.h"

#include "prism-cli-engine.h"

#include "base/prism-clock.h"
#include "base/prism-each.h"
#include "base/prism-error.h"
#include "base/prism-temporary.h"
#include "device/prism-registry.h"
#include "history/prism-snapshot.h"
#include "prism-cli-output.h"

#include <signal.h>
#include <stdarg.h>
#include <sys/ioctl.h>

/* Shows how a run gets on: a bar on a terminal, lines elsewhere. */

typedef struct
{
  gboolean quiet;
  gboolean terminal;
  gboolean utf8;
  double fraction; /* 0…1, does not go back within a go at the samples */
  gboolean waited; /* the last snapshot was of a run whose decoder waits */
  int last_tenth;  /* of the last line, -1 before the first */
  PrismPhase last_phase;
  guint last_search;
  double last_shown;  /* s, of the bar */
  guint64 n_rows;     /* of passes over recorded frames that were shown */
  guint n_tiles;      /* of their field, the same */
  double began;       /* s */
  gboolean searches;  /* for the pupil, as far as is known, */
  gboolean is_slow;   /* which was told */
  char *last_message; /* (nullable) */
  char *last_notice;  /* (nullable) */
} Progress;

#define SLOW_SEARCH 2.0 /* s */
#define BAR_CELLS 16
#define BAR_INTERVAL 0.1 /* s between two drawings of the bar */

/* Frees what it holds. */
PRISM_CLEAR (Progress, progress_clear, g_free, last_message, g_free, last_notice)

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Progress, progress_clear)

static char *
dup_place (const PrismSnapshot *snapshot)
{
  switch (snapshot->phase)
    {
    case PRISM_PHASE_START:
      return g_strdup_printf ("start image, step %u/%d", snapshot->sample_step,
                              snapshot->config->start_steps);
    case PRISM_PHASE_SAMPLES:
      if (snapshot->n_live_passes > 0)
        return g_strdup_printf ("live picture, pass %u/%u", snapshot->live_pass + 1,
                                snapshot->n_live_passes);
      if (snapshot->tier == PRISM_TIER_AGGRESSIVE)
        return g_strdup_printf ("position %u/%u (plateau)", snapshot->sample + 1,
                                snapshot->n_samples);
      if (snapshot->attempt > 0)
        return g_strdup_printf ("position %u/%u (retry %u, %u failed)", snapshot->sample + 1,
                                snapshot->n_samples, snapshot->attempt, snapshot->n_failed);
      return g_strdup_printf ("position %u/%u", snapshot->sample + 1, snapshot->n_samples);
    case PRISM_PHASE_POLISH:
      if (snapshot->config->until_converged && snapshot->settling.change > 0.0)
        return g_strdup_printf ("pass %u, moved by %.2g %% (ends below %.2g %%)",
                                snapshot->pass + 1, 100.0 * snapshot->settling.change,
                                100.0 * snapshot->settling.limit);
      if (snapshot->search > 0)
        return g_strdup_printf ("exit waves, search %u, pass %u", snapshot->search,
                                snapshot->pass + 1);
      return g_strdup_printf ("pass %u/%u", snapshot->pass + 1, snapshot->n_passes);
    case PRISM_PHASE_PREPARE:
      return g_strdup ("preparing");
    case PRISM_PHASE_DONE:
    default:
      return g_strdup ("done");
    }
}

/* Adds a field as long as it fits. */
static void G_GNUC_PRINTF (3, 4)
    append_field (GString *text,
                  int room,
                  const char *format,
                  ...)
{
  g_autofree char *field = NULL;
  va_list arguments;

  va_start (arguments, format);
  field = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  if ((int) (text->len + 2 + strlen (field)) <= room)
    g_string_append_printf (text, "%s%s", text->len > 0 ? ", " : "", field);
}

/* "position 12/100, 14 s left, PSNR 27.31 dB, 196 it/s, loss 1.2e-02, old 3.4e-02": what matters
 * most comes first, what does not fit is left out. */
static char *
dup_status (const PrismSnapshot *snapshot,
            int room)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree char *place = dup_place (snapshot);
  g_autofree char *left = NULL;

  append_field (text, room, "%s", place);
  if (snapshot->seconds_left <= 360000)
    {
      left = prism_clock_dup_duration (ceil (snapshot->seconds_left));
      append_field (text, room, "%s left", left);
    }
  if (isfinite (snapshot->metrics.psnr))
    append_field (text, room, "PSNR %.2f dB", snapshot->metrics.psnr);
  if (snapshot->phase == PRISM_PHASE_POLISH)
    {
      if (isfinite (snapshot->misfit))
        append_field (text, room, "misfit %.1e", snapshot->misfit);
      return g_strdup (text->str);
    }
  if (snapshot->steps_per_second > 0)
    append_field (text, room, "%.0f it/s", snapshot->steps_per_second);
  if (isfinite (snapshot->loss_new))
    append_field (text, room, "%s %.1e",
                  snapshot->training == PRISM_TRAINING_WAITS ? "misfit" : "loss",
                  snapshot->loss_new);
  if (isfinite (snapshot->loss_old))
    append_field (text, room, "old %.1e", snapshot->loss_old);
  return g_strdup (text->str);
}

static void
show_bar (Progress *self,
          const PrismSnapshot *snapshot)
{
  const double now = g_get_monotonic_time () * 1e-6;
  g_autofree char *status = NULL;
  int n_full = (int) (self->fraction * BAR_CELLS);
  struct winsize size;
  int width = 80;

  if (now - self->last_shown < BAR_INTERVAL)
    return;
  self->last_shown = now;
  /* A line that wraps would scroll the screen away. */
  if (ioctl (STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    width = size.ws_col;
  status = dup_status (snapshot, width - BAR_CELLS - 4);
  fputs ("\r[", stdout);
  for (int i = 0; i < BAR_CELLS; i++)
    fputs (i >= n_full ? (self->utf8 ? "·" : " ") : (self->utf8 ? "█" : "#"), stdout);
  printf ("] %s\033[K", status);
  fflush (stdout);
}

static void
show_line (Progress *self,
           const PrismSnapshot *snapshot)
{
  g_autofree char *status = NULL;
  int tenth = (int) (10 * self->fraction);

  if (tenth == self->last_tenth && snapshot->phase == self->last_phase
      && snapshot->search == self->last_search)
    return;
  self->last_tenth = tenth;
  self->last_phase = snapshot->phase;
  self->last_search = snapshot->search;
  status = dup_status (snapshot, G_MAXINT);
  if (snapshot->search > 0)
    printf ("  ? %%  %s\n", status);
  else
    printf ("%3.0f %%  %s\n", 100 * self->fraction, status);
  fflush (stdout);
}

/* On a line of its own, unless it is what was said last. */
static void
tell_once (const Progress *self,
           char **last,
           const char *text)
{
  if (text == NULL || g_strcmp0 (text, *last) == 0)
    return;
  g_free (*last);
  *last = g_strdup (text);
  if (self->terminal && !self->quiet)
    fputs ("\r\033[K", stdout);
  fflush (stdout);
  prism_cli_warn ("%s", text);
}

/* There is no snapshot while it lasts. */
static void
show_search (Progress *self)
{
  if (!self->searches || self->is_slow || prism_clock_get_seconds () - self->began < SLOW_SEARCH)
    return;
  self->is_slow = TRUE;
  if (self->quiet)
    return;
  prism_cli_say ("The search for the pupil goes on; Ctrl+C ends it.");
  fflush (stdout);
}

/* Shows the snapshot: the bar at most ten times a second, lines about every tenth of the time. */
static void
progress_show (Progress *self,
               const PrismSnapshot *snapshot)
{
  g_autofree char *notice = prism_snapshot_dup_object_notice (snapshot), *line = NULL;
  const GPtrArray *tiles;
  double whole;

  /* A failure is reported at the end, a notice may come with the very last snapshot. */
  if (snapshot->error < 0)
    tell_once (self, &self->last_message, snapshot->message);
  if (notice != NULL)
    line = g_strdup_printf ("“%s”: %s", snapshot->config->object, notice);
  tell_once (self, &self->last_notice, line);
  if (prism_snapshot_is_recorded (snapshot))
    {
      /* Of recorded frames a line for every pass. */
      self->searches = snapshot->state == PRISM_STATE_RUNNING && snapshot->pass == 0
                       && snapshot->sample == 0 && prism_snapshot_searches_pupil (snapshot);
      for (; !self->quiet && self->n_rows < snapshot->n_rows; self->n_rows++)
        {
          const PrismHistoryRow row = prism_history_get_row (snapshot->history, self->n_rows);
          const guint tile = prism_snapshot_get_tile (snapshot, row.sample_step);
          g_autofree char *pass
              = tile > 0 ? g_strdup_printf ("Tile %u of %u, pass %u of %u", tile,
                                            snapshot->n_tiles, row.sample_step, snapshot->n_passes)
                         : g_strdup_printf ("Pass %u of %u", row.sample_step, snapshot->n_passes);

          if (row.correlation != 0.0)
            prism_cli_say ("%s: held-out misfit %.4f, correlation %.4f, %.2f s.", pass,
                           row.loss_new, row.correlation, row.seconds);
          else
            prism_cli_say ("%s: misfit %.4f, %.2f s.", pass, row.loss_new, row.seconds);
        }
      /* And one for every tile that the object has. */
      tiles = snapshot->finding != NULL ? snapshot->finding->tiles : NULL;
      for (; !self->quiet && tiles != NULL && self->n_tiles < tiles->len; self->n_tiles++)
        {
          const char *tile = g_ptr_array_index (tiles, self->n_tiles);
          g_autofree char *left = prism_clock_dup_duration (snapshot->seconds_left);

          if (snapshot->seconds_left > 0 && self->n_tiles + 1 == tiles->len)
            prism_cli_say ("%s %s%s left.", tile,
                           prism_snapshot_is_least (snapshot) ? "At least " : "", left);
          else
            prism_cli_say ("%s", tile);
        }
      fflush (stdout);
      return;
    }
  if (snapshot->state != PRISM_STATE_RUNNING && snapshot->state != PRISM_STATE_PREPARING)
    return;
  /* Of the time, because a pass of ePIE takes as long as many steps. The estimate may grow, the bar
   * must not shrink; but where training turns out to be needed, the run begins anew. */
  whole = snapshot->seconds + snapshot->seconds_left;
  if (snapshot->training == PRISM_TRAINING_NEEDED && self->waited)
    self->fraction = 0.0;
  self->waited = snapshot->training == PRISM_TRAINING_WAITS;
  if (isfinite (whole) && whole > 0)
    self->fraction = CLAMP (snapshot->seconds / whole, self->fraction, 1.0);
  if (self->quiet)
    return;
  if (self->terminal)
    show_bar (self, snapshot);
  else
    show_line (self, snapshot);
}

#define LOOK_INTERVAL 100     /* ms between two looks for a signal in a main loop */
#define SIGNAL_INTERVAL 50    /* ms between two looks for a signal */
#define SNAPSHOT_INTERVAL 200 /* ms; each costs a copy of the images */
#define FRAMES_INTERVAL 1000  /* ms, of recorded frames; each predicts all of them */
#define QUIET_INTERVAL 5000   /* ms; nobody looks at them */

static volatile sig_atomic_t caught_signal;
static GError *save_failure; /* (nullable): why the run's file is not whole */

/* Ends the program as the signal would have, and leaves nothing half written. */
static void
end_tidily (int number)
{
  prism_temporary_unlink ();
  signal (number, SIG_DFL);
  raise (number);
}

static void
catch_signal (int number)
{
  caught_signal = number;
  signal (number, end_tidily);
}

static void
set_handler (void (*handler) (int number))
{
  static const int numbers[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM };
  /* A line that waits for its reader is written all the same. */
  struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART }, old;

  sigemptyset (&action.sa_mask);
  PRISM_FOR_EACH_OF (one, numbers)
    if (sigaction (*one, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
      sigaction (*one, &action, NULL);
}

/**
 * prism_cli_engine_end_tidily:
 *
 * Until prism_cli_engine_catch_signals() the first signal ends the program; files that are being
 * written go with it.
 */
void
prism_cli_engine_end_tidily (void)
{
  set_handler (end_tidily);
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
  set_handler (catch_signal);
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
 * prism_cli_engine_take_signal:
 *
 * Lets the program go on with what follows; another signal stops that.
 *
 * Returns: the signal that has ended what was before, 0 for none
 */
int
prism_cli_engine_take_signal (void)
{
  const int number = caught_signal;

  caught_signal = 0;
  prism_cli_engine_catch_signals ();
  return number;
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
  prism_cli_warn ("Stopped.%s", more);
  return (PrismExit) (128 + caught_signal);
}

/**
 * prism_cli_engine_get_exit:
 *
 * Returns: how the program ends where all went well: PRISM_EXIT_OK, or as a signal ends it
 */
PrismExit
prism_cli_engine_get_exit (void)
{
  return caught_signal != 0 ? (PrismExit) (128 + caught_signal) : PRISM_EXIT_OK;
}

/**
 * prism_cli_engine_check:
 * @snapshot: how a run has ended
 * @error: return location
 *
 * Errors: that of a run that failed; PRISM_ERROR_CANCELLED where it was stopped before there was
 * anything.
 *
 * Returns: whether there is something
 */
gboolean
prism_cli_engine_check (const PrismSnapshot *snapshot,
                        GError **error)
{
  if (snapshot->state != PRISM_STATE_FAILED && !prism_snapshot_is_vain (snapshot))
    return TRUE;
  g_set_error_literal (error, PRISM_ERROR, snapshot->error, snapshot->message);
  return FALSE;
}

static gboolean
look (gpointer unused)
{
  return G_SOURCE_CONTINUE;
}

/**
 * prism_cli_engine_wait_for:
 * @work: what goes on in the main loop
 * @is_over: whether nothing more can happen
 * @stop: ends it early
 *
 * Lets it go on to its end; a signal stops it. A reader that goes away, as of “prism-cli sweep |
 * head”, must not cost the runs.
 */
void
prism_cli_engine_wait_for (gpointer work,
                           gboolean (*is_over) (gpointer work),
                           void (*stop) (gpointer work))
{
  const guint clock = g_timeout_add (LOOK_INTERVAL, look, NULL);
  gboolean stopped = FALSE;

  signal (SIGPIPE, SIG_IGN);
  while (!is_over (work))
    {
      if (caught_signal != 0 && !stopped)
        {
          stop (work);
          stopped = TRUE;
        }
      else
        g_main_context_iteration (NULL, TRUE);
    }
  g_source_remove (clock);
}

/**
 * prism_cli_dup_program:
 *
 * Returns: (transfer full): where this program is, to be run again
 */
char *
prism_cli_dup_program (void)
{
  char *program = g_file_read_link ("/proc/self/exe", NULL);

  return program != NULL ? program : g_strdup ("prism-cli");
}

/**
 * prism_cli_engine_is_over:
 * @state: of a run
 *
 * Returns: whether nothing more can happen
 */
gboolean
prism_cli_engine_is_over (PrismState state)
{
  return state == PRISM_STATE_STOPPED || state == PRISM_STATE_FINISHED
         || state == PRISM_STATE_FAILED;
}

/**
 * prism_cli_engine_get_save_failure:
 *
 * Returns: (transfer none) (nullable): why the file of the last run is not as the run has ended: it
 *   could not be written, which stops a run where it is tried again in vain
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

static PrismSnapshot *
wait_for_end (PrismEngine *engine,
              Progress *progress)
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
        {
          show_search (progress);
          continue;
        }
      progress_show (progress, snapshot);
      if (!stopping && snapshot->state == PRISM_STATE_PAUSED && snapshot->error >= 0)
        stopping = gave_up = give_up_saving (engine, snapshot);
      else if (!gave_up && save_failure != NULL && snapshot->error < 0)
        {
          prism_cli_warn ("The run's file could not be written and was tried again: %s",
                          save_failure->message);
          g_clear_error (&save_failure);
        }
      if (!prism_cli_engine_is_over (snapshot->state))
        continue;
      /* Writing the result of recorded frames takes it out of the snapshot. */
      if (save_failure == NULL && snapshot->error >= 0 && prism_cli_engine_check (snapshot, NULL))
        save_failure = g_error_new_literal (PRISM_ERROR, snapshot->error, snapshot->message);
      return g_steal_pointer (&snapshot);
    }
}

static PrismSnapshot *
run_to_end (PrismEngine *engine,
            gboolean is_recorded,
            gboolean quiet)
{
  g_auto (Progress) progress = { 0 };
  PrismSnapshot *snapshot;

  /* Looks at where the standard output goes. */
  progress.quiet = quiet;
  progress.terminal = isatty (STDOUT_FILENO) && g_strcmp0 (g_getenv ("TERM"), "dumb") != 0;
  progress.utf8 = g_get_charset (NULL);
  progress.last_tenth = -1;
  progress.last_phase = PRISM_PHASE_DONE;
  progress.began = prism_clock_get_seconds ();
  prism_engine_set_interval (engine, quiet         ? QUIET_INTERVAL
                                     : is_recorded ? FRAMES_INTERVAL
                                                   : SNAPSHOT_INTERVAL);
  prism_engine_run (engine);
  snapshot = wait_for_end (engine, &progress);
  /* Takes the bar away. */
  if (!progress.quiet && progress.terminal)
    fputs ("\r\033[K", stdout);
  fflush (stdout);
  return snapshot;
}

/**
 * prism_cli_engine_run:
 * @engine: an engine
 * @config: what to run
 * @scene: (nullable): recorded frames
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
                      PrismScene *scene,
                      gboolean quiet,
                      GError **error)
{
  prism_registry_find (config->backend); /* what cannot be run is refused at once then */
  if (!prism_engine_configure_scene (engine, config, scene, error))
    return NULL;
  return run_to_end (engine, config->kind == PRISM_FRAMES_RECORDED, quiet);
}

/**
 * prism_cli_engine_wait_ready:
 * @engine: an engine that has been told to resume a run
 *
 * A signal stops the run that is there by then: it must not go on, for a run that has stopped would
 * begin anew.
 *
 * Returns: (transfer full): the snapshot of the run as it was, of what a signal has left of it, or
 *   of what has failed
 */
PrismSnapshot *
prism_cli_engine_wait_ready (PrismEngine *engine)
{
  g_autoptr (PrismSnapshot) first = NULL;
  gboolean stopping = FALSE;

  while (first == NULL
         || ((stopping || first->state != PRISM_STATE_PAUSED)
             && !prism_cli_engine_is_over (first->state)))
    {
      g_clear_pointer (&first, prism_snapshot_unref);
      first = prism_engine_wait (engine, SIGNAL_INTERVAL);
      if (caught_signal != 0 && !stopping)
        prism_engine_stop (engine);
      stopping |= caught_signal != 0;
    }
  return g_steal_pointer (&first);
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
  g_autoptr (PrismSnapshot) first = prism_cli_engine_wait_ready (engine);

  if (prism_cli_engine_is_over (first->state))
    return g_steal_pointer (&first);
  return run_to_end (engine, prism_snapshot_is_recorded (first), quiet);
}

#define LINE_INTERVAL 50 /* ms between two looks for a signal */

static gpointer
watch (gpointer data)
{
  PrismCliWatch *self = data;

  while (!g_atomic_int_get (&self->over))
    {
      if (prism_cli_engine_get_signal () != 0)
        {
          g_cancellable_cancel (self->cancellable);
          break;
        }
      g_usleep (LINE_INTERVAL * 1000);
    }
  return NULL;
}

/**
 * prism_cli_watch_init:
 * @self: (out caller-allocates): what is to be handed to whatever can be cancelled; it must not
 *   move
 *
 * Begins to look for signals that prism_cli_engine_catch_signals() catches. Until
 * prism_cli_watch_clear() they end what this thread makes ready, see prism_parallel_go_on().
 */
void
prism_cli_watch_init (PrismCliWatch *self)
{
  self->cancellable = g_cancellable_new ();
  g_cancellable_push_current (self->cancellable);
  self->over = FALSE;
  self->thread = g_thread_new ("signals", watch, self);
}

/**
 * prism_cli_watch_clear:
 * @self: looking for signals
 *
 * Ends that.
 */
void
prism_cli_watch_clear (PrismCliWatch *self)
{
  g_atomic_int_set (&self->over, TRUE);
  g_thread_join (self->thread);
  g_cancellable_pop_current (self->cancellable);
  g_object_unref (self->cancellable);
}
