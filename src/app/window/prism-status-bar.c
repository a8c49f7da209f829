#include "config.h"

#include "window/prism-status-bar.h"

#include "prism-ticks.h"
#include "results/prism-resolution.h"
#include "support/prism-fit-box.h"
#include "support/prism-throttle.h"
#include "support/prism-wording.h"
#include "window/prism-device-page.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

/* While a run goes on: nobody reads faster, and each new text lays out the window. */
#define INTERVAL 100 /* ms */

struct _PrismStatusBar
{
  GtkWidget parent_instance;

  GtkWidget *content;
  GtkImage *state_icon;
  GtkLabel *state_label;
  GtkProgressBar *progress_bar;
  GtkLabel *sample_label;
  GtkLabel *left_label;
  GtkLabel *quality_label;
  GtkLabel *loss_label;
  GtkLabel *speed_label;
  GtkLabel *step_label;
  GtkLabel *device_label;
  GtkLabel *memory_label;
  GtkLabel *cache_label;
  GtkMenuButton *device_button;
  PrismDevicePage *device_page;

  PrismState state;
  PrismSnapshot *snapshot; /* (nullable): to be shown, at once or when the time has come */
  PrismSnapshot *past;     /* (nullable): the moment whose numbers are shown */
  PrismThrottle *throttle;
};

G_DEFINE_FINAL_TYPE (PrismStatusBar, prism_status_bar, GTK_TYPE_WIDGET)

/* Setting a label lays the bar out again, even to the same text. */
static void
set_text (GtkLabel *label,
          const char *text)
{
  if (g_strcmp0 (gtk_label_get_text (label), text) != 0)
    gtk_label_set_text (label, text);
  gtk_widget_set_visible (GTK_WIDGET (label), text != NULL && *text != '\0');
}

static void
set_tooltip (GtkLabel *label,
             const char *text)
{
  if (g_strcmp0 (gtk_widget_get_tooltip_text (GTK_WIDGET (label)), text) != 0)
    gtk_widget_set_tooltip_text (GTK_WIDGET (label), text);
}

G_GNUC_PRINTF (2, 3)
static void
set_format (GtkLabel *label,
            const char *format,
            ...)
{
  g_autofree char *text = NULL;
  va_list values;

  va_start (values, format);
  text = g_strdup_vprintf (format, values);
  va_end (values);
  set_text (label, text);
}

static const char *
get_icon (PrismState state)
{
  switch (state)
    {
    case PRISM_STATE_PREPARING:
    case PRISM_STATE_RUNNING:
      return "media-playback-start-symbolic";
    case PRISM_STATE_PAUSED:
      return "media-playback-pause-symbolic";
    case PRISM_STATE_STOPPED:
      return "media-playback-stop-symbolic";
    case PRISM_STATE_FINISHED:
      return "object-select-symbolic";
    case PRISM_STATE_FAILED:
      return "dialog-warning-symbolic";
    case PRISM_STATE_IDLE:
    default:
      return "content-loading-symbolic";
    }
}

static void
update_state (PrismStatusBar *self,
              PrismState state,
              PrismSnapshot *snapshot)
{
  const char *icon = get_icon (state);
  const char *phase = NULL;

  if (snapshot != NULL
      && (state == PRISM_STATE_RUNNING || state == PRISM_STATE_PAUSED
          || state == PRISM_STATE_PREPARING))
    phase = prism_wording_get_phase (snapshot);
  if (g_strcmp0 (gtk_image_get_icon_name (self->state_icon), icon) != 0)
    gtk_image_set_from_icon_name (self->state_icon, icon);
  if (phase != NULL)
    set_format (self->state_label, "%s: %s", prism_wording_get_state (state), phase);
  else
    set_text (self->state_label, prism_wording_get_state (state));
}

