#include "prism-test.h"
#include "widget-test.h"

TEST (known_values_get_known_colors, "/app/mapping/known-values-get-known-colors")
{
  static const float values[] = { -1, 0, 0.25, 0.5, 1, 7, NAN, INFINITY, -INFINITY };
  const guint32 *grey = prism_colormap_get_table (PRISM_COLORMAP_GREY);
  guint32 pixels[G_N_ELEMENTS (values)];
  PrismMapping mapping;

  prism_mapping_init (&mapping);
  prism_mapping_apply (&mapping, values, NULL, pixels, G_N_ELEMENTS (values));
  g_assert_cmphex (pixels[0], ==, 0xff000000);
  g_assert_cmphex (pixels[1], ==, 0xff000000);
  g_assert_cmphex (pixels[2], ==, grey[64]);
  g_assert_cmphex (pixels[3], ==, grey[128]);
  g_assert_cmphex (pixels[4], ==, 0xffffffff);
  g_assert_cmphex (pixels[5], ==, 0xffffffff);
  for (int i = 6; i < 9; i++)
    g_assert_cmphex (pixels[i], ==, 0);

  mapping.stretch = PRISM_STRETCH_SQRT;
  prism_mapping_apply (&mapping, values, NULL, pixels, G_N_ELEMENTS (values));
  g_assert_cmphex (pixels[2], ==, grey[128]);
}

TEST (stretches, "/app/mapping/stretches")
{
  PrismMapping mapping;

  prism_mapping_init (&mapping);
  mapping.black = 2;
  mapping.white = 4;
  g_assert_cmpfloat_with_epsilon (prism_mapping_get_position (&mapping, 2.5), 0.25, 1e-9);
  mapping.stretch = PRISM_STRETCH_SQRT;
  g_assert_cmpfloat_with_epsilon (prism_mapping_get_position (&mapping, 2.5), 0.5, 1e-9);
  /* log (1 + 1000/1000) / log (1001) */
  mapping.stretch = PRISM_STRETCH_LOG;
  g_assert_cmpfloat_with_epsilon (prism_mapping_get_position (&mapping, 2.002), 0.100329, 1e-5);
  mapping.stretch = PRISM_STRETCH_ASINH;
  g_assert_cmpfloat_with_epsilon (prism_mapping_get_position (&mapping, 2.2), 0.293965, 1e-5);
  g_assert_true (isnan (prism_mapping_get_position (&mapping, NAN)));
}

/* The value at a place among the colours, by the formula of each stretch. */
static double
invert (const PrismMapping *mapping,
        double position)
{
  double t = position;

  if (mapping->stretch == PRISM_STRETCH_LOG)
    t = expm1 (position * log1p (mapping->gain)) / mapping->gain;
  else if (mapping->stretch == PRISM_STRETCH_SQRT)
    t = position * position;
  else if (mapping->stretch == PRISM_STRETCH_ASINH)
    t = sinh (position * asinh (10)) / 10;
  return mapping->black + t * ((double) mapping->white - mapping->black);
}

/* The fast way of a frame and the exact one agree, and the inverse is one. */
TEST (ways_agree, "/app/mapping/ways-agree")
{
  for (int stretch = PRISM_STRETCH_LINEAR; stretch <= PRISM_STRETCH_ASINH; stretch++)
    for (int i = 0; i <= 100; i++)
      {
        PrismMapping mapping = { .stretch = stretch, .gain = 1e5, .black = -3, .white = 5 };
        float value = -3 + 0.08f * i;
        double position = prism_mapping_get_position (&mapping, value);
        guint32 pixel;

        prism_mapping_apply (&mapping, &value, NULL, &pixel, 1);
        g_assert_cmpint (ABS ((int) (pixel & 0xff) - (int) lrint (255 * position)), <=, 1);
        g_assert_cmpfloat_with_epsilon (invert (&mapping, position), value, 1e-5);
      }
}

TEST (levels, "/app/mapping/levels")
{
  g_autoptr (PrismImage) image = widget_test_create_image (100, 100, NULL);
  PrismMapping mapping;

  for (int i = 0; i < 10000; i++)
    image->pixels[i] = i / 1000.0f;
  image->pixels[17] = NAN;
  image->pixels[5000] = -1000;
  image->pixels[5001] = 500;

  prism_mapping_init (&mapping);
  prism_mapping_compute_levels (&mapping, image, NULL);
  g_assert_cmpfloat (mapping.black, ==, 0);
  g_assert_cmpfloat (mapping.white, ==, 1);

  mapping.levels = PRISM_LEVELS_MIN_MAX;
  prism_mapping_compute_levels (&mapping, image, NULL);
  g_assert_cmpfloat (mapping.black, ==, -1000);
  g_assert_cmpfloat (mapping.white, ==, 500);

  /* Two outliers of a size that spoils the extremes do not reach the percentiles. */
  mapping.levels = PRISM_LEVELS_PERCENTILE;
  prism_mapping_compute_levels (&mapping, image, NULL);
  g_assert_cmpfloat_with_epsilon (mapping.black, 0.1, 0.02);
  g_assert_cmpfloat_with_epsilon (mapping.white, 9.9, 0.02);

  mapping.levels = PRISM_LEVELS_SYMMETRIC;
  prism_mapping_compute_levels (&mapping, image, NULL);
  g_assert_cmpfloat (mapping.black, ==, -1000);
  g_assert_cmpfloat (mapping.white, ==, 1000);
}

