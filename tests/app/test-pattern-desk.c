#include "kspace/prism-pattern-gallery.h"
#include "prism-test.h"
#include "window/prism-window.h"
#include "widget-test.h"

#define N 64
#define N_SAMPLES 6

typedef struct
{
  PrismSession *session;
  PrismDraft *draft;
  PrismWindow *window;
  PrismKspaceView *view;
  GtkWidget *canvas;
} Fixture;

static gboolean
has_frame (gpointer data)
{
  PrismFrame frame;

  return prism_canvas_get_frame (data, &frame);
}

SET_UP
{
  g_autoptr (PrismConfig) config = prism_config_new ();

  config->image_size = N;
  config->object_size = 32;
  config->aperture_radius = 6;
  config->samples = N_SAMPLES;
  config->steps = 5;
  config->start_steps = 10;
  self->session = MUST (prism_session_new (&error));
  self->draft = self->session->draft;
  self->window = prism_window_new (NULL, self->session);
  self->view
      = PRISM_DASHBOARD (widget_test_get_part (self->window, "dashboard"))->kspace_view;
  self->canvas = GTK_WIDGET (PRISM_VIEW (self->view)->canvas);
  prism_session_start (self->session, config);
  gtk_window_present (GTK_WINDOW (self->window));
  WAIT_FOR (gtk_widget_get_mapped (GTK_WIDGET (self->window)));
  WAIT_FOR (self->session->snapshot != NULL
            && PRISM_SESSION (self->session)->state == PRISM_STATE_IDLE);
  WAIT_FOR (has_frame (self->canvas));
}

TEAR_DOWN
{
  gtk_window_destroy (GTK_WINDOW (self->window));
  g_object_unref (self->session);
}

static GActionGroup *
get_actions (Fixture *fixture)
{
  return G_ACTION_GROUP (fixture->window);
}

static gboolean
is_editing (Fixture *fixture)
{
  g_autoptr (GVariant) state
      = g_action_group_get_action_state (get_actions (fixture), "edit-pattern");

  return g_variant_get_boolean (state);
}

static void
begin (Fixture *fixture)
{
  g_action_group_activate_action (get_actions (fixture), "edit-pattern", NULL);
  g_assert_true (is_editing (fixture));
}

/* The controller of the canvas that sees events before the canvas does. */
static GtkEventController *
get_controller (Fixture *fixture,
                GType type)
{
  g_autoptr (GListModel) all = gtk_widget_observe_controllers (fixture->canvas);

  for (guint i = 0; i < g_list_model_get_n_items (all); i++)
    {
      g_autoptr (GtkEventController) controller = g_list_model_get_item (all, i);

      if (G_TYPE_CHECK_INSTANCE_TYPE (controller, type)
          && gtk_event_controller_get_propagation_phase (controller) == GTK_PHASE_CAPTURE)
        return controller;
    }
  g_assert_not_reached ();
}

static gboolean
press (Fixture *fixture,
       guint key,
       GdkModifierType state)
{
  gboolean handled = FALSE;

  g_signal_emit_by_name (get_controller (fixture, GTK_TYPE_EVENT_CONTROLLER_KEY), "key-pressed",
                         key, 0, state, &handled);
  return handled;
}

static PrismPattern *
get_pattern (Fixture *fixture)
{
  g_autoptr (PrismConfig) config = prism_config_dup (fixture->draft->config);

  config->order = PRISM_ORDER_GIVEN;
  PrismPattern *pattern = MUST (prism_pattern_new (config, &error));
  return pattern;
}

static int
get_kind (Fixture *fixture)
{
  return fixture->draft->config->pattern;
}