static void
update_progress (PrismStatusBar *self,
                 PrismState state,
                 PrismSnapshot *snapshot)
{
  double fraction = 0;

  if (snapshot->n_steps > 0)
    fraction = CLAMP ((double) snapshot->step / (double) snapshot->n_steps, 0, 1);
  if (state == PRISM_STATE_FINISHED)
    fraction = 1;
  gtk_progress_bar_set_fraction (self->progress_bar, fraction);
  gtk_widget_set_visible (GTK_WIDGET (self->progress_bar), state != PRISM_STATE_IDLE);
}

static void
update_convergence (PrismStatusBar *self,
                    PrismSnapshot *snapshot)
{
  g_autofree char *text = NULL;

  if (snapshot->sample_states != NULL && snapshot->n_visited > 0)
    text = prism_convergence_dup_text (snapshot->sample_states, snapshot->n_samples);
  set_tooltip (self->sample_label, text);
}

static void
update_position (PrismStatusBar *self,
                 PrismSnapshot *snapshot)
{
  if (snapshot->phase == PRISM_PHASE_POLISH && snapshot->n_passes > 0)
    set_format (self->sample_label, _ ("Pass %u / %u"),
                MIN (snapshot->pass + 1, snapshot->n_passes), snapshot->n_passes);
  else if (snapshot->n_live_passes > 0)
    set_format (self->sample_label, _ ("Live picture, pass %u / %u"), snapshot->live_pass + 1,
                snapshot->n_live_passes);
  else if (snapshot->n_samples > 0)
    set_format (self->sample_label, _ ("Sample %u / %u"), prism_wording_count_samples (snapshot),
                snapshot->n_samples);
  else
    set_text (self->sample_label, "");
  update_convergence (self, snapshot);
}

static void
update_step (PrismStatusBar *self,
             PrismSnapshot *snapshot)
{
  g_autofree char *step = prism_ticks_dup_count (snapshot->step);
  g_autofree char *all = prism_ticks_dup_count (MAX (snapshot->n_steps, snapshot->step));

  if (snapshot->n_steps == 0)
    set_text (self->step_label, "");
  else
    set_format (self->step_label, _ ("Step %s / %s"), step, all);
}

static void
update_losses (PrismStatusBar *self,
               PrismSnapshot *snapshot)
{
  if (isfinite (snapshot->misfit))
    {
      g_autofree char *misfit = prism_wording_dup_loss (snapshot->misfit);
      set_format (self->loss_label, _ ("Misfit %s"), misfit);
      set_tooltip (self->loss_label, _ ("Distance of the prediction from all measurements"));
    }
  else if (snapshot->step > 0 && isfinite (snapshot->loss_new)
           && snapshot->phase != PRISM_PHASE_DONE)
    {
      g_autofree char *loss_new = prism_wording_dup_loss (snapshot->loss_new);
      g_autofree char *loss_old = prism_wording_dup_loss (snapshot->loss_old);
      /* In the beginning there is no earlier sample to look at again. */
      if (snapshot->phase == PRISM_PHASE_START || !(snapshot->loss_old > 0.0))
        set_format (self->loss_label, _ ("Loss %s"), loss_new);
      else
        set_format (self->loss_label, _ ("Loss %s / %s"), loss_new, loss_old);
      set_tooltip (self->loss_label, _ ("Loss of the new sample / of the earlier samples"));
    }
  else
    set_text (self->loss_label, "");
}

/* A line about the resolution target; NULL while the run goes on and for other objects. */
static char *
dup_resolution (PrismSnapshot *snapshot)
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

static void
update_quality (PrismStatusBar *self,
                PrismSnapshot *snapshot)
{
  if (!isfinite (snapshot->metrics.psnr))
    set_text (self->quality_label, "");
  else if (snapshot->unseen)
    set_format (self->quality_label, _ ("Decoder’s PSNR %.1f dB"), snapshot->metrics.psnr);
  else
    set_format (self->quality_label, _ ("PSNR %.1f dB"), snapshot->metrics.psnr);
  if (!isfinite (snapshot->metrics.ssim))
    set_tooltip (self->quality_label, NULL);
  else
    {
      g_autofree char *errors = prism_metrics_dup_text (&snapshot->metrics, 1, TRUE);
      g_autofree char *resolution = dup_resolution (snapshot);
      g_autofree char *tooltip = g_strconcat (errors, resolution, NULL);
      set_tooltip (self->quality_label, tooltip);
    }
}

