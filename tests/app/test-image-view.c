#include "canvas/prism-image-view.h"
#include "prism-test.h"
#include "widget-test.h"

#include <adwaita.h>

static const float six[] = { 0, 0.2f, 0.4f, 0.6f, 0.8f, 1 };

static GtkWidget *
create_view (const char *title,
             int height,
             int width)
{
  GtkWidget *view = g_object_new (PRISM_TYPE_IMAGE_VIEW, NULL);
  g_autoptr (PrismImage) image = widget_test_create_image (height, width, NULL);

  for (int i = 0; i < height * width; i++)
    image->pixels[i] = i;
  g_object_set (view, "title", title, NULL);
  prism_view_set_image (PRISM_VIEW (view), image);
  return view;
}

static GtkWidget *
get_canvas (GtkWidget *view)
{
  return GTK_WIDGET (PRISM_VIEW (view)->canvas);
}

TEST (frame_fits_and_finds_pixels, "/app/image-view/frame-fits-and-finds-pixels")
{
  PrismFrame frame;
  int column, row;

  prism_frame_init (&frame, 400, 200, 100, 100);
  g_assert_cmpfloat (frame.scale, ==, 2);
  g_assert_cmpfloat (frame.x0, ==, 100);
  g_assert_cmpfloat (frame.y0, ==, 0);
  g_assert_true (prism_frame_get_pixel (&frame, 100, 199.9, &column, &row));
  g_assert_cmpint (column, ==, 0);
  g_assert_cmpint (row, ==, 99);
  g_assert_false (prism_frame_get_pixel (&frame, 99.9, 10, &column, &row));
  g_assert_false (prism_frame_get_pixel (&frame, 300, 10, &column, &row));

  /* Zoomed in, the image covers the area and cannot be pushed out of it. */
  prism_frame_set_view (&frame, 8, 0, 0.5, 1);
  g_assert_cmpfloat (frame.scale, ==, 16);
  g_assert_cmpfloat (frame.x0, ==, 0);
  g_assert_cmpfloat (frame.y0, ==, -700);
  g_assert_true (prism_frame_get_pixel (&frame, 16, 4, &column, &row));
  g_assert_cmpint (column, ==, 1);
  g_assert_cmpint (row, ==, 44);
}

/* Blocks of one colour up to their edges: nothing is blurred when pixels are enlarged. */
TEST (enlarged_pixels_are_sharp, "/app/image-view/enlarged-pixels-are-sharp")
{
  GtkWidget *view = g_object_new (PRISM_TYPE_IMAGE_VIEW, NULL);
  g_autoptr (PrismImage) image = widget_test_create_image (2, 3, six);
  const guint32 *grey = prism_colormap_get_table (PRISM_COLORMAP_GREY);
  PrismFrame frame;

  prism_view_set_image (PRISM_VIEW (view), image);
  g_autoptr (ShownWindow) window = widget_test_show (view, 500, 300);
  widget_test_wait_for_picture (PRISM_VIEW (view));
  g_assert_true (prism_canvas_get_frame (PRISM_VIEW (view)->canvas, &frame));
  g_autoptr (cairo_surface_t) surface = widget_test_render (get_canvas (view));
  for (int y = 0; y < 2; y++)
    for (int x = 0; x < 3; x++)
      {
        guint32 expected = grey[lrint (255 * six[3 * y + x])];
        int left = (int) ceil (frame.x0 + x * frame.scale) + 1;
        int right = (int) floor (frame.x0 + (x + 1) * frame.scale) - 2;
        int top = (int) ceil (frame.y0 + y * frame.scale) + 1;
        int bottom = (int) floor (frame.y0 + (y + 1) * frame.scale) - 2;

        /* The corners of the area are round. */
        if (x != 1)
          continue;
        g_assert_cmphex (widget_test_get_pixel (surface, left, top), ==, expected);
        g_assert_cmphex (widget_test_get_pixel (surface, right, top), ==, expected);
        g_assert_cmphex (widget_test_get_pixel (surface, left, bottom), ==, expected);
        g_assert_cmphex (widget_test_get_pixel (surface, right, bottom), ==, expected);
      }
}