/* Everything by keys: choose, nudge in three sizes, place, let go, remove, leave. */
TEST_FIXTURE (keyboard, "/app/pattern-desk/keyboard")
{
  g_autoptr (PrismPattern) before = get_pattern (self);

  g_assert_false (press (self, GDK_KEY_Delete, 0));
  begin (self);
  g_assert_cmpint (get_kind (self), ==, PRISM_PATTERN_FERMAT);
  g_assert_false (press (self, GDK_KEY_Right, 0)); /* nothing held: the crosshair's */
  g_assert_true (press (self, GDK_KEY_Page_Down, 0));
  g_assert_true (press (self, GDK_KEY_Page_Down, 0));
  g_assert_cmpint (get_kind (self), ==, PRISM_PATTERN_FERMAT);
  g_assert_true (press (self, GDK_KEY_Right, 0));
  g_assert_true (press (self, GDK_KEY_Up, GDK_CONTROL_MASK));
  g_assert_true (press (self, GDK_KEY_Left, GDK_SHIFT_MASK));

  g_autoptr (PrismPattern) nudged = get_pattern (self);
  g_assert_cmpint (get_kind (self), ==, PRISM_PATTERN_HAND);
  g_assert_cmpuint (nudged->n_points, ==, N_SAMPLES);
  g_assert_cmpfloat_with_epsilon (nudged->points[1].x, before->points[1].x + 0.9, 0.011);
  g_assert_cmpfloat_with_epsilon (nudged->points[1].y, before->points[1].y - 10, 0.011);
  for (guint i = 2; i < N_SAMPLES; i++)
    g_assert_cmpfloat_with_epsilon (nudged->points[i].x, before->points[i].x, 0.011);

  g_assert_true (press (self, GDK_KEY_Return, 0)); /* lets go */
  prism_viewport_set_cursor (PRISM_VIEW (self->view)->canvas->viewport, 40.5 / N, 12.5 / N);
  g_assert_true (press (self, GDK_KEY_Return, 0)); /* places at the crosshair */
  g_autoptr (PrismPattern) added = get_pattern (self);
  g_assert_cmpuint (added->n_points, ==, N_SAMPLES + 1);
  g_assert_cmpfloat (added->points[N_SAMPLES].x, ==, 8);
  g_assert_cmpfloat (added->points[N_SAMPLES].y, ==, -20);
  gtk_test_accessible_assert_property (self->canvas, GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                       "Position 7 of 7: kx 8.0, ky −20.0");

  g_assert_true (press (self, GDK_KEY_Page_Down, 0));
  g_assert_true (press (self, GDK_KEY_Delete, 0));
  g_autoptr (PrismPattern) removed = get_pattern (self);
  g_assert_cmpuint (removed->n_points, ==, N_SAMPLES);
  g_assert_cmpfloat (removed->points[0].x, ==, nudged->points[1].x);
  g_assert_true (press (self, GDK_KEY_Escape, 0));
  g_assert_false (is_editing (self));
  g_assert_false (press (self, GDK_KEY_Insert, 0));
}

/* Nudges in a row are one step; what is taken back is in the list, too. */
TEST_FIXTURE (undo, "/app/pattern-desk/undo")
{
  PrismPointList *list = self->view->edit->list;

  begin (self);
  press (self, GDK_KEY_Page_Down, 0);
  for (guint i = 0; i < 5; i++)
    press (self, GDK_KEY_Right, 0);
  g_assert_cmpfloat (prism_point_list_get (list, 0)->x, ==, 5);
  prism_viewport_set_cursor (PRISM_VIEW (self->view)->canvas->viewport, 40.5 / N, 12.5 / N);
  press (self, GDK_KEY_Insert, 0);
  g_assert_cmpuint (list->points->len, ==, N_SAMPLES + 1);
  /* A second one at the same place would not be seen: the first is held. */
  press (self, GDK_KEY_Return, 0);
  g_assert_cmpint (list->selected, ==, -1);
  press (self, GDK_KEY_Insert, 0);
  g_assert_cmpuint (list->points->len, ==, N_SAMPLES + 1);
  g_assert_cmpint (list->selected, ==, N_SAMPLES);
  g_action_group_activate_action (get_actions (self), "undo", NULL);
  g_assert_cmpuint (list->points->len, ==, N_SAMPLES);
  g_assert_cmpfloat (prism_point_list_get (list, 0)->x, ==, 5);
  g_action_group_activate_action (get_actions (self), "undo", NULL);
  g_assert_cmpint (get_kind (self), ==, PRISM_PATTERN_FERMAT);
  g_assert_cmpfloat (prism_point_list_get (list, 0)->x, ==, 0);
  g_assert_false (g_action_group_get_action_enabled (get_actions (self), "undo"));
  g_action_group_activate_action (get_actions (self), "redo", NULL);
  g_assert_cmpfloat (prism_point_list_get (list, 0)->x, ==, 5);
  g_assert_true (is_editing (self));
}

