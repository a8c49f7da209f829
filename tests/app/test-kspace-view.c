#include "kspace/prism-kspace-view.h"
#include "prism-test.h"
#include "widget-test.h"

#define N 64
#define AREA 512

static PrismPattern *
create_pattern (void)
{
  static const PrismPoint points[] = { { 0, 0 }, { -20, 10 }, { 15.5, 20.25 } };

  return prism_pattern_new_points (points, G_N_ELEMENTS (points));
}

static GtkWidget *
create_view (void)
{
  GtkWidget *view = g_object_new (PRISM_TYPE_KSPACE_VIEW, NULL);
  g_autoptr (PrismImage) spectrum = widget_test_create_image (N, N, NULL);

  for (int i = 0; i < N * N; i++)
    spectrum->pixels[i] = i;
  g_object_set (view, "title", "k-space", NULL);
  prism_view_set_image (PRISM_VIEW (view), spectrum);
  return view;
}

TEST (probe_counts_from_the_origin, "/app/kspace-view/probe-counts-from-the-origin")
{
  g_autoptr (GtkWidget) view = g_object_ref_sink (create_view ());
  PrismViewport *viewport = PRISM_VIEW (view)->canvas->viewport;

  prism_viewport_set_cursor (viewport, 32.5 / N, 32.5 / N);
  g_assert_cmpstr (widget_test_get_probe (view), ==, "kx 0, ky 0:  |E| 2080");
  prism_viewport_set_cursor (viewport, 0.5 / N, 63.5 / N);
  g_assert_cmpstr (widget_test_get_probe (view), ==, "kx −32, ky 31:  |E| 4032");
  gtk_test_accessible_assert_role (PRISM_VIEW (view)->canvas, GTK_ACCESSIBLE_ROLE_IMG);
  gtk_test_accessible_assert_property (PRISM_VIEW (view)->canvas,
                                       GTK_ACCESSIBLE_PROPERTY_LABEL, "k-space, 64 × 64 pixels");
}

/* Paints an overlay over a ground, 0 … 1, as it is in a figure or in the window. */
static cairo_surface_t *
draw_on (PrismKspaceOverlay *overlay,
         int width,
         double ground,
         gboolean figure)
{
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, width, AREA);
  cairo_t *cr = cairo_create (surface);
  PrismFrame frame;
  PrismPaint paint;

  prism_frame_init (&frame, width, AREA, N, N);
  cairo_set_source_rgb (cr, ground, ground, ground);
  cairo_paint (cr);
  prism_paint_init_figure (&paint, cr, TRUE);
  paint.figure = figure;
  prism_kspace_overlay_draw (overlay, &paint, &frame);
  prism_paint_finish (&paint);
  cairo_destroy (cr);
  cairo_surface_flush (surface);
  return surface;
}

/* Over black, AREA pixels for N. */
static cairo_surface_t *
draw_overlay (PrismKspaceOverlay *overlay)
{
  return draw_on (overlay, AREA, 0, TRUE);
}

/* Pixel of the area at a place in k-space. */
static guint32
get_at (cairo_surface_t *surface,
        double ky,
        double kx)
{
  double scale = AREA / (double) N;

  return widget_test_get_pixel (surface, (int) ((kx + N / 2 + 0.5) * scale),
                                (int) ((ky + N / 2 + 0.5) * scale));
}

/* The aperture is orange: red without blue. */
static gboolean
is_aperture (guint32 pixel)
{
  int red = pixel >> 16 & 0xff;
  int blue = pixel & 0xff;

  return red > 150 && red - blue > 80;
}