static void
update_time (PrismStatusBar *self,
             PrismState state,
             PrismSnapshot *snapshot)
{
  g_autofree char *left = prism_wording_dup_duration (snapshot->seconds_left);
  g_autofree char *spent = prism_wording_dup_duration (snapshot->seconds);

  if (state == PRISM_STATE_RUNNING && isfinite (snapshot->seconds_left))
    set_format (self->left_label, _ ("%s left"), left);
  else if (snapshot->step > 0)
    set_format (self->left_label, _ ("%s spent"), spent);
  else
    set_text (self->left_label, "");
}

/* Beside the numbers of the past a rate would be read as one of them. */
static void
update_speed (PrismStatusBar *self,
              PrismSnapshot *snapshot)
{
  if (self->past == NULL && snapshot->step > 0 && isfinite (snapshot->steps_per_second))
    set_format (self->speed_label, _ ("%.0f it/s"), snapshot->steps_per_second);
  else
    set_text (self->speed_label, "");
}

/* A graphics processor's memory is all that its runs have: the limit belongs beside it. */
static void
update_memory (PrismStatusBar *self,
               PrismSnapshot *snapshot)
{
  gboolean on_cpu = snapshot->backend == NULL || strcmp (snapshot->backend, "cpu") == 0;
  guint64 limit = snapshot->memory_used + snapshot->memory_available;
  g_autofree char *used = g_format_size_full (snapshot->memory_used, G_FORMAT_SIZE_IEC_UNITS);
  g_autofree char *all = g_format_size_full (limit, G_FORMAT_SIZE_IEC_UNITS);
  g_autofree char *tooltip = prism_wording_dup_memory (snapshot);

  if (snapshot->memory_used == 0)
    set_text (self->memory_label, "");
  else if (on_cpu)
    set_text (self->memory_label, used);
  else
    set_format (self->memory_label, _ ("%s of %s"), used, all);
  set_tooltip (self->memory_label, tooltip);
}

static void
update_device (PrismStatusBar *self,
               PrismSnapshot *snapshot)
{
  set_text (self->device_label, snapshot->device);
  set_tooltip (self->device_label, snapshot->device_reason);
  update_memory (self, snapshot);
}

static void
update_cache (PrismStatusBar *self,
              PrismSnapshot *snapshot)
{
  const PrismCacheStatistics *cache = &snapshot->cache;
  g_autofree char *bytes = g_format_size_full (cache->bytes, G_FORMAT_SIZE_IEC_UNITS);
  g_autofree char *tooltip = g_strdup_printf (_ ("Measurement cache: %.1f %% found, %u images, %s"),
                                              100 * cache->hit_rate, cache->n_entries, bytes);

  g_autofree char *hits = prism_ticks_dup_count (cache->hits);
  g_autofree char *misses = prism_ticks_dup_count (cache->misses);

  if (cache->hits + cache->misses > 0)
    set_format (self->cache_label, _ ("Cache %s hits, %s misses"), hits, misses);
  else
    set_text (self->cache_label, "");
  set_tooltip (self->cache_label, tooltip);
}

/* What belongs to the moment that is shown; the rest of the bar is about the run. */
static void
show_moment (PrismStatusBar *self,
             PrismSnapshot *shown)
{
  update_position (self, shown);
  update_step (self, shown);
  update_losses (self, shown);
  update_quality (self, shown);
}

