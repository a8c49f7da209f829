#include "config.h"

#include "window/prism-window-private.h"

#include "profile/prism-profile.h"
#include "support/prism-settings.h"
#include "support/prism-widget.h"
#include "support/prism-ui-text.h"

/* The frame clock stands still for a window that is minimised or covered. */
#define FALLBACK_DELAY 500 /* ms */

G_DEFINE_FINAL_TYPE (PrismWindow, prism_window, ADW_TYPE_APPLICATION_WINDOW)

static void
drop_tick (PrismWindow *self)
{
  if (self->tick_id != 0)
    gtk_widget_remove_tick_callback (GTK_WIDGET (self), self->tick_id);
  self->tick_id = 0;
  g_clear_handle_id (&self->fallback_id, g_source_remove);
}

static void
collect (PrismWindow *self)
{
  gint64 begun = prism_profile_begin ();

  prism_session_collect (self->session);
  prism_profile_end (PRISM_STAGE_COLLECT, begun);
}

static gboolean
on_tick (GtkWidget *widget,
         GdkFrameClock *clock,
         gpointer data)
{
  PrismWindow *self = PRISM_WINDOW (widget);

  self->tick_id = 0;
  g_clear_handle_id (&self->fallback_id, g_source_remove);
  collect (self);
  return G_SOURCE_REMOVE;
}

static void
on_fallback (PrismWindow *self)
{
  drop_tick (self);
  collect (self);
}

/* At most one snapshot per frame, and no frames when there is nothing new. */
static void
on_pending (PrismWindow *self)
{
  if (self->tick_id == 0)
    self->tick_id = gtk_widget_add_tick_callback (GTK_WIDGET (self), on_tick, NULL, NULL);
  if (self->fallback_id == 0)
    prism_later (&self->fallback_id, FALLBACK_DELAY, on_fallback, self);
}

static void
notify_end (PrismWindow *self,
            PrismState state)
{
  PrismSnapshot *snapshot = self->session->snapshot;
  GtkApplication *application = gtk_window_get_application (GTK_WINDOW (self));
  g_autoptr (GNotification) notification = NULL;
  g_autofree char *body = NULL;

  if (gtk_window_is_active (GTK_WINDOW (self)) || application == NULL || snapshot == NULL)
    return;
  if (state == PRISM_STATE_FINISHED)
    {
      g_autofree char *steps = prism_ticks_dup_count (snapshot->step);

      notification = g_notification_new (_ ("Reconstruction finished"));
      if (isfinite (snapshot->metrics.psnr))
        body = g_strdup_printf (_ ("PSNR %.1f dB after %s steps"), snapshot->metrics.psnr, steps);
      else
        body = g_strdup_printf (_ ("After %s steps"), steps);
    }
  else
    {
      notification = g_notification_new (_ ("Reconstruction failed"));
      body = snapshot->message != NULL ? prism_ui_text_dup_sentence (snapshot->message)
                                       : g_strdup ("");
    }
  g_notification_set_body (notification, body);
  g_application_send_notification (G_APPLICATION (application), "run-ended", notification);
}

/* GTK 4.8 reads a button with a mnemonic as “_Run Run”: its own label and the widget's inside. */
static void
name_button (GtkWidget *button,
             const char *name)
{
  gtk_accessible_reset_relation (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_RELATION_LABELLED_BY);
  prism_widget_set_name (button, name);
}

static void
label_run_button (PrismWindow *self)
{
  gboolean paused = self->session->state == PRISM_STATE_PAUSED;
  gboolean resting = self->session->resting;

  gtk_button_set_label (GTK_BUTTON (self->run_button), !paused   ? _ ("_Run")
                                                       : resting ? _ ("_Resume")
                                                                 : _ ("_Continue"));
  name_button (self->run_button, !paused   ? _ ("Run")
                                 : resting ? _ ("Resume")
                                           : _ ("Continue"));
}

