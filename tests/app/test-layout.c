#include "prism-test.h"
#include "support/prism-notice.h"
#include "support/prism-settings.h"
#include "support/prism-ui-text.h"
#include "window-test.h"

/* Arrangements of the panels: what belongs to each, and what the next window finds again. */

typedef WindowTest Fixture;

/* data: "mirrored" for a language that runs from right to left. */
static void
set_up (WindowTest *self,
        gconstpointer data)
{
  g_autoptr (PrismConfig) config = widget_test_new_config ();

  if (data != NULL)
    gtk_widget_set_default_direction (GTK_TEXT_DIR_RTL);
  g_object_set (prism_settings_get_default (), "arrangement", "explore", "panel-lines", "",
                "panel-charts", "", NULL);
  window_test_open (self, config);
}

static void
tear_down (WindowTest *self,
           gconstpointer data)
{
  window_test_close (self);
  gtk_widget_set_default_direction (GTK_TEXT_DIR_LTR);
}

static PrismDashboard *
get_dashboard (WindowTest *self)
{
  return widget_test_find (self->window, PRISM_TYPE_DASHBOARD);
}

static void
choose (WindowTest *self,
        const char *arrangement)
{
  g_action_group_activate_action (G_ACTION_GROUP (self->window), "arrangement",
                                  g_variant_new_string (arrangement));
}

static void
check_chart (WindowTest *self,
             guint i,
             const char *expected)
{
  g_autofree char *quantity = NULL;

  g_object_get (get_dashboard (self)->charts[i], "quantity", &quantity, NULL);
  g_assert_cmpstr (quantity, ==, expected);
}

static void
check_arrangement (WindowTest *self,
                   const char *expected)
{
  g_autofree char *id = NULL;

  g_object_get (get_dashboard (self)->grid, "arrangement", &id, NULL);
  g_assert_cmpstr (id, ==, expected);
}

/* The charts of one arrangement are not those of another. */
TEST_FIXTURE (charts, "/app/layout/charts")
{
  check_chart (self, 0, "losses");
  choose (self, "device");
  check_arrangement (self, "device");
  check_chart (self, 0, "cache");
  g_object_set (get_dashboard (self)->charts[0], "quantity", "rate", NULL);
  choose (self, "explore");
  check_chart (self, 0, "losses");
  choose (self, "device");
  check_chart (self, 0, "rate");
  window_test_activate (self, "reset-layout");
  check_chart (self, 0, "cache");
}

/* What was chosen and dragged is there in the next window. */
TEST_FIXTURE (remembered, "/app/layout/remembered")
{
  g_autoptr (PrismConfig) config = widget_test_new_config ();
  g_autofree char *before = NULL, *after = NULL;

  choose (self, "teach");
  g_object_set (get_dashboard (self)->charts[3], "quantity", "speed", NULL);
  GtkWidget *splitter = widget_test_find (GTK_WIDGET (get_dashboard (self)), PRISM_TYPE_SPLITTER);
  g_assert_true (gtk_widget_get_focusable (splitter));
  g_signal_emit_by_name (splitter, "moved", 400);
  g_object_get (get_dashboard (self)->grid, "lines", &before, NULL);
  g_assert_cmpstr (before, !=, "");
  window_test_close (self);
  window_test_forget_runs ();
  window_test_open (self, config);
  check_arrangement (self, "teach");
  check_chart (self, 3, "speed");
  g_object_get (get_dashboard (self)->grid, "lines", &after, NULL);
  g_assert_cmpstr (after, ==, before);
}

/* A text that nobody of this program wrote does no harm. */
TEST_FIXTURE (strange, "/app/layout/strange")
{
  g_object_set (prism_settings_get_default (), "panel-charts",
                "{'device': ['nothing', 'speed', 'x', 'y'], 'teach': ['speed']}", NULL);
  choose (self, "device");
  check_chart (self, 1, "speed");
  choose (self, "teach");
  check_chart (self, 0, "losses");
  choose (self, "nowhere");
  check_arrangement (self, "explore");
}

/* All of a forecast is read beside the title, also of a language with long words and in a narrow
 * window: the title yields. */
