#include "formats/prism-fields-readers.h"
#include "model/prism-aperture.h"
#include "../support/test-mask.h"
#include "prism-test.h"

#define N 256

static const PrismAperture disk20 = { PRISM_SHAPE_DISK, 20.0, 0.0, 0, 0.0 };
static const PrismAperture hexagon40 = { PRISM_SHAPE_HEXAGON, 40.0, 0.0, 0, 0.0 };

/* Whether a pixel, in centred coordinates, is set. */
static gboolean
mask_has (const PrismMask *mask, int y, int x)
{
  y -= mask->y0;
  x -= mask->x0;
  return y >= 0 && y < mask->height && x >= 0 && x < mask->width
         && mask->bits[y * mask->width + x] == 1;
}

/* Every edge of the box has a pixel. */
static void
assert_tight (const PrismMask *mask)
{
  guint n_on[4] = { 0 };

  for (int y = 0; y < mask->height; y++)
    for (int x = 0; x < mask->width; x++)
      {
        const guint8 bit = mask->bits[y * mask->width + x];

        n_on[0] += y == 0 ? bit : 0;
        n_on[1] += y == mask->height - 1 ? bit : 0;
        n_on[2] += x == 0 ? bit : 0;
        n_on[3] += x == mask->width - 1 ? bit : 0;
      }
  for (int i = 0; i < 4; i++)
    g_assert_cmpuint (n_on[i], >, 0);
}

static void
assert_area (const PrismAperture *aperture, double area, double tolerance)
{
  g_autoptr (PrismMask) mask = prism_aperture_get_mask (aperture, N, 3.3, -7.8);

  g_assert_cmpfloat_with_epsilon ((double) prism_mask_get_count (mask) / area, 1.0, tolerance);
}

TEST (disk_by_definition, "/engine/aperture/disk/by-definition")
{
  double cy = -33.27, cx = 51.6;
  g_autoptr (PrismMask) mask = prism_aperture_get_mask (&disk20, N, cy, cx);

  for (int y = -N / 2; y < N / 2; y++)
    for (int x = -N / 2; x < N / 2; x++)
      g_assert_cmpint (mask_has (mask, y, x), ==,
                       (y - cy) * (y - cy) + (x - cx) * (x - cx) <= 400.0);
  assert_tight (mask);
  g_assert_cmpint (mask->image_size, ==, N);
}

static void
assert_pupil (PrismFields *golden,
              const PrismAperture *aperture,
              const char *center_key,
              const char *pupil_key)
{
  const PrismField *center = MUST (prism_fields_find (golden, center_key));
  const PrismField *pupil = MUST (prism_fields_find (golden, pupil_key));
  const int n = pupil->shape[0];
  g_autoptr (PrismMask) mask
      = prism_aperture_get_mask (aperture, n, center->values[0], center->values[1]);

  for (int y = 0; y < n; y++)
    for (int x = 0; x < n; x++)
      g_assert_cmpint (mask_has (mask, y - n / 2, x - n / 2), ==, (int) pupil->values[y * n + x]);
}

static const char *const golden_files[] = { "small_same.npz", "medium_same.npz" };

TEST_ROWS (disk_golden, "/engine/aperture/disk/golden", golden_files)
{
  const char *path = in_folder (g_getenv ("PRISM_TEST_DATA"), *(const char *const *) data);
  g_autoptr (PrismFields) golden = MUST (prism_fields_load_npz (path, &error));
  PrismAperture disk = disk20;

  const PrismField *radius = MUST (prism_fields_find (golden, "config.radius"));
  disk.radius = radius->values[0];
  assert_pupil (golden, &disk, "config.old_center", "pupil.old");
  assert_pupil (golden, &disk, "config.new_center", "pupil.new");
}

TEST (disk_boundary_belongs, "/engine/aperture/disk/boundary-belongs")
{
  PrismAperture disk5 = { PRISM_SHAPE_DISK, 5.0, 0.0, 0, 0.0 };
  g_autoptr (PrismMask) mask = prism_aperture_get_mask (&disk5, N, 0.0, 0.0);

  g_assert_cmpint (mask->y0, ==, -5);
  g_assert_cmpint (mask->height, ==, 11);
  g_assert_true (mask_has (mask, 3, 4));
  g_assert_false (mask_has (mask, 4, 4));
  /* lattice points in a circle of radius 5 */
  g_assert_cmpuint (prism_mask_get_count (mask), ==, 81);
}