/* Above 1 brightens; colours, positions and values agree. */
TEST (gamma, "/app/mapping/gamma")
{
  static const float values[] = { 0, 0.25f, 0.5f, 1 };
  const guint32 *table = prism_colormap_get_table (PRISM_COLORMAP_GREY);
  PrismMapping mapping;
  guint32 pixels[4];

  prism_mapping_init (&mapping);
  mapping.gamma = 2;
  g_assert_cmpfloat_with_epsilon (prism_mapping_get_position (&mapping, 0.25), 0.5, 1e-12);
  prism_mapping_apply (&mapping, values, NULL, pixels, 4);
  g_assert_cmpuint (pixels[0], ==, table[0]);
  g_assert_cmpuint (pixels[1], ==, table[128]);
  g_assert_cmpuint (pixels[3], ==, table[255]);
  mapping.gamma = 0;
  g_assert_cmpfloat (prism_mapping_get_position (&mapping, 0.25), ==, 0.25);
}

TEST (degenerate_images_have_levels, "/app/mapping/degenerate-images-have-levels")
{
  static const float flat[] = { 3, 3, 3, 3 };
  static const float nothing[] = { NAN, NAN, INFINITY, -INFINITY };
  const float *contents[] = { flat, nothing, NULL };

  for (gsize i = 0; i < G_N_ELEMENTS (contents); i++)
    {
      g_autoptr (PrismImage) image = widget_test_create_image (2, 2, contents[i]);

      for (int levels = PRISM_LEVELS_MANUAL; levels <= PRISM_LEVELS_SYMMETRIC; levels++)
        {
          PrismMapping mapping = { .levels = levels, .gain = 1000, .black = 1, .white = 1 };

          prism_mapping_compute_levels (&mapping, image, NULL);
          g_assert_true (isfinite (mapping.black) && isfinite (mapping.white));
          g_assert_cmpfloat (mapping.white, >, mapping.black);
        }
    }
}

TEST (difference, "/app/mapping/difference")
{
  static const float a[] = { 1, 2, 3, 4 };
  static const float b[] = { 2, 2, 1, 4 };
  g_autoptr (PrismImage) image = widget_test_create_image (2, 2, a);
  g_autoptr (PrismImage) reference = widget_test_create_image (2, 2, b);
  PrismMapping mapping
      = { .colormap = PRISM_COLORMAP_COOLWARM, .levels = PRISM_LEVELS_SYMMETRIC, .gain = 1 };
  g_autoptr (PrismPicture) picture = prism_picture_new (image, reference, &mapping, NULL);
  const guint32 *table = prism_colormap_get_table (PRISM_COLORMAP_COOLWARM);
  cairo_surface_t *surface = picture->surface;

  g_assert_cmpfloat (picture->mapping.white, ==, 2);
  g_assert_cmphex (widget_test_get_pixel (surface, 0, 0), ==, table[64]);
  g_assert_cmphex (widget_test_get_pixel (surface, 1, 0), ==, table[128]);
  g_assert_cmphex (widget_test_get_pixel (surface, 0, 1), ==, table[255]);
}

static gboolean
is_in_table (const guint32 *table,
             guint32 pixel)
{
  for (int i = 0; i < PRISM_COLORMAP_SIZE; i++)
    if (table[i] == pixel)
      return TRUE;
  return FALSE;
}

/* Red beside blue is grey from afar, and no purple at any size: each colour is one of the bar. */
TEST (reduced_colors_are_of_the_bar, "/app/mapping/reduced-colors-are-of-the-bar")
{
  g_autoptr (PrismImage) image = widget_test_create_image (130, 129, NULL);
  PrismMapping mapping = { PRISM_COLORMAP_COOLWARM, .levels = PRISM_LEVELS_SYMMETRIC, .gain = 1 };
  const guint32 *table = prism_colormap_get_table (PRISM_COLORMAP_COOLWARM);

  for (int i = 0; i < 130 * 129; i++)
    image->pixels[i] = (i / 129 + i % 129) % 2 ? 1 : -1;
  g_autoptr (PrismPicture) picture = prism_picture_new (image, NULL, &mapping, NULL);
  for (double scale = 0.15; scale < 1; scale += 0.07)
    {
      g_autoptr (cairo_surface_t) surface
          = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, 140, 140);
      cairo_t *cr = cairo_create (surface);
      const PrismFrame frame = { 140, 140, 129, 130, scale, scale, 3.3, 2.6, 1 };
      const int middle = (int) (3 + scale * 60);

      prism_picture_draw (picture, cr, &frame);
      cairo_surface_flush (surface);
      for (int y = 4; y < (int) (scale * 130); y++)
        for (int x = 4; x < (int) (scale * 129); x++)
          g_assert_true (is_in_table (table, widget_test_get_pixel (surface, x, y)));
      if (scale < 0.4)
        g_assert_cmphex (widget_test_get_pixel (surface, middle, middle), ==, table[128]);
      cairo_destroy (cr);
    }
}