static void
drag (Fixture *fixture,
      double ky,
      double kx,
      double dy,
      double dx)
{
  GtkEventController *gesture = get_controller (fixture, GTK_TYPE_GESTURE_DRAG);
  PrismFrame frame;

  g_assert_true (prism_canvas_get_frame (PRISM_CANVAS (fixture->canvas), &frame));
  g_signal_emit_by_name (gesture, "drag-begin", frame.x0 + (kx + N / 2 + 0.5) * frame.scale,
                         frame.y0 + (ky + N / 2 + 0.5) * frame.scale);
  for (guint i = 1; i <= 4; i++)
    g_signal_emit_by_name (gesture, "drag-update", 0.25 * i * dx * frame.scale,
                           0.25 * i * dy * frame.scale);
  g_signal_emit_by_name (gesture, "drag-end", dx * frame.scale, dy * frame.scale);
}

/* The press takes what is there, and places where nothing is; each drag is one step. */
TEST_FIXTURE (pointer, "/app/pattern-desk/pointer")
{
  PrismPointList *list = self->view->edit->list;

  drag (self, 0, 0, 5, 12); /* not editing: nothing happens here */
  g_assert_cmpint (get_kind (self), ==, PRISM_PATTERN_FERMAT);
  begin (self);
  drag (self, 0, 0, 5, 12);
  g_assert_cmpuint (list->points->len, ==, N_SAMPLES);
  g_assert_cmpfloat_with_epsilon (prism_point_list_get (list, 0)->y, 5, 0.011);
  g_assert_cmpfloat_with_epsilon (prism_point_list_get (list, 0)->x, 12, 0.011);
  drag (self, -30, -30, 0, 0);
  g_assert_cmpuint (list->points->len, ==, N_SAMPLES + 1);
  g_assert_cmpfloat_with_epsilon (prism_point_list_get (list, N_SAMPLES)->y, -30, 0.011);
  g_action_group_activate_action (get_actions (self), "undo", NULL);
  g_action_group_activate_action (get_actions (self), "undo", NULL);
  g_assert_cmpint (get_kind (self), ==, PRISM_PATTERN_FERMAT);
  g_assert_false (g_action_group_get_action_enabled (get_actions (self), "undo"));
}

static gboolean
has_spectrum (gpointer data)
{
  PrismImage *ground = PRISM_VIEW (data)->image;
  float greatest = 0;

  for (int i = 0; i < ground->width * ground->height; i++)
    greatest = MAX (greatest, ground->pixels[i]);
  return ground->width == 2 * N && greatest > 0;
}

static gboolean
has_visits (gpointer data)
{
  PrismCanvas *canvas = PRISM_VIEW (data)->canvas;
  PrismImage *visits = canvas->rasters[PRISM_LAYER_OVERLAY]->image;

  return visits != NULL && visits->width == 2 * N;
}

/* After a run of another size markers, coverage and spectrum are those of what is edited. */
TEST_FIXTURE (another_field, "/app/pattern-desk/another-field")
{
  PrismView *view = PRISM_VIEW (self->view);
  PrismFrame frame;

  prism_session_run (self->session);
  WAIT_FOR (self->session->state == PRISM_STATE_FINISHED);
  prism_draft_set_parameter (self->draft, prism_config_get_param ("image_size"), "128", NULL);
  g_assert_cmpint (view->image->width, ==, N);
  begin (self);
  g_assert_true (prism_canvas_get_frame (PRISM_CANVAS (self->canvas), &frame));
  g_assert_cmpint (frame.image_width, ==, 2 * N);
  WAIT_FOR (has_visits (view));
  WAIT_FOR (has_spectrum (view));
  press (self, GDK_KEY_Escape, 0);
  g_assert_cmpint (view->image->width, ==, N);
}