TEST (areas, "/engine/aperture/areas")
{
  PrismAperture ring = { PRISM_SHAPE_OBSCURED, 50.0, 0.5, 0, 0.0 };
  PrismAperture cross = { PRISM_SHAPE_OBSCURED, 50.0, 0.0, 2, 4.0 };

  assert_area (&disk20, G_PI * 400.0, 0.01);
  assert_area (&hexagon40, 1.5 * sqrt (3.0) * 1600.0, 0.01);
  assert_area (&ring, G_PI * 2500.0 * 0.75, 0.01);
  /* two bars of 100 × 4 that share 4 × 4 */
  assert_area (&cross, G_PI * 2500.0 - 2.0 * 400.0 + 16.0, 0.01);
}

TEST (hexagon_is_flat_on_top, "/engine/aperture/hexagon/flat-on-top")
{
  g_autoptr (PrismMask) mask = prism_aperture_get_mask (&hexagon40, N, 0.0, 0.0);
  int top = (int) floor (20.0 * sqrt (3.0)), n_top = 0;

  g_assert_true (mask_has (mask, 0, 40));
  g_assert_true (mask_has (mask, 0, -40));
  g_assert_false (mask_has (mask, 40, 0));
  g_assert_cmpint (mask->height, ==, 2 * top + 1);
  for (int x = -40; x <= 40; x++)
    n_top += mask_has (mask, top, x);
  g_assert_cmpint (n_top, ==, 41);
}

TEST (symmetry, "/engine/aperture/symmetry")
{
  PrismAperture spider = { PRISM_SHAPE_OBSCURED, 30.0, 0.3, 4, 3.0 };
  const PrismAperture *apertures[] = { &disk20, &hexagon40, &spider };

  for (guint i = 0; i < G_N_ELEMENTS (apertures); i++)
    {
      g_autoptr (PrismMask) mask = prism_aperture_get_mask (apertures[i], N, 0.0, 0.0);

      for (int y = -45; y <= 45; y++)
        for (int x = -45; x <= 45; x++)
          {
            g_assert_cmpint (mask_has (mask, y, x), ==, mask_has (mask, -y, x));
            g_assert_cmpint (mask_has (mask, y, x), ==, mask_has (mask, y, -x));
          }
    }
}

TEST (vanes_and_inner_disk, "/engine/aperture/obscured/vanes-and-inner-disk")
{
  PrismAperture spider = { PRISM_SHAPE_OBSCURED, 30.0, 0.5, 2, 3.0 };
  g_autoptr (PrismMask) mask = prism_aperture_get_mask (&spider, N, 0.0, 0.0);

  g_assert_false (mask_has (mask, 0, 15)); /* the rim of the inner disk is part of it */
  g_assert_false (mask_has (mask, 1, 25)); /* vane along x */
  g_assert_false (mask_has (mask, 25, 1)); /* vane along y */
  g_assert_true (mask_has (mask, 2, 25));
  g_assert_true (mask_has (mask, 12, 12));
}

TEST (clipping_at_the_grid, "/engine/aperture/clipping")
{
  g_autoptr (PrismMask) corner = prism_aperture_get_mask (&disk20, N, N / 2.0, -N / 2.0);
  g_autoptr (PrismMask) outside = prism_aperture_get_mask (&disk20, N, 5000.0, 0.0);
  PrismAperture dot = { PRISM_SHAPE_DISK, 0.2, 0.0, 0, 0.0 };
  g_autoptr (PrismMask) between = prism_aperture_get_mask (&dot, N, 0.5, 0.5);
  PrismAperture huge = { PRISM_SHAPE_DISK, 1e9, 0.0, 0, 0.0 };
  g_autoptr (PrismMask) all = prism_aperture_get_mask (&huge, N, 0.0, 0.0);

  g_assert_cmpint (corner->y0 + corner->height, ==, N / 2);
  g_assert_cmpint (corner->x0, ==, -N / 2);
  assert_tight (corner);
  g_assert_cmpuint (prism_mask_get_count (outside), ==, 0);
  g_assert_cmpint (outside->height, ==, 0);
  g_assert_cmpuint (prism_mask_get_count (between), ==, 0);
  g_assert_cmpuint (prism_mask_get_count (all), ==, N * N);
}