/* Whether the middle of a view is as dark as a dark page, or as light as a light one. */
static gboolean
is_as_its_page (gpointer view)
{
  cairo_surface_t *surface = widget_test_render (get_canvas (view));
  const int x = cairo_image_surface_get_width (surface) / 2;
  const int green = widget_test_get_pixel (surface, x, x) >> 8 & 0xff;

  cairo_surface_destroy (surface);
  return adw_style_manager_get_dark (adw_style_manager_get_default ()) ? green < 0x40
                                                                       : green > 0xc0;
}

/* Where nothing differs a map of differences is as light or as dark as the page around it. */
TEST (differences_fade_into_the_page, "/app/image-view/differences-fade-into-the-page")
{
  AdwStyleManager *style = adw_style_manager_get_default ();
  GtkWidget *view = g_object_new (PRISM_TYPE_IMAGE_VIEW, NULL);
  g_autoptr (PrismImage) image = widget_test_create_image (1, 1, NULL);
  PrismMapping mapping;

  prism_view_get_mapping (PRISM_VIEW (view), &mapping);
  mapping.colormap = PRISM_COLORMAP_COOLWARM;
  mapping.levels = PRISM_LEVELS_MANUAL;
  mapping.black = -1;
  prism_view_set_mapping (PRISM_VIEW (view), &mapping);
  prism_view_set_image (PRISM_VIEW (view), image);
  g_autoptr (ShownWindow) window = widget_test_show (view, 200, 200);
  adw_style_manager_set_color_scheme (style, ADW_COLOR_SCHEME_FORCE_LIGHT);
  WAIT_FOR (is_as_its_page (view));
  adw_style_manager_set_color_scheme (style, ADW_COLOR_SCHEME_FORCE_DARK);
  WAIT_FOR (is_as_its_page (view));
  adw_style_manager_set_color_scheme (style, ADW_COLOR_SCHEME_DEFAULT);
}

/* Row 0 is on top and column 0 on the left, as in the files (docs/results.md). */
TEST (letter_is_upright, "/app/image-view/letter-is-upright")
{
  static const char letter[] = "......"
                               ".#...."
                               ".#...."
                               ".#...."
                               ".###.."
                               "......";
  const guint32 *grey = prism_colormap_get_table (PRISM_COLORMAP_GREY);
  GtkWidget *view = g_object_new (PRISM_TYPE_IMAGE_VIEW, NULL);
  g_autoptr (PrismImage) image = widget_test_create_image (6, 6, NULL);
  PrismFrame frame;

  for (int i = 0; i < 36; i++)
    image->pixels[i] = letter[i] == '#';
  prism_view_set_image (PRISM_VIEW (view), image);
  g_autoptr (ShownWindow) window = widget_test_show (view, 500, 300);
  widget_test_wait_for_picture (PRISM_VIEW (view));
  g_assert_true (prism_canvas_get_frame (PRISM_VIEW (view)->canvas, &frame));
  g_autoptr (cairo_surface_t) surface = widget_test_render (get_canvas (view));
  for (int y = 1; y < 5; y++)
    for (int x = 1; x < 5; x++)
      g_assert_cmphex (widget_test_get_pixel (surface, (int) (frame.x0 + (x + 0.5) * frame.scale),
                                              (int) (frame.y0 + (y + 0.5) * frame.scale)),
                       ==, grey[letter[6 * y + x] == '#' ? 255 : 0]);
}

/* In the middle of the surface. */
static guint
count_others (cairo_surface_t *surface,
              guint32 color)
{
  guint n = 0;

  for (int y = 50; y < 150; y++)
    for (int x = 50; x < 150; x++)
      n += widget_test_get_pixel (surface, x, y) != color;
  return n;
}

