#include "config.h"

#include "support/prism-settings.h"
#include "window/prism-dashboard.h"
#include "window/prism-splitter.h"
#include "window-test.h"

/* Arrangements of the panels: what belongs to each, and what the next window finds again. */

static void
set_up (WindowTest *self,
        gconstpointer data)
{
  g_autoptr (PrismConfig) config = window_test_new_config ();

  g_object_set (prism_settings_get_default (), "arrangement", "explore", "panel-lines", "",
                "panel-charts", "", NULL);
  window_test_open (self, config);
}

static void
tear_down (WindowTest *self,
           gconstpointer data)
{
  window_test_close (self);
}

static PrismDashboard *
get_dashboard (WindowTest *self)
{
  return window_test_find (GTK_WIDGET (self->window), PRISM_TYPE_DASHBOARD);
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

  g_object_get (prism_dashboard_get_chart (get_dashboard (self), i), "quantity", &quantity, NULL);
  g_assert_cmpstr (quantity, ==, expected);
}

static void
check_arrangement (WindowTest *self,
                   const char *expected)
{
  g_autofree char *id = NULL;

  g_object_get (prism_dashboard_get_grid (get_dashboard (self)), "arrangement", &id, NULL);
  g_assert_cmpstr (id, ==, expected);
}

/* The charts of one arrangement are not those of another. */
static void
test_charts (WindowTest *self,
             gconstpointer data)
{
  check_chart (self, 0, "losses");
  choose (self, "device");
  check_arrangement (self, "device");
  check_chart (self, 0, "cache");
  g_object_set (prism_dashboard_get_chart (get_dashboard (self), 0), "quantity", "rate", NULL);
  choose (self, "explore");
  check_chart (self, 0, "losses");
  choose (self, "device");
  check_chart (self, 0, "rate");
  window_test_activate (self, "reset-layout");
  check_chart (self, 0, "cache");
}

/* What was chosen and dragged is there in the next window. */
static void
test_remembered (WindowTest *self,
                 gconstpointer data)
{
  g_autoptr (PrismConfig) config = window_test_new_config ();
  g_autofree char *before = NULL, *after = NULL;
  GtkWidget *splitter;

  choose (self, "teach");
  g_object_set (prism_dashboard_get_chart (get_dashboard (self), 3), "quantity", "speed", NULL);
  splitter = window_test_find (GTK_WIDGET (get_dashboard (self)), PRISM_TYPE_SPLITTER);
  g_assert_true (gtk_widget_get_focusable (splitter));
  g_signal_emit_by_name (splitter, "moved", 400);
  g_object_get (prism_dashboard_get_grid (get_dashboard (self)), "lines", &before, NULL);
  g_assert_cmpstr (before, !=, "");
  window_test_close (self);
  window_test_forget_runs ();
  window_test_open (self, config);
  check_arrangement (self, "teach");
  check_chart (self, 3, "speed");
  g_object_get (prism_dashboard_get_grid (get_dashboard (self)), "lines", &after, NULL);
  g_assert_cmpstr (after, ==, before);
}

/* A text that nobody of this program wrote does no harm. */
static void
test_strange (WindowTest *self,
              gconstpointer data)
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

int
main (int argc,
      char *argv[])
{
  widget_test_init (&argc, &argv);
  g_test_add ("/app/layout/charts", WindowTest, NULL, set_up, test_charts, tear_down);
  g_test_add ("/app/layout/remembered", WindowTest, NULL, set_up, test_remembered, tear_down);
  g_test_add ("/app/layout/strange", WindowTest, NULL, set_up, test_strange, tear_down);
  return g_test_run ();
}
