#include "config.h"

#include "base/prism-each.h"
#include "base/prism-file.h"

#include "kspace/prism-pattern-gallery.h"
#include "model/prism-display.h"
#include "model/prism-pattern-points.h"
#include "model/prism-pattern.h"
#include "output/prism-figure.h"
#include "results/prism-survey.h"
#include "support/prism-ui-text.h"
#include "tools/prism-image-tools.h"
#include "window/prism-window-private.h"

static PrismView *
get_view (PrismWindow *self,
          const char *id)
{
  return PRISM_VIEW (prism_dashboard_get_panel (self->dashboard, id)->child);
}

static void
copy (PrismWindow *self,
      GdkTexture *texture,
      const GError *error)
{
  if (texture == NULL)
    {
      prism_window_show_problem (self, error->message);
      return;
    }
  gdk_clipboard_set_texture (gtk_widget_get_clipboard (GTK_WIDGET (self)), texture);
  prism_window_show_toast (self, _ ("The picture is in the clipboard"));
}

static void
on_copy (PrismWindow *self,
         const char *id)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GdkTexture) texture
      = prism_picture_copy_new_texture (get_view (self, id), &error);

  copy (self, texture, error);
}

static void
on_copy_figure (PrismWindow *self,
                const char *id)
{
  PrismSnapshot *shown = self->session->playback->shown;
  g_autofree char *subtitle = shown != NULL ? prism_ui_text_dup_origin (shown) : NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GdkTexture) texture = NULL;
  g_autoptr (GBytes) png = NULL;
  g_autoptr (GPtrArray) panels = g_ptr_array_new ();
  PrismFigureOptions options;

  prism_figure_options_init (&options);
  options.subtitle = subtitle;
  g_ptr_array_add (panels, get_view (self, id));
  png = prism_figure_render_sheet (&(const PrismFigureSheet) { panels, 1 }, &options, &error);
  if (png != NULL)
    texture = gdk_texture_new_from_bytes (png, &error);
  copy (self, texture, error);
}

/* Another thread. */
static gboolean
save_text (gpointer data,
           const char *path,
           GError **error)
{
  return prism_file_save (path, data, strlen (data), error);
}

static void
on_path_chosen (PrismWindow *self,
                const char *path,
                const char *text)
{
  prism_window_save (self, save_text, g_strdup (text), g_free, path);
}

static void
on_save_readings (PrismWindow *self,
                  const char *panel)
{
  static const PrismFileDialog dialog
      = { PRISM_FILE_DIALOG_SAVE, N_ ("Save readings"), N_ ("Tables"), "*.csv", "readings.csv" };
  char *text = prism_picture_set_dup_csv (self->dashboard->pictures, panel);

  /* K-space has no marks. */
  if (text != NULL)
    prism_window_ask_place (&dialog, self, on_path_chosen, text, g_free);
}

static void
on_jump (PrismWindow *self,
         PrismJump jump)
{
  PrismPlayback *playback = self->session->playback;

  g_object_set (playback, "playing", FALSE, NULL);
  if (prism_playback_can_jump (playback, jump))
    prism_playback_jump (playback, jump);
  else
    prism_window_show_toast (self, _ ("There is no such moment in this direction"));
}

static const PrismWindowAction jumps[] = {
  { "time-first", on_jump, NULL, PRISM_JUMP_FIRST },
  { "time-last", on_jump, NULL, PRISM_JUMP_LIVE },
  { "time-previous", on_jump, NULL, PRISM_JUMP_PREVIOUS },
  { "time-next", on_jump, NULL, PRISM_JUMP_NEXT },
  { "time-best", on_jump, NULL, PRISM_JUMP_BEST },
  { "time-spike-previous", on_jump, NULL, PRISM_JUMP_PREVIOUS_SPIKE },
  { "time-spike-next", on_jump, NULL, PRISM_JUMP_NEXT_SPIKE },
};

static void
on_sample (PrismWindow *self,
           int sample)
{
  if (!prism_playback_go_to_sample (self->session->playback,
                                    (guint) MAX (sample, 0)))
    prism_window_show_toast (self, _ ("The run has not come that far yet"));
}

static void
on_step (PrismWindow *self,
         int step)
{
  prism_playback_go_to_step (self->session->playback, step);
}

/* Names are of the run on the screen, whatever is edited. */
static void
on_name (PrismWindow *self,
         const char *line)
{
  const PrismSnapshot *snapshot = self->session->snapshot;
  g_autofree char *moments = prism_display_name_moment (snapshot->display, line);

  prism_draft_set_display (self->draft, "moments", moments, NULL);
}

#define TIME_BAR G_STRUCT_OFFSET (PrismWindow, time_bar)

static const PrismWindowAction moments[] = {
  { "time-sample", on_sample, "i" },
  { "time-step", on_step, "i" },
  { "time-name", on_name, "s" },
  { "time-ask-sample", prism_time_bar_ask, NULL, FALSE, TIME_BAR },
  { "time-ask-name", prism_time_bar_ask, NULL, TRUE, TIME_BAR },
};

