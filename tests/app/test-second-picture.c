#include "prism-test.h"
#include "window-test.h"

#define STILL (G_USEC_PER_SEC / 4)

/* A run whose measurements two pictures explain: 20 px in 64 px, three samples. */
static PrismConfig *
new_config (void)
{
  static const char *const settings[][2] = {
    { "object", "ice-moon" },
    { "object_invert", "on" },
    { "image_size", "64" },
    { "object_size", "20" },
    { "aperture_radius", "6" },
    { "samples", "3" },
    { "snr", "25" },
    { "steps", "4" },
    { "polish", "20" },
  };
  PrismConfig *config = prism_config_new ();

  for (gsize i = 0; i < G_N_ELEMENTS (settings); i++)
    MUST (prism_config_set_text (config, settings[i][0], settings[i][1], &error));
  return config;
}

/* Of a row of the picture that is there now. */
static guint32
read_row_now (WindowTest *test,
              const char *panel)
{
  PrismView *view = widget_test_find (GTK_WIDGET (prism_dashboard_get_panel (
                                          widget_test_get_part (test->window, "dashboard"), panel)),
                                      PRISM_TYPE_VIEW);
  guint32 sum = 0;

  widget_test_wait_for_picture (view);
  cairo_surface_t *surface = widget_test_render (GTK_WIDGET (view->canvas));
  for (int i = 0; i < cairo_image_surface_get_width (surface); i++)
    sum = 31 * sum
          + widget_test_get_pixel (surface, i, cairo_image_surface_get_height (surface) / 2);
  cairo_surface_destroy (surface);
  return sum;
}

typedef struct
{
  WindowTest *test;
  const char *panel;
  guint32 row;
  gint64 since;
} Still;

/* The newest image may be on its way to the view. */
static gboolean
is_still (Still *still)
{
  guint32 row = read_row_now (still->test, still->panel);

  if (row != still->row)
    still->since = g_get_monotonic_time ();
  still->row = row;
  return g_get_monotonic_time () - still->since > STILL;
}

/* Of a row of the picture that stays. */
static guint32
read_row (WindowTest *test,
          const char *panel)
{
  Still still = { test, panel, read_row_now (test, panel), g_get_monotonic_time () };

  WAIT_FOR (is_still (&still));
  return still.row;
}

/* The switch is there with the doubt, and shows the other picture and how it differs. */
TEST (shown, "/app/second-picture/shown")
{
  g_autoptr (PrismConfig) config = new_config ();

  g_auto (WindowTest) test = window_test_new (config);
  g_assert_false (window_test_is_enabled (&test, "show-second"));
  window_test_activate (&test, "run");
  WAIT_FOR (window_test_has_finished (test.session));
  g_autoptr (PrismSnapshot) end = prism_snapshot_ref (test.session->snapshot);
  g_assert_cmpint (end->verdict.kind, ==, PRISM_VERDICT_AMBIGUOUS);
  g_assert_true (window_test_is_enabled (&test, "show-second"));
  guint32 first = read_row (&test, "reconstruction");
  guint32 error = read_row (&test, "error");
  window_test_activate (&test, "show-second");
  g_assert_cmpuint (read_row (&test, "reconstruction"), !=, first);
  g_assert_cmpuint (read_row (&test, "error"), !=, error);
  window_test_activate (&test, "show-second");
  g_assert_cmpuint (read_row (&test, "reconstruction"), ==, first);
  g_assert_cmpuint (read_row (&test, "error"), ==, error);
}