static void
assert_crosshair (Fixture *fixture,
                  int row,
                  int column)
{
  int x, y;

  g_assert_true (prism_canvas_get_pixel (PRISM_CANVAS (fixture->canvas), &x, &y));
  g_assert_cmpint (x, ==, column);
  g_assert_cmpint (y, ==, row);
}

/* The crosshair stays at the position that is held. */
TEST_FIXTURE (crosshair_after_undo, "/app/pattern-desk/crosshair-after-undo")
{
  begin (self);
  g_assert_true (press (self, GDK_KEY_Page_Down, 0));
  assert_crosshair (self, N / 2, N / 2);
  g_assert_true (press (self, GDK_KEY_Right, GDK_CONTROL_MASK));
  assert_crosshair (self, N / 2, N / 2 + 10);
  g_action_group_activate_action (get_actions (self), "undo", NULL);
  assert_crosshair (self, N / 2, N / 2);
}

/* Editing takes the whole dashboard, and gives back what it took. */
TEST_FIXTURE (room, "/app/pattern-desk/room")
{
  PrismPanel *panel
      = prism_dashboard_get_panel (widget_test_get_part (self->window, "dashboard"), "kspace");

  begin (self);
  g_assert_true (panel->maximized);
  press (self, GDK_KEY_Escape, 0);
  g_assert_false (panel->maximized);
  g_object_set (panel, "maximized", TRUE, NULL);
  begin (self);
  press (self, GDK_KEY_Escape, 0);
  g_assert_true (panel->maximized);
}

/* With the keyboard elsewhere, at a parameter for one, Escape is the window's. */
TEST_FIXTURE (escape_from_elsewhere, "/app/pattern-desk/escape-from-elsewhere")
{
  PrismPanel *panel
      = prism_dashboard_get_panel (widget_test_get_part (self->window, "dashboard"), "kspace");

  begin (self);
  gtk_window_set_focus (GTK_WINDOW (self->window), NULL);
  g_assert_true (widget_test_press (GTK_WIDGET (self->window), GDK_KEY_Escape, 0));
  g_assert_false (is_editing (self));
  g_assert_false (panel->maximized);
}

static void
count_told (guint *n)
{
  (*n)++;
}

/* During a run the action says so and stays off; a run that begins ends it. */
TEST_FIXTURE (not_during_a_run, "/app/pattern-desk/not-during-a-run")
{
  g_autoptr (PrismPatternEditor) desk = prism_pattern_editor_new (self->session, self->view);
  guint n_told = 0;

  /* What can be done is said below k-space, not over it. */
  g_signal_connect_swapped (desk, "told", G_CALLBACK (count_told), &n_told);
  prism_pattern_editor_set_editing (desk, TRUE);
  WAIT_FOR (g_str_has_prefix (PRISM_PATTERN_EDITOR (desk)->summary, "Click adds, "));
  prism_pattern_editor_set_editing (desk, FALSE);
  g_assert_cmpuint (n_told, ==, 0);

  begin (self);
  press (self, GDK_KEY_Insert, 0);
  prism_session_run (self->session);
  g_assert_false (is_editing (self));
  g_assert_true (prism_session_get_active (self->session));
  g_action_group_activate_action (get_actions (self), "edit-pattern", NULL);
  g_assert_false (is_editing (self));
  g_assert_false (press (self, GDK_KEY_Page_Down, 0));
  n_told = 0;
  prism_pattern_editor_set_editing (desk, TRUE);
  g_assert_cmpuint (n_told, ==, 1);
}

