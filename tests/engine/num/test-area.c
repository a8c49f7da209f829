#include "num/prism-area.h"
#include "num/prism-linear.h"
#include "prism-test.h"

#define WIDTH 40
#define HEIGHT 30

/* A plane: value = x + 100·y. */
static PrismImage *
create_plane (void)
{
  PrismImage *image = prism_image_new (HEIGHT, WIDTH, NULL);

  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++)
      image->pixels[y * WIDTH + x] = x + 100.0f * y;
  return image;
}

/* As one would write it down, without sums around an origin. */
static void
compute_plainly (const PrismArea *area, const PrismImage *image, PrismAreaValues *values)
{
  double sum = 0, squares = 0;

  *values = (PrismAreaValues) { .minimum = INFINITY, .maximum = -INFINITY };
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++)
      {
        double u = (x + 0.5 - area->x - area->width / 2.0) / (area->width / 2.0);
        double v = (y + 0.5 - area->y - area->height / 2.0) / (area->height / 2.0);
        double value = image->pixels[y * WIDTH + x];

        if (area->ellipse ? u * u + v * v > 1 : fabs (u) > 1 || fabs (v) > 1)
          continue;
        values->count++;
        sum += value;
        squares += value * value;
        values->minimum = MIN (values->minimum, value);
        values->maximum = MAX (values->maximum, value);
      }
  values->mean = sum / values->count;
  values->deviation = sqrt (squares / values->count - values->mean * values->mean);
}

TEST (area_is_what_a_plain_loop_finds, "/engine/area/plain-loop")
{
  static const PrismArea areas[] = {
    { FALSE, 3, 4, 11, 7 },
    { TRUE, 3, 4, 11, 7 },
    { TRUE, 0, 0, 40, 30 },
    { TRUE, 5, 5, 1, 1 },
    { TRUE, 6, 2, 2, 20 },
    { FALSE, -5, -5, 12, 12 },
    { TRUE, -5, 20, 30, 30 },
    { FALSE, 39, 29, 9, 9 },
  };
  g_autoptr (PrismImage) image = create_plane ();

  for (gsize i = 0; i < G_N_ELEMENTS (areas); i++)
    {
      PrismAreaValues values, plain;

      prism_area_compute (&areas[i], image, NULL, &values);
      compute_plainly (&areas[i], image, &plain);
      g_assert_cmpint (values.count, >, 0);
      g_assert_cmpint (values.count, ==, plain.count);
      g_assert_cmpfloat_with_epsilon (values.mean, plain.mean, 1e-9 * plain.mean + 1e-12);
      g_assert_cmpfloat_with_epsilon (values.deviation, plain.deviation, 1e-4);
      g_assert_cmpfloat (values.minimum, ==, plain.minimum);
      g_assert_cmpfloat (values.maximum, ==, plain.maximum);
    }
}

TEST (area_has_ratios_where_they_mean_something, "/engine/area/ratios")
{
  g_autoptr (PrismImage) image = create_plane ();
  PrismArea row = { FALSE, 10, 0, 3, 1 };
  PrismArea outside = { FALSE, 50, 50, 3, 3 };
  PrismAreaValues values;

  prism_area_compute (&row, image, NULL, &values);
  g_assert_cmpfloat_with_epsilon (values.snr, 11 / sqrt (2.0 / 3), 1e-9);
  g_assert_cmpfloat_with_epsilon (values.contrast, 2.0 / 22, 1e-12);

  /* A flat area has no noise to compare with, a difference no contrast. */
  prism_area_compute (&row, image, image, &values);
  g_assert_cmpfloat (values.deviation, ==, 0);
  g_assert_true (isnan (values.snr) && isnan (values.contrast));
  image->pixels[10] = -1;
  prism_area_compute (&row, image, NULL, &values);
  g_assert_true (isnan (values.contrast));

  image->pixels[10] = NAN;
  prism_area_compute (&row, image, NULL, &values);
  g_assert_cmpint (values.count, ==, 2);
  prism_area_compute (&outside, image, NULL, &values);
  g_assert_cmpint (values.count, ==, 0);
  g_assert_true (isnan (values.mean));
}

