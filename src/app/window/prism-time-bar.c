#include "config.h"

#include "window/prism-time-bar.h"

#include "model/prism-display.h"
#include "support/prism-job.h"
#include "support/prism-widget.h"
#include "support/prism-ui-text.h"

/* While a run goes on and its newest moment is shown: nobody reads faster, and each new text lays
 * out the window. What the status bar shows is shown here, too, but two frames later: GTK paints
 * the whole window where more than some thirty places of it change at once. */
#define INTERVAL 100 /* ms */
#define DELAY 33     /* ms */
/* Moments that a page of the slider has. */
#define PAGE 10
/* What a letter of a name takes of the slider. */
#define LETTER 0.015

struct _PrismTimeBar
{
  AdwBin parent_instance;

  GtkButton *play_button;
  GtkScale *scale;
  GtkLabel *label;
  GtkMenuButton *menu_button;
  GtkWidget *sample_box;
  GtkSpinButton *sample_spin;
  GtkMenuButton *name_button;
  GtkEditable *name_entry;
  GtkWidget *progress_box;
  GtkProgressBar *progress_bar;

  GMenu *moments_section;
  GMenu *fork_section;

  PrismPlayback *playback;  /* (nullable) */
  PrismCheckpoints *states; /* (nullable): those that are marked */
  double length;            /* steps, of the slider */
  double turn;              /* step with which all positions were visited; 0: not known */
  char *moments;            /* (nullable): of the display, those that have a name */
  guint64 told;             /* step of the moment that the bar tells of, which is kept */
  guint64 seen;             /* the same when it was last painted */
  guint64 named;            /* and of the one that is given a name */
  char *fork;               /* (nullable): what the menu says of it */
  PrismThrottle *throttle;
};

G_DEFINE_FINAL_TYPE (PrismTimeBar, prism_time_bar, ADW_TYPE_BIN)

/* Where a step stands on the slider, in steps of an even one, or which stands there. Passes may be
 * many times as many as positions, which then have half of the slider. */
static double
place (PrismTimeBar *self,
       double value,
       gboolean back)
{
  const double length = self->length, half = length / 2, turn = self->turn;
  const double from = back ? half : turn, to = back ? turn : half;

  if (!(turn > 0 && turn < half))
    return value;
  return value < from ? value * to / from
                      : to + (value - from) * (length - to) / (length - from);
}

/* The knob stays where it is while the run goes on below it: the end is that of the whole run, and
 * the positions to come are thought to take as many steps as those before. Returns: whether steps
 * have other places */
static gboolean
update_scale (PrismTimeBar *self,
              const PrismSnapshot *snapshot,
              const PrismSnapshot *shown)
{
  GtkAdjustment *adjustment = gtk_range_get_adjustment (GTK_RANGE (self->scale));
  const PrismFrames *frames = prism_playback_get_frames (self->playback);
  gboolean any = frames != NULL;
  gboolean goes_on = any && !PRISM_STATE_IS_OVER (snapshot->state);
  const double length = (double) MAX (snapshot->step, goes_on ? snapshot->n_steps : 1);
  const int last = any ? prism_frames_find_sample (frames, MAX (snapshot->n_samples, 1) - 1) : -1;
  const double turn = last >= 0 ? (last > 0) * (double) frames->moments[last]->step
                      : goes_on && snapshot->n_visited > 0
                          ? (double) snapshot->step * snapshot->n_samples / snapshot->n_visited
                          : 0;
  const gboolean moves = length != self->length || turn != self->turn;

  self->length = length;
  self->turn = turn;
  gtk_adjustment_configure (adjustment, any ? place (self, (double) shown->step, FALSE) : 0, 0,
                            length, 1, MAX (length / 10, 1), 0);
  gtk_range_set_fill_level (GTK_RANGE (self->scale),
                            any ? place (self, (double) snapshot->step, FALSE) : 0);
  gtk_widget_set_sensitive (GTK_WIDGET (self->scale), any);
  gtk_widget_set_sensitive (GTK_WIDGET (self->play_button), any);
  gtk_widget_set_sensitive (GTK_WIDGET (self->name_button), any);
  return moves;
}

/* Names of moments stand above the slider. One that would touch the name before it is a stroke
 * alone; the menu has them all. */