/* The value stands in a pixel that has room for it, and only there. */
TEST (large_pixels_carry_numbers, "/app/image-view/large-pixels-carry-numbers")
{
  static const float one = 0.8f;
  GtkWidget *view = g_object_new (PRISM_TYPE_IMAGE_VIEW, NULL);
  g_autoptr (PrismImage) image = widget_test_create_image (1, 1, &one);
  g_autoptr (PrismImage) many = widget_test_create_image (40, 40, NULL);

  gtk_widget_set_visible (GTK_WIDGET (PRISM_VIEW (view)->color_bar), FALSE);
  prism_view_set_image (PRISM_VIEW (view), image);
  g_autoptr (ShownWindow) window = widget_test_show (view, 200, 226);
  widget_test_wait_for_picture (PRISM_VIEW (view));
  cairo_surface_t *surface = widget_test_render (get_canvas (view));
  g_assert_cmphex (widget_test_get_pixel (surface, 100, 20), ==, 0xffcccccc);
  g_assert_cmpuint (count_others (surface, 0xffcccccc), >, 50);
  g_assert_cmpuint (count_others (surface, 0xffcccccc), <, 1000);
  cairo_surface_destroy (surface);

  prism_view_set_image (PRISM_VIEW (view), many);
  widget_test_wait_for_picture (PRISM_VIEW (view));
  surface = widget_test_render (get_canvas (view));
  g_assert_cmpuint (count_others (surface, 0xff000000), ==, 0);
  cairo_surface_destroy (surface);
}

static void
count (guint *n)
{
  (*n)++;
}

/* Frames that come faster than they can be coloured are dropped, but never the last one. */
TEST (newest_image_wins, "/app/image-view/newest-image-wins")
{
  GtkWidget *view = create_view ("Live", 64, 64);
  g_autoptr (ShownWindow) window = widget_test_show (view, 300, 300);
  PrismRaster *raster = PRISM_CANVAS (get_canvas (view))->rasters[PRISM_LAYER_IMAGE];
  guint n_pictures = 0;

  widget_test_wait_for_picture (PRISM_VIEW (view));
  g_object_set (view, "levels", PRISM_LEVELS_MIN_MAX, NULL);
  widget_test_wait_for_picture (PRISM_VIEW (view));
  g_signal_connect_swapped (raster, "changed", G_CALLBACK (count), &n_pictures);
  for (int i = 1; i <= 100; i++)
    {
      g_autoptr (PrismImage) image = widget_test_create_image (64, 64, NULL);

      image->pixels[0] = i;
      prism_view_set_image (PRISM_VIEW (view), image);
    }
  widget_test_wait_for_picture (PRISM_VIEW (view));
  g_assert_cmpuint (n_pictures, ==, 2);
  g_assert_cmpfloat (((PrismPicture *) raster->worker->result)->mapping.white, ==, 100);
}

TEST (hidden_view_does_not_work, "/app/image-view/hidden-view-does-not-work")
{
  g_autoptr (GtkWidget) view = g_object_ref_sink (create_view ("Hidden", 8, 8));
  PrismRaster *raster = PRISM_CANVAS (get_canvas (view))->rasters[PRISM_LAYER_IMAGE];

  g_assert_false (prism_worker_is_busy (raster->worker));
  g_assert_null (raster->worker->result);
  g_autoptr (ShownWindow) window = widget_test_show (view, 200, 200);
  widget_test_wait_for_picture (PRISM_VIEW (view));
  g_assert_nonnull (raster->worker->result);

  gtk_widget_set_visible (view, FALSE);
  prism_view_set_mapping (PRISM_VIEW (view), &(PrismMapping) { .gain = 1, .white = 3 });
  g_assert_false (prism_worker_is_busy (raster->worker));
  gtk_widget_set_visible (view, TRUE);
  widget_test_wait_for_picture (PRISM_VIEW (view));
  g_assert_cmpfloat (((PrismPicture *) raster->worker->result)->mapping.white, ==, 3);
}

static void
assert_probe (GtkWidget *view,
              int x,
              int y,
              double value)
{
  PrismProbe probe;

  g_assert_true (prism_view_get_probe (PRISM_VIEW (view), &probe));
  g_assert_cmpint (probe.x, ==, x);
  g_assert_cmpint (probe.y, ==, y);
  g_assert_cmpfloat (probe.value, ==, value);
}

