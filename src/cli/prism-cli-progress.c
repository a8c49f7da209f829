#include "config.h"

#include "prism-cli-progress.h"

#include "base/prism-clock.h"
#include "base/prism-file.h"
#include "prism-cli-output.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define BAR_CELLS 16
#define BAR_INTERVAL 0.1 /* s between two drawings of the bar */

/**
 * prism_cli_progress_init:
 * @self: (out caller-allocates): what shows
 * @quiet: whether to show nothing
 *
 * Looks at where the standard output goes.
 */
void
prism_cli_progress_init (PrismCliProgress *self,
                         gboolean quiet)
{
  memset (self, 0, sizeof *self);
  self->quiet = quiet;
  self->terminal = isatty (STDOUT_FILENO) && g_strcmp0 (g_getenv ("TERM"), "dumb") != 0;
  self->utf8 = g_get_charset (NULL);
  self->last_tenth = -1;
  self->last_phase = PRISM_PHASE_DONE;
}

/**
 * prism_cli_progress_clear:
 * @self: what shows
 *
 * Frees what it holds.
 */
void
prism_cli_progress_clear (PrismCliProgress *self)
{
  g_clear_pointer (&self->last_message, g_free);
  g_clear_pointer (&self->last_notice, g_free);
}

/* Of the time, because a pass of ePIE takes as long as many steps. The estimate may grow, the bar
 * must not shrink; but where training turns out to be needed, the run begins anew. */
static void
update_fraction (PrismCliProgress *self,
                 const PrismSnapshot *snapshot)
{
  double whole = snapshot->seconds + snapshot->seconds_left;

  if (snapshot->training == PRISM_TRAINING_NEEDED && self->waited)
    self->fraction = 0.0;
  self->waited = snapshot->training == PRISM_TRAINING_WAITS;
  if (isfinite (whole) && whole > 0)
    self->fraction = CLAMP (snapshot->seconds / whole, self->fraction, 1.0);
}

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
        return g_strdup_printf ("sample %u/%u (plateau)", snapshot->sample + 1,
                                snapshot->n_samples);
      if (snapshot->attempt > 0)
        return g_strdup_printf ("sample %u/%u (retry %u, %u failed)", snapshot->sample + 1,
                                snapshot->n_samples, snapshot->attempt, snapshot->n_failed);
      return g_strdup_printf ("sample %u/%u", snapshot->sample + 1, snapshot->n_samples);
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
static void
append_field (GString *text,
              int room,
              const char *format,
              ...) G_GNUC_PRINTF (3, 4);

static void
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

static void
append_time_left (GString *text,
                  int room,
                  double seconds)
{
  g_autofree char *left = NULL;

  if (!isfinite (seconds) || seconds > 360000)
    return;
  left = prism_clock_dup_duration (ceil (seconds));
  append_field (text, room, "%s left", left);
}

/* "sample 12/100, 14 s left, PSNR 27.31 dB, 196 it/s, loss 1.2e-02, old 3.4e-02": what matters
 * most comes first, what does not fit is left out. */
static char *
dup_status (const PrismSnapshot *snapshot,
            int room)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree char *place = dup_place (snapshot);

  append_field (text, room, "%s", place);
  append_time_left (text, room, snapshot->seconds_left);
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

static int
get_width (void)
{
  struct winsize size;

  if (ioctl (STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    return size.ws_col;
  return 80;
}

static void
draw_bar (PrismCliProgress *self,
          const PrismSnapshot *snapshot)
{
  /* A line that wraps would scroll the screen away. */
  g_autofree char *status = dup_status (snapshot, get_width () - BAR_CELLS - 4);
  int n_full = (int) (self->fraction * BAR_CELLS);

  fputs ("\r[", stdout);
  for (int i = 0; i < BAR_CELLS; i++)
    fputs (i >= n_full ? (self->utf8 ? "·" : " ") : (self->utf8 ? "█" : "#"), stdout);
  printf ("] %s\033[K", status);
  fflush (stdout);
}

static void
show_bar (PrismCliProgress *self,
          const PrismSnapshot *snapshot)
{
  double now = g_get_monotonic_time () * 1e-6;

  if (now - self->last_shown < BAR_INTERVAL)
    return;
  self->last_shown = now;
  draw_bar (self, snapshot);
}

static void
show_line (PrismCliProgress *self,
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

/* A notice, such as that the run went back to an earlier state. */
static void
show_message (PrismCliProgress *self,
              const PrismSnapshot *snapshot)
{
  if (snapshot->message == NULL || g_strcmp0 (snapshot->message, self->last_message) == 0)
    return;
  g_free (self->last_message);
  self->last_message = g_strdup (snapshot->message);
  if (self->terminal && !self->quiet)
    fputs ("\r\033[K", stdout);
  fflush (stdout);
  prism_cli_print_line (stderr, "prism-cli: %s", snapshot->message);
}

/* What the object does not show of its file, once for each object. */
static void
show_object_notice (PrismCliProgress *self,
                    const PrismSnapshot *snapshot)
{
  g_autofree char *notice = prism_snapshot_dup_object_notice (snapshot);
  g_autofree char *name = NULL;

  if (notice == NULL || g_strcmp0 (notice, self->last_notice) == 0)
    return;
  name = prism_file_dup_display_name (snapshot->config->object);
  if (self->terminal && !self->quiet)
    fputs ("\r\033[K", stdout);
  fflush (stdout);
  prism_cli_print_line (stderr, "prism-cli: “%s”: %s", name, notice);
  g_free (self->last_notice);
  self->last_notice = g_steal_pointer (&notice);
}

/**
 * prism_cli_progress_show:
 * @self: what shows
 * @snapshot: of a run under way
 *
 * Shows the snapshot: the bar at most ten times a second, lines about every tenth of the time.
 */
void
prism_cli_progress_show (PrismCliProgress *self,
                         const PrismSnapshot *snapshot)
{
  /* A failure is reported at the end, a notice may come with the very last snapshot. */
  if (snapshot->error < 0)
    show_message (self, snapshot);
  show_object_notice (self, snapshot);
  if (snapshot->state != PRISM_STATE_RUNNING && snapshot->state != PRISM_STATE_PREPARING)
    return;
  update_fraction (self, snapshot);
  if (self->quiet)
    return;
  if (self->terminal)
    show_bar (self, snapshot);
  else
    show_line (self, snapshot);
}

/**
 * prism_cli_progress_finish:
 * @self: what shows
 *
 * Takes the bar away.
 */
void
prism_cli_progress_finish (PrismCliProgress *self)
{
  if (!self->quiet && self->terminal)
    fputs ("\r\033[K", stdout);
  fflush (stdout);
}