/* Flat sides of a hexagon are at the top and the bottom: it is less high than wide. */
TEST (aperture_has_the_shape_of_the_mask, "/app/kspace-view/aperture-has-the-shape-of-the-mask")
{
  const double half = sqrt (0.5), flat = sqrt (0.75);
  const struct
  {
    int shape;
    double y, x; /* from the centre, px */
    gboolean drawn;
  } places[] = {
    { PRISM_SHAPE_DISK, 8, 0, TRUE },
    { PRISM_SHAPE_DISK, 0, -8, TRUE },
    { PRISM_SHAPE_DISK, 6.9, 0, FALSE },
    { PRISM_SHAPE_HEXAGON, 8 * flat, 1, TRUE },
    { PRISM_SHAPE_HEXAGON, 8, 0, FALSE },
    { PRISM_SHAPE_HEXAGON, 0, 8, TRUE },
    { PRISM_SHAPE_OBSCURED, 4 * half, 4 * half, TRUE },
    { PRISM_SHAPE_OBSCURED, 0, 6, TRUE },
    { PRISM_SHAPE_OBSCURED, 6, 0, TRUE },
    { PRISM_SHAPE_OBSCURED, 4.2, 4.2, FALSE },
  };
  g_autoptr (PrismPattern) pattern = create_pattern ();
  const PrismPoint *center = &pattern->points[2];

  for (gsize i = 0; i < G_N_ELEMENTS (places); i++)
    {
      PrismKspaceOverlay overlay = { .pattern = pattern, .n_visited = 2, .current = 2 };

      overlay.aperture = (PrismAperture) {
        .shape = places[i].shape, .radius = 8, .obscuration = 0.5, .vanes = 2, .vane_width = 1
      };
      g_autoptr (cairo_surface_t) surface = draw_overlay (&overlay);
      g_test_message ("shape %d, %g, %g", places[i].shape, places[i].y, places[i].x);
      guint32 pixel = get_at (surface, center->y + places[i].y, center->x + places[i].x);
      g_assert_true (is_aperture (pixel) == places[i].drawn);
    }
}

/* A diamond is filled, a ring is not: the difference is to be seen without colour. */
TEST (visited_and_planned_differ_in_shape, "/app/kspace-view/visited-and-planned-differ-in-shape")
{
  g_autoptr (PrismPattern) pattern = create_pattern ();
  PrismKspaceOverlay overlay = { .pattern = pattern, .n_visited = 2, .current = 2 };
  g_autoptr (cairo_surface_t) surface = draw_overlay (&overlay);
  guint32 visited = get_at (surface, -20, 10);
  guint32 planned = get_at (surface, 15.5, 20.25);

  g_assert_cmpint (visited >> 8 & 0xff, >, 200);
  g_assert_cmpint (planned >> 8 & 0xff, <, 120);
  /* Beside the edge of the diamond, where a disk would be. */
  g_assert_cmpint (get_at (surface, -20 + 0.475, 10 + 0.475) >> 8 & 0xff, <, 120);
}

/* In a wide area the key stands on the image, beside the letters of its axis and not over them. */
TEST (key_stands_on_the_image, "/app/kspace-view/key-stands-on-the-image")
{
  g_autoptr (PrismPattern) pattern = create_pattern ();
  PrismKspaceOverlay overlay = { .pattern = pattern };
  g_autoptr (cairo_surface_t) surface = draw_on (&overlay, 2 * AREA, 1, FALSE);
  gboolean any = FALSE;

  for (int x = 0; x < AREA / 2 - 20; x++)
    g_assert_cmphex (widget_test_get_pixel (surface, x, 8), ==, 0xffffffff);
  for (int x = AREA / 2; x < AREA; x++)
    any = any || (widget_test_get_pixel (surface, x, 8) & 0xff) < 200;
  g_assert_true (any);
}

