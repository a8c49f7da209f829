#include "lessons/prism-lesson-page.h"
#include "lessons/prism-lesson-panel.h"
#include "prism-test.h"
#include "support/prism-settings.h"
#include "support/prism-ui-text.h"
#include "window-test.h"
#include "window/prism-spotlight.h"

#define HEIGHT 900

static gboolean
is_projecting (WindowTest *test)
{
  return gtk_widget_has_css_class (GTK_WIDGET (test->window), "projector");
}

/* Of the font of a widget; of a window that which it hands to what is in it. */
static int
get_font_size (gpointer widget)
{
  PangoContext *context = gtk_widget_get_pango_context (widget);

  return pango_font_description_get_size (pango_context_get_font_description (context));
}

/* As the application does. */
static void
add_style (void)
{
  g_autoptr (GtkCssProvider) provider = gtk_css_provider_new ();

  gtk_css_provider_load_from_resource (provider, PRISM_RESOURCE ("prism-window.css"));
  gtk_style_context_add_provider_for_display (gdk_display_get_default (),
                                              GTK_STYLE_PROVIDER (provider),
                                              GTK_STYLE_PROVIDER_PRIORITY_APPLICATION);
}

/* Large text, one sentence, no sidebar; and all as before when it ends. */
TEST (projector, "/app/projector/window")
{
  g_auto (WindowTest) test = window_test_new (NULL);
  GtkWidget *sentence = FIND (test.window, gtk_widget_has_css_class (it, "projector-sentence"));
  g_assert_false (gtk_widget_get_visible (sentence));
  int size = get_font_size (test.window);
  window_test_activate (&test, "projector");
  g_assert_true (is_projecting (&test));
  g_assert_true (gtk_widget_get_visible (sentence));
  g_assert_cmpstr (gtk_label_get_label (GTK_LABEL (sentence)), ==, "Ready: 6 positions");
  WAIT_FOR (get_font_size (test.window) > 1.4 * size);
  window_test_activate (&test, "run");
  WAIT_FOR (window_test_has_finished (test.session));
  HAS (gtk_label_get_label (GTK_LABEL (sentence)), "Finished: ", " dB");
  window_test_activate (&test, "restore");
  g_assert_false (is_projecting (&test));
  g_assert_false (gtk_widget_get_visible (sentence));
  WAIT_FOR (get_font_size (test.window) == size);
}

/* The header grows no more than the window has room, so that this gets no wider than the screen; a
 * sidebar that no longer fits beside large text stays away. */
TEST (width, "/app/projector/width")
{
  gboolean remembered;

  g_auto (WindowTest) test = window_test_new (NULL);
  GtkWidget *header = FIND (test.window, gtk_widget_has_css_class (it, "main-header"));
  GtkWidget *flap = FIND (test.window, ADW_IS_FLAP (it));
  double size = get_font_size (test.window);
  window_test_activate (&test, "projector");
  WAIT_FOR (get_font_size (test.window) > 1.4 * size);
  g_object_get (prism_settings_get_default (), "show-sidebar", &remembered, NULL);
  g_assert_true (remembered);
  WAIT_FOR (get_font_size (header) / size
            < 1.05 * MAX (1, gtk_widget_get_width (GTK_WIDGET (test.window)) / 900.0));
  g_object_set (flap, "fold-policy", ADW_FLAP_FOLD_POLICY_ALWAYS, NULL);
  g_object_set (flap, "fold-policy", ADW_FLAP_FOLD_POLICY_NEVER, NULL);
  g_assert_false (adw_flap_get_reveal_flap (ADW_FLAP (flap)));
}

/* A lesson stays beside the pictures, with lines that are as long as its words are large. */
TEST (lesson, "/app/projector/lesson")
{
  add_style ();
  g_auto (WindowTest) test = window_test_new (NULL);
  GtkWidget *panel = FIND (test.window, PRISM_IS_LESSON_PANEL (it));
  g_action_group_activate_action (G_ACTION_GROUP (test.window), "lesson",
                                  g_variant_new_string ("aperture"));
  WAIT_FOR (gtk_widget_get_width (panel) > 0);
  int width = gtk_widget_get_width (panel);
  window_test_activate (&test, "projector");
  WAIT_FOR (gtk_widget_get_width (panel) > 1.2 * width);
  g_assert_true (gtk_widget_get_mapped (panel));
  window_test_activate (&test, "restore");
  WAIT_FOR (gtk_widget_get_width (panel) == width);
}

/* Words that have a size of their own grow, too: those of a lesson. */
TEST (words, "/app/projector/words")
{
  static const char *const styles[]
      = { "heading", "title-3", "title-4", "caption", "caption-heading" };
  GtkWidget *labels[G_N_ELEMENTS (styles)], *box;
  int before[G_N_ELEMENTS (styles)];

  add_style ();
  g_auto (WindowTest) test = window_test_new (NULL);
  box = gtk_widget_get_parent (
      FIND (test.window, gtk_widget_has_css_class (it, "projector-sentence")));
  for (gsize i = 0; i < G_N_ELEMENTS (styles); i++)
    {
      labels[i] = prism_lesson_page_append_label (box, styles[i], styles[i]);
      before[i] = get_font_size (labels[i]);
    }
  int size = get_font_size (test.window);
  window_test_activate (&test, "projector");
  WAIT_FOR (get_font_size (test.window) > 1.4 * size);
  for (gsize i = 0; i < G_N_ELEMENTS (styles); i++)
    g_assert_cmpfloat (get_font_size (labels[i]), >, 1.2 * before[i]);
}

/* It lies over everything, and takes no click away. */
TEST (spotlight, "/app/projector/spotlight")
{
  g_autoptr (GtkWidget) widget = g_object_ref_sink (g_object_new (PRISM_TYPE_SPOTLIGHT, NULL));
  PrismSpotlight *light = PRISM_SPOTLIGHT (widget);
  GtkSnapshot *snapshot = gtk_snapshot_new ();
  graphene_rect_t bounds;
  double x, y, radius;

  g_assert_false (gtk_widget_get_can_target (widget));
  prism_spotlight_move (light, 1, 2);
  g_assert_false (prism_spotlight_get_point (light, &x, &y, &radius));
  g_object_set (light, "active", TRUE, NULL);
  gtk_widget_measure (widget, GTK_ORIENTATION_HORIZONTAL, -1, NULL, NULL, NULL, NULL);
  gtk_widget_allocate (widget, HEIGHT, HEIGHT, -1, NULL);
  prism_spotlight_move (light, 30, 40);
  prism_spotlight_move (light, 50, 60);
  g_assert_true (prism_spotlight_get_point (light, &x, &y, &radius));
  g_assert_cmpfloat (x, ==, 50);
  g_assert_cmpfloat (y, ==, 60);
  g_assert_cmpfloat_with_epsilon (radius, HEIGHT / 9.0, 1e-6);
  /* While it moves nothing but the ring is painted. */
  GTK_WIDGET_GET_CLASS (widget)->snapshot (widget, snapshot);
  GskRenderNode *node = gtk_snapshot_free_to_node (snapshot);
  gsk_render_node_get_bounds (node, &bounds);
  gsk_render_node_unref (node);
  g_assert_cmpfloat (bounds.size.width, <, 2 * radius + 1);
  g_object_set (light, "active", FALSE, NULL);
  g_assert_false (prism_spotlight_get_point (light, &x, &y, &radius));
  g_object_run_dispose (G_OBJECT (widget));
}
