#include "config.h"

#include "window/prism-status-bar.h"

#include "base/prism-clock.h"
#include "base/prism-system.h"
#include "prism-finding-draw.h"
#include "prism-scale.h"
#include "results/prism-frc.h"
#include "support/prism-overflow-box.h"
#include "support/prism-widget.h"
#include "support/prism-ui-text.h"
#include "window/prism-device-page.h"

/* While a run goes on: nobody reads faster, and each new text lays out the window. */
#define INTERVAL 100 /* ms */
/* Between two snapshots, too, which may be seconds apart, the time goes on. */
#define TICK 1000 /* ms */

struct _PrismStatusBar
{
  AdwBin parent_instance;

  GtkMenuButton *device_button;
  PrismDevicePage *device_page;

  PrismSession *session; /* (nullable) */
  PrismState newest_state;
  PrismSnapshot *newest; /* (nullable): to be shown, at once or when the time has come */
  PrismSnapshot *past;   /* (nullable): the moment whose numbers are to be shown */
  PrismThrottle *throttle;
  double expected[2]; /* s, of a whole run, at least and at most; NAN */
  double arrived;     /* s: when the newest one came */
  guint tick_id;

  PrismState state;        /* on the bar */
  PrismSnapshot *snapshot; /* (nullable): on the bar */
  PrismSnapshot *shown;    /* (nullable): whose numbers are on the bar */
  double spent;            /* s, of the run so far; it never goes back, */
  double progress;         /* 0…1, and nor does this */
};

G_DEFINE_FINAL_TYPE (PrismStatusBar, prism_status_bar, ADW_TYPE_BIN)

/* What the template binds: texts of the state of the session, of its newest snapshot, and of the
 * moment that is shown; an empty text hides its label. */

static gboolean
has_text (PrismStatusBar *self,
          const char *text)
{
  return text != NULL && *text != '\0';
}

static char *
dup_icon (PrismStatusBar *self,
          int state)
{
  static const char *const icons[] = {
    [PRISM_STATE_IDLE] = "content-loading-symbolic",
    [PRISM_STATE_PREPARING] = "media-playback-start-symbolic",
    [PRISM_STATE_RUNNING] = "media-playback-start-symbolic",
    [PRISM_STATE_PAUSED] = "media-playback-pause-symbolic",
    [PRISM_STATE_STOPPED] = "media-playback-stop-symbolic",
    [PRISM_STATE_FINISHED] = "object-select-symbolic",
    [PRISM_STATE_FAILED] = "dialog-warning-symbolic",
  };

  if (self->session != NULL && (self->session->opening != NULL || self->session->stopping))
    state = PRISM_STATE_IDLE;
  return g_strdup (icons[state]);
}

static char *
dup_state (PrismStatusBar *self,
           int state,
           const PrismSnapshot *snapshot)
{
  const PrismSession *session = self->session;
  const char *phase = NULL;
  const char *name = self->past != NULL ? _ ("Past") : prism_ui_text_get_state (state);

  if (session != NULL && session->stopping)
    return g_strdup (_ ("Stopping…"));
  if (session != NULL && session->opening != NULL)
    return g_strdup_printf (_ ("Opening “%s”…"), session->opening);
  if (snapshot != NULL
      && (state == PRISM_STATE_RUNNING || state == PRISM_STATE_PAUSED
          || state == PRISM_STATE_PREPARING))
    phase = prism_ui_text_get_phase (snapshot);
  if (phase == NULL)
    return g_strdup (name);
  if (state == PRISM_STATE_RUNNING && snapshot->counters.is_tuning)
    /* TRANSLATORS: “Running: samples, tuning”: steps are timed to find the quickest way */
    return g_strdup_printf (_ ("%s: %s, tuning"), name, phase);
  return g_strdup_printf ("%s: %s", name, phase);
}

static char *
dup_training (PrismStatusBar *self,
              const PrismSnapshot *snapshot)
{
  const char *training = snapshot != NULL ? prism_training_get_text (snapshot->training) : NULL;
  const char *maker = snapshot != NULL ? prism_snapshot_get_maker (snapshot) : NULL;

  if (snapshot != NULL && snapshot->search > 0)
    return g_strdup (_ ("Passes alone do not suffice: the exit waves of the frames are"
                        " searched."));
  if (training != NULL || maker == NULL)
    return g_strdup (training);
  return g_strdup_printf (_ ("Picture: %s"), maker);
}

/* Of a run that was stopped nobody knows how much was left. */
static gboolean
has_progress (PrismStatusBar *self,
              int state)
{
  return state != PRISM_STATE_IDLE && state != PRISM_STATE_STOPPED;
}