static void
add_names (PrismTimeBar *self)
{
  g_auto (GStrv) lines = g_strsplit (self->moments, "\n", -1);
  double end = -self->length;

  g_menu_remove_all (self->moments_section);
  for (char **line = lines; *line != NULL; line++)
    {
      double middle;
      char *name;
      const int step = (int) g_ascii_strtoull (*line, &name, 10);
      const double half = LETTER / 2 * self->length * (double) g_utf8_strlen (++name, -1);
      g_autofree char *shown = g_markup_escape_text (name, -1);
      g_auto (GStrv) parts = g_strsplit (name, "_", -1);
      g_autofree char *label = g_strjoinv ("__", parts);
      g_autofree char *action = g_strdup_printf ("win.time-step(%d)", step);

      g_menu_append (self->moments_section, label, action);
      if (step > self->length)
        continue;
      middle = place (self, step, FALSE);
      gtk_scale_add_mark (self->scale, middle, GTK_POS_TOP, middle - half >= end ? shown : NULL);
      end = MAX (end, middle + half);
    }
}

/* A mark where a fork can begin, and the names of moments. GTK places marks when they are added,
 * and leaves them there when the slider gets another end. */
static void
update_marks (PrismTimeBar *self,
              PrismCheckpoints *states,
              const char *display,
              gboolean moves)
{
  g_autofree char *moments = prism_display_dup (display, "moments");

  if (states == self->states && !moves && g_strcmp0 (moments, self->moments) == 0)
    return;
  gtk_scale_clear_marks (self->scale);
  g_free (self->moments);
  self->moments = g_steal_pointer (&moments);
  add_names (self);
  for (guint i = 0; states != NULL && i < states->n_states; i++)
    gtk_scale_add_mark (self->scale,
                        place (self, (double) prism_checkpoints_get_step (states, i), FALSE),
                        GTK_POS_BOTTOM, NULL);
  prism_keep (&self->states, states, prism_checkpoints_ref, prism_checkpoints_unref);
}

static void
on_sample_changed (GtkSpinButton *spin,
                   PrismTimeBar *self);

/* The menu says where the fork of the moment that is shown would begin, and after which sample it
 * is. */
static void
on_menu_shown (PrismTimeBar *self)
{
  const PrismSnapshot *shown = self->playback->shown;

  g_menu_remove_all (self->fork_section);
  g_menu_append (self->fork_section, self->fork != NULL ? self->fork : _ ("_Fork from here"),
                 "win.fork");
  if (shown == NULL)
    return;
  g_signal_handlers_block_by_func (self->sample_spin, on_sample_changed, self);
  gtk_spin_button_set_range (self->sample_spin, 1, MAX (shown->n_samples, 1));
  gtk_spin_button_set_value (self->sample_spin, MAX (shown->n_visited, 1));
  g_signal_handlers_unblock_by_func (self->sample_spin, on_sample_changed, self);
}

static void
show (PrismTimeBar *self)
{
  const PrismSnapshot *snapshot = self->playback->snapshot, *shown = self->playback->shown;
  const gboolean past = self->playback->moment != NULL;
  const PrismFrames *frames = snapshot != NULL ? snapshot->frames : NULL;
  g_autofree char *label = NULL, *text = NULL;
  const char *fork;

  if (shown == NULL || snapshot == NULL)
    return;
  self->told = past || PRISM_STATE_IS_OVER (snapshot->state) || frames == NULL
                       || frames->n_moments == 0
                   ? shown->step
                   : frames->moments[frames->n_moments - 1]->step;
  /* What moves by itself is seen when it is painted, where one goes oneself is known. */
  if (past ? self->playback->timer == 0 : gtk_widget_has_css_class (GTK_WIDGET (self), "past"))
    self->seen = self->told;
  label = prism_playback_get_frames (self->playback) == NULL && snapshot->step == 0
              ? g_strdup (_ ("No moments yet"))
              : prism_ui_text_dup_place (shown);
  g_free (self->fork);
  fork = self->fork = past ? prism_ui_text_dup_fork (snapshot, shown) : NULL;
  /* With where a fork would begin, which is not always the very moment. */
  text = past ? g_strdup_printf (_ ("Past: %s%s%s"), label, fork != NULL ? ". " : "",
                                 fork != NULL ? fork : "")
              : g_strdup (label);
  gtk_label_set_label (self->label, label);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->label), text);
  update_marks (self, snapshot->states, snapshot->display,
                update_scale (self, snapshot, shown));
  (past ? gtk_widget_add_css_class : gtk_widget_remove_css_class) (GTK_WIDGET (self), "past");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->scale), GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT,
                                  text, -1);
}

