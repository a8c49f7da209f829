#include "base/prism-file.h"
#include "config/prism-builtin.h"
#include "formats/prism-fields-readers.h"
#include "formats/prism-npy.h"
#include "model/prism-object.h"
#include "num/prism-resample.h"
#include "formats/prism-png-stream.h"
#include "../support/test-config.h"
#include "../support/test-remove-tree.h"

static PrismConfig *
new_config (const char *object, int object_size)
{
  PrismConfig *config = prism_config_new ();

  g_free (config->object);
  config->object = g_strdup (object);
  config->object_size = object_size;
  return config;
}

static PrismImage *
load_object (const PrismConfig *config)
{
  PrismImage *object = MUST (prism_object_load (config, &error));

  g_assert_cmpint (object->height, ==, config->object_size);
  g_assert_cmpint (object->width, ==, config->object_size);
  return object;
}

static void
check_error (const PrismConfig *config, int code, const char *part)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PrismImage) object = prism_object_load (config, &error);

  g_assert_null (object);
  g_assert_error (error, PRISM_ERROR, code);
  HAS (error->message, part);
}

/* Sum of the intensity, the square of the amplitude. */
static double
get_energy (const PrismImage *object)
{
  double sum = 0.0;

  for (int i = 0; i < object->height * object->width; i++)
    sum += (double) object->pixels[i] * object->pixels[i];
  return sum;
}

static void
check_unit_range (const PrismImage *object)
{
  float low = INFINITY, high = -INFINITY;

  for (int i = 0; i < object->height * object->width; i++)
    {
      g_assert_true (isfinite (object->pixels[i]));
      low = fminf (low, object->pixels[i]);
      high = fmaxf (high, object->pixels[i]);
    }
  g_assert_cmpfloat (low, ==, 0.0f);
  g_assert_cmpfloat (high, ==, 1.0f);
}

TEST (builtins_at_all_sizes, "/engine/object/builtins-at-all-sizes")
{
  static const int sizes[] = { 16, 30, 64, 122 };
  gsize n;
  const PrismBuiltin *builtins = prism_builtin_get_all (&n);

  for (gsize i = 0; i < n; i++)
    for (gsize k = 0; k < G_N_ELEMENTS (sizes); k++)
      {
        g_autoptr (PrismConfig) config = new_config (builtins[i].id, sizes[k]);

        config->point_spacing = 6;
        g_autoptr (PrismImage) object = load_object (config), again = load_object (config);
        check_unit_range (object);
        g_assert_cmpmem (object->pixels, (gsize) sizes[k] * sizes[k] * 4, again->pixels,
                         (gsize) sizes[k] * sizes[k] * 4);
      }
}

/* The same drawing at another size has the same brightness, because pixels are averages. */
TEST (builtins_keep_brightness, "/engine/object/builtins-keep-brightness")
{
  static const char *const names[] = {
    "moon", "ice-moon", "siemens", "checkerboard", "shepp-logan", "text"
  };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (PrismConfig) small_config = new_config (names[i], 64);
      g_autoptr (PrismConfig) large_config = new_config (names[i], 128);
      g_autoptr (PrismImage) small = load_object (small_config), large = load_object (large_config);
      double ratio = get_energy (large) / (4.0 * get_energy (small));

      g_assert_cmpfloat_with_epsilon (ratio, 1.0, 0.12);
    }
}

/* A name stands for one picture, in this version and the next: intensity in all, on the left and at
 * the top. */