/* A cross leaves its sides free, a triangle its upper corners; each has a colour of its own. */
TEST (failed_and_rescued_are_marked, "/app/kspace-view/failed-and-rescued")
{
  static const guint8 states[] = { PRISM_SAMPLE_CONVERGED, PRISM_SAMPLE_FAILED,
                                   PRISM_SAMPLE_RESCUED };
  g_autoptr (PrismPattern) pattern = create_pattern ();
  PrismKspaceOverlay overlay = { .pattern = pattern,
                                 .n_visited = 3,
                                 .current = -1,
                                 .states = states,
                                 .n_states = G_N_ELEMENTS (states) };
  cairo_surface_t *surface = draw_overlay (&overlay);
  guint32 failed = get_at (surface, -20, 10), rescued = get_at (surface, 15.5, 20.25);

  g_assert_cmpint ((int) (failed >> 16 & 0xff) - (int) (failed & 0xff), >, 100);
  g_assert_cmpint (failed >> 8 & 0xff, <, 150);
  g_assert_cmpint (get_at (surface, -20, 10 + 0.48) >> 16 & 0xff, <, 120);
  g_assert_cmpint (rescued >> 8 & 0xff, >, 200);
  g_assert_cmpint (rescued & 0xff, <, 100);
  g_assert_cmpint (get_at (surface, 15.5 - 0.45, 20.25 - 0.4) >> 16 & 0xff, <, 120);
  cairo_surface_destroy (surface);

  overlay.n_visited = 1; /* what is not visited has no state yet */
  surface = draw_overlay (&overlay);
  g_assert_cmpint (get_at (surface, -20, 10) >> 16 & 0xff, <, 120);
  cairo_surface_destroy (surface);
}

TEST (region_of_interest, "/app/kspace-view/region-of-interest")
{
  PrismKspaceOverlay overlay = { .current = -1, .roi = 40 };
  g_autoptr (cairo_surface_t) surface = draw_overlay (&overlay);
  int n_lit = 0;

  for (int i = 0; i < 360; i++)
    {
      double angle = (i + 0.5) * G_PI / 180;
      n_lit += (get_at (surface, 20 * sin (angle), 20 * cos (angle)) & 0xff) > 60;
    }
  /* Dashed: 5 of 9. */
  g_assert_cmpint (n_lit, >, 140);
  g_assert_cmpint (n_lit, <, 280);
}

TEST (coverage_tints_what_is_measured, "/app/kspace-view/coverage-tints-what-is-measured")
{
  GtkWidget *view = create_view ();
  g_autoptr (PrismImage) coverage = widget_test_create_image (N, N, NULL);
  PrismCanvas *canvas = PRISM_VIEW (view)->canvas;

  coverage->pixels[10 * N + 20] = 1;
  prism_kspace_view_set_coverage (PRISM_KSPACE_VIEW (view), coverage);
  g_autoptr (ShownWindow) window = widget_test_show (view, 300, 300);
  widget_test_wait_for_picture (PRISM_VIEW (view));
  PrismPicture *picture = canvas->rasters[PRISM_LAYER_OVERLAY]->worker->result;
  g_assert_cmphex (widget_test_get_pixel (picture->surface, 20, 10), ==,
                   prism_colormap_get_table (PRISM_COLORMAP_COVERAGE)[255]);
  g_assert_cmphex (widget_test_get_pixel (picture->surface, 21, 10), ==, 0);
}

/* What the widget was told arrives on the screen, and a repeated call does not repaint. */
TEST (view_follows_the_run, "/app/kspace-view/view-follows-the-run")
{
  GtkWidget *view = create_view ();
  g_autoptr (PrismPattern) pattern = create_pattern ();
  g_autoptr (PrismConfig) config = prism_config_new ();
  g_autoptr (ShownWindow) window = widget_test_show (view, 400, 400);
  GtkWidget *canvas = GTK_WIDGET (PRISM_VIEW (view)->canvas);
  PrismFrame frame;

  config->image_size = N;
  config->aperture_shape = PRISM_SHAPE_DISK;
  config->aperture_radius = 6;
  prism_kspace_view_set_config (PRISM_KSPACE_VIEW (view), config);
  widget_test_wait_for_picture (PRISM_VIEW (view));
  g_autoptr (cairo_surface_t) before = widget_test_render (canvas);
  prism_kspace_view_set_pattern (PRISM_KSPACE_VIEW (view), pattern, 1, 1);
  g_autoptr (cairo_surface_t) after = widget_test_render (canvas);

  g_assert_true (prism_canvas_get_frame (PRISM_CANVAS (canvas), &frame));
  int x = (int) (frame.x0 + (10 + N / 2 + 0.5 + 6) * frame.scale);
  int y = (int) (frame.y0 + (-20 + N / 2 + 0.5) * frame.scale);
  g_assert_false (is_aperture (widget_test_get_pixel (before, x, y)));
  g_assert_true (is_aperture (widget_test_get_pixel (after, x, y)));
}