/* The numbers follow the edited configuration, and those of the bar are the desk's. */
TEST_FIXTURE (statistics, "/app/pattern-desk/statistics")
{
  g_autoptr (PrismPatternEditor) desk = prism_pattern_editor_new (self->session, self->view);
  g_autofree char *details = NULL;
  guint skip = 0;
  GtkWidget *bar
      = FIND (self->view, G_TYPE_CHECK_INSTANCE_TYPE (it, PRISM_TYPE_PATTERN_BAR) && skip-- == 0);

  g_assert_nonnull (bar);
  prism_draft_set_parameter (self->draft, prism_config_get_param ("samples"), "4", NULL);
  WAIT_FOR (g_str_has_prefix (PRISM_PATTERN_EDITOR (desk)->summary,
                              "Plan: 13.7 %")); /* 4·113 of 3209 px */
  g_object_get (desk, "details", &details, NULL);
  HAS (details, "4 positions",
       "13.7 % of the region of interest (a disk of 64 px), 11.0 % of the"
       " whole plane");
  prism_draft_set_parameter (self->draft, prism_config_get_param ("samples"), "400", NULL);
  WAIT_FOR (g_str_has_prefix (PRISM_PATTERN_EDITOR (desk)->summary, "Plan: 100 %"));
  prism_draft_set_parameter (self->draft, prism_config_get_param ("samples"), "1", NULL);
  WAIT_FOR (g_strcmp0 (PRISM_PATTERN_EDITOR (desk)->summary, "Plan: 3.52 %")
            == 0); /* 113 of 3209 px */
  prism_draft_set_parameter (self->draft, prism_config_get_param ("aperture_radius"), "999", NULL);
  WAIT_FOR (strstr (PRISM_PATTERN_EDITOR (desk)->summary, "is 999 px") != NULL);
  prism_draft_set_parameter (self->draft, prism_config_get_param ("aperture_radius"), "9999", NULL);
  WAIT_FOR (strstr (PRISM_PATTERN_EDITOR (desk)->summary, "cannot be “9999”") != NULL);
}

static GtkToggleButton *
get_tile (GtkWidget *gallery,
          guint kind)
{
  return GTK_TOGGLE_BUTTON (
      FIND (gallery, G_TYPE_CHECK_INSTANCE_TYPE (it, GTK_TYPE_TOGGLE_BUTTON) && kind-- == 0));
}

static gboolean
is_drawn (gpointer gallery)
{
  guint skip = 0;
  GtkWidget *tile = GTK_WIDGET (get_tile (gallery, PRISM_PATTERN_FERMAT));
  GtkImage *picture
      = GTK_IMAGE (FIND (tile, G_TYPE_CHECK_INSTANCE_TYPE (it, GTK_TYPE_IMAGE) && skip-- == 0));

  return gtk_image_get_storage_type (picture) == GTK_IMAGE_PAINTABLE;
}

/* One click chooses; undo moves the choice back. */
TEST_FIXTURE (gallery, "/app/pattern-desk/gallery")
{
  g_autoptr (ShownWindow) gallery = prism_pattern_gallery_new (self->draft);

  gtk_window_present (GTK_WINDOW (gallery));
  WAIT_FOR (is_drawn (gallery));
  /* No line ends between a number and its unit. */
  g_assert_nonnull (widget_test_find_part (gallery, "\u00a0% covered"));
  g_assert_null (widget_test_find_part (gallery, " %"));
  g_assert_true (gtk_toggle_button_get_active (get_tile (gallery, PRISM_PATTERN_FERMAT)));
  /* Without a file its tile opens one. */
  gtk_toggle_button_set_active (get_tile (gallery, PRISM_PATTERN_FILE), TRUE);
  g_assert_cmpint (get_kind (self), ==, PRISM_PATTERN_FERMAT);
  g_assert_true (gtk_toggle_button_get_active (get_tile (gallery, PRISM_PATTERN_FERMAT)));
  gtk_toggle_button_set_active (get_tile (gallery, PRISM_PATTERN_STAR), TRUE);
  g_assert_cmpint (get_kind (self), ==, PRISM_PATTERN_STAR);
  g_action_group_activate_action (get_actions (self), "undo", NULL);
  g_assert_true (gtk_toggle_button_get_active (get_tile (gallery, PRISM_PATTERN_FERMAT)));
  g_assert_cmpint (get_kind (self), ==, PRISM_PATTERN_FERMAT);
}
