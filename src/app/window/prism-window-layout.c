#include "config.h"

#include "support/prism-settings.h"
#include "support/prism-ui-text.h"
#include "support/prism-widget.h"
#include "window/prism-arrangement.h"
#include "window/prism-window-private.h"

/* How the panels stand: one of a few arrangements, each with charts and gaps of its own, which are
 * remembered from one session to the next. */

/* {'teach': ['losses', 'quality', 'frc', 'cache']}, as it is remembered. */
static GVariant *
load_charts (void)
{
  g_autofree char *text = NULL;

  g_object_get (prism_settings_get_default (), "panel-charts", &text, NULL);
  return prism_arrangement_parse (text, "a{sas}");
}

/* Recorded frames and a telescope have an arrangement each. */
static const char *
get_setting (PrismWindow *self)
{
  return self->dashboard->recorded ? "recorded-arrangement" : "arrangement";
}

static const PrismArrangement *
get_arrangement (PrismWindow *self)
{
  g_autofree char *id = NULL;

  g_object_get (prism_settings_get_default (), get_setting (self), &id, NULL);
  return prism_arrangement_find (id);
}

/* What the charts show now belongs to the arrangement. */
static void
keep_charts (PrismWindow *self)
{
  char *quantities[PRISM_ARRANGEMENT_CHARTS + 1] = { NULL };
  g_autoptr (GVariant) before = load_charts (), all = NULL;
  g_autofree char *text = NULL;

  if (self->arranging)
    return;
  for (guint i = 0; i < PRISM_ARRANGEMENT_CHARTS; i++)
    g_object_get (self->dashboard->charts[i], "quantity", &quantities[i],
                  NULL);
  all = prism_arrangement_keep (before, get_arrangement (self)->id,
                                g_variant_new_strv ((const char *const *) quantities, -1));
  text = g_variant_print (all, FALSE);
  g_object_set (prism_settings_get_default (), "panel-charts", text, NULL);
  for (guint i = 0; i < PRISM_ARRANGEMENT_CHARTS; i++)
    g_free (quantities[i]);
}

static void
show_charts (PrismWindow *self)
{
  const PrismArrangement *arrangement = get_arrangement (self);
  g_autoptr (GVariant) all = load_charts ();
  g_autoptr (GVariant) value
      = g_variant_lookup_value (all, arrangement->id, G_VARIANT_TYPE_STRING_ARRAY);
  g_autofree const char **quantities = value != NULL ? g_variant_get_strv (value, NULL) : NULL;
  gboolean kept = value != NULL && g_variant_n_children (value) == PRISM_ARRANGEMENT_CHARTS;

  self->arranging = TRUE;
  for (guint i = 0; i < PRISM_ARRANGEMENT_CHARTS; i++)
    {
      g_autofree char *id = g_strdup_printf ("chart-%u", i + 1);

      g_object_set (self->dashboard->charts[i], "quantity",
                    kept ? quantities[i] : arrangement->quantities[i], NULL);
      gtk_widget_set_visible (GTK_WIDGET (prism_dashboard_get_panel (self->dashboard, id)),
                              i < arrangement->n_charts);
    }
  self->arranging = FALSE;
}

/* A panel that is shown alone would hide what has been chosen. */
static void
arrange (PrismWindow *self)
{
  const char *id = get_arrangement (self)->id;

  g_simple_action_set_state (
      G_SIMPLE_ACTION (g_action_map_lookup_action (G_ACTION_MAP (self), "arrangement")),
      g_variant_new_string (id));
  g_object_set (self->dashboard->grid, "arrangement", id, NULL);
  show_charts (self);
  prism_dashboard_restore (self->dashboard);
}

static void
on_arrangement (GSimpleAction *action,
                GVariant *value,
                gpointer data)
{
  PrismWindow *self = data;

  g_object_set (prism_settings_get_default (), get_setting (self),
                prism_arrangement_find (g_variant_get_string (value, NULL))->id, NULL);
  arrange (self);
}

static void
on_reset_layout (PrismWindow *self)
{
  g_object_set (prism_settings_get_default (), "panel-lines", "", "panel-charts", "", NULL);
  show_charts (self);
}

/* For the last row of a lecture hall: text whose lines are a thirtieth of the screen's height, and
 * one sentence above it all whose digits are. */

