#include "config.h"

#include "window/prism-window-private.h"

#include "compare/prism-benchmark-window.h"
#include "compare/prism-sweep-window.h"
#include "compare/prism-tiles-window.h"
#include "support/prism-settings.h"

/* One run of many, in the window that has everything to look at one. */
static void
open_part (PrismWindow *self,
           const char *path)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);

  prism_window_open_file (self, file);
  gtk_window_present (GTK_WINDOW (self));
}

static GtkWidget *
open_tiles (PrismWindow *self)
{
  GtkWidget *window = prism_tiles_window_new (self->draft->config);

  PRISM_CONNECT (window, "open-file", open_part, self);
  prism_window_open_child (self, window, NULL);
  return window;
}

/* A picture that is to be cut into tiles is not one run: it has a window of its own, where it
 * begins. What is paused here goes on here. */
static gboolean
run_tiles (PrismWindow *self)
{
  PrismJobWindow *before = prism_job_window_find (self, PRISM_TYPE_TILES_WINDOW);

  if (self->draft->config->tile == 0 || self->draft->config->kind == PRISM_FRAMES_RECORDED
      || (prism_session_get_active (self->session) && !self->session->passing))
    return FALSE;
  if (before != NULL && !before->busy)
    gtk_window_destroy (GTK_WINDOW (before));
  if (!prism_window_open_again (self, PRISM_TYPE_TILES_WINDOW))
    gtk_widget_activate_action (open_tiles (self), "tiles.run", NULL);
  return TRUE;
}

/* Beside a lesson Run is for its step, not for the edited settings; what is under way goes on. */
static gboolean
run_lesson (PrismWindow *self)
{
  const char *reason;

  if (!prism_lesson_panel_is_busy (self->lesson_panel) || prism_session_get_active (self->session))
    return FALSE;
  reason = prism_lesson_panel_run (self->lesson_panel);
  if (reason != NULL)
    prism_window_show_toast (self, reason);
  return TRUE;
}

/* Whether nothing can run with what is edited: says why, at the row that is to be changed. */
static gboolean
tell_problem (PrismWindow *self)
{
  const char *problem = self->draft->problem;
  g_autofree char *sentence = problem != NULL ? prism_ui_text_dup_sentence (problem) : NULL;

  if (problem == NULL || self->session->state == PRISM_STATE_PAUSED)
    return FALSE;
  prism_window_show_toast (self, sentence);
  g_object_set (self->flap, "reveal-flap", TRUE, NULL);
  prism_parameter_panel_focus_problem (self->parameter_panel);
  return TRUE;
}

static void
on_run (PrismWindow *self)
{
  if (!run_lesson (self) && !tell_problem (self) && !run_tiles (self))
    prism_session_run (self->session);
}

/* What goes on already has its last passes go on until nothing moves. */
static void
on_run_to_convergence (PrismWindow *self)
{
  const char *const settings[] = { "until_converged", "on", NULL };

  if (!self->draft->config->until_converged)
    prism_draft_set_several (self->draft, settings, _ ("Run to convergence"), NULL, NULL);
  if (!prism_session_get_going (self->session))
    prism_session_run (self->session);
}

static void
on_toggle (PrismWindow *self)
{
  if (prism_session_get_going (self->session))
    prism_session_pause (self->session);
  else if (!PRISM_STATE_IS_OVER (self->session->state))
    on_run (self);
}

/* In a lesson the first step of samples begins the run of the lesson's step. */
static void
step (PrismWindow *self,
      guint n_samples)
{
  if (!run_lesson (self) || prism_session_get_active (self->session))
    prism_session_step (self->session, n_samples);
}

static void
on_step_several (PrismWindow *self)
{
  int n_samples;

  g_object_get (prism_settings_get_default (), "step-samples", &n_samples, NULL);
  step (self, n_samples);
}

