#include "prism-test.h"
#include "results/prism-frc.h"

/* Dimensions of this file: n = 64, m = 32. */

#define N 64
#define M 32

static PrismImage *
make_object (guint64 seed)
{
  PrismImage *image = prism_image_new (M, M, NULL);

  for (int i = 0; i < M * M; i++)
    image->pixels[i] = (float) prism_random_uniform (seed, PRISM_STREAM_PATTERN, i, 0);
  return image;
}

static PrismImage *
make_coverage (double radius)
{
  PrismImage *image = prism_image_new (N, N, NULL);

  for (int y = 0; y < N; y++)
    for (int x = 0; x < N; x++)
      image->pixels[y * N + x] = hypot (y - N / 2, x - N / 2) <= radius;
  return image;
}

/* Held against the object of seed 1, of which a disk of 10 px was measured. */
static PrismFrc *
compare (const PrismImage *image)
{
  g_autoptr (PrismImage) object = make_object (1), coverage = make_coverage (10.0);

  return prism_frc_new (image, object, coverage, NULL);
}

TEST (same_image, "/engine/frc/same")
{
  g_autoptr (PrismImage) object = make_object (1);
  g_autoptr (PrismFrc) frc = compare (object);

  g_assert_cmpuint (frc->n_rings, ==, N / 2 + 1);
  for (guint ring = 0; ring < frc->n_rings; ring++)
    g_assert_cmpfloat_with_epsilon (frc->correlation[ring], 1.0, 1e-6);
  g_assert_cmpfloat (frc->covered[9], ==, 1.0);
  g_assert_cmpfloat (frc->covered[12], ==, 0.0);
  g_assert_cmpfloat (prism_frc_get_resolution (frc, 0.5), ==, N / 2);
}

/* The same object agrees with itself, and with another one by chance. */
TEST (complex, "/engine/frc/complex")
{
  float a[2 * N * N], b[2 * N * N];

  for (guint i = 0; i < 2 * N * N; i++)
    {
      a[i] = (float) prism_random_uniform (1, PRISM_STREAM_PATTERN, i, 0);
      b[i] = (float) prism_random_uniform (2, PRISM_STREAM_PATTERN, i, 0);
    }
  for (int with_itself = 0; with_itself < 2; with_itself++)
    {
      g_autoptr (PrismFrc) frc = prism_frc_new_complex (a, with_itself ? a : b, N);

      g_assert_cmpuint (frc->n_rings, ==, N / 2 + 1);
      for (guint ring = 8; ring < frc->n_rings; ring++)
        if (with_itself)
          g_assert_cmpfloat_with_epsilon (frc->correlation[ring], 1.0, 1e-6);
        else
          g_assert_cmpfloat (fabs (frc->correlation[ring]), <, frc->half_bit[ring] + 0.2);
    }
}

/* A factor does not matter, a sign does. */
TEST (scale, "/engine/frc/scale")
{
  g_autoptr (PrismImage) other = make_object (1);

  for (int i = 0; i < M * M; i++)
    other->pixels[i] *= -3.0f;
  g_autoptr (PrismFrc) frc = compare (other);
  for (guint ring = 0; ring < frc->n_rings; ring++)
    g_assert_cmpfloat_with_epsilon (frc->correlation[ring], -1.0, 1e-6);
}

/* Smoothing keeps the phase; independent images agree in the mean brightness alone. */
TEST (independent_images, "/engine/frc/independent")
{
  g_autoptr (PrismImage) other = make_object (2);
  g_autoptr (PrismFrc) frc = compare (other);
  double mean = 0.0;

  g_assert_cmpfloat (frc->correlation[0], >, 0.999);
  for (guint ring = 4; ring < frc->n_rings; ring++)
    mean += fabs (frc->correlation[ring]) / (frc->n_rings - 4);
  /* A ring of radius k has about 2πk·(m/n)² independent values: 6 to 50. */
  g_assert_cmpfloat (mean, <, 0.35);
  g_assert_cmpfloat (prism_frc_get_resolution (frc, 0.5), <, 6.0);
}