static void
assert_no_probe (GtkWidget *view)
{
  PrismProbe probe;

  g_assert_false (prism_view_get_probe (PRISM_VIEW (view), &probe));
  g_assert_true (isnan (probe.value));
  g_assert_null (widget_test_get_probe (view));
}

/* A larger linked image has its cursor at the same place of the whole. */
TEST (linked_views_share_cursor_and_zoom, "/app/image-view/linked-views")
{
  g_autoptr (GtkWidget) a = g_object_ref_sink (create_view ("A", 8, 8));
  g_autoptr (GtkWidget) b = g_object_ref_sink (create_view ("B", 32, 16));
  g_autoptr (PrismViewport) viewport = g_object_new (PRISM_TYPE_VIEWPORT, NULL);

  prism_view_set_viewport (PRISM_VIEW (a), viewport);
  prism_view_set_viewport (PRISM_VIEW (b), viewport);
  assert_no_probe (a);
  prism_viewport_set_cursor (viewport, 3.5 / 8, 5.5 / 8);
  assert_probe (a, 3, 5, 5 * 8 + 3);
  assert_probe (b, 7, 22, 22 * 16 + 7);
  g_assert_cmpstr (widget_test_get_probe (a), ==, "x 3, y 5:  43.00");
  prism_view_set_scale (PRISM_VIEW (a), 2000, 0.5);
  HAS (widget_test_get_probe (a), "off axis");
  prism_view_set_scale (PRISM_VIEW (a), 0, 0);
  g_assert_cmpstr (widget_test_get_probe (a), ==, "x 3, y 5:  43.00");
  prism_viewport_clear_cursor (viewport);
  assert_no_probe (b);
}

/* Lines of the readout in a view, which has two. */
static int
count_lines (int width)
{
  GtkWidget *view = create_view ("A", 8, 8);
  GtkWidget *window = widget_test_show (view, width, 320);
  g_autoptr (PrismViewport) viewport = g_object_new (PRISM_TYPE_VIEWPORT, NULL);

  prism_view_set_viewport (PRISM_VIEW (view), viewport);
  prism_view_set_scale (PRISM_VIEW (view), 2000, 0.5);
  prism_viewport_set_cursor (viewport, 3.5 / 8, 5.5 / 8);
  GtkLabel *label = widget_test_find_text (view, widget_test_get_probe (view));
  g_assert_nonnull (label);
  WAIT_FOR (gtk_widget_get_width (GTK_WIDGET (label)) > 0);
  PangoLayout *layout = gtk_label_get_layout (label);
  g_assert_false (pango_layout_is_ellipsized (layout));
  int n = pango_layout_get_line_count (layout);
  gtk_window_destroy (GTK_WINDOW (window));
  return n;
}

/* In a panel of a small window its lines break, and there alone; a number that is cut says nothing.
 */
TEST (readout_is_whole, "/app/image-view/readout-is-whole")
{
  g_assert_cmpint (count_lines (400), ==, 2);
  g_assert_cmpint (count_lines (130), >, 2);
}

/* Where it would hide half of the picture the value alone is there; all of it is still told. */
TEST (readout_leaves_the_picture, "/app/image-view/readout-leaves-the-picture")
{
  GtkWidget *view = create_view ("A", 8, 8);
  g_autoptr (ShownWindow) window = widget_test_show (view, 300, 90);
  g_autoptr (PrismViewport) viewport = g_object_new (PRISM_TYPE_VIEWPORT, NULL);

  prism_view_set_viewport (PRISM_VIEW (view), viewport);
  prism_view_set_scale (PRISM_VIEW (view), 2000, 0.5);
  prism_viewport_set_cursor (viewport, 3.5 / 8, 5.5 / 8);
  HAS (widget_test_get_probe (view), "off axis");
  g_assert_nonnull (widget_test_find_text (view, "x 3, y 5:  43.00"));
}