TEST (builtins_stay, "/engine/object/builtins-stay")
{
  static const struct
  {
    const char *name;
    double energy, left, top;
  } known[] = {
    { "moon", 881.16, 247.37, 341.18 },
    { "ice-moon", 1490.42, 586.89, 775.29 },
    { "usaf1951", 619.31, 347.46, 352.31 },
    { "siemens", 1451.63, 725.81, 723.12 },
    { "points", 25.37, 12.69, 12.69 },
    { "checkerboard", 2048.00, 1024.00, 1024.00 },
    { "shepp-logan", 507.16, 243.46, 281.58 },
    { "text", 369.44, 192.43, 195.01 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (known); i++)
    {
      g_autoptr (PrismConfig) config = new_config (known[i].name, 64);
      g_autoptr (PrismImage) object = load_object (config);
      double left = 0, top = 0;

      for (int k = 0; k < 64 * 64; k++)
        {
          left += k % 64 < 32 ? (double) object->pixels[k] * object->pixels[k] : 0;
          top += k < 64 * 32 ? (double) object->pixels[k] * object->pixels[k] : 0;
        }
      g_assert_cmpfloat_with_epsilon (get_energy (object), known[i].energy, 0.5);
      g_assert_cmpfloat_with_epsilon (left, known[i].left, 0.5);
      g_assert_cmpfloat_with_epsilon (top, known[i].top, 0.5);
    }
}

TEST (moon_is_a_disk_on_black, "/engine/object/moon-is-a-disk-on-black")
{
  g_autoptr (PrismConfig) config = new_config ("moon", 128);
  g_autoptr (PrismImage) moon = load_object (config);
  int lit = 0;

  for (int y = 0; y < 128; y++)
    for (int x = 0; x < 128; x++)
      {
        double radius = hypot (y - 63.5, x - 63.5);
        if (radius > 60.0)
          g_assert_cmpfloat (moon->pixels[y * 128 + x], ==, 0.0f);
        else
          lit += moon->pixels[y * 128 + x] > 0.1f;
      }
  g_assert_cmpint (lit, >, 8000);
}

TEST (checkerboard_values, "/engine/object/checkerboard-values")
{
  g_autoptr (PrismConfig) config = new_config ("checkerboard", 64);
  g_autoptr (PrismImage) board = load_object (config);

  for (int y = 0; y < 64; y++)
    for (int x = 0; x < 64; x++)
      g_assert_cmpfloat (board->pixels[y * 64 + x], ==, (y / 8 + x / 8) % 2 == 0 ? 1.0f : 0.0f);
}

/* The ventricles lean outwards above, the left one more than the right: points within them are
 * darker than what is around them, and those mirrored at their long axes' feet are not. Source of
 * the ellipses: Toft, "The Radon transform", 1996, table B.1. */
TEST (phantom, "/engine/object/phantom")
{
  static const struct
  {
    double x, y; /* -1 … 1, y upwards */
    float intensity;
  } points[] = {
    { 0.0, 0.9, 1.0f },
    { -0.68, 0.0, 1.0f },
    { 0.3, 0.26, 0.0f },
    { 0.14, -0.26, 0.0f },
    { 0.14, 0.26, 0.3f },
    { 0.36, -0.2, 0.2f },
    { -0.33, 0.33, 0.0f },
    { -0.12, -0.33, 0.0f },
    { -0.12, -0.45, 0.2f },
    { -0.06, 0.33, 0.3f },
    { 0.0, 0.55, 0.3f },
    { 0.0, -0.606, 0.3f },
    { 0.0, -0.8, 0.2f },
  };
  g_autoptr (PrismConfig) config = new_config ("shepp-logan", 256);
  g_autoptr (PrismImage) phantom = load_object (config);

  for (gsize i = 0; i < G_N_ELEMENTS (points); i++)
    {
      const int row = (int) ((1 - points[i].y) * 128), column = (int) ((1 + points[i].x) * 128);
      const float amplitude = phantom->pixels[row * 256 + column];

      g_test_message ("%g, %g: %g", points[i].x, points[i].y, (double) (amplitude * amplitude));
      g_assert_cmpfloat_with_epsilon (amplitude * amplitude, points[i].intensity, 1e-3f);
    }
}

/* Area and centres of the stars. */
TEST (points, "/engine/object/points")
{
  for (int count = 1; count <= 4; count++)
    {
      g_autoptr (PrismConfig) config = new_config ("points", 128);
      double y = 0.0, x = 0.0;

      config->point_count = count;
      test_config_set (config, "point_diameter=10 point_spacing=40");
      g_autoptr (PrismImage) points = load_object (config);
      double energy = get_energy (points);
      g_assert_cmpfloat_with_epsilon (energy, count * G_PI * 25.0, 0.01 * energy);
      for (int i = 0; i < 128 * 128; i++)
        {
          double value = (double) points->pixels[i] * points->pixels[i];
          y += value * (i / 128 - 63.5) / energy;
          x += value * (i % 128 - 63.5) / energy;
        }
      g_assert_cmpfloat_with_epsilon (y, 0.0, 0.05);
      g_assert_cmpfloat_with_epsilon (x, 0.0, 0.05);
    }
}

TEST (two_points_apart, "/engine/object/two-points-apart")
{
  g_autoptr (PrismConfig) config = new_config ("points", 64);

  test_config_set (config, "point_count=2 point_diameter=4 point_spacing=20");
  g_autoptr (PrismImage) points = load_object (config);
  g_assert_cmpfloat (points->pixels[32 * 64 + 22], ==, 1.0f);
  g_assert_cmpfloat (points->pixels[32 * 64 + 42], ==, 1.0f);
  g_assert_cmpfloat (points->pixels[32 * 64 + 32], ==, 0.0f);

  config->point_spacing = 70;
  check_error (config, PRISM_ERROR_CONFIG, "point_spacing");
}

/* Along the middle of the bars, and down that of their twins: bright, dark, and so on. */
static void
check_bars (const PrismImage *target, const PrismUsafElement *usaf)
{
  const double half = usaf->side / 2;

  for (int bar = 0; bar < 5; bar++)
    {
      const double along = (bar + 0.5) * usaf->side / 5.0;
      const int across = (int) (usaf->y + half) * target->width + (int) (usaf->x + along);
      const int down = (int) (usaf->y + along) * target->width
                       + (int) (usaf->x + usaf->side + usaf->gap + half);

      g_assert_cmpfloat (target->pixels[across], ==, bar % 2 == 0 ? 1.0f : 0.0f);
      g_assert_cmpfloat (target->pixels[down], ==, bar % 2 == 0 ? 1.0f : 0.0f);
    }
}

TEST (usaf_elements, "/engine/object/usaf-elements")
{
  PrismUsafElement elements[PRISM_OBJECT_MAX_USAF_ELEMENTS];
  guint n = prism_object_get_usaf_elements (1024, elements);
  g_autoptr (PrismConfig) config = new_config ("usaf1951", 1024);
  g_autoptr (PrismImage) target = load_object (config);
  double finest = 0.0;

  g_assert_cmpuint (n, >=, 24);
  for (guint i = 0; i < n; i++)
    {
      const PrismUsafElement *usaf = &elements[i];
      double octaves = usaf->group - elements[0].group
                       + (usaf->element - elements[0].element) / 6.0;

      g_assert_cmpfloat_with_epsilon (usaf->line_pairs_per_pixel,
                                      elements[0].line_pairs_per_pixel * exp2 (octaves), 1e-9);
      g_assert_cmpfloat_with_epsilon (usaf->side * usaf->line_pairs_per_pixel, 2.5, 1e-9);
      g_assert_cmpfloat (usaf->y, >=, 0.0);
      g_assert_cmpfloat (usaf->x + 2 * usaf->side + usaf->gap, <=, 1024.0);
      if (usaf->side / 5.0 >= 3.0)
        check_bars (target, usaf);
      finest = fmax (finest, usaf->line_pairs_per_pixel);
    }
  g_assert_cmpfloat (finest, >, 0.5);
}

static void
check_apart (const PrismUsafElement *a, const PrismUsafElement *b)
{
  double width_a = 2 * a->side + a->gap, width_b = 2 * b->side + b->gap;

  g_assert_true (a->y + a->side <= b->y || b->y + b->side <= a->y
                 || a->x + width_a <= b->x || b->x + width_b <= a->x);
}

TEST (usaf_elements_do_not_overlap, "/engine/object/usaf-elements-do-not-overlap")
{
  PrismUsafElement elements[PRISM_OBJECT_MAX_USAF_ELEMENTS];
  guint n = prism_object_get_usaf_elements (512, elements);

  for (guint i = 0; i < n; i++)
    for (guint k = 0; k < i; k++)
      check_apart (&elements[i], &elements[k]);
}

TEST (text, "/engine/object/text")
{
  g_autoptr (PrismConfig) config = new_config ("text", 128);

  prism_config_set_text (config, "object_text", "Ab\\nç%s\n!", NULL);
  g_autoptr (PrismImage) one = load_object (config);
  check_unit_range (one);
  prism_config_set_text (config, "object_text", "I", NULL);
  g_autoptr (PrismImage) two = load_object (config);
  g_assert_cmpfloat (two->pixels[64 * 128 + 64], ==, 1.0f);
  g_assert_cmpfloat (two->pixels[64 * 128 + 20], ==, 0.0f);

  prism_config_set_text (config, "object_text", " \\n ", NULL);
  check_error (config, PRISM_ERROR_CONFIG, "object_text");
}

TEST (invert, "/engine/object/invert")
{
  g_autoptr (PrismConfig) config = new_config ("checkerboard", 64);

  config->object_invert = TRUE;
  g_autoptr (PrismImage) board = load_object (config);
  g_assert_cmpfloat (board->pixels[0], ==, 0.0f);
  g_assert_cmpfloat (board->pixels[8], ==, 1.0f);
}

/* A wide image keeps its aspect in the middle of its darkest value, and the root is taken. */
TEST (fit, "/engine/object/fit")
{
  const float pixels[8] = { 3, 4, 5, 7, 3, 4, 5, 7 };
  const float amplitudes[4] = { 0.0f, 0.5f, 0.70710678f, 1.0f };
  g_autoptr (PrismImage) image = prism_image_new_copy (2, 4, pixels, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (PrismImage) object = prism_object_fit (image, 4, FALSE, &error);
  g_autoptr (PrismImage) inverted = MUST (prism_object_fit (image, 4, TRUE, &error));

  for (int x = 0; x < 4; x++)
    {
      g_assert_cmpfloat (object->pixels[x], ==, 0.0f);
      g_assert_cmpfloat_with_epsilon (object->pixels[4 + x], amplitudes[x], 1e-6);
      g_assert_cmpfloat_with_epsilon (object->pixels[8 + x], amplitudes[x], 1e-6);
      g_assert_cmpfloat (object->pixels[12 + x], ==, 0.0f);
      g_assert_cmpfloat (inverted->pixels[x], ==, 0.0f);
    }
  g_assert_cmpfloat (inverted->pixels[4], ==, 1.0f);
  g_assert_cmpfloat (inverted->pixels[7], ==, 0.0f);
}

TEST (constant_is_an_error, "/engine/object/constant-is-an-error")
{
  const float pixels[4] = { 3, 3, 3, 3 };
  g_autoptr (PrismImage) image = prism_image_new_copy (2, 2, pixels, NULL);

  FAILS (prism_object_fit (image, 16, FALSE, &error), FORMAT, "same value everywhere");
}

/* A wave finer than the new pixels must become grey, a coarse one must stay. */
TEST (resample_does_not_alias, "/engine/object/resample-does-not-alias")
{
  g_autoptr (PrismImage) image = prism_image_new (8, 300, NULL);

  for (int i = 0; i < 8 * 300; i++)
    image->pixels[i] = (float) (0.5 + 0.25 * sin (2.0 * G_PI * (i % 300) / 3.1)
                                + 0.25 * sin (2.0 * G_PI * (i % 300 + 0.5) / 150.0));
  g_autoptr (PrismImage) small = MUST (prism_resample (image, 8, 50, &error));
  for (int x = 3; x < 47; x++)
    g_assert_cmpfloat_with_epsilon (small->pixels[4 * 50 + x],
                                    0.5 + 0.25 * sin (2.0 * G_PI * (x + 0.5) / 25.0),
                                    0.01);
}

TEST (resample_up_and_same, "/engine/object/resample-up-and-same")
{
  g_autoptr (PrismImage) image = prism_image_new (40, 40, NULL);

  for (int i = 0; i < 1600; i++)
    image->pixels[i] = (float) (i % 40 + 2 * (i / 40));
  g_autoptr (PrismImage) same = prism_resample (image, 40, 40, NULL);
  g_autoptr (PrismImage) large = prism_resample (image, 120, 120, NULL);
  g_assert_cmpmem (same->pixels, 1600 * 4, image->pixels, 1600 * 4);
  for (int y = 9; y < 111; y++)
    for (int x = 9; x < 111; x++)
      g_assert_cmpfloat_with_epsilon (large->pixels[y * 120 + x],
                                      ((x + 0.5) / 3 - 0.5) + 2 * ((y + 0.5) / 3 - 0.5), 1e-3);
}

TEST (amplitude_array, "/engine/object/amplitude-array")
{
  g_autofree char *path = g_build_filename (g_getenv ("PRISM_TEST_DATA"), "moon64.npy", NULL);
  g_autoptr (PrismConfig) config = new_config (path, 64);
  g_autoptr (PrismFields) file = MUST (prism_fields_load_npy (path, &error));
  const PrismField *npy = g_ptr_array_index (file->fields, 0);

  config->object_invert = TRUE;
  g_autoptr (PrismImage) exact = load_object (config);
  for (int i = 0; i < 64 * 64; i++)
    g_assert_cmpfloat (exact->pixels[i], ==, (float) npy->values[i]);
  config->object_size = 128;
  g_autoptr (PrismImage) large = load_object (config);
  g_assert_cmpfloat_with_epsilon (get_energy (large) / get_energy (exact), 4.0, 0.05);
}

FILE_FIXTURE ("a %s\n.npy")

TEST_FIXTURE (bad_arrays, "/engine/object/bad-arrays")
{
  static const struct
  {
    gsize height, width;
    float values[6];
    const char *error; /* (nullable) */
  } cases[] = {
    { 2, 3, { 0, 0.2f, 0.4f, 0.6f, 0.8f, 1.0f }, "must be square" },
    { 1, 1, { 0 }, "must be square" },
    { 2, 2, { 0, 1, 2, 3 }, "from 0 to 3" },
    { 2, 2, { -0.1f, 0, 0.5f, 0.9f }, "is not negative" },
    { 2, 2, { 0, 0, 0, 0 }, "same value everywhere" },
    { 2, 2, { 0.5f, 0.5f, 0.5f, 0.5f } }, /* a square of light has an edge to be reconstructed */
    { 2, 2, { NAN, NAN, NAN, NAN }, "not one of its pixels" },
  };
  g_autoptr (PrismConfig) config = new_config (self->path, 16);

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const gsize shape[] = { cases[i].height, cases[i].width };

      g_assert_true (prism_npy_save (self->path, cases[i].values, 2, shape, NULL));
      if (cases[i].error != NULL)
        check_error (config, PRISM_ERROR_FORMAT, cases[i].error);
      else
        prism_image_unref (MUST (prism_object_load (config, &error)));
    }
}

TEST_FIXTURE (image_file, "/engine/object/image-file")
{
  g_autoptr (PrismConfig) config = new_config (self->path, 16);
  g_autoptr (PrismImage) image = prism_image_new (40, 80, NULL);

  for (int i = 0; i < 40 * 80; i++)
    image->pixels[i] = i % 80 < 40 ? 0.0f : 1.0f;
  g_assert_true (prism_image_save_png (image, self->path, 8, 0.0f, 1.0f, NULL, NULL));
  g_autoptr (PrismImage) object = load_object (config);
  g_assert_cmpfloat_with_epsilon (object->pixels[8 * 16 + 14], 1.0, 1e-6);
  g_assert_cmpfloat (object->pixels[8 * 16 + 1], ==, 0.0f);
  g_assert_cmpfloat (object->pixels[2 * 16 + 14], ==, 0.0f);
}

TEST_FIXTURE (bad_paths, "/engine/object/bad-paths")
{
  g_autoptr (PrismConfig) config = new_config (self->path, 16), unknown = new_config ("mooon", 16);
  g_autoptr (PrismConfig) empty = new_config ("", 16), directory = new_config (self->directory, 16);

  check_error (unknown, PRISM_ERROR_IO, "Choose moon, ice-moon");
  check_error (empty, PRISM_ERROR_CONFIG, "No object is chosen");
  check_error (directory, PRISM_ERROR_IO, "is a directory");
  check_error (config, PRISM_ERROR_IO, "No such file");
  g_assert_true (prism_file_save (self->path, "text", 4, NULL));
  check_error (config, PRISM_ERROR_FORMAT, "not an image of a known kind");
}
