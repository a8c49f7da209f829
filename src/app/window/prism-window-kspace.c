#include "config.h"

#include "window/prism-window-private.h"

#include "base/prism-file.h"
#include "kspace/prism-pattern-bar.h"
#include "kspace/prism-pattern-gallery.h"
#include "model/prism-pattern-points.h"
#include "model/prism-pattern.h"
#include "results/prism-survey.h"
#include "support/prism-file-dialog.h"

#include <glib/gi18n.h>
#include <string.h>

static const char *const csv_patterns[] = { "*.csv", "*.txt", NULL };
static const char *const png_patterns[] = { "*.png", NULL };

static const char *const fixed_positions
    = N_ ("Recorded frames have the positions at which they were recorded. Choose an object to "
          "place others.");

static void
on_edit_pattern (GSimpleAction *action,
                 GVariant *value,
                 gpointer data)
{
  PrismWindow *self = data;

  if (g_variant_get_boolean (value) && prism_window_refuse_recorded (self, _ (fixed_positions)))
    return;
  prism_pattern_desk_set_editing (self->pattern_desk, g_variant_get_boolean (value));
}

/* Positions are placed in all the room there is; what was shown before comes back. */
static void
give_room (PrismWindow *self,
           gboolean editing)
{
  PrismPanel *panel = prism_dashboard_get_panel (self->dashboard, "kspace");

  if (editing && prism_panel_get_maximized (panel))
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
  gboolean editing = prism_pattern_desk_get_editing (self->pattern_desk);

  g_simple_action_set_state (G_SIMPLE_ACTION (action), g_variant_new_boolean (editing));
  give_room (self, editing);
}

/* In a small window the panel may be out of sight; the keyboard there brings it in. */
static void
on_correlation_shown (PrismWindow *self)
{
  PrismView *view = PRISM_VIEW (prism_dashboard_get_kspace_view (self->dashboard));
  gboolean shown;

  g_object_get (view, "show-correlation", &shown, NULL);
  if (shown)
    gtk_widget_grab_focus (GTK_WIDGET (prism_view_get_canvas (view)));
}

static void
on_patterns (GSimpleAction *action,
             GVariant *parameter,
             gpointer data)
{
  PrismWindow *self = data;
  GtkWidget *gallery;

  if (prism_window_refuse_recorded (self, _ (fixed_positions)))
    return;
  gallery = prism_pattern_gallery_new (self->draft);
  gtk_widget_insert_action_group (gallery, "win", G_ACTION_GROUP (self));
  gtk_window_set_transient_for (GTK_WINDOW (gallery), GTK_WINDOW (self));
  gtk_window_present (GTK_WINDOW (gallery));
}

static void
on_gallery_chosen (const char *path,
                   gpointer data)
{
  PrismWindow *self = data;

  prism_window_save (self, (PrismFileSaverFunc) prism_gallery_save_png,
                     prism_config_dup (prism_draft_get_config (self->draft)),
                     (GDestroyNotify) prism_config_free, path);
}

static void
on_save_gallery (GSimpleAction *action,
                 GVariant *parameter,
                 gpointer data)
{
  PrismFileDialog dialog = { PRISM_FILE_DIALOG_SAVE, _ ("Save the picture of all patterns"),
                             _ ("_Save"), "patterns.png", _ ("PNG images"), png_patterns };

  prism_file_dialog_show (&dialog, GTK_WINDOW (data), on_gallery_chosen, g_object_ref (data),
                          g_object_unref);
}

static void
on_save_chosen (const char *path,
                gpointer data)
{
  PrismWindow *self = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (PrismPattern) pattern
      = prism_pattern_new (prism_draft_get_config (self->draft), &error);
  g_autofree char *text = pattern != NULL
                              ? prism_pattern_points_to_csv (pattern->points, pattern->n_points)
                              : NULL;

  if (text != NULL && prism_file_save (path, text, strlen (text), &error))
    prism_window_show_saved (self, path);
  else
    prism_window_show_problem (self, error->message);
}

static void
on_save_positions (GSimpleAction *action,
                   GVariant *parameter,
                   gpointer data)
{
  PrismFileDialog dialog = { PRISM_FILE_DIALOG_SAVE, _ ("Save positions"), _ ("_Save"),
                             "positions.csv", _ ("Tables"), csv_patterns };

  prism_file_dialog_show (&dialog, GTK_WINDOW (data), on_save_chosen, g_object_ref (data),
                          g_object_unref);
}

/* Read before the pattern is changed: a file that is none leaves it as it is. */
static void
on_open_chosen (const char *path,
                gpointer data)
{
  PrismWindow *self = data;
  const char *values[] = { "pattern", "file", "pattern_file", path, NULL };
  const PrismConfig *config = prism_draft_get_config (self->draft);
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

static void
on_open_positions (GSimpleAction *action,
                   GVariant *parameter,
                   gpointer data)
{
  PrismFileDialog dialog = { PRISM_FILE_DIALOG_OPEN, _ ("Open positions"), _ ("_Open"), NULL,
                             _ ("Tables"), csv_patterns };

  prism_file_dialog_show (&dialog, GTK_WINDOW (data), on_open_chosen, g_object_ref (data),
                          g_object_unref);
}

static const GActionEntry entries[] = {
  { "edit-pattern", NULL, NULL, "false", on_edit_pattern },
  { "patterns", on_patterns },
  { "save-gallery", on_save_gallery },
  { "save-positions", on_save_positions },
  { "open-positions", on_open_positions },
};

/**
 * prism_window_install_kspace:
 * @self: a window
 *
 * Adds the bar below k-space and the actions of its panel.
 */
void
prism_window_install_kspace (PrismWindow *self)
{
  PrismKspaceView *view = prism_dashboard_get_kspace_view (self->dashboard);
  g_autoptr (GPropertyAction) correlation
      = g_property_action_new ("show-correlation", view, "show-correlation");

  self->pattern_desk = prism_pattern_desk_new (self->session, view);
  g_signal_connect_object (self->pattern_desk, "notify::editing", G_CALLBACK (on_editing_changed),
                           self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->pattern_desk, "told", G_CALLBACK (prism_window_show_toast), self,
                           G_CONNECT_SWAPPED);
  g_action_map_add_action_entries (G_ACTION_MAP (self), entries, G_N_ELEMENTS (entries), self);
  g_action_map_add_action (G_ACTION_MAP (self), G_ACTION (correlation));
  g_signal_connect_object (view, "notify::show-correlation", G_CALLBACK (on_correlation_shown),
                           self, G_CONNECT_SWAPPED);
  prism_view_set_footer (PRISM_VIEW (view), prism_pattern_bar_new (self->pattern_desk));
}