static double
get_fraction (const PrismSnapshot *snapshot)
{
  return snapshot == NULL || snapshot->n_steps == 0
             ? 0
             : CLAMP ((double) snapshot->step / (double) snapshot->n_steps, 0, 1);
}

/* How many steps there will be may turn out to be more: the bar stands still until then. */
static double
get_progress (PrismStatusBar *self,
              int state,
              const PrismSnapshot *snapshot)
{
  if (state == PRISM_STATE_FINISHED)
    return 1;
  if (state == PRISM_STATE_PREPARING) /* the snapshot is of the run before */
    return 0;
  return snapshot != self->snapshot ? get_fraction (snapshot) : self->progress;
}

static char *
dup_position (PrismStatusBar *self,
              const PrismSnapshot *shown)
{
  return shown != NULL ? prism_ui_text_dup_place (shown) : NULL;
}

static char *
dup_convergence (PrismStatusBar *self,
                 const PrismSnapshot *shown)
{
  if (shown == NULL || shown->sample_states == NULL || shown->n_visited == 0)
    return NULL;
  return prism_convergence_dup_text (shown->sample_states, shown->n_samples);
}

static gboolean
has_loss (const PrismSnapshot *shown)
{
  return shown != NULL && shown->step > 0 && isfinite (shown->loss_new)
         && shown->phase != PRISM_PHASE_DONE;
}

static char *
dup_losses (PrismStatusBar *self,
            const PrismSnapshot *shown)
{
  g_autofree char *loss_new = NULL;
  g_autofree char *loss_old = NULL;

  if (shown != NULL && isfinite (shown->misfit))
    {
      g_autofree char *misfit = prism_ui_text_dup_loss (shown->misfit);
      g_autofree char *verdict = prism_snapshot_dup_verdict (shown);

      if (verdict == NULL)
        return g_strdup_printf (_ ("Misfit %s"), misfit);
      /* TRANSLATORS: the second one is “explained” or “not explained” */
      return g_strdup_printf (_ ("Misfit %s, %s"), misfit, verdict);
    }
  if (!has_loss (shown))
    return NULL;
  loss_new = prism_ui_text_dup_loss (shown->loss_new);
  if (prism_snapshot_is_untrained (shown))
    return g_strdup_printf (_ ("Misfit %s"), loss_new);
  loss_old = prism_ui_text_dup_loss (shown->loss_old);
  /* In the beginning there is no earlier sample to look at again. */
  if (!isfinite (shown->loss_old))
    return g_strdup_printf (_ ("Loss %s"), loss_new);
  return g_strdup_printf (_ ("Loss %s / %s"), loss_new, loss_old);
}

static char *
dup_losses_tooltip (PrismStatusBar *self,
                    const PrismSnapshot *shown)
{
  g_autofree char *remarks = shown != NULL ? prism_snapshot_dup_remarks (shown, FALSE) : NULL;

  /* The verdict may be from some of the measurements only. */
  if (shown != NULL && isfinite (shown->misfit))
    return g_strdup_printf ("%s\n%s",
                            prism_snapshot_is_recorded (shown)
                                ? _ ("Distance of the prediction from the frames that are held"
                                     " out, which were never used")
                                : _ ("Distance of the prediction from all measurements"),
                            remarks);
  if (!has_loss (shown))
    return g_steal_pointer (&remarks);
  return g_strdup (prism_snapshot_is_untrained (shown)
                       ? _ ("Distance of the prediction from the measurements so far")
                       : _ ("Loss of the new position / of the earlier positions"));
}

/* A line about the resolution target; NULL while the run goes on and for other objects. */
static char *
dup_resolution (const PrismSnapshot *snapshot)
{
  PrismResolution resolution;

  if (snapshot->state == PRISM_STATE_RUNNING
      || !prism_resolution_compute_snapshot (&resolution, snapshot))
    return NULL;
  if (resolution.n_resolved == 0)
    return g_strdup (_ ("\nNo element of the target resolved"));
  return g_strdup_printf (_ ("\nFinest element resolved: group %d, element %d"),
                          resolution.finest.group, resolution.finest.element);
}

/* NULL until halves of recorded frames are compared. @is_whole: with how it is known. */
static char *
dup_finest (const PrismSnapshot *snapshot,
            gboolean is_whole)
{
  const PrismFinding *finding = snapshot != NULL ? snapshot->finding : NULL;
  const PrismMeasured *finest = finding != NULL ? prism_finding_get_finest (finding) : NULL;
  g_autofree char *text = NULL;

  if (finest == NULL)
    return NULL;
  text = prism_finding_text_dup_finest (finest, prism_finding_get_limit (finding), is_whole);
  return g_strdup_printf (_ ("Finest period %s"), text);
}