/* A run that is still read for the window does not come; else that under way ends. */
static void
on_stop (PrismWindow *self)
{
  if (self->reading != NULL && self->opening != NULL)
    prism_window_end_reading (self);
  else
    prism_session_stop (self->session);
}

static void
on_restart (PrismWindow *self)
{
  if (!run_lesson (self) && !run_tiles (self))
    prism_session_restart (self->session);
}

static void
use_settings (PrismWindow *self,
              const PrismConfig *config)
{
  prism_draft_set_config (self->draft, config, _ ("Settings of a point of the sweep"));
  gtk_window_present (GTK_WINDOW (self));
}

static void
on_sweep (PrismWindow *self)
{
  g_autoptr (PrismSweep) base = NULL;
  GtkWidget *window;

  if (prism_window_open_again (self, PRISM_TYPE_SWEEP_WINDOW)
      || (self->draft->frames == NULL
          && prism_window_refuse_recorded (self, _ ("These frames are read when a run begins:"
                                                    " press Run, then sweep."))))
    return;
  base = prism_session_new_sweep (self->session);
  window = prism_sweep_window_new (base);
  prism_sweep_window_show_last (PRISM_SWEEP_WINDOW (window));
  PRISM_CONNECT (window, "open-file", open_part, self);
  PRISM_CONNECT (window, "use-settings", use_settings, self);
  prism_window_open_child (self, window, NULL);
}

static void
on_tiles (PrismWindow *self)
{
  if (prism_window_open_again (self, PRISM_TYPE_TILES_WINDOW)
      || prism_window_refuse_recorded (self, _ ("“Large picture in tiles” simulates a telescope for"
                                                " each tile. For recorded frames set the parameter"
                                                " Tile and press Run.")))
    return;
  open_tiles (self);
}

/* Recorded frames are in no setting that another process could be told. */
static void
on_benchmark (PrismWindow *self)
{
  gboolean recorded = self->draft->config->kind == PRISM_FRAMES_RECORDED;

  if (!prism_window_open_again (self, PRISM_TYPE_BENCHMARK_WINDOW))
    prism_window_open_child (
        self, prism_benchmark_window_new (recorded ? NULL : self->draft->config),
        NULL);
}

static void
on_reset_all (PrismWindow *self)
{
  prism_window_end_reading (self);
  prism_draft_set_config (self->draft, self->draft->first,
                          _ ("All parameters reset"));
  prism_window_set_opened (self, NULL);
}

static void
on_search (PrismWindow *self)
{
  g_object_set (self->flap, "reveal-flap", TRUE, NULL);
  prism_parameter_panel_start_search (self->parameter_panel);
}

static void
on_focus_picture (PrismWindow *self)
{
  gtk_widget_grab_focus (prism_dashboard_get_focus_widget (self->dashboard));
}

#define N_PARTS 4 /* of the window, between which the keyboard goes */

/* From the sidebar to the panels, the time bar, the header and around, @way parts on; from anywhere
 * else as from the sidebar. What takes no keyboard now is passed over. */
static void
on_focus_other (PrismWindow *self,
                int way)
{
  GtkWidget *focus = gtk_window_get_focus (GTK_WINDOW (self));
  GtkWidget *header = gtk_widget_get_ancestor (self->open_button, ADW_TYPE_HEADER_BAR);
  GtkWidget *const parts[N_PARTS] = { adw_flap_get_flap (ADW_FLAP (self->flap)),
                                      GTK_WIDGET (self->dashboard), GTK_WIDGET (self->time_bar),
                                      header };
  guint i = N_PARTS - 1;
  gboolean moved = FALSE;

  while (i > 0 && (focus == NULL || !gtk_widget_is_ancestor (focus, parts[i])))
    i--;
  for (guint n = 0; n < N_PARTS && !moved; n++)
    {
      GtkWidget *part = parts[i = (i + (guint) way) % N_PARTS];

      if (i == 0 && prism_lesson_panel_is_busy (self->lesson_panel))
        part = GTK_WIDGET (self->lesson_panel);
      if (i == 1)
        part = prism_dashboard_get_focus_widget (self->dashboard);
      moved = gtk_widget_grab_focus (part) || gtk_widget_child_focus (part, GTK_DIR_TAB_FORWARD);
    }
}