/* Spikes are looked for when they are asked for: that reads all rows. */
static void
enable_actions (PrismWindow *self)
{
  PrismPlayback *playback = self->session->playback;
  gboolean any = prism_playback_get_frames (playback) != NULL;

  PRISM_FOR_EACH_OF (jump, jumps)
    prism_window_enable (self, jump->name,
                         jump->number >= PRISM_JUMP_PREVIOUS_SPIKE
                             ? any
                             : prism_playback_can_jump (playback, jump->number),
                         NULL);
  PRISM_FOR_EACH_OF (moment, moments)
    prism_window_enable (self, moment->name, any, NULL);
}

/* The last run beside the one on the screen: a button, what differs, the page that shows both. */

static void
on_available (PrismWindow *self)
{
  const gboolean available = self->previous->available;

  prism_window_enable (self, "compare-last-two", available, "compare-last", available, NULL);
}

/* What it shows stands in other panels than the picture, which may be alone. */
static void
on_toggle (PrismWindow *self,
           gboolean on)
{
  g_object_set (self->previous, "active", on, NULL);
  if (on)
    g_object_set (prism_dashboard_get_panel (self->dashboard, "reconstruction"), "maximized", FALSE,
                  NULL);
}

/* The switch between two pictures that fit the measurements equally. */

static void
on_show_second (PrismWindow *self,
                gboolean on)
{
  g_object_set (self->dashboard, "shows-second", on, NULL);
}

/* A run that is begun or chosen is first seen by its result. */
static void
on_shown (PrismWindow *self)
{
  GAction *action = g_action_map_lookup_action (G_ACTION_MAP (self), "show-second");
  const PrismSnapshot *shown = self->dashboard->shown;
  const gboolean has_second = shown != NULL && shown->second != NULL;

  if (has_second == g_action_get_enabled (action))
    return;
  g_simple_action_set_enabled (G_SIMPLE_ACTION (action), has_second);
  g_action_change_state (action, g_variant_new_boolean (FALSE));
}

static const char *const fixed_positions
    = N_ ("Recorded frames have the positions at which they were recorded. Choose an object to "
          "place others.");

/* Positions are placed in all the room there is; what was shown before comes back. */
static void
give_room (PrismWindow *self,
           gboolean editing)
{
  PrismPanel *panel = prism_dashboard_get_panel (self->dashboard, "kspace");

  if (editing && panel->maximized)
    return;
  if (editing || self->gave_room)
    g_object_set (panel, "maximized", editing, NULL);
  self->gave_room = editing;
}

/* The action is on exactly while positions are placed, whoever began or ended that. */
static void
on_editing_changed (PrismWindow *self)
{
  GAction *action = g_action_map_lookup_action (G_ACTION_MAP (self), "edit-pattern");
  gboolean editing = self->pattern_desk->editing;

  g_simple_action_set_state (G_SIMPLE_ACTION (action), g_variant_new_boolean (editing));
  give_room (self, editing);
}

static void
on_edit_pattern (PrismWindow *self,
                 gboolean on)
{
  const gboolean refused = on && prism_window_refuse_recorded (self, _ (fixed_positions));

  prism_pattern_editor_set_editing (self->pattern_desk, on && !refused);
  on_editing_changed (self);
}

/* In a small window the panel may be out of sight; the keyboard there brings it in. */
static void
on_correlation_shown (PrismWindow *self)
{
  PrismView *view = PRISM_VIEW (self->dashboard->kspace_view);

  if (self->dashboard->kspace_view->show_correlation)
    gtk_widget_grab_focus (GTK_WIDGET (view->canvas));
}

/* What still holds the gallery when it is closed must not hold this window by it. */
static void
forget_actions (GtkWidget *gallery)
{
  gtk_widget_insert_action_group (gallery, "win", NULL);
}

static void
on_patterns (PrismWindow *self)
{
  GtkWidget *gallery;

  if (self->gallery != NULL)
    {
      gtk_window_present (self->gallery);
      return;
    }
  if (prism_window_refuse_recorded (self, _ (fixed_positions)))
    return;
  gallery = prism_pattern_gallery_new (self->draft);
  gtk_widget_insert_action_group (gallery, "win", G_ACTION_GROUP (self));
  g_signal_connect (gallery, "unrealize", G_CALLBACK (forget_actions), NULL);
  PRISM_CONNECT (self->dashboard, "notify::recorded", gtk_window_destroy, gallery);
  prism_window_open_child (self, gallery, &self->gallery);
}

static void
save_gallery (PrismWindow *self,
              const char *path)
{
  prism_window_save (self, prism_gallery_save_png,
                     prism_config_dup (self->draft->config),
                     prism_config_free, path);
}