static char *
dup_quality (PrismStatusBar *self,
             const PrismSnapshot *shown)
{
  g_autofree char *finest = dup_finest (shown, FALSE);

  if (finest != NULL)
    return g_steal_pointer (&finest);
  if (shown != NULL && shown->has_no_target)
    return g_strdup (_ ("No target"));
  if (shown == NULL || !isfinite (shown->metrics.psnr))
    return NULL;
  return g_strdup_printf (_ ("PSNR %.1f dB"), shown->metrics.psnr);
}

static char *
dup_quality_tooltip (PrismStatusBar *self,
                     const PrismSnapshot *shown)
{
  g_autofree char *errors = NULL;
  g_autofree char *resolution = NULL;

  if (shown != NULL && shown->has_no_target)
    {
      resolution = dup_finest (shown, TRUE);
      return g_strjoin ("\n", prism_snapshot_get_target_gap (shown), resolution, NULL);
    }
  if (shown == NULL || !isfinite (shown->metrics.ssim))
    return NULL;
  errors = prism_metrics_dup_text (&shown->metrics, 1, TRUE);
  resolution = dup_resolution (shown);
  return g_strconcat (errors, resolution, NULL);
}

static char *
dup_time (PrismStatusBar *self,
          int state,
          const PrismSnapshot *snapshot)
{
  const gboolean is_going = state == PRISM_STATE_RUNNING && snapshot != NULL;
  const double seconds = is_going || snapshot == NULL ? self->spent : snapshot->seconds;
  g_autofree char *spent = NULL, *least = NULL, *most = NULL;
  double left = NAN, longest = NAN;

  if (snapshot == NULL || (snapshot->step == 0 && !is_going))
    return NULL;
  if (is_going)
    {
      /* Passes end when the picture stands still: how many there may be says little of the time.
       * Where the data decide, more may follow. */
      const gboolean is_open = !prism_snapshot_is_recorded (snapshot)
                               && (snapshot->training == PRISM_TRAINING_WAITS
                                   || snapshot->phase == PRISM_PHASE_POLISH);

      if (snapshot->search == 0)
        left = is_open                              ? self->expected[0] - seconds
               : prism_snapshot_is_least (snapshot) ? snapshot->seconds_left
                                                    : snapshot->seconds_left
                                                          - (seconds - snapshot->seconds);
      longest = snapshot->training == PRISM_TRAINING_SET ? left : self->expected[1] - seconds;
    }
  spent = prism_clock_dup_duration (seconds);
  least = prism_clock_dup_duration (left);
  most = prism_clock_dup_duration (fmax (left, longest));
  if (left >= 0 && prism_snapshot_is_least (snapshot))
    return g_strdup_printf (_ ("at least %s left"), least);
  if (left >= 0)
    return g_str_equal (least, most) ? g_strdup_printf (_ ("%s left"), least)
                                     : g_strdup_printf (_ ("%s – %s left"), least, most);
  return longest >= 0 ? g_strdup_printf (_ ("at most %s left"), most)
                      : g_strdup_printf (_ ("%s spent"), spent);
}

/* Beside the numbers of the past a rate would be read as one of them. */
static char *
dup_speed (PrismStatusBar *self,
           const PrismSnapshot *snapshot,
           const PrismSnapshot *shown)
{
  if (snapshot == NULL || snapshot != shown || snapshot->step == 0
      || !isfinite (snapshot->steps_per_second))
    return NULL;
  return g_strdup_printf (_ ("%.0f it/s"), snapshot->steps_per_second);
}

static char *
dup_device (PrismStatusBar *self,
            const PrismSnapshot *snapshot)
{
  return snapshot != NULL ? g_strdup (snapshot->device) : NULL;
}

static char *
dup_device_reason (PrismStatusBar *self,
                   const PrismSnapshot *snapshot)
{
  return snapshot != NULL ? g_strdup (snapshot->device_reason) : NULL;
}

/* A processor's memory is that of the program, which is told before a run begins, too. A graphics
 * processor's is all that its runs have: the limit belongs beside it. */