/* The pixel under the cursor stays under it while the view is enlarged. */
TEST (zoom_keeps_the_probed_place, "/app/image-view/zoom-keeps-the-probed-place")
{
  GtkWidget *view = create_view ("Zoom", 100, 100);
  g_autoptr (ShownWindow) window = widget_test_show (view, 400, 400);
  PrismCanvas *canvas = PRISM_VIEW (view)->canvas;
  PrismFrame before, after;
  int x, y;

  prism_viewport_set_cursor (PRISM_VIEW (view)->canvas->viewport, 0.705, 0.305);
  prism_canvas_get_frame (canvas, &before);
  prism_canvas_zoom (canvas, 4);
  prism_canvas_get_frame (canvas, &after);
  g_assert_cmpfloat_with_epsilon (after.scale, 4 * before.scale, 1e-9);
  assert_probe (view, 70, 30, 3070);
  g_assert_true (prism_frame_get_pixel (&after, before.x0 + 70.5 * before.scale,
                                        before.y0 + 30.5 * before.scale, &x, &y));
  g_assert_cmpint (x, ==, 70);
  g_assert_cmpint (y, ==, 30);
}

TEST (keys, "/app/image-view/keys")
{
  GtkWidget *view = create_view ("Keys", 40, 40);
  g_autoptr (ShownWindow) window = widget_test_show (view, 400, 400);
  GtkWidget *canvas = get_canvas (view);
  PrismViewport *viewport = PRISM_VIEW (view)->canvas->viewport;
  PrismFrame frame;

  g_assert_true (gtk_widget_get_focusable (canvas));
  g_assert_true (widget_test_press (canvas, GDK_KEY_Right, 0));
  assert_probe (view, 20, 20, 820);
  widget_test_press (canvas, GDK_KEY_Right, 0);
  widget_test_press (canvas, GDK_KEY_Up, 0);
  assert_probe (view, 21, 19, 781);
  widget_test_press (canvas, GDK_KEY_Left, GDK_CONTROL_MASK);
  widget_test_press (canvas, GDK_KEY_Left, GDK_CONTROL_MASK);
  widget_test_press (canvas, GDK_KEY_Left, GDK_CONTROL_MASK);
  assert_probe (view, 0, 19, 760);

  widget_test_press (canvas, GDK_KEY_plus, 0);
  widget_test_press (canvas, GDK_KEY_plus, 0);
  g_assert_cmpfloat_with_epsilon (viewport->zoom, 2.25, 1e-9);
  widget_test_press (canvas, GDK_KEY_minus, 0);
  g_assert_cmpfloat_with_epsilon (viewport->zoom, 1.5, 1e-9);
  widget_test_press (canvas, GDK_KEY_1, 0);
  prism_canvas_get_frame (PRISM_CANVAS (canvas), &frame);
  g_assert_cmpfloat_with_epsilon (frame.scale, 1.0 / gtk_widget_get_scale_factor (canvas), 1e-9);
  widget_test_press (canvas, GDK_KEY_0, 0);
  g_assert_cmpfloat (viewport->zoom, ==, 1);

  g_assert_true (widget_test_press (canvas, GDK_KEY_Escape, 0));
  assert_no_probe (view);
  g_assert_false (widget_test_press (canvas, GDK_KEY_Escape, 0));
}

/* Moving the probe out of sight moves the view along. */
TEST (keys_reveal_the_probe, "/app/image-view/keys-reveal-the-probe")
{
  GtkWidget *view = create_view ("Reveal", 40, 40);
  g_autoptr (ShownWindow) window = widget_test_show (view, 400, 400);
  GtkWidget *canvas = get_canvas (view);
  PrismFrame frame;

  prism_viewport_set_view (PRISM_VIEW (view)->canvas->viewport, 8, 0.5, 0.5);
  widget_test_press (canvas, GDK_KEY_Left, 0);
  widget_test_press (canvas, GDK_KEY_Left, GDK_CONTROL_MASK);
  assert_probe (view, 10, 20, 810);
  prism_canvas_get_frame (PRISM_CANVAS (canvas), &frame);
  double left = frame.x0 + 10 * frame.scale;
  g_assert_cmpfloat (left, >=, -1);
  g_assert_cmpfloat (left + frame.scale, <=, frame.area_width + 1);
}