TEST_FIXTURE (forecast, "/app/layout/forecast")
{
  GtkWidget *label = widget_test_get_part (self->window, "forecast_label");
  int minimum, natural;

  WAIT_FOR (*gtk_label_get_text (GTK_LABEL (label)) != '\0');
  g_assert_true (g_str_has_prefix (gtk_widget_get_tooltip_text (label),
                                   gtk_label_get_text (GTK_LABEL (label))));
  gtk_window_set_default_size (GTK_WINDOW (self->window), 1400, 900);
  gtk_label_set_text (GTK_LABEL (label), "≈ 14 s, como máximo 46 s\n1361,0 MiB");
  WAIT_FOR (gtk_widget_get_mapped (label) && gtk_widget_get_width (label) > 0
            && !pango_layout_is_ellipsized (gtk_label_get_layout (GTK_LABEL (label))));
  gtk_widget_measure (label, GTK_ORIENTATION_HORIZONTAL, -1, &minimum, &natural, NULL, NULL);
  g_assert_cmpint (minimum, ==, natural);
  gtk_widget_allocate (gtk_widget_get_ancestor (label, ADW_TYPE_HEADER_BAR), 900, 50, -1, NULL);
  g_assert_true (gtk_widget_get_child_visible (label));
  g_assert_cmpint (gtk_widget_get_width (label), >=, natural);
}

static float
get_last_row (WindowTest *self)
{
  GtkWidget *panel = widget_test_get_part (self->window, "parameter_panel");
  GtkWidget *list = widget_test_get_part (panel, "essential_list");
  graphene_rect_t bounds;

  widget_test_let_pass (0.3);
  g_assert_true (gtk_widget_compute_bounds (gtk_widget_get_last_child (list),
                                            GTK_WIDGET (self->window), &bounds));
  return bounds.origin.y;
}

static void
set_value (WindowTest *self,
           const char *key,
           const char *text)
{
  const PrismParam *param = prism_config_get_param (key);

  prism_draft_set_parameter (self->session->draft, param, text, NULL);
}

/* No row moves because a value is another one, waits for the next run, or cannot be. */
TEST_FIXTURE (rows_stay, "/app/layout/rows-stay")
{
  GtkWidget *panel = widget_test_get_part (self->window, "parameter_panel");

  WAIT_FOR (get_last_row (self) > 0);
  const float before = get_last_row (self);

  set_value (self, "aperture_radius", "9");
  g_assert_cmpfloat (get_last_row (self), ==, before);
  set_value (self, "aperture_radius", "900");
  g_assert_cmpfloat (get_last_row (self), ==, before);
  GtkWidget *label = widget_test_get_part (panel, "problem_label");
  HAS (gtk_label_get_text (GTK_LABEL (label)), "900");
  g_assert_true (gtk_widget_get_mapped (label));
  set_value (self, "aperture_radius", "9");
  g_assert_false (gtk_widget_get_visible (label));
  window_test_activate (self, "step");
  WAIT_FOR (window_test_has_paused (self->session));
  set_value (self, "samples", "many");
  /* Also where it was not typed. */
  g_assert_nonnull (FIND (
      panel, GTK_IS_TEXT (it) && g_str_equal (gtk_editable_get_text ((GtkEditable *) it), "many")));
  set_value (self, "samples", "7");
  set_value (self, "pattern", "raster");
  set_value (self, "object_size", "20");
  g_assert_nonnull (widget_test_find_text (panel, "Next run"));
  g_assert_cmpfloat (get_last_row (self), ==, before);
}

/* Keys that are commands over a picture are none beside the fields of the sidebar. */
TEST_FIXTURE (stray_keys, "/app/layout/stray-keys")
{
  GtkWidget *panel = widget_test_get_part (self->window, "parameter_panel");
  GtkWidget *list = widget_test_get_part (panel, "essential_list");
  GtkWidget *window = GTK_WIDGET (self->window);

  for (GtkWidget *row = gtk_widget_get_first_child (list); row != NULL;
       row = gtk_widget_get_next_sibling (row))
    if (gtk_widget_get_visible (row))
      {
        g_assert_true (gtk_widget_child_focus (row, GTK_DIR_TAB_FORWARD));
        g_assert_false (widget_test_press (window, GDK_KEY_n, 0));
      }
  g_assert_true (window_test_is_idle (self->session));
  window_test_activate (self, "focus-picture");
  g_assert_true (widget_test_press (window, GDK_KEY_n, 0));
  WAIT_FOR (window_test_has_paused (self->session));
}