static char *
dup_memory (PrismStatusBar *self,
            const PrismSnapshot *snapshot)
{
  const gboolean is_cpu = snapshot != NULL
                          && (snapshot->backend == NULL || strcmp (snapshot->backend, "cpu") == 0);
  g_autofree char *used = NULL;
  g_autofree char *all = NULL;

  if (snapshot == NULL || snapshot->memory_used == 0)
    return NULL;
  used = g_format_size_full (is_cpu ? prism_available_get_resident () : snapshot->memory_used,
                             G_FORMAT_SIZE_IEC_UNITS);
  /* The run itself takes less, as the tooltip and the page of the device say. */
  if (is_cpu)
    return g_strdup_printf (_ ("Program %s"), used);
  all = g_format_size_full (snapshot->memory_used + snapshot->memory_available,
                            G_FORMAT_SIZE_IEC_UNITS);
  return g_strdup_printf (_ ("%s of %s"), used, all);
}

static char *
dup_memory_tooltip (PrismStatusBar *self,
                    const PrismSnapshot *snapshot)
{
  return snapshot != NULL ? prism_ui_text_dup_memory (snapshot) : NULL;
}

static char *
dup_cache (PrismStatusBar *self,
           const PrismSnapshot *snapshot)
{
  if (snapshot == NULL || snapshot->cache.hits + snapshot->cache.misses == 0)
    return NULL;
  return g_strdup_printf (_ ("Frames at hand %.0f %%"), 100 * snapshot->cache.pass_rate);
}

static char *
dup_cache_tooltip (PrismStatusBar *self,
                   const PrismSnapshot *snapshot)
{
  const PrismCacheStatistics *cache = snapshot != NULL ? &snapshot->cache : NULL;
  g_autofree char *bytes = NULL, *hits = NULL, *misses = NULL;

  if (cache == NULL)
    return NULL;
  bytes = g_format_size_full (cache->bytes + cache->small_bytes, G_FORMAT_SIZE_IEC_UNITS);
  hits = prism_ticks_dup_count (cache->hits);
  misses = prism_ticks_dup_count (cache->misses);
  return g_strdup_printf (_ ("How often a step or an update of this pass found its frame at "
                             "hand. In the whole run %s did, and for %s the frame had to be "
                             "taken. The cache holds %u frames, %s."),
                          hits, misses, cache->n_entries + cache->n_small, bytes);
}

static void
replace (PrismStatusBar *self,
         PrismSnapshot **slot,
         PrismSnapshot *snapshot,
         const char *property)
{
  PrismSnapshot *before = *slot;

  *slot = prism_snapshot_ref (snapshot);
  prism_snapshot_unref (before);
  g_object_notify (G_OBJECT (self), property);
}

static void
note_progress (PrismStatusBar *self,
               const PrismSnapshot *newest)
{
  const gboolean is_going = newest != NULL && self->newest_state == PRISM_STATE_RUNNING;

  if (newest == NULL || self->snapshot == NULL || self->snapshot->run != newest->run)
    self->spent = self->progress = 0;
  self->progress = MAX (self->progress, get_fraction (newest));
  if (is_going)
    self->spent = MAX (self->spent,
                       newest->seconds + prism_clock_get_seconds () - self->arrived);
}

/* All at once: nobody sees the new state with the old snapshot, nor where a run is with where the
 * moment is that is looked at. */
static void
show (gpointer data)
{
  PrismStatusBar *self = data;
  PrismSnapshot *newest = self->newest;
  PrismSnapshot *shown = self->past != NULL && newest != NULL ? self->past : newest;

  note_progress (self, newest);
  g_object_freeze_notify (G_OBJECT (self));
  self->state = shown != newest ? PRISM_STATE_PAUSED : self->newest_state;
  g_object_notify (G_OBJECT (self), "state");
  replace (self, &self->snapshot, newest, "snapshot");
  replace (self, &self->shown, shown, "shown");
  g_object_thaw_notify (G_OBJECT (self));
  if (self->newest_state == PRISM_STATE_RUNNING)
    prism_later (&self->tick_id, TICK, show, self);
  else
    g_clear_handle_id (&self->tick_id, g_source_remove);
}