TEST (accessible, "/app/image-view/accessible")
{
  g_autoptr (GtkWidget) view = g_object_ref_sink (create_view ("Target", 2, 3));
  GtkWidget *canvas = get_canvas (view);

  gtk_test_accessible_assert_role (canvas, GTK_ACCESSIBLE_ROLE_IMG);
  gtk_test_accessible_assert_property (canvas, GTK_ACCESSIBLE_PROPERTY_LABEL,
                                       "Target, 3 × 2 pixels");
  prism_view_set_image (PRISM_VIEW (view), NULL);
  gtk_test_accessible_assert_property (canvas, GTK_ACCESSIBLE_PROPERTY_LABEL, "Target, empty");
}

static int
measure_color_bar (GtkWidget *view)
{
  int width;

  gtk_widget_measure (widget_test_find (view, PRISM_TYPE_COLOR_BAR), GTK_ORIENTATION_HORIZONTAL, -1,
                      &width, NULL, NULL, NULL);
  return width;
}

static int
measure_text (GtkWidget *widget,
              const char *text)
{
  g_autoptr (PangoLayout) layout = gtk_widget_create_pango_layout (widget, text);
  int width;

  pango_layout_get_pixel_size (layout, &width, NULL);
  return width;
}

/* Numbers beside an empty view would be made up. */
TEST (no_image_no_scale, "/app/image-view/no-image-no-scale")
{
  GtkWidget *view = create_view ("Target", 2, 3);
  g_autoptr (ShownWindow) window = widget_test_show (view, 300, 200);

  widget_test_wait_for_picture (PRISM_VIEW (view));
  g_assert_cmpint (measure_color_bar (view), >, 20);
  prism_view_set_image (PRISM_VIEW (view), NULL);
  g_assert_cmpint (measure_color_bar (view), ==, 0);
  gtk_test_accessible_assert_property (widget_test_find (view, PRISM_TYPE_COLOR_BAR),
                                       GTK_ACCESSIBLE_PROPERTY_LABEL, "Colour bar, empty");
}

/* Numbers of a small error are longer than others, and whole. */
TEST (small_numbers_are_whole, "/app/image-view/small-numbers")
{
  static const float small[] = { 0, 1.4e-4f, 0, 0, 0, -1.4e-4f };
  g_autoptr (PrismImage) image = widget_test_create_image (2, 3, six);
  g_autoptr (PrismImage) tiny = widget_test_create_image (2, 3, small);
  GtkWidget *view = create_view ("Error", 2, 3);
  g_autoptr (ShownWindow) window = widget_test_show (view, 300, 200);

  prism_view_set_image (PRISM_VIEW (view), image);
  widget_test_wait_for_picture (PRISM_VIEW (view));
  int usual = measure_color_bar (view);
  g_object_set (view, "levels", PRISM_LEVELS_SYMMETRIC, NULL);
  prism_view_set_image (PRISM_VIEW (view), tiny);
  widget_test_wait_for_picture (PRISM_VIEW (view));
  int text = measure_text (widget_test_find (view, PRISM_TYPE_COLOR_BAR), "−1.0×10⁻⁴");
  g_assert_cmpint (measure_color_bar (view), >=, 6 + 6 + 6 + text);
  prism_view_set_image (PRISM_VIEW (view), image);
  widget_test_wait_for_picture (PRISM_VIEW (view));
  g_assert_cmpint (measure_color_bar (view), ==, usual);
}