TEST (profile_of_a_plane_is_straight, "/engine/line-profile/plane")
{
  g_autoptr (PrismImage) image = create_plane ();
  PrismLineProfile line = { 2, 3, 32, 23, 1 };
  guint n = prism_line_profile_count (&line);
  g_autofree double *values = g_new (double, n);

  g_assert_cmpuint (n, ==, 37);
  for (line.width = 1; line.width <= 4; line.width++)
    {
      prism_line_profile_compute (&line, image, NULL, values);
      for (guint i = 0; i < n; i++)
        g_assert_cmpfloat_with_epsilon (values[i], 302 + (30 + 2000.0) * i / (n - 1), 1e-2);
    }
  prism_line_profile_compute (&line, image, image, values);
  g_assert_cmpfloat_with_epsilon (values[n / 2], 0, 1e-12);
}

TEST (profile_leaves_out_what_is_not_there, "/engine/line-profile/absent")
{
  g_autoptr (PrismImage) image = create_plane ();
  PrismLineProfile line = { 0, 0, 4, 0, 3 };
  PrismLineProfile point = { 7, 7, 7, 7, 1 };
  PrismLineProfile outside = { -3, 0, 2, 0, 1 };
  double values[6];

  /* One of three rows is above the border. */
  prism_line_profile_compute (&line, image, NULL, values);
  g_assert_cmpfloat (values[4], ==, 54);
  g_assert_cmpuint (prism_line_profile_count (&point), ==, 1);
  prism_line_profile_compute (&point, image, NULL, values);
  g_assert_cmpfloat (values[0], ==, 707);
  image->pixels[3] = NAN;
  prism_line_profile_compute (&outside, image, NULL, values);
  g_assert_true (isnan (values[0]) && isnan (values[2]));
  g_assert_cmpfloat (values[5], ==, 2);
}

TEST (histogram_counts_every_value, "/engine/histogram")
{
  g_autoptr (PrismImage) image = create_plane ();
  PrismHistogram histogram;
  guint64 sum = 0;

  image->pixels[5] = NAN;
  prism_histogram_compute (&histogram, image, NULL);
  for (guint i = 0; i < PRISM_HISTOGRAM_N_BINS; i++)
    sum += histogram.bins[i];
  g_assert_cmpuint (sum, ==, WIDTH * HEIGHT - 1);
  g_assert_cmpuint (histogram.count, ==, sum);
  g_assert_cmpfloat (histogram.minimum, ==, 0);
  g_assert_cmpfloat (histogram.maximum, ==, 2939);
  g_assert_cmpuint (histogram.bins[PRISM_HISTOGRAM_N_BINS - 1], >, 0);

  prism_histogram_compute (&histogram, image, image);
  g_assert_cmpuint (histogram.bins[0], ==, WIDTH * HEIGHT - 1);
  for (int i = 0; i < WIDTH * HEIGHT; i++)
    image->pixels[i] = INFINITY;
  prism_histogram_compute (&histogram, image, NULL);
  g_assert_cmpuint (histogram.count, ==, 0);
}

/* Sums of more terms than are added at once, and of some that are left. */
TEST (orthogonal_rows, "/engine/linear/orthogonal-rows")
{
  enum
  {
    ROWS = 3,
    COLUMNS = 1605
  };
  g_autoptr (GRand) random = g_rand_new_with_seed (5);
  float matrix[ROWS * COLUMNS];

  for (int i = 0; i < ROWS * COLUMNS; i++)
    matrix[i] = (float) g_rand_double_range (random, 0, 1);
  prism_orthogonal_apply (matrix, ROWS, COLUMNS);
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j <= i; j++)
      {
        double product = 0.0;

        for (int k = 0; k < COLUMNS; k++)
          product += (double) matrix[i * COLUMNS + k] * matrix[j * COLUMNS + k];
        g_assert_cmpfloat_with_epsilon (product, i == j ? 1.0 : 0.0, 1e-6);
      }
}