static void
on_state_changed (PrismWindow *self)
{
  PrismState state = self->session->state;

  label_run_button (self);
  if (state == PRISM_STATE_PREPARING)
    prism_notice_hide (self->notice);
  if (state != self->last_state && (state == PRISM_STATE_FINISHED || state == PRISM_STATE_FAILED)
      && !self->session->passing)
    notify_end (self, state);
  self->last_state = state;
}

static void
on_notice (PrismWindow *self,
           const char *message,
           gboolean failed,
           int code)
{
  g_autofree char *sentence = prism_ui_text_dup_sentence (message);

  prism_notice_show (self->notice, sentence, failed);
  prism_window_show_offers (self, code, failed);
}

static void
show_outdated (PrismNotice *notice,
               gboolean outdated)
{
  if (!outdated)
    {
      prism_notice_hide (notice);
      return;
    }
  prism_notice_show (notice,
                     _ ("The pictures show the last result. Run begins with the new parameters."),
                     FALSE);
  prism_notice_add_button (notice, _ ("Show the new scene"), "win.discard-result");
}

/* Below the parameters it moves nothing; above the panels it only stands where those are hidden.
 * Where changes are followed the new pictures are on their way, and a lesson has its own. */
static void
on_outdated_changed (PrismWindow *self)
{
  gboolean outdated = self->session->outdated
                      && !self->follow->active
                      && !prism_lesson_panel_is_busy (self->lesson_panel);

  show_outdated (self->result_notice, outdated);
  show_outdated (self->wide_result_notice, outdated);
}

/* Says at the button what Run does and what that takes, or why it cannot. */
static void
update_run_hint (PrismWindow *self)
{
  g_autofree char *sentence = NULL;
  const char *problem = self->draft->problem;
  const char *forecast = self->forecaster->text;

  if (prism_lesson_panel_is_busy (self->lesson_panel))
    sentence = g_strdup (_ ("Run this step of the lesson (F5)"));
  else if (problem != NULL)
    sentence = prism_ui_text_dup_sentence (problem);
  else if (forecast != NULL)
    sentence = g_strdup_printf ("%s\n%s", _ ("Run the reconstruction (F5)"), forecast);
  gtk_widget_set_tooltip_text (self->run_button,
                               sentence != NULL ? sentence : _ ("Run the reconstruction (F5)"));
}

static void
on_edit_toast_dismissed (PrismWindow *self,
                         AdwToast *toast)
{
  if (self->edit_toast == toast)
    self->edit_toast = NULL;
}

/* One toast for all changes in a row: its text follows, so that a stream of them piles up nothing.
 * What is taken back is said as well: it may be far from where one looks. */
static void
on_edited (PrismWindow *self,
           const char *what,
           gboolean undone)
{
  g_autofree char *text = undone ? g_strdup_printf (_ ("Undone: %s"), what) : g_strdup (what);
  g_autofree char *markup = g_markup_escape_text (text, -1);
  const char *action = undone                       ? "win.redo"
                       : self->draft->past->len > 0 ? "win.undo"
                                                    : NULL;

  if (self->edit_toast != NULL && !undone
      && g_strcmp0 (adw_toast_get_action_name (self->edit_toast), action) == 0)
    {
      adw_toast_set_title (self->edit_toast, markup);
      return;
    }
  if (self->edit_toast != NULL)
    prism_toaster_dismiss (self->toast_overlay, g_steal_pointer (&self->edit_toast));
  self->edit_toast = adw_toast_new (markup);
  if (action != NULL)
    adw_toast_set_button_label (self->edit_toast, undone ? _ ("_Redo") : _ ("_Undo"));
  adw_toast_set_action_name (self->edit_toast, action);
  adw_toast_set_timeout (self->edit_toast, 4);
  PRISM_CONNECT (self->edit_toast, "dismissed", on_edit_toast_dismissed, self);
  prism_toaster_add (self->toast_overlay, self->edit_toast);
}