TEST (planes_and_boxes, "/engine/aperture/planes-and-boxes")
{
  g_autofree guint8 *plane = g_malloc0 (N * N);
  g_autoptr (PrismMask) nothing = prism_mask_new_plane (N, plane);
  g_autoptr (PrismMask) one = prism_aperture_get_mask (&disk20, N, 10.0, 10.5);
  /* the boxes overlap, the shapes do not */
  g_autoptr (PrismMask) two = prism_aperture_get_mask (&hexagon40, N, -35.0, 50.0);
  g_autoptr (PrismMask) inside = new_box_mask (N, 10, 10, 1, 1);
  g_autoptr (PrismMask) box = new_box_mask (N, 100, -200, 60, 100);

  g_assert_cmpint (nothing->height, ==, 0);
  prism_mask_accumulate (inside, plane);
  prism_mask_accumulate (one, plane);
  prism_mask_accumulate (one, plane);
  prism_mask_accumulate (two, plane);
  g_autoptr (PrismMask) both = prism_mask_new_plane (N, plane);
  assert_tight (both);
  g_assert_cmpuint (prism_mask_get_count (both), ==,
                    prism_mask_get_count (one) + prism_mask_get_count (two));
  for (int y = -N / 2; y < N / 2; y++)
    for (int x = -N / 2; x < N / 2; x++)
      g_assert_cmpint (mask_has (both, y, x), ==, mask_has (one, y, x) || mask_has (two, y, x));
  /* A frame of twice the side has four times the points, and a little more of each transform. */
  g_assert_cmpfloat (prism_mask_count_operations (nothing, 64), ==, 0);
  g_assert_cmpfloat_with_epsilon (prism_mask_count_operations (one, 1 << 21)
                                      / prism_mask_count_operations (one, 1 << 20),
                                  4 * 21.0 / 20, 0.05);
  g_assert_cmpint (box->y0, ==, 100);
  g_assert_cmpint (box->x0, ==, -128);
  g_assert_cmpuint (prism_mask_get_count (box), ==, 28 * 28);
}

static PrismImage *
expose (const PrismImage *object, double radius)
{
  const PrismAperture disk = { PRISM_SHAPE_DISK, radius, 0.0, 0, 0.0 };
  g_autoptr (PrismMask) mask = prism_aperture_get_mask (&disk, object->width, 0.0, 0.0);

  return prism_exposure_new_image (object, mask, NULL);
}

/* An aperture that stops nothing leaves the object, the zero frequency alone its mean, and one
 * between the cosine that lies within. */
TEST (exposure, "/engine/aperture/exposure")
{
  const int side = 16;
  g_autoptr (PrismImage) object = prism_image_new (side, side, NULL);

  for (int i = 0; i < side * side; i++)
    object->pixels[i] = (float) (0.5 + 0.2 * cos (2 * G_PI * 2 * (i % side) / side)
                                 + 0.1 * sin (2 * G_PI * 5 * (i / side) / side));
  g_autoptr (PrismImage) all = expose (object, 100), mean = expose (object, 0.5);
  g_autoptr (PrismImage) coarse = expose (object, 3);
  for (int i = 0; i < side * side; i++)
    {
      g_assert_cmpfloat_with_epsilon (all->pixels[i], object->pixels[i], 1e-5);
      g_assert_cmpfloat_with_epsilon (mean->pixels[i], 0.5, 1e-5);
      g_assert_cmpfloat_with_epsilon (coarse->pixels[i],
                                      0.5 + 0.2 * cos (2 * G_PI * 2 * (i % side) / side), 1e-5);
    }
}