static void
save_positions (PrismWindow *self,
                const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PrismPattern) pattern
      = prism_pattern_new (self->draft->config, &error);
  g_autofree char *text = pattern != NULL
                              ? prism_pattern_points_to_csv (pattern->points, pattern->n_points)
                              : NULL;

  if (text != NULL)
    prism_file_save (path, text, strlen (text), &error);
  prism_window_show_saved (self, path, error);
}

/* Read before the pattern is changed: a file that is none leaves it as it is. */
static void
open_positions (PrismWindow *self,
                const char *path)
{
  const char *values[] = { "pattern", "file", "pattern_file", path, NULL };
  const PrismConfig *config = self->draft->config;
  g_autoptr (GError) error = NULL;
  g_autofree PrismPoint *points = NULL;
  guint n_points;

  points = prism_pattern_points_load (path, config->image_size, &n_points, &error);
  if (points != NULL
      && prism_draft_set_several (self->draft, values, _ ("Positions opened"), NULL, &error))
    prism_window_hide_problem (self);
  else
    prism_window_show_problem (self, error->message);
}

/**
 * prism_window_install_kspace:
 * @self: a window
 *
 * Adds the bar below k-space and the actions of its panel.
 */
void
prism_window_install_kspace (PrismWindow *self)
{
  PrismKspaceView *view = self->dashboard->kspace_view;
  GtkWidget *bar;

  self->pattern_desk = prism_pattern_editor_new (self->session, view);
  PRISM_CONNECT (self->pattern_desk, "notify::editing", on_editing_changed, self);
  PRISM_CONNECT (self->pattern_desk, "told", prism_window_show_toast, self);
  PRISM_WINDOW_ACTIONS (self,
                        { "edit-pattern", on_edit_pattern, "b" },
                        { "patterns", on_patterns },
                        { "save-gallery", save_gallery,
                          .dialog
                          = { PRISM_FILE_DIALOG_SAVE, N_ ("Save the picture of all patterns"),
                              N_ ("PNG images"), "*.png", "patterns.png" },
                          .of_run = TRUE },
                        { "save-positions", save_positions,
                          .dialog = { PRISM_FILE_DIALOG_SAVE, N_ ("Save positions"), N_ ("Tables"),
                                      "*.csv *.txt", "positions.csv" },
                          .of_run = TRUE },
                        { "open-positions", open_positions,
                          .dialog = { PRISM_FILE_DIALOG_OPEN, N_ ("Open positions"),
                                      N_ ("Tables"), "*.csv *.txt" } });
  prism_window_add_property (self, "show-correlation", view, "show-correlation");
  PRISM_CONNECT (view, "notify::show-correlation", on_correlation_shown, self);
  bar = prism_pattern_bar_new (self->pattern_desk);
  g_object_bind_property (self->dashboard, "recorded", bar, "visible",
                          G_BINDING_SYNC_CREATE | G_BINDING_INVERT_BOOLEAN);
  prism_view_set_footer (PRISM_VIEW (view), bar);
}

/**
 * prism_window_install_picture:
 * @self: a window that has its runs and its dashboard
 *
 * Adds what walks through the moments of a run, holds the last run or another picture against
 * the one on the screen, and copies what is shown.
 */
void
prism_window_install_picture (PrismWindow *self)
{
  PrismPlayback *playback = self->session->playback;

  PRISM_WINDOW_ACTIONS (self,
                        { "compare-last-two", prism_window_compare_last },
                        { "compare-last", on_toggle, "b" },
                        { "show-second", on_show_second, "b" },
                        { "copy", on_copy, "s" },
                        { "copy-figure", on_copy_figure, "s" },
                        { "save-readings", on_save_readings, "s" });
  self->previous = prism_last_run_new (self->session);
  g_object_notify (G_OBJECT (self), "previous");
  gtk_box_append (GTK_BOX (self->dashboard->lines), self->rival_line);
  g_object_bind_property (self->previous, "snapshot", self->dashboard, "previous",
                          G_BINDING_SYNC_CREATE);
  PRISM_CONNECT (self->previous, "notify::available", on_available, self);
  on_available (self);
  prism_window_add_property (self, "show-exposure", self->dashboard, "shows-exposure");
  prism_window_enable (self, "show-second", FALSE, NULL);
  PRISM_CONNECT (self->dashboard, "notify::shown", on_shown, self);
  prism_window_add_actions (self, jumps, G_N_ELEMENTS (jumps));
  prism_window_add_actions (self, moments, G_N_ELEMENTS (moments));
  prism_window_add_property (self, "time-live", playback, "live");
  prism_window_add_property (self, "time-play", playback, "playing");
  prism_window_add_property (self, "time-loop", playback, "loop");
  prism_window_add_property (self, "time-rate", playback, "rate");
  prism_time_bar_set_playback (self->time_bar, playback);
  PRISM_CONNECT (playback, "notify::shown", enable_actions, self);
  PRISM_CONNECT (self->dashboard->timeline, "moment-picked",
                 prism_playback_go_to_step, playback);
  enable_actions (self);
}
