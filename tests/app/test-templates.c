#include "compare/prism-benchmark-window.h"
#include "compare/prism-compare-window.h"
#include "compare/prism-sweep-parts.h"
#include "compare/prism-sweep-window.h"
#include "compare/prism-tiles-window.h"
#include "handbook/prism-handbook-window.h"
#include "kspace/prism-pattern-gallery.h"
#include "lessons/prism-lesson-panel.h"
#include "library/prism-library-window.h"
#include "measurements/prism-frame-film.h"
#include "measurements/prism-import-window.h"
#include "output/prism-figure-dialog.h"
#include "parameters/prism-layers-window.h"
#include "parameters/prism-parameter-panel.h"
#include "parameters/prism-parameter-row.h"
#include "prism-test.h"
#include "profiling/prism-performance-window.h"
#include "profiling/prism-profile-window.h"
#include "reconstruction/prism-camera-window.h"
#include "support/prism-notice.h"
#include "tools/prism-image-tools.h"
#include "tools/prism-levels-editor.h"
#include "tools/prism-mark-readings.h"
#include "widget-test.h"
#include "window/prism-application.h"
#include "window/prism-device-page.h"
#include "window/prism-status-bar.h"
#include "window/prism-time-bar.h"

/* Every .ui file in the resources names a template or an object that can be made: GTK reports a
 * mistake in one as a warning, and a warning ends a test. */

/* What needs nothing to be made: prism-status-bar.ui is that of PrismStatusBar. */
static GtkWidget *
create_plain (const char *name)
{
  const GType types[] = { PRISM_TYPE_COMPARE_IMAGES, PRISM_TYPE_DASHBOARD, PRISM_TYPE_DEVICE_PAGE,
                          PRISM_TYPE_FRAME_FILM, PRISM_TYPE_IMPORT_WINDOW, PRISM_TYPE_IMAGE_TOOLS,
                          PRISM_TYPE_LEVELS_EDITOR, PRISM_TYPE_HANDBOOK_WINDOW,
                          PRISM_TYPE_LAYERS_WINDOW, PRISM_TYPE_LESSON_PANEL,
                          PRISM_TYPE_LIBRARY_ROW, PRISM_TYPE_LIGHT_PANEL,
                          PRISM_TYPE_MARK_READINGS, PRISM_TYPE_NOTICE, PRISM_TYPE_PANEL,
                          PRISM_TYPE_PARAMETER_PANEL, PRISM_TYPE_PATTERN_BAR,
                          PRISM_TYPE_PREFERENCES, PRISM_TYPE_TIME_BAR, PRISM_TYPE_STATUS_BAR,
                          PRISM_TYPE_SWEEP_EDITOR };
  g_autoptr (GString) wanted = g_string_new (NULL);

  for (const char *at = name; *at != '.'; at++)
    if (at == name || at[-1] == '-')
      g_string_append_c (wanted, g_ascii_toupper (*at));
    else if (*at != '-')
      g_string_append_c (wanted, *at);
  for (gsize i = 0; i < G_N_ELEMENTS (types); i++)
    if (g_str_equal (g_type_name (types[i]), wanted->str))
      return g_object_new (types[i], NULL);
  return NULL;
}