static void
show (gpointer data)
{
  PrismStatusBar *self = data;
  PrismState state = self->state;
  PrismSnapshot *snapshot = self->snapshot;

  update_state (self, state, snapshot);
  if (snapshot == NULL)
    return;
  update_progress (self, state, snapshot);
  show_moment (self, self->past != NULL ? self->past : snapshot);
  update_time (self, state, snapshot);
  update_speed (self, snapshot);
  update_device (self, snapshot);
  update_cache (self, snapshot);
  prism_device_page_set_snapshot (self->device_page, snapshot);
}

static void
prism_status_bar_dispose (GObject *object)
{
  PrismStatusBar *self = PRISM_STATUS_BAR (object);

  g_clear_pointer (&self->throttle, prism_throttle_free);
  g_clear_pointer (&self->snapshot, prism_snapshot_unref);
  g_clear_pointer (&self->past, prism_snapshot_unref);
  g_clear_pointer (&self->content, gtk_widget_unparent);
  G_OBJECT_CLASS (prism_status_bar_parent_class)->dispose (object);
}

static void
bind_children (GtkWidgetClass *widget_class)
{
  gtk_widget_class_bind_template_child (widget_class, PrismStatusBar, content);
  gtk_widget_class_bind_template_child (widget_class, PrismStatusBar, state_icon);
  gtk_widget_class_bind_template_child (widget_class, PrismStatusBar, state_label);
  gtk_widget_class_bind_template_child (widget_class, PrismStatusBar, progress_bar);
  gtk_widget_class_bind_template_child (widget_class, PrismStatusBar, sample_label);
  gtk_widget_class_bind_template_child (widget_class, PrismStatusBar, left_label);
  gtk_widget_class_bind_template_child (widget_class, PrismStatusBar, quality_label);
  gtk_widget_class_bind_template_child (widget_class, PrismStatusBar, loss_label);
  gtk_widget_class_bind_template_child (widget_class, PrismStatusBar, speed_label);
  gtk_widget_class_bind_template_child (widget_class, PrismStatusBar, step_label);
  gtk_widget_class_bind_template_child (widget_class, PrismStatusBar, device_label);
  gtk_widget_class_bind_template_child (widget_class, PrismStatusBar, memory_label);
  gtk_widget_class_bind_template_child (widget_class, PrismStatusBar, cache_label);
  gtk_widget_class_bind_template_child (widget_class, PrismStatusBar, device_button);
  gtk_widget_class_bind_template_child (widget_class, PrismStatusBar, device_page);
}

static void
prism_status_bar_class_init (PrismStatusBarClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = prism_status_bar_dispose;
  g_type_ensure (PRISM_TYPE_FIT_BOX);
  g_type_ensure (PRISM_TYPE_DEVICE_PAGE);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               PRISM_RESOURCE ("prism-status-bar.ui"));
  bind_children (widget_class);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
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
  g_autoptr (PrismSnapshot) before = g_steal_pointer (&self->snapshot);
  gboolean goes_on = state == PRISM_STATE_RUNNING && state == self->state && snapshot != NULL
                     && before != NULL && snapshot->phase == before->phase;

  self->state = state;
  self->snapshot = snapshot != NULL ? prism_snapshot_ref (snapshot) : NULL;
  prism_throttle_call (self->throttle, !goes_on);
}

/**
 * prism_status_bar_set_past:
 * @self: a status bar
 * @past: (nullable): the moment that the images show, %NULL for the newest snapshot
 *
 * Shows sample, step, losses and quality of another moment of the run; state, time and device stay
 * those of the run, and its speed is not shown.
 */
void
prism_status_bar_set_past (PrismStatusBar *self,
                           PrismSnapshot *past)
{
  g_autoptr (PrismSnapshot) before = g_steal_pointer (&self->past);

  self->past = past != NULL ? prism_snapshot_ref (past) : NULL;
  if (past != NULL || before != NULL)
    prism_throttle_call (self->throttle, (past == NULL) != (before == NULL));
}