static void
on_ruler (PrismWindow *self)
{
  gtk_widget_activate_action (
      GTK_WIDGET (prism_dashboard_get_panel (self->dashboard, "reconstruction")), "picture.ruler",
      NULL);
}

static void
on_restore (PrismWindow *self)
{
  if (self->pattern_desk->editing)
    prism_pattern_editor_set_editing (self->pattern_desk, FALSE);
  else if (!prism_dashboard_restore (self->dashboard) && !prism_window_leave_projector (self)
           && gtk_window_is_fullscreen (GTK_WINDOW (self)))
    gtk_window_unfullscreen (GTK_WINDOW (self));
}

static void
on_fullscreen (PrismWindow *self)
{
  if (gtk_window_is_fullscreen (GTK_WINDOW (self)))
    gtk_window_unfullscreen (GTK_WINDOW (self));
  else
    gtk_window_fullscreen (GTK_WINDOW (self));
}

#define SESSION G_STRUCT_OFFSET (PrismWindow, session)
#define DRAFT G_STRUCT_OFFSET (PrismWindow, draft)

/* Who types beside a field of the sidebar or in a list that is open means no command. */
static gboolean
on_plain_key (GtkWidget *widget,
              GVariant *args,
              gpointer action)
{
  PrismWindow *self = PRISM_WINDOW (widget);
  GtkWidget *focus = gtk_window_get_focus (GTK_WINDOW (self));

  if (focus != NULL
      && (gtk_widget_is_ancestor (focus, self->parameters)
          || gtk_widget_get_ancestor (focus, GTK_TYPE_POPOVER) != NULL))
    return FALSE;
  return gtk_widget_activate_action (widget, action, NULL);
}

/* Keys without a modifier come last, after whatever has the focus: a typed space is a space. */
static void
add_plain_keys (PrismWindow *self)
{
  static const struct
  {
    const char *trigger;
    const char *action;
  } keys[] = {
    { "space", "win.toggle-run" },
    { "n", "win.step" },
    { "<Shift>n", "win.step-several" },
    { "0|KP_0", "win.reset-zoom" },
    { "comma", "win.time-previous" },
    { "period", "win.time-next" },
    { "less", "win.time-spike-previous" },
    { "greater", "win.time-spike-next" },
    { "b", "win.time-best" },
    { "g", "win.time-ask-sample" },
    { "m", "win.time-ask-name" },
    { "l", "win.time-live" },
    { "p", "win.time-play" },
  };
  GtkEventController *controller = gtk_shortcut_controller_new ();

  PRISM_FOR_EACH_OF (key, keys)
    {
      GtkShortcutAction *action
          = gtk_callback_action_new (on_plain_key, (gpointer) key->action, NULL);
      GtkShortcut *shortcut
          = gtk_shortcut_new (gtk_shortcut_trigger_parse_string (key->trigger), action);
      gtk_shortcut_controller_add_shortcut (GTK_SHORTCUT_CONTROLLER (controller), shortcut);
    }
  gtk_shortcut_controller_add_shortcut (
      GTK_SHORTCUT_CONTROLLER (controller),
      gtk_shortcut_new (gtk_keyval_trigger_new (GDK_KEY_Escape, 0),
                        gtk_named_action_new ("win.restore")));
  gtk_event_controller_set_propagation_phase (controller, GTK_PHASE_BUBBLE);
  gtk_widget_add_controller (GTK_WIDGET (self), controller);
}

/* What can be done in the state that the session is in. Beside a lesson Run is for its step, and
 * nothing takes its run away. What is being opened can be broken off alone. */