/* By definition, with a transform of its own, for one ring. */
TEST (by_definition, "/engine/frc/definition")
{
  g_autoptr (PrismImage) object = make_object (1), other = make_object (3);
  g_autoptr (PrismFrc) frc = compare (other);
  double product = 0.0, power_a = 0.0, power_b = 0.0;

  for (int ky = -N / 2; ky < N / 2; ky++)
    for (int kx = -N / 2; kx < N / 2; kx++)
      {
        double a[2] = { 0.0, 0.0 }, b[2] = { 0.0, 0.0 };

        if (floor (hypot (ky, kx) + 0.5) != 5.0)
          continue;
        for (int y = 0; y < M; y++)
          for (int x = 0; x < M; x++)
            {
              double angle = -2.0 * G_PI * (ky * y + kx * x) / N;

              a[0] += cos (angle) * other->pixels[y * M + x];
              a[1] += sin (angle) * other->pixels[y * M + x];
              b[0] += cos (angle) * object->pixels[y * M + x];
              b[1] += sin (angle) * object->pixels[y * M + x];
            }
        product += a[0] * b[0] + a[1] * b[1];
        power_a += a[0] * a[0] + a[1] * a[1];
        power_b += b[0] * b[0] + b[1] * b[1];
      }
  g_assert_cmpfloat_with_epsilon (frc->correlation[5], product / sqrt (power_a * power_b), 1e-5);
}

TEST (black_image, "/engine/frc/black")
{
  g_autoptr (PrismImage) black = prism_image_new (M, M, NULL);
  g_autoptr (PrismFrc) frc = compare (black);

  g_assert_true (isnan (frc->correlation[7]));
  g_assert_cmpfloat (prism_frc_get_resolution (frc, 0.5), ==, 0.0);
}

/* Of a ring of 2πk px, (m/n)² of them independent and half of these in a real image, the threshold
 * of the paper; few values are judged as four. */
TEST (half_bit, "/engine/frc/half-bit")
{
  g_autoptr (PrismImage) object = make_object (1);
  g_autoptr (PrismFrc) frc = compare (object);
  double n_values = 2.0 * G_PI * 30.0 / 2.0 * (M * M) / (double) (N * N);

  g_assert_cmpfloat_with_epsilon (frc->half_bit[0], 0.69919, 1e-5);
  g_assert_cmpfloat_with_epsilon (
      frc->half_bit[30],
      (0.2071 + 1.9102 / sqrt (n_values)) / (1.2071 + 0.9102 / sqrt (n_values)), 0.01);
  g_assert_cmpfloat (frc->half_bit[10], >, frc->half_bit[20]);
  g_assert_cmpfloat (frc->half_bit[20], >, frc->half_bit[30]);
}

/* Two curves that cross between rings 3 and 4; the edge where they do not; 0 where nothing agrees.
 */
TEST (reach, "/engine/frc/reach")
{
  double correlation[] = { 1.0, 0.9, 0.8, 0.7, 0.3, 0.1 };
  double half_bit[] = { 0.7, 0.7, 0.6, 0.5, 0.5, 0.5 };
  double covered[6] = { 1.0, 1.0, 1.0, 1.0, 0.5, 0.1 };
  PrismFrc frc = { G_N_ELEMENTS (correlation), correlation, covered, half_bit };
  g_autofree char *text = prism_frc_to_text (&frc);

  g_assert_cmpfloat_with_epsilon (prism_frc_get_reach (&frc), 3.5, 1e-12);
  HAS (text, "3.5 of 5 px", "2.86 px");
  correlation[4] = correlation[5] = 0.6;
  g_assert_cmpfloat (prism_frc_get_reach (&frc), ==, 5.0);
  /* Of the whole disc (15.125 weights) ring 4 is half missing, and nearly all of ring 5. */
  g_assert_cmpfloat_with_epsilon (prism_frc_get_share (&frc), (15.125 - 2 - 4.5) / 15.125, 1e-12);
  g_autofree char *edge = prism_frc_to_text (&frc);
  HAS (edge, "edge");
  /* Beyond what was measured agreement is no result. */
  covered[3] = 0.0;
  g_assert_cmpfloat (prism_frc_get_reach (&frc), ==, 2.0);
  g_autofree char *measured = prism_frc_to_text (&frc);
  HAS (measured, "as far as was measured, 2.0 of 5 px");
  correlation[0] = correlation[1] = NAN;
  g_assert_cmpfloat (prism_frc_get_reach (&frc), ==, 0.0);
}

TEST (snapshot, "/engine/frc/snapshot")
{
  g_autoptr (PrismSnapshot) snapshot = prism_snapshot_new ();
  g_autoptr (GError) error = NULL;

  g_assert_null (MUST (prism_frc_new_snapshot (snapshot, &error)));
  snapshot->target = make_object (1);
  snapshot->reconstruction = make_object (1);
  snapshot->coverage_plane = make_coverage (10.0);
  g_autoptr (PrismFrc) frc = prism_frc_new_snapshot (snapshot, &error);
  g_assert_cmpfloat (prism_frc_get_reach (frc), ==, 10);
}