/* What is said moves nothing in the sidebar, where somebody may be about to press. */
TEST_FIXTURE (sentences, "/app/layout/sentences")
{
  GtkWidget *window = GTK_WIDGET (self->window);
  GtkWidget *row = widget_test_get_part (self->window, "parameter_panel");
  GtkWidget *follow = FIND (
      window, GTK_IS_SWITCH (it)
                  && g_strcmp0 (gtk_actionable_get_action_name (GTK_ACTIONABLE (it)), "win.follow")
                         == 0);
  GtkWidget *dashboard = GTK_WIDGET (get_dashboard (self));
  graphene_rect_t before[3], after[3];

  WAIT_FOR (gtk_widget_get_height (dashboard) > 0);
  g_assert_true (gtk_widget_compute_bounds (row, window, &before[0])
                 && gtk_widget_compute_bounds (follow, window, &before[1])
                 && gtk_widget_compute_bounds (dashboard, window, &before[2]));
  prism_notice_show (widget_test_get_part (self->window, "notice"), "What went wrong.", TRUE);
  prism_notice_show (widget_test_get_part (self->window, "result_notice"), "Another one.", FALSE);
  WAIT_FOR (gtk_widget_get_height (dashboard) < before[2].size.height - 20
            && gtk_widget_get_height (row) < before[0].size.height - 20);
  g_assert_true (gtk_widget_compute_bounds (row, window, &after[0])
                 && gtk_widget_compute_bounds (follow, window, &after[1])
                 && gtk_widget_compute_bounds (dashboard, window, &after[2]));
  g_assert_cmpfloat (after[0].origin.y, ==, before[0].origin.y);
  g_assert_cmpfloat (after[1].origin.y, ==, before[1].origin.y);
  g_assert_cmpfloat (after[2].origin.y, >, before[2].origin.y);
}

/* The first one of a type below a widget that can be seen and is in a box of that class. */
static GtkWidget *
find_seen (GtkWidget *widget,
           GType type,
           const char *css_class)
{
  return FIND (widget, g_type_is_a (G_OBJECT_TYPE (it), type) && gtk_widget_get_mapped (it)
                           && gtk_widget_has_css_class (it, css_class));
}

/* Whether the arrows are at the end that the direction of the language has. */
static gboolean
is_laid_out (GtkWidget *panel)
{
  gboolean mirrored = gtk_widget_get_default_direction () == GTK_TEXT_DIR_RTL;
  float middle = (float) gtk_widget_get_width (panel) / 2;
  graphene_rect_t bounds;

  return gtk_widget_compute_bounds (find_seen (panel, GTK_TYPE_TOGGLE_BUTTON, "small-button"),
                                    panel, &bounds)
         && middle > 0 && (bounds.origin.x < middle) == mirrored;
}

/* Panels of which the arrows, at one end of the header, lie over the menu. */
static guint
count_covered (GtkWidget *widget,
               guint *n_panels)
{
  guint n = 0;

  for (GtkWidget *it = widget; it != NULL; it = widget_test_next (widget, it))
    if (PRISM_IS_PANEL (it) && gtk_widget_get_mapped (it))
      {
        GtkWidget *menu = find_seen (it, GTK_TYPE_MENU_BUTTON, "prism-menu");
        GtkWidget *arrows = find_seen (it, GTK_TYPE_TOGGLE_BUTTON, "small-button");
        graphene_rect_t places[2];

        g_assert_true (gtk_widget_compute_bounds (menu, it, &places[0]));
        g_assert_true (gtk_widget_compute_bounds (gtk_widget_get_parent (arrows), it, &places[1]));
        ++*n_panels;
        n += graphene_rect_intersection (&places[0], &places[1], NULL);
      }
  return n;
}

/* Every menu can be reached, also where a language runs from right to left. */
static void
test_menus_are_free (WindowTest *self,
                     gconstpointer data)
{
  guint n_panels = 0;

  WAIT_FOR (is_laid_out (GTK_WIDGET (prism_dashboard_get_panel (get_dashboard (self), "target"))));
  g_assert_cmpuint (count_covered (GTK_WIDGET (self->window), &n_panels), ==, 0);
  g_assert_cmpuint (n_panels, >, 5);
}

/* The sheet of the window, beside that of the widgets. */
static void
load_style (void)
{
  g_autoptr (GtkCssProvider) provider = gtk_css_provider_new ();

  gtk_css_provider_load_from_resource (provider, PRISM_RESOURCE ("prism-window.css"));
  gtk_style_context_add_provider_for_display (gdk_display_get_default (),
                                              GTK_STYLE_PROVIDER (provider),
                                              GTK_STYLE_PROVIDER_PRIORITY_APPLICATION);
}

TESTS
{
  load_style ();
  g_test_add ("/app/layout/menus", WindowTest, NULL, set_up, test_menus_are_free, tear_down);
  g_test_add ("/app/layout/menus-mirrored", WindowTest, "mirrored", set_up, test_menus_are_free,
              tear_down);
}