static void
enable_actions (PrismWindow *self)
{
  PrismState state = self->session->state;
  gboolean active = prism_session_get_active (self->session);
  gboolean lesson = prism_lesson_panel_is_busy (self->lesson_panel);
  gboolean valid = lesson || self->draft->problem == NULL;
  gboolean opening = self->session->opening != NULL, stopping = self->session->stopping;
  gboolean going = prism_session_get_going (self->session);
  gboolean ready = !opening && (valid || state == PRISM_STATE_PAUSED);
  gboolean steps = !going && !stopping && ready;

  prism_window_enable (
      self, "run", !opening && (stopping ? !lesson : !going), "run-to-convergence",
      !lesson && ready, "toggle-run", !opening && !stopping, "pause",
      going && !opening && !stopping, "step", steps, "step-several", steps, "stop",
      (active || opening) && !stopping, "restart",
      state != PRISM_STATE_IDLE && valid && !opening && !(lesson && active), "discard-result",
      valid && !active && !lesson && !opening, "undo", self->draft->past->len > 0, "redo",
      self->draft->future->len > 0, NULL);
}

/* Run or Pause, whichever can be pressed. The keyboard stays at the one that takes the place of the
 * other. */
static void
on_state_changed (PrismWindow *self)
{
  gboolean going = prism_session_get_going (self->session) && !self->session->stopping
                   && self->session->opening == NULL;
  GtkWidget *shown = going ? self->pause_button : self->run_button;
  GtkWidget *hidden = going ? self->run_button : self->pause_button;
  gboolean focused = gtk_widget_has_focus (hidden);

  enable_actions (self);
  gtk_widget_set_visible (shown, TRUE);
  if (focused)
    gtk_widget_grab_focus (shown);
  gtk_widget_set_visible (hidden, FALSE);
}

/**
 * prism_window_install_actions:
 * @self: a window
 *
 * Adds the actions that steer the run and the view, and the keys that belong to the window.
 */
void
prism_window_install_actions (PrismWindow *self)
{
  PRISM_WINDOW_ACTIONS (self,
                        { "run", on_run },
                        { "run-to-convergence", on_run_to_convergence },
                        { "pause", prism_session_pause, .of = SESSION },
                        { "toggle-run", on_toggle },
                        { "step", step, NULL, 1 },
                        { "step-several", on_step_several },
                        { "stop", on_stop },
                        { "restart", on_restart },
                        { "discard-result", prism_session_discard_result, .of = SESSION },
                        { "clear-cache", prism_session_clear_cache, .of = SESSION },
                        { "sweep", on_sweep },
                        { "tiles", on_tiles },
                        { "benchmark", on_benchmark },
                        { "undo", prism_draft_undo, .of = DRAFT },
                        { "redo", prism_draft_redo, .of = DRAFT },
                        { "reset-all", on_reset_all },
                        { "search", on_search },
                        { "focus-picture", on_focus_picture },
                        { "focus-other", on_focus_other, NULL, 1 },
                        { "focus-back", on_focus_other, NULL, N_PARTS - 1 },
                        { "reset-zoom", prism_dashboard_reset_zoom,
                          .of = G_STRUCT_OFFSET (PrismWindow, dashboard) },
                        { "ruler", on_ruler },
                        { "restore", on_restore },
                        { "fullscreen", on_fullscreen });
  prism_window_add_property (self, "show-sidebar", self->flap, "reveal-flap");
  PRISM_CONNECT (self->session, "notify::state", on_state_changed, self);
  PRISM_CONNECT (self->session, "notify::opening", on_state_changed, self);
  PRISM_CONNECT (self->session, "notify::stopping", on_state_changed, self);
  PRISM_CONNECT (self->draft, "notify::problem", enable_actions, self);
  PRISM_CONNECT (self->draft, "changed", enable_actions, self);
  PRISM_CONNECT (self->draft, "display-changed", enable_actions, self);
  PRISM_CONNECT (self->lesson_panel, "notify::busy", enable_actions, self);
  on_state_changed (self);
  add_plain_keys (self);
}