static GtkWidget *
create (const char *name,
        PrismSession *session)
{
  if (strcmp (name, "prism-compare-window.ui") == 0)
    {
      g_autoptr (PrismRunList) runs = prism_run_list_new (session);
      return prism_compare_window_new (runs);
    }
  if (strcmp (name, "prism-camera-window.ui") == 0)
    return prism_camera_window_new ("/nowhere", "/nowhere.csv");
  if (strcmp (name, "prism-library-window.ui") == 0)
    return prism_library_window_new (g_get_user_cache_dir (), "/nowhere");
  if (strcmp (name, "prism-parameter-row.ui") == 0)
    return prism_parameter_row_new (session, prism_config_get_param ("samples"), NULL);
  if (strcmp (name, "prism-pattern-gallery.ui") == 0)
    return prism_pattern_gallery_new (session->draft);
  if (strcmp (name, "prism-figure-dialog.ui") == 0)
    return GTK_WIDGET (prism_figure_dialog_new (NULL, NULL));
  if (strcmp (name, "prism-film-dialog.ui") == 0)
    return GTK_WIDGET (g_object_new (PRISM_TYPE_FILM_DIALOG, "transient-for", NULL, NULL));
  if (strcmp (name, "prism-profile-window.ui") == 0)
    return prism_profile_window_new (NULL);
  if (strcmp (name, "prism-performance-window.ui") == 0)
    return prism_performance_window_new (session->draft->config);
  if (strcmp (name, "prism-benchmark-window.ui") == 0)
    return prism_benchmark_window_new (session->draft->config);
  if (strcmp (name, "prism-sweep-window.ui") == 0)
    {
      g_autoptr (PrismSweep) base = prism_session_new_sweep (session);

      return prism_sweep_window_new (base);
    }
  if (strcmp (name, "prism-tiles-window.ui") == 0)
    return prism_tiles_window_new (session->draft->config);
  if (strcmp (name, "prism-window.ui") == 0)
    return GTK_WIDGET (prism_window_new (NULL, session));
  return create_plain (name);
}

static void
dispose (GtkWidget *widget)
{
  if (GTK_IS_WINDOW (widget))
    gtk_window_destroy (GTK_WINDOW (widget));
  else
    {
      g_object_ref_sink (widget);
      g_object_unref (widget);
    }
}

TEST (all, "/app/templates/all")
{
  g_autoptr (PrismSession) session = widget_test_new_session (NULL);
  g_auto (GStrv) names = g_resources_enumerate_children (PRISM_RESOURCE_BASE, 0, NULL);
  guint n = 0;

  g_assert_nonnull (names);
  for (gsize i = 0; names[i] != NULL; i++)
    {
      if (!g_str_has_suffix (names[i], ".ui") || strcmp (names[i], "prism-view.ui") == 0
          || strcmp (names[i], "prism-chart.ui") == 0)
        continue;
      GtkWidget *widget = create (names[i], session);
      if (widget == NULL)
        g_error ("No test makes %s", names[i]);
      dispose (widget);
      n++;
    }
  g_assert_cmpuint (n, >=, 8);
}

/* A widget that is freed takes its children with it and leaves no signal behind. */
TEST (dispose, "/app/templates/dispose")
{
  g_autoptr (PrismSession) session = widget_test_new_session (NULL);
  GtkWidget *row = g_object_ref_sink (
      prism_parameter_row_new (session, prism_config_get_param ("seed"), NULL));
  gpointer gone = row;

  g_object_add_weak_pointer (G_OBJECT (row), &gone);
  g_object_unref (row);
  g_assert_null (gone);
  prism_draft_reset_parameter (session->draft, prism_config_get_param ("seed"));
}

TEST (help_overlay, "/app/templates/help-overlay")
{
  g_autoptr (GtkBuilder) builder
      = gtk_builder_new_from_resource (PRISM_RESOURCE ("gtk/help-overlay.ui"));
  GObject *overlay = gtk_builder_get_object (builder, "help_overlay");

  g_assert_nonnull (overlay);
  gtk_window_destroy (GTK_WINDOW (overlay));
}

/* Every row of the table gets a row in the window, with a control that shows the default. */
TEST (all_parameters, "/app/templates/all-parameters")
{
  g_autoptr (PrismSession) session = widget_test_new_session (NULL);
  gsize n_params;
  const PrismParam *params = prism_config_get_params (&n_params);

  for (gsize i = 0; i < n_params; i++)
    {
      g_autoptr (GtkWidget) row
          = g_object_ref_sink (prism_parameter_row_new (session, &params[i], NULL));

      g_assert_cmpuint (prism_parameter_row_rank (PRISM_PARAMETER_ROW (row), params[i].key), ==, 0);
      g_assert_cmpuint (prism_parameter_row_rank (PRISM_PARAMETER_ROW (row), "xyzzy"), ==,
                        PRISM_UI_TEXT_NO_MATCH);
    }
  /* Showing a value changes none. */
  g_assert_false (session->draft->problem != NULL);
}