static void
on_shown (PrismTimeBar *self)
{
  const PrismPlayback *playback = self->playback;

  if (playback->snapshot != NULL && playback->snapshot->state == PRISM_STATE_RUNNING
      && playback->moment == NULL)
    prism_throttle_call (self->throttle, FALSE);
  else
    show (self);
}

static void
update_play_button (PrismTimeBar *self)
{
  const gboolean playing = self->playback->timer != 0;
  const char *name = playing ? _ ("Halt the playback") : _ ("Play the run back");
  gtk_button_set_icon_name (self->play_button, playing ? "media-playback-pause-symbolic"
                                                       : "media-playback-start-symbolic");
  prism_widget_set_name (self->play_button, name);
}

static void
jump_by (PrismTimeBar *self,
         PrismJump jump,
         int n)
{
  for (int i = 0; i < n; i++)
    prism_playback_jump (self->playback, jump);
}

/* The value is set by what is shown then, which is a moment that there is. */
static gboolean
on_change_value (GtkRange *range,
                 GtkScrollType scroll,
                 double value,
                 PrismTimeBar *self)
{
  switch (scroll)
    {
    case GTK_SCROLL_STEP_BACKWARD:
    case GTK_SCROLL_STEP_LEFT:
    case GTK_SCROLL_STEP_DOWN:
      jump_by (self, PRISM_JUMP_PREVIOUS, 1);
      break;
    case GTK_SCROLL_STEP_FORWARD:
    case GTK_SCROLL_STEP_RIGHT:
    case GTK_SCROLL_STEP_UP:
      jump_by (self, PRISM_JUMP_NEXT, 1);
      break;
    case GTK_SCROLL_PAGE_BACKWARD:
    case GTK_SCROLL_PAGE_LEFT:
    case GTK_SCROLL_PAGE_DOWN:
      jump_by (self, PRISM_JUMP_PREVIOUS, PAGE);
      break;
    case GTK_SCROLL_PAGE_FORWARD:
    case GTK_SCROLL_PAGE_RIGHT:
    case GTK_SCROLL_PAGE_UP:
      jump_by (self, PRISM_JUMP_NEXT, PAGE);
      break;
    case GTK_SCROLL_START:
      prism_playback_jump (self->playback, PRISM_JUMP_FIRST);
      break;
    case GTK_SCROLL_END:
      prism_playback_jump (self->playback, PRISM_JUMP_LIVE);
      break;
    default:
      prism_playback_go_to_step (self->playback, place (self, value, TRUE));
      break;
    }
  return TRUE;
}

/* A name leads to its own moment, however wide it is. Marks stand in the order of their steps. */
static void
on_pressed (PrismTimeBar *self,
            int n_presses,
            double x,
            double y,
            GtkGesture *gesture)
{
  GtkWidget *mark = gtk_widget_pick (GTK_WIDGET (self->scale), x, y, GTK_PICK_DEFAULT);
  g_auto (GStrv) lines = g_strsplit (self->moments, "\n", -1);
  char **line = lines;

  if (!GTK_IS_LABEL (mark))
    return;
  mark = gtk_widget_get_parent (mark);
  while ((mark = gtk_widget_get_prev_sibling (mark)) != NULL)
    line++;
  gtk_gesture_set_state (gesture, GTK_EVENT_SEQUENCE_CLAIMED);
  prism_playback_go_to_step (self->playback, g_ascii_strtod (*line, NULL));
}

static void
on_sample_changed (GtkSpinButton *spin,
                   PrismTimeBar *self)
{
  gtk_widget_activate_action (GTK_WIDGET (self), "win.time-sample", "i",
                              gtk_spin_button_get_value_as_int (spin) - 1);
}

/* What is painted while the button for a name is held was not there when it was pressed. */
static void
prism_time_bar_snapshot (GtkWidget *widget,
                         GtkSnapshot *snapshot)
{
  PrismTimeBar *self = PRISM_TIME_BAR (widget);
  GtkWidget *button = gtk_widget_get_first_child (GTK_WIDGET (self->name_button));

  if ((gtk_widget_get_state_flags (button) & GTK_STATE_FLAG_ACTIVE) == 0)
    self->seen = self->told;
  GTK_WIDGET_CLASS (prism_time_bar_parent_class)->snapshot (widget, snapshot);
}

/* The moment is that which was seen when the name was asked for: a run goes on meanwhile, the
 * playback goes back to it. */
