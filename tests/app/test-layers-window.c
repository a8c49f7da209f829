#include "parameters/prism-layers-window.h"
#include "prism-test.h"
#include "widget-test.h"

static void
set (PrismSession *session,
     const char *key,
     const char *text)
{
  MUST (prism_draft_set_parameter (session->draft, prism_config_get_param (key), text, &error));
}

/* Every change of the draft is followed, also into a list that is wrong and out of it again. */
TEST (follows_the_draft, "/app/layers-window/follows-the-draft")
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PrismSession) session = prism_session_new (&error);
  g_autoptr (PrismConfig) config = prism_config_new ();

  g_assert_no_error (error);
  prism_draft_load (session->draft, config);
  GtkWidget *window = prism_layers_window_new (session, NULL);
  g_object_ref_sink (window);
  /* Columns that have no room are seen to be there. */
  gtk_window_set_default_size (GTK_WINDOW (window), 500, 400);
  gtk_window_present (GTK_WINDOW (window));
  WAIT_FOR (FIND (window, GTK_IS_SCROLLBAR (it) && gtk_widget_get_child_visible (it)
                              && gtk_widget_get_mapped (it) && gtk_widget_get_width (it) > 300
                              && !gtk_widget_has_css_class (it, "overlay-indicator"))
            != NULL);
  g_assert_nonnull (widget_test_find_start (window, "512 → 256"));
  g_assert_nonnull (widget_test_find_start (window, "9  Convolution"));
  g_assert_null (widget_test_find_start (window, "10  Convolution"));

  set (session, "channels", "100 70 50 30 20 10 9 8 7 1");
  g_assert_nonnull (widget_test_find_start (window, "512 → 100"));
  g_assert_nonnull (widget_test_find_start (window, "10  Convolution"));
  g_assert_null (widget_test_find_start (window, "channels "));

  set (session, "channels", "100 70");
  g_assert_nonnull (widget_test_find_start (window, "channels has 2 numbers"));
  set (session, "channels", "");
  g_assert_null (widget_test_find_start (window, "channels "));
  g_assert_nonnull (widget_test_find_start (window, "512 → 256"));
  set (session, "method", "epie");
  g_assert_nonnull (widget_test_find_start (window, "This run has no decoder."));
  gtk_window_destroy (GTK_WINDOW (window));
  g_object_unref (window);
}

/* A run that keeps its decoder says what that gains. */
TEST (says_what_is_kept, "/app/layers-window/says-what-is-kept")
{
  static const char *const settings[][2] = {
    { "image_size", "64" },
    { "object_size", "16" },
    { "aperture_radius", "8" },
    { "samples", "4" },
    { "steps", "2" },
    { "start_steps", "2" },
    { "polish", "0" },
    { "keep_decoder", "on" },
    { "backend", "cpu" },
  };
  g_autoptr (GError) error = NULL;
  g_autoptr (PrismConfig) config = prism_config_new ();

  for (gsize i = 0; i < G_N_ELEMENTS (settings); i++)
    prism_config_set_text (config, settings[i][0], settings[i][1], &error);
  g_assert_no_error (error);
  g_autoptr (PrismSession) session = widget_test_new_session (config);
  GtkWidget *window = prism_layers_window_new (session, NULL);
  g_object_ref_sink (window);
  g_assert_null (widget_test_find_start (window, "Kept for output"));
  prism_session_run (session);
  WAIT_FOR (session->state == PRISM_STATE_FINISHED);
  g_assert_nonnull (widget_test_find_start (window, "Kept for output"));
  gtk_window_destroy (GTK_WINDOW (window));
  g_object_unref (window);
}
