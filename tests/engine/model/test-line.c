#include "model/prism-line.h"
#include "../support/test-config.h"

#define N 128

static const PrismAperture disk = { .shape = PRISM_SHAPE_DISK, .radius = 9.5 };

TEST (number_of_points, "/engine/line/number-of-points")
{
  static const struct
  {
    double length;
    int kind;
    guint n_points;
  } cases[] = { { 0, PRISM_LINE_ACCURATE, 1 },
                { 0.3, PRISM_LINE_ACCURATE, 2 },
                { 20, PRISM_LINE_ACCURATE, 21 },
                { 20, PRISM_LINE_FAST, 3 },
                { 3, PRISM_LINE_FAST, 2 } };
  g_autoptr (PrismConfig) config = test_config_new ("aperture_radius=10");

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      PrismLine line;

      config->line_length = cases[i].length;
      config->line_points = cases[i].kind;
      prism_line_init_config (&line, config);
      g_assert_cmpuint (line.n_points, ==, cases[i].n_points);
    }
}

TEST (places, "/engine/line/places")
{
  const PrismLine line = { 10, 11 };
  const PrismPoint middle = { 3, -4, G_PI / 6 };
  PrismPoint first = prism_line_get_point (&line, &middle, 0);
  PrismPoint last = prism_line_get_point (&line, &middle, 10);
  PrismPoint centre = prism_line_get_point (&line, &middle, 5);

  g_assert_cmpfloat_with_epsilon (first.y, 3 - 2.5, 1e-12);
  g_assert_cmpfloat_with_epsilon (first.x, -4 - 5 * sqrt (0.75), 1e-12);
  g_assert_cmpfloat_with_epsilon (last.y, 3 + 2.5, 1e-12);
  g_assert_cmpfloat_with_epsilon (centre.y, 3, 1e-12);
  g_assert_cmpfloat_with_epsilon (centre.x, -4, 1e-12);
}

/* The parts are the aperture at each point, in boxes of one size; the bits are their union. */
static void
assert_parts (const PrismMask *mask, const PrismLine *line, const PrismPoint *middle)
{
  g_autofree guint8 *seen = g_new0 (guint8, N * N), *expected = g_new0 (guint8, N * N);

  g_assert_cmpuint (mask->n_parts, ==, line->n_points);
  for (guint i = 0; i <= line->n_points; i++)
    {
      g_autofree guint8 *a = g_new0 (guint8, N * N), *b = g_new0 (guint8, N * N);
      PrismPoint point = i < line->n_points ? prism_line_get_point (line, middle, i) : *middle;
      g_autoptr (PrismMask) alone = prism_aperture_get_mask (&disk, N, point.y, point.x);
      const PrismMask *part = prism_mask_get_part (mask, i);

      g_assert_cmpint (part->height, ==, mask->parts[0]->height);
      g_assert_cmpint (part->width, ==, mask->parts[0]->width);
      prism_mask_accumulate (part, a);
      prism_mask_accumulate (alone, b);
      g_assert_cmpmem (a, N * N, b, N * N);
      if (i < line->n_points)
        prism_mask_accumulate (alone, expected);
    }
  prism_mask_accumulate (mask, seen);
  g_assert_cmpmem (seen, N * N, expected, N * N);
}

TEST (masks, "/engine/line/masks")
{
  const PrismLine line = { 17, 18 };
  const PrismPoint points[] = {
    { 0, 0, 0 },
    { 10.3, -20.8, 1.1 },
    { 60, -60, 2.4 },
    { -64, 5, 1.6 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (points); i++)
    {
      g_autoptr (PrismMask) mask = prism_line_get_mask (&line, &disk, N, &points[i]);

      assert_parts (mask, &line, &points[i]);
    }
}

TEST (still_and_outside, "/engine/line/still-and-outside")
{
  const PrismLine still = { 0, 1 }, line = { 10, 11 };
  const PrismPoint inside = { 1.5, 2, 0.3 }, outside = { 500, 0, 0 };
  g_autoptr (PrismMask) alone = prism_aperture_get_mask (&disk, N, 1.5, 2);
  g_autoptr (PrismMask) mask = prism_line_get_mask (&still, &disk, N, &inside);
  g_autoptr (PrismMask) nothing = prism_line_get_mask (&line, &disk, N, &outside);

  g_assert_cmpuint (mask->n_parts, ==, 0);
  g_assert_cmpmem (mask->bits, mask->height * mask->width, alone->bits,
                   alone->height * alone->width);
  g_assert_cmpint (nothing->height, ==, 0);
  g_assert_cmpuint (nothing->n_parts, ==, 0);
}

/* A position keeps its angle when the order changes; with the seed they repeat. */
TEST (angles, "/engine/line/angles")
{
  g_autoptr (PrismConfig) config = test_config_new ("line_length=10 line_angle=90");
  double mean = 0;

  g_autoptr (PrismPattern) fixed = prism_pattern_new (config, NULL);
  g_assert_cmpfloat_with_epsilon (fixed->points[7].angle, G_PI / 2, 1e-12);

  test_config_set (config, "line_direction=random order=given");
  g_autoptr (PrismPattern) given = prism_pattern_new (config, NULL);
  config->order = PRISM_ORDER_RANDOM;
  g_autoptr (PrismPattern) shuffled = prism_pattern_new (config, NULL);
  for (guint i = 0; i < given->n_points; i++)
    {
      const PrismPoint *point = &given->points[i];
      guint n_found = 0;

      mean += point->angle / given->n_points;
      g_assert_true (point->angle >= 0 && point->angle < G_PI);
      for (guint j = 0; j < shuffled->n_points; j++)
        n_found += memcmp (point, &shuffled->points[j], sizeof *point) == 0;
      g_assert_cmpuint (n_found, ==, 1);
    }
  g_assert_cmpfloat_with_epsilon (mean, G_PI / 2, 0.5);
}