/* An object of 32 px, found but for its sign, measured within 10 px. */
static PrismSnapshot *
create_snapshot (void)
{
  PrismSnapshot *snapshot = prism_snapshot_new ();

  snapshot->target = widget_test_create_image (N / 2, N / 2, NULL);
  snapshot->reconstruction = widget_test_create_image (N / 2, N / 2, NULL);
  snapshot->coverage_plane = widget_test_create_image (N, N, NULL);
  for (int i = 0; i < N * N / 4; i++)
    {
      snapshot->target->pixels[i] = (float) (i * 7919 % 101) / 101;
      snapshot->reconstruction->pixels[i] = -snapshot->target->pixels[i];
    }
  for (int y = 0; y < N; y++)
    for (int x = 0; x < N; x++)
      snapshot->coverage_plane->pixels[y * N + x] = hypot (y - N / 2, x - N / 2) <= 10;
  return snapshot;
}

/* The probe names correlation and coverage of its ring; the tint has the correlation where k-space
 * is measured and leaves the rest alone. */
TEST (correlation_of_the_rings, "/app/kspace-view/correlation-of-the-rings")
{
  GtkWidget *view = create_view ();
  g_autoptr (PrismCorrelation) correlation = g_object_new (PRISM_TYPE_CORRELATION, NULL);
  g_autoptr (PrismSnapshot) snapshot = create_snapshot ();
  g_autoptr (PrismSnapshot) empty = prism_snapshot_new ();
  PrismRaster *raster = PRISM_VIEW (view)->canvas->rasters[PRISM_LAYER_OVERLAY];
  g_autoptr (ShownWindow) window = widget_test_show (view, 300, 300);

  prism_kspace_view_set_coverage (PRISM_KSPACE_VIEW (view), snapshot->coverage_plane);
  prism_kspace_view_set_correlation (PRISM_KSPACE_VIEW (view), correlation);
  prism_viewport_set_cursor (PRISM_VIEW (view)->canvas->viewport, 37.5 / N, 32.5 / N);
  prism_correlation_set_snapshot (correlation, snapshot);
  WAIT_FOR (prism_correlation_get_frc (correlation) != NULL);
  g_assert_cmpstr (widget_test_get_probe (view), ==,
                   "kx 5, ky 0:  |E| 2085\nFRC −1.00, 100 % measured at radius 5");
  prism_viewport_set_cursor (PRISM_VIEW (view)->canvas->viewport, 52.5 / N, 32.5 / N);
  HAS (widget_test_get_probe (view), ", 0 % measured at radius 20");

  g_assert_true (raster->image == snapshot->coverage_plane);
  g_object_set (view, "show-correlation", TRUE, NULL);
  g_assert_cmpint (raster->mapping.colormap, ==, PRISM_COLORMAP_CORRELATION);
  g_assert_cmpfloat_with_epsilon (raster->image->pixels[N / 2 * N + 37], -1.0, 1e-6);
  g_assert_true (isnan (raster->image->pixels[N / 2 * N + 52]));

  prism_correlation_set_snapshot (correlation, empty);
  WAIT_FOR (prism_correlation_get_frc (correlation) == NULL);
  g_assert_true (raster->image == snapshot->coverage_plane);
  g_assert_cmpint (raster->mapping.colormap, ==, PRISM_COLORMAP_COVERAGE);
}

TEST (is_freed, "/app/kspace-view/is-freed")
{
  widget_test_assert_freed (create_view ());
}