#define LINES 30.0
/* Beyond these the panels have no room beside their words, or nothing would be gained. */
#define LEAST_SCALE 1.5
#define MOST_SCALE 2.0
/* What the header needs in every language without the projector: its text grows as far as the
 * window is wider than that. */
#define HEADER 900.0 /* px */
/* Height of a digit over the size of its font, of the usual sans serif fonts. */
#define DIGIT 0.72
/* While a run goes on: nobody reads faster. */
#define INTERVAL 100 /* ms, as of what else says the position: all say the same */

/* What GTK would take without the projector. */
static void
get_font (GtkWidget *widget,
          double *size,
          double *line)
{
  PangoContext *context = gtk_widget_get_pango_context (widget);
  PangoFontMetrics *metrics = pango_context_get_metrics (context, NULL, NULL);
  const PangoFontDescription *font = pango_context_get_font_description (context);

  *line = (double) pango_font_metrics_get_height (metrics) / PANGO_SCALE;
  *size = (double) pango_font_description_get_size (font) / PANGO_SCALE;
  if (!pango_font_description_get_size_is_absolute (font))
    *size *= pango_cairo_context_get_resolution (context) / 72;
  pango_font_metrics_unref (metrics);
}

static void
follow_size (PrismWindow *self)
{
  int height = gtk_widget_get_height (GTK_WIDGET (self));
  g_autofree char *css = NULL;
  double scale, header;

  if (!self->projecting || height <= 0)
    return;
  scale = CLAMP (height / LINES / self->font_line, LEAST_SCALE, MOST_SCALE);
  header = CLAMP (gtk_widget_get_width (GTK_WIDGET (self)) / HEADER, 1, scale);
  css = g_strdup_printf ("window.projector { font-size: %ldpx; }"
                         "window.projector .main-header { font-size: %ldpx; }"
                         "window.projector .projector-sentence { font-size: %ldpx; }",
                         lround (scale * self->font_size), lround (header * self->font_size),
                         lround (height / LINES / DIGIT));
  gtk_css_provider_load_from_data (self->projector_style, css, -1);
  prism_panel_grid_set_scale (self->dashboard->grid, scale);
}

static void
queue_size (PrismWindow *self)
{
  if (self->projecting && self->projector_id == 0)
    prism_later (&self->projector_id, 0, follow_size, self);
}

static void
show_sentence (gpointer data)
{
  PrismWindow *self = data;
  PrismSnapshot *shown = self->session->playback->shown;
  g_autofree char *sentence = shown != NULL ? prism_ui_text_dup_progress (shown) : NULL;

  gtk_label_set_label (self->sentence, sentence != NULL ? sentence : "");
}

static void
on_shown (PrismWindow *self)
{
  PrismSnapshot *shown = self->session->playback->shown;

  if (self->projecting)
    prism_throttle_call (self->projector_throttle,
                         shown == NULL || shown->state != PRISM_STATE_RUNNING);
}

static void
begin (PrismWindow *self)
{
  const gboolean lesson = prism_lesson_panel_is_busy (self->lesson_panel);

  get_font (GTK_WIDGET (self), &self->font_size, &self->font_line);
  g_object_get (self->flap, "reveal-flap", &self->had_sidebar, NULL);
  if (!lesson)
    {
      g_object_set (self->flap, "reveal-flap", FALSE, NULL);
      gtk_widget_activate_action (GTK_WIDGET (self), "win.focus-picture", NULL);
    }
  gtk_widget_add_css_class (GTK_WIDGET (self), "projector");
  gtk_window_fullscreen (GTK_WINDOW (self));
  show_sentence (self);
  queue_size (self);
}

static void
on_projector (PrismWindow *self,
              gboolean projecting)
{
  if (projecting == self->projecting)
    return;
  self->projecting = projecting;
  g_object_set (self->spotlight, "active", projecting, NULL);
  /* A sidebar that no longer fits beside large text lies over it, and is not shown by itself. */
  g_object_set (self->flap, "locked", projecting, NULL);
  gtk_widget_set_visible (GTK_WIDGET (self->sentence), projecting);
  if (projecting)
    begin (self);
  else
    {
      gtk_widget_remove_css_class (GTK_WIDGET (self), "projector");
      prism_panel_grid_set_scale (self->dashboard->grid, 1);
      if (self->had_sidebar)
        g_object_set (self->flap, "reveal-flap", TRUE, NULL);
      gtk_window_unfullscreen (GTK_WINDOW (self));
    }
}