TEST (reference_makes_an_error_map, "/app/image-view/reference-makes-an-error-map")
{
  static const float truth[] = { 0, 0, 0.5f, 0.6f, 1, 1 };
  g_autoptr (GtkWidget) view = g_object_ref_sink (g_object_new (PRISM_TYPE_IMAGE_VIEW, NULL));
  g_autoptr (PrismImage) image = widget_test_create_image (2, 3, six);
  g_autoptr (PrismImage) reference = widget_test_create_image (2, 3, truth);
  g_autoptr (PrismImage) other = widget_test_create_image (3, 3, NULL);
  PrismMapping mapping;

  g_object_set (view, "levels", PRISM_LEVELS_SYMMETRIC, NULL);
  prism_view_set_image (PRISM_VIEW (view), image);
  prism_view_set_reference (PRISM_VIEW (view), reference);
  prism_viewport_set_cursor (PRISM_VIEW (view)->canvas->viewport, 0.9, 0.25);
  assert_probe (view, 2, 0, (double) 0.4f - 0.5f);
  prism_view_get_mapping (PRISM_VIEW (view), &mapping);
  g_assert_cmpfloat_with_epsilon (mapping.white, 0.2, 1e-6);
  g_assert_cmpfloat_with_epsilon (mapping.black, -0.2, 1e-6);

  prism_view_set_reference (PRISM_VIEW (view), other);
  g_assert_null (prism_view_get_reference (PRISM_VIEW (view)));
}

TEST (region_statistics, "/app/image-view/region-statistics")
{
  g_autoptr (GtkWidget) view = g_object_ref_sink (create_view ("Region", 4, 5));
  GtkWidget *canvas = get_canvas (view);
  PrismImage *image = PRISM_VIEW (view)->image;
  PrismRegion region;

  g_assert_false (prism_image_view_get_region (PRISM_IMAGE_VIEW (view), &region));
  g_assert_true (isnan (region.mean));

  /* 6 7 8 / 11 12 13, and what lies outside of the image does not count. */
  prism_canvas_set_selection (PRISM_CANVAS (canvas), &(GdkRectangle) { 1, 1, 3, 2 });
  g_assert_true (prism_image_view_get_region (PRISM_IMAGE_VIEW (view), &region));
  g_assert_cmpint (region.n_values, ==, 6);
  g_assert_cmpfloat_with_epsilon (region.mean, 9.5, 1e-9);
  g_assert_cmpfloat_with_epsilon (region.deviation, sqrt (41.5 / 6), 1e-9);
  g_assert_cmpfloat (region.minimum, ==, 6);
  g_assert_cmpfloat (region.maximum, ==, 13);

  prism_canvas_set_selection (PRISM_CANVAS (canvas), &(GdkRectangle) { 4, 3, 10, 10 });
  g_assert_true (prism_image_view_get_region (PRISM_IMAGE_VIEW (view), &region));
  g_assert_cmpint (region.n_values, ==, 1);
  g_assert_cmpfloat (region.mean, ==, 19);
  g_assert_cmpfloat (region.deviation, ==, 0);

  image->pixels[19] = NAN;
  g_assert_true (prism_image_view_get_region (PRISM_IMAGE_VIEW (view), &region));
  g_assert_cmpint (region.n_values, ==, 0);
  g_assert_true (isnan (region.mean));
}

TEST (keys_select, "/app/image-view/keys-select")
{
  GtkWidget *view = create_view ("Select", 40, 40);
  g_autoptr (ShownWindow) window = widget_test_show (view, 300, 300);
  GtkWidget *canvas = get_canvas (view);
  GdkRectangle selection;

  widget_test_press (canvas, GDK_KEY_Right, 0);
  widget_test_press (canvas, GDK_KEY_Right, GDK_SHIFT_MASK);
  widget_test_press (canvas, GDK_KEY_Down, GDK_SHIFT_MASK | GDK_CONTROL_MASK);
  g_assert_true (prism_canvas_get_selection (PRISM_CANVAS (canvas), &selection));
  g_assert_true (gdk_rectangle_equal (&selection, &(GdkRectangle) { 20, 20, 2, 11 }));
  widget_test_press (canvas, GDK_KEY_Escape, 0);
  g_assert_false (prism_canvas_get_selection (PRISM_CANVAS (canvas), &selection));
}

TEST (is_freed, "/app/image-view/is-freed")
{
  widget_test_assert_freed (create_view ("Freed", 64, 64));
}