static void
prism_status_bar_class_init (PrismStatusBarClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  PRISM_DISPOSE (klass, PrismStatusBar, prism_throttle_free, throttle);
  PRISM_DISPOSE (klass, PrismStatusBar, g_source_remove, tick_id);
  PRISM_DISPOSE (klass, PrismStatusBar, g_object_unref, session);
  PRISM_DISPOSE (klass, PrismStatusBar, prism_snapshot_unref, newest, snapshot, shown, past);
  PRISM_FIELD (klass, PrismStatusBar, state, G_TYPE_INT, NULL);
  PRISM_FIELD (klass, PrismStatusBar, snapshot, PRISM_TYPE_SNAPSHOT, NULL);
  PRISM_FIELD (klass, PrismStatusBar, shown, PRISM_TYPE_SNAPSHOT, NULL);
  g_type_ensure (PRISM_TYPE_OVERFLOW_BOX);
  g_type_ensure (PRISM_TYPE_DEVICE_PAGE);
  PRISM_TEMPLATE (klass, PrismStatusBar, "prism-status-bar.ui", device_button,
                  device_page);
  PRISM_TEMPLATE_CALLBACKS (klass, has_text, dup_icon, dup_state, dup_training, has_progress,
                            get_progress, dup_position, dup_convergence, dup_losses,
                            dup_losses_tooltip, dup_quality, dup_quality_tooltip, dup_time,
                            dup_speed, dup_device, dup_device_reason, dup_memory,
                            dup_memory_tooltip, dup_cache, dup_cache_tooltip,
                            prism_label_show_sign);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_STATUS);
}

static void
on_device_popup (GtkMenuButton *button,
                 gpointer data)
{
  PrismStatusBar *self = data;

  prism_device_page_refresh (self->device_page);
}

static void
prism_status_bar_init (PrismStatusBar *self)
{
  self->throttle = prism_throttle_new (INTERVAL, 0, show, self);
  self->expected[0] = self->expected[1] = NAN;
  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_menu_button_set_create_popup_func (self->device_button, on_device_popup, self, NULL);
}

/**
 * prism_status_bar_set_snapshot:
 * @self: a status bar
 * @state: of the session, which may be ahead of the snapshot
 * @snapshot: (nullable): what is shown
 *
 * Shows the state of a run: at once where state or phase are others, at most ten times a second
 * while it goes on.
 */
void
prism_status_bar_set_snapshot (PrismStatusBar *self,
                               PrismState state,
                               PrismSnapshot *snapshot)
{
  g_autoptr (PrismSnapshot) before = g_steal_pointer (&self->newest);
  gboolean goes_on = state == PRISM_STATE_RUNNING && state == self->newest_state
                     && snapshot != NULL && before != NULL && snapshot->phase == before->phase;

  if (snapshot != before || state != self->newest_state)
    self->arrived = prism_clock_get_seconds ();
  self->newest_state = state;
  self->newest = prism_snapshot_ref (snapshot);
  prism_throttle_call (self->throttle, !goes_on);
}

/**
 * prism_status_bar_set_expected:
 * @self: a status bar
 * @seconds: that the run was expected to take before it began, at least and at most, NAN where
 *   nobody knew
 *
 * Says what is left of it, where the run itself does not know, and what may follow.
 */
void
prism_status_bar_set_expected (PrismStatusBar *self,
                               const double seconds[2])
{
  memcpy (self->expected, seconds, sizeof self->expected);
}

/**
 * prism_status_bar_set_past:
 * @self: a status bar
 * @past: (nullable): the moment that the images show, %NULL for the newest snapshot
 *
 * Shows another moment of the run: how far it was, after which time, losses and quality. The device
 * stays that of the run, and its speed is not shown.
 */
void
prism_status_bar_set_past (PrismStatusBar *self,
                           PrismSnapshot *past)
{
  g_autoptr (PrismSnapshot) before = g_steal_pointer (&self->past);

  self->past = prism_snapshot_ref (past);
  if (past != NULL || before != NULL)
    prism_throttle_call (self->throttle, (past == NULL) != (before == NULL));
}

static void
on_session_changed (PrismStatusBar *self)
{
  prism_status_bar_set_snapshot (self, self->session->state,
                                 self->session->snapshot);
}

static void
on_shown_changed (PrismStatusBar *self,
                  GParamSpec *pspec,
                  PrismPlayback *playback)
{
  prism_status_bar_set_past (self, playback->moment != NULL ? playback->shown : NULL);
}

/**
 * prism_status_bar_set_session:
 * @self: a new status bar
 * @session: what it follows
 *
 * Connects the bar.
 */
void
prism_status_bar_set_session (PrismStatusBar *self,
                              PrismSession *session)
{
  self->session = g_object_ref (session);
  PRISM_CONNECT (session, "notify::state", on_session_changed, self);
  PRISM_CONNECT (session, "notify::snapshot", on_session_changed, self);
  PRISM_CONNECT (session, "notify::opening", show, self);
  PRISM_CONNECT (session, "notify::stopping", show, self);
  PRISM_CONNECT (session->playback, "notify::shown", on_shown_changed, self);
  on_session_changed (self);
}