/* GTK gives the keyboard of a sidebar that goes to any button, which takes Space. Whether it is
 * there is remembered, but not of a projector. */
static void
on_sidebar (PrismWindow *self)
{
  GtkWidget *focus = gtk_window_get_focus (GTK_WINDOW (self));

  if (!self->projecting)
    g_object_set (prism_settings_get_default (), "show-sidebar",
                  adw_flap_get_reveal_flap (ADW_FLAP (self->flap)), NULL);
  if (!adw_flap_get_reveal_flap (ADW_FLAP (self->flap)) && focus != NULL
      && gtk_widget_is_ancestor (focus, adw_flap_get_flap (ADW_FLAP (self->flap))))
    gtk_widget_activate_action (GTK_WIDGET (self), "win.focus-picture", NULL);
}

static void
on_motion (PrismWindow *self,
           double x,
           double y)
{
  double own_x, own_y;

  if (gtk_widget_translate_coordinates (GTK_WIDGET (self), GTK_WIDGET (self->spotlight), x, y,
                                        &own_x, &own_y))
    prism_spotlight_move (self->spotlight, own_x, own_y);
}

/**
 * prism_window_leave_projector:
 * @self: a window
 *
 * Returns: whether the window was on a projector, and is not any more
 */
gboolean
prism_window_leave_projector (PrismWindow *self)
{
  GAction *action = g_action_map_lookup_action (G_ACTION_MAP (self), "projector");

  if (!self->projecting)
    return FALSE;
  g_action_change_state (action, g_variant_new_boolean (FALSE));
  return TRUE;
}

/**
 * prism_window_drop_projector:
 * @self: a window that goes
 *
 * Frees what the projector needs.
 */
void
prism_window_drop_projector (PrismWindow *self)
{
  g_clear_handle_id (&self->projector_id, g_source_remove);
  g_clear_pointer (&self->projector_throttle, prism_throttle_free);
  if (self->projector_style != NULL)
    gtk_style_context_remove_provider_for_display (gtk_widget_get_display (GTK_WIDGET (self)),
                                                   GTK_STYLE_PROVIDER (self->projector_style));
  g_clear_object (&self->projector_style);
}

/**
 * prism_window_install_layout:
 * @self: a window that has its dashboard
 *
 * Adds the actions that choose how the panels stand, takes up what is remembered, and the mode
 * for a projector: large text, one sentence, a ring around the pointer.
 */
void
prism_window_install_layout (PrismWindow *self)
{
  static const GActionEntry arrangement[]
      = { { "arrangement", NULL, "s", "'explore'", on_arrangement } };
  const GBindingFlags flags = G_BINDING_BIDIRECTIONAL | G_BINDING_SYNC_CREATE;
  PrismSettings *settings = prism_settings_get_default ();
  PrismPanelGrid *grid = self->dashboard->grid;
  GtkEventController *motion = gtk_event_controller_motion_new ();

  PRISM_WINDOW_ACTIONS (self,
                        { "reset-layout", on_reset_layout },
                        { "projector", on_projector, "b" });
  g_action_map_add_action_entries (G_ACTION_MAP (self), arrangement, 1, self);
  g_object_bind_property (settings, "panel-lines", grid, "lines", flags);
  arrange (self);
  PRISM_CONNECT (self->dashboard, "notify::recorded", arrange, self);
  PRISM_CONNECT (self->flap, "notify::reveal-flap", on_sidebar, self);
  for (guint i = 0; i < PRISM_ARRANGEMENT_CHARTS; i++)
    PRISM_CONNECT (self->dashboard->charts[i], "notify::quantity", keep_charts,
                   self);
  self->projector_throttle = prism_throttle_new (INTERVAL, 0, show_sentence, self);
  self->projector_style = gtk_css_provider_new ();
  gtk_style_context_add_provider_for_display (gtk_widget_get_display (GTK_WIDGET (self)),
                                              GTK_STYLE_PROVIDER (self->projector_style),
                                              GTK_STYLE_PROVIDER_PRIORITY_APPLICATION + 1);
  gtk_event_controller_set_propagation_phase (motion, GTK_PHASE_CAPTURE);
  prism_widget_control (self, motion, self, "motion", on_motion, NULL);
  PRISM_CONNECT (self->session->playback, "notify::shown", on_shown, self);
  PRISM_CONNECT (self->spotlight, "resized", queue_size, self);
}