static void
apply_preview (PrismWindow *self)
{
  gboolean preview;
  int rate;

  g_object_get (prism_settings_get_default (), "preview", &preview, "preview-rate", &rate, NULL);
  prism_engine_set_interval (self->session->engine, preview ? 1000 / MAX (rate, 1) : 1000);
}

static void
restore_state (PrismWindow *self)
{
  PrismSettings *settings = prism_settings_get_default ();
  gboolean maximized;
  int width;
  int height;

  g_object_get (settings, "window-width", &width, "window-height", &height, "window-maximized",
                &maximized, NULL);
  gtk_window_set_default_size (GTK_WINDOW (self), width, height);
  if (maximized)
    gtk_window_maximize (GTK_WINDOW (self));
  g_object_bind_property (settings, "show-sidebar", self->flap, "reveal-flap",
                          G_BINDING_SYNC_CREATE);
  PRISM_CONNECT (settings, "notify::preview", apply_preview, self);
  PRISM_CONNECT (settings, "notify::preview-rate", apply_preview, self);
}

/* A window that is closed lives on while something that it asked for is under way: that comes to
 * nothing, and its dialogs, which hold it as well, go with it. Those for files do so themselves. */
static void
leave_everything (PrismWindow *self)
{
  GList *windows = gtk_window_list_toplevels ();

  /* One that goes takes others with it. */
  g_list_foreach (windows, (GFunc) (void *) g_object_ref, NULL);
  g_clear_handle_id (&self->quit_id, g_source_remove);
  prism_window_end_reading (self);
  g_cancellable_cancel (self->filming);
  for (GList *link = windows; link != NULL; link = link->next)
    if (gtk_window_get_transient_for (link->data) == GTK_WINDOW (self)
        && !GTK_IS_FILE_CHOOSER (link->data))
      gtk_window_destroy (link->data);
  g_list_free_full (windows, g_object_unref);
}

static void
prism_window_unrealize (GtkWidget *widget)
{
  int width;
  int height;

  gtk_window_get_default_size (GTK_WINDOW (widget), &width, &height);
  g_object_set (prism_settings_get_default (), "window-width", width, "window-height", height,
                "window-maximized", gtk_window_is_maximized (GTK_WINDOW (widget)), NULL);
  leave_everything (PRISM_WINDOW (widget));
  GTK_WIDGET_CLASS (prism_window_parent_class)->unrealize (widget);
}

static void
prism_window_dispose (PrismWindow *self)
{
  drop_tick (self);
  if (self->compare_window != NULL)
    gtk_window_destroy (self->compare_window);
  prism_window_drop_profile (self);
  prism_window_drop_projector (self);
  prism_window_end_reading (self);
  g_cancellable_cancel (self->filming);
  if (self->session != NULL)
    {
      g_signal_handlers_disconnect_by_data (self->session, self);
      g_signal_handlers_disconnect_by_data (self->draft, self);
    }
  if (self->forecaster != NULL)
    g_object_run_dispose (G_OBJECT (self->forecaster));
  /* GTK 4.8 never frees the actions of a window; some hold widgets, and those all others. */
  g_auto (GStrv) names = g_action_group_list_actions (G_ACTION_GROUP (self));

  PRISM_FOR_EACH_STRING (name, names)
    g_action_map_remove_action (G_ACTION_MAP (self), *name);
}

static void
take_draft (PrismWindow *self)
{
  self->draft = g_object_ref (self->session->draft);
}