static void
on_name_asked (PrismTimeBar *self)
{
  g_auto (GStrv) lines = g_strsplit (self->moments != NULL ? self->moments : "", "\n", -1);
  char *name;

  g_object_set (self->playback, "playing", FALSE, NULL);
  self->named = self->seen;
  if (self->playback->moment != NULL)
    prism_playback_go_to_step (self->playback, (double) self->named);
  gtk_editable_set_text (self->name_entry, "");
  for (char **line = lines; *line != NULL; line++)
    if (g_ascii_strtoull (*line, &name, 10) == self->named)
      gtk_editable_set_text (self->name_entry, name + 1);
}

static void
on_named (PrismTimeBar *self)
{
  g_autofree char *line = g_strdup_printf ("%" G_GUINT64_FORMAT " %s", self->named,
                                           gtk_editable_get_text (self->name_entry));

  gtk_menu_button_popdown (self->name_button);
  gtk_widget_activate_action (GTK_WIDGET (self), "win.time-name", "s", line);
}

static void
prism_time_bar_class_init (PrismTimeBarClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  PRISM_DISPOSE (klass, PrismTimeBar, prism_throttle_free, throttle);
  PRISM_DISPOSE (klass, PrismTimeBar, g_object_unref, playback);
  PRISM_DISPOSE (klass, PrismTimeBar, prism_checkpoints_unref, states);
  PRISM_DISPOSE (klass, PrismTimeBar, g_free, fork, moments);
  PRISM_TEMPLATE (klass, PrismTimeBar, "prism-time-bar.ui", play_button, scale,
                  label, menu_button, moments_section, fork_section, sample_box, sample_spin,
                  name_button, name_entry, progress_box, progress_bar);
  PRISM_TEMPLATE_CALLBACKS (klass, on_named);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  widget_class->snapshot = prism_time_bar_snapshot;
}

static void
prism_time_bar_init (PrismTimeBar *self)
{
  GtkGesture *gesture = gtk_gesture_click_new ();
  GtkPopover *popover;

  self->throttle = prism_throttle_new (INTERVAL, DELAY, show, self);
  gtk_widget_init_template (GTK_WIDGET (self));
  g_signal_connect (self->scale, "change-value", G_CALLBACK (on_change_value), self);
  /* Before the slider, which goes to where the pointer is. */
  gtk_event_controller_set_propagation_phase (GTK_EVENT_CONTROLLER (gesture), GTK_PHASE_CAPTURE);
  prism_widget_control (self->scale, gesture, self, "pressed", on_pressed, NULL);
  g_signal_connect (self->sample_spin, "value-changed", G_CALLBACK (on_sample_changed), self);
  popover = gtk_menu_button_get_popover (self->menu_button);
  g_signal_connect_swapped (popover, "show", G_CALLBACK (on_menu_shown), self);
  gtk_popover_menu_add_child (GTK_POPOVER_MENU (popover), self->sample_box, "sample");
  PRISM_CONNECT (gtk_menu_button_get_popover (self->name_button), "show", on_name_asked, self);
}

/**
 * prism_time_bar_set_playback:
 * @self: a new time bar
 * @playback: what it shows and moves
 *
 * Connects the bar; its buttons go by the actions win.time-….
 */
void
prism_time_bar_set_playback (PrismTimeBar *self,
                             PrismPlayback *playback)
{
  g_return_if_fail (PRISM_IS_TIME_BAR (self));
  g_return_if_fail (self->playback == NULL);

  self->playback = g_object_ref (playback);
  PRISM_CONNECT (playback, "notify::shown", on_shown, self);
  PRISM_CONNECT (playback, "notify::playing", update_play_button, self);
  update_play_button (self);
  show (self);
}

/**
 * prism_time_bar_ask:
 * @self: a time bar
 * @name: whether for a name of the moment that is shown, else for the number of a sample
 *
 * Opens what either can be typed in.
 */
void
prism_time_bar_ask (PrismTimeBar *self,
                    gboolean name)
{
  gtk_menu_button_popup (name ? self->name_button : self->menu_button);
  gtk_widget_grab_focus (name ? GTK_WIDGET (self->name_entry) : GTK_WIDGET (self->sample_spin));
}

/**
 * prism_time_bar_set_progress:
 * @self: a time bar
 * @fraction: of the animation that is saved, NAN while none is
 *
 * Shows how far an animation is, with a button to break it off.
 */
void
prism_time_bar_set_progress (PrismTimeBar *self,
                             double fraction)
{
  gtk_widget_set_visible (self->progress_box, !isnan (fraction));
  if (!isnan (fraction))
    gtk_progress_bar_set_fraction (self->progress_bar, fraction);
}