/* What the template looks up. */
static void
prism_window_class_init (PrismWindowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  PRISM_ON_DISPOSE (klass, prism_window_dispose);
  PRISM_DISPOSE (klass, PrismWindow, g_object_unref, runs, filming, opening, saving, forecaster,
                 follow, previous, pattern_desk, draft, session);
  PRISM_DISPOSE (klass, PrismWindow, g_source_remove, quit_id, saving_id);
  PRISM_DISPOSE (klass, PrismWindow, g_free, opened, interrupted, interrupted_link, forked_from,
                 fork_file, saving_run, saved_name, exporting, lesson, left_run);
  PRISM_FIELD (klass, PrismWindow, session, PRISM_TYPE_SESSION, take_draft);
  PRISM_FIELD (klass, PrismWindow, opened, G_TYPE_STRING, NULL);
  PRISM_FIELD (klass, PrismWindow, previous, PRISM_TYPE_LAST_RUN, NULL);
  widget_class->unrealize = prism_window_unrealize;
  prism_window_parents_init ();
  g_type_ensure (PRISM_TYPE_NOTICE);
  g_type_ensure (PRISM_TYPE_PARAMETER_PANEL);
  g_type_ensure (PRISM_TYPE_LESSON_PANEL);
  g_type_ensure (PRISM_TYPE_DASHBOARD);
  g_type_ensure (PRISM_TYPE_STATUS_BAR);
  g_type_ensure (PRISM_TYPE_TIME_BAR);
  g_type_ensure (PRISM_TYPE_SPOTLIGHT);
  PRISM_TEMPLATE (klass, PrismWindow, "prism-window.ui", toast_overlay, run_button, forecast_label,
                  pause_button, step_button, stop_button, open_button, recent_menu,
                  recent_button, preset_menu, notice, run_notice, result_notice,
                  wide_result_notice, flap, parameters, parameter_panel, lesson_panel, lesson_menu,
                  dashboard, status_bar, time_bar, spotlight, sentence, rival_line);
  prism_window_bind_title (widget_class);
}

static void
prism_window_init (PrismWindow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  name_button (self->open_button, _ ("Open"));
  name_button (self->pause_button, _ ("Pause"));
  name_button (self->step_button, _ ("Step"));
  name_button (self->stop_button, _ ("Stop"));
}

static void
connect_session (PrismWindow *self)
{
  PRISM_CONNECT (self->session, "pending", on_pending, self);
  PRISM_CONNECT (self->session, "notify::state", on_state_changed, self);
  PRISM_CONNECT (self->session, "notify::outdated", on_outdated_changed, self);
  PRISM_CONNECT (self->follow, "notify::active", on_outdated_changed, self);
  PRISM_CONNECT (self->draft, "notify::problem", update_run_hint, self);
  PRISM_CONNECT (self->forecaster, "notify::text", update_run_hint, self);
  PRISM_CONNECT (self->lesson_panel, "notify::busy", on_outdated_changed, self);
  PRISM_CONNECT (self->lesson_panel, "notify::busy", update_run_hint, self);
  PRISM_CONNECT (self->draft, "edited", on_edited, self);
  PRISM_CONNECT (self->session, "notice", on_notice, self);
}

/**
 * prism_window_new:
 * @application: the application
 * @session: what the window shows and steers
 *
 * Makes the main window.
 *
 * Returns: (transfer none): the window
 */
PrismWindow *
prism_window_new (GtkApplication *application,
                  PrismSession *session)
{
  PrismWindow *self = g_object_new (PRISM_TYPE_WINDOW, "application", application, "session",
                                    session, NULL);

  prism_parameter_panel_set_session (self->parameter_panel, session);
  prism_dashboard_set_session (self->dashboard, session);
  prism_status_bar_set_session (self->status_bar, session);
  prism_window_install_actions (self);
  prism_window_install_compare (self);
  prism_window_install_export (self);
  prism_window_install_kspace (self);
  prism_window_install_follow (self);
  prism_window_install_layout (self);
  prism_window_install_lessons (self);
  prism_window_install_picture (self);
  prism_window_install_presets (self);
  prism_window_install_files (self);
  prism_window_install_runs (self);
  prism_window_install_profile (self);
  connect_session (self);
  restore_state (self);
  apply_preview (self);
  update_run_hint (self);
  on_state_changed (self);
  /* Not the first button of the header bar: the keys of the run work from the start. */
  gtk_window_set_focus (GTK_WINDOW (self), prism_dashboard_get_focus_widget (self->dashboard));
  return self;
}
