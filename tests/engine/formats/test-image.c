#include "config.h"

#include "test-image-common.h"

#include "formats/prism-npy.h"
#include "formats/prism-png-stream.h"

#include <png.h>

typedef struct
{
  char *directory;
  char *path; /* an odd name in it */
} Fixture;

static void
set_up (Fixture *fixture,
        gconstpointer data)
{
  fixture->directory = g_dir_make_tmp ("prism-image-XXXXXX", NULL);
  fixture->path = g_build_filename (fixture->directory, "a b %s%n\n\xff.png", NULL);
}

static void
tear_down (Fixture *fixture,
           gconstpointer data)
{
  g_unlink (fixture->path);
  g_assert_cmpint (g_rmdir (fixture->directory), ==, 0);
  g_free (fixture->directory);
  g_free (fixture->path);
}

static void
test_references (Fixture *fixture,
                 gconstpointer data)
{
  const float pixels[6] = { 0, 1, 2, 3, 4, 5 };
  g_autoptr (GError) error = NULL;
  g_autoptr (PrismImage) image = prism_image_new_copy (2, 3, pixels, &error);
  PrismImage *same = prism_image_ref (image);

  g_assert_no_error (error);
  g_assert_true (same == image);
  prism_image_unref (same);
  g_assert_cmpmem (image->pixels, sizeof pixels, pixels, sizeof pixels);
}

static void
test_unknown_kinds (Fixture *fixture,
                    gconstpointer data)
{
  static const struct
  {
    const char *bytes;
    gsize size;
    const char *part;
  } kinds[] = {
    { "", 0, "is empty" },
    { "x", 1, "not an image of a known kind" },
    { "hello, this is a text", 21, "not an image of a known kind" },
    { "GIF89a..........", 16, "is a GIF file. Convert it" },
    { "RIFF....WEBPVP8 ", 16, "is a WebP file" },
    { "\xff\xd8\xff", 3, "JPEG" },
    { "\x89PNG\r\n\x1a\n", 8, "PNG" },
    { "II*\0", 4, "TIFF" },
    { "SIMPLE  =", 9, "FITS" },
    { "\x93NUMPY\x01\0\0\0", 10, "NumPy" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      g_autoptr (GBytes) bytes = g_bytes_new (kinds[i].bytes, kinds[i].size);
      check_error (bytes, kinds[i].part);
    }
}

static void
check_load_error (const char *path,
                  int code,
                  const char *part)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PrismImage) image = prism_image_load (path, &error);

  g_assert_null (image);
  g_assert_error (error, PRISM_ERROR, code);
  g_assert_nonnull (strstr (error->message, part));
  g_assert_true (g_utf8_validate (error->message, -1, NULL));
  g_assert_null (strchr (error->message, '\n'));
}

static void
test_bad_paths (Fixture *fixture,
                gconstpointer data)
{
  g_autofree char *shown = prism_file_dup_display_name (fixture->path);

  check_load_error (fixture->path, PRISM_ERROR_IO, shown);
  check_load_error (fixture->directory, PRISM_ERROR_IO, "is a directory");
  check_load_error ("/dev/zero", PRISM_ERROR_IO, "is a device");
  g_assert_true (prism_file_save (fixture->path, "", 0, NULL));
  check_load_error (fixture->path, PRISM_ERROR_FORMAT, "is empty (0 bytes)");
}

static void
test_no_permission (Fixture *fixture,
                    gconstpointer data)
{
  if (geteuid () == 0)
    {
      g_test_skip ("root may read every file");
      return;
    }
  g_assert_true (prism_file_save (fixture->path, "x", 1, NULL));
  g_assert_cmpint (g_chmod (fixture->path, 0), ==, 0);
  check_load_error (fixture->path, PRISM_ERROR_IO, g_strerror (EACCES));
}

/* A file of more than 1 GiB that takes no space. */
static void
test_large_file (Fixture *fixture,
                 gconstpointer data)
{
  g_assert_true (prism_file_save (fixture->path, "x", 1, NULL));
  g_assert_cmpint (truncate (fixture->path, (G_GINT64_CONSTANT (1) << 30) + 1), ==, 0);
  check_load_error (fixture->path, PRISM_ERROR_FORMAT, "at most 1.0 GiB can be read");
}

static void
test_numpy (Fixture *fixture,
            gconstpointer data)
{
  g_autofree char *path = g_build_filename (g_getenv ("PRISM_TEST_DATA"), "moon64.npy", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (PrismImage) image = prism_image_load (path, &error);

  g_assert_no_error (error);
  g_assert_cmpint (image->height, ==, 64);
  g_assert_cmpint (image->width, ==, 64);
}

/* Three or four values at the end of the shape are read as colour, and that is said. */
static void
test_numpy_colour (Fixture *fixture,
                   gconstpointer data)
{
  const float values[2 * 2 * 4] = { 0.0f };

  for (gsize n = 3; n <= 4; n++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GBytes) file = NULL;
      g_autofree char *notice
          = g_strdup_printf ("Channels 1 to 3 of %d were taken as red, green and blue.", (int) n);

      g_assert_true (
          prism_npy_save (fixture->path, values, 3, (const gsize[]) { 2, 2, n }, &error));
      g_assert_no_error (error);
      file = load_file (fixture->path);
      check_notice (file, notice);
    }
}

static void
test_png_levels (Fixture *fixture,
                 gconstpointer data)
{
  const float pixels[8] = { 1.0f, 3.0f, 2.0f, 0.5f, 99.0f, NAN, -INFINITY, INFINITY };
  const double levels[8] = { 0, 1, 0.5, 0, 1, 0, 0, 1 };
  g_autoptr (PrismImage) image = prism_image_new_copy (2, 4, pixels, NULL);
  g_autoptr (GError) error = NULL;

  for (int bits = 8; bits <= 16; bits += 8)
    {
      g_autoptr (GBytes) file = NULL;
      double full = (1 << bits) - 1;
      double expected[8];

      for (int i = 0; i < 8; i++)
        expected[i] = floor (levels[i] * full + 0.5) / full;
      g_assert_true (prism_image_save_png (image, fixture->path, bits, 1.0f, 3.0f, NULL, &error));
      g_assert_no_error (error);
      file = load_file (fixture->path);
      check_pixels (file, 2, 4, expected, 1e-7);
    }
}

/* Every level of 16 bits comes back as it was. */
static void
test_png_round_trip (Fixture *fixture,
                     gconstpointer data)
{
  g_autoptr (PrismImage) image = prism_image_new (256, 256, NULL);
  g_autoptr (PrismImage) copy = NULL;
  g_autoptr (GError) error = NULL;

  for (int i = 0; i < 65536; i++)
    image->pixels[i] = (float) (((guint32) i * 40503u & 0xffff) / 65535.0);
  g_assert_true (prism_image_save_png (image, fixture->path, 16, 0.0f, 1.0f, NULL, &error));
  copy = prism_image_load (fixture->path, &error);
  g_assert_no_error (error);
  g_assert_cmpmem (copy->pixels, 65536 * 4, image->pixels, 65536 * 4);
}

static char *
dup_chunk (GBytes *file,
           const char *keyword)
{
  gsize size;
  const char *data = g_bytes_get_data (file, &size);
  const char *at = memmem (data, size, keyword, strlen (keyword) + 1);

  return at == NULL ? NULL : g_strndup (at - 4, 4);
}

static void
test_png_text (Fixture *fixture,
               gconstpointer data)
{
  const char *const text[] = {
    "Software", "PRISM Studio", "Title", "Möndchen ☾", "Empty", "", NULL
  };
  const float pixels[1] = { 0.5f };
  g_autoptr (PrismImage) image = prism_image_new_copy (1, 1, pixels, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) file = NULL;
  g_autofree char *ascii = NULL;
  g_autofree char *utf8 = NULL;
  gsize size;
  gconstpointer bytes;

  g_assert_true (prism_image_save_png (image, fixture->path, 8, 0.0f, 1.0f, text, &error));
  g_assert_no_error (error);
  file = load_file (fixture->path);
  bytes = g_bytes_get_data (file, &size);
  ascii = dup_chunk (file, "Software");
  utf8 = dup_chunk (file, "Title");
  g_assert_cmpstr (ascii, ==, "tEXt");
  g_assert_cmpstr (utf8, ==, "iTXt");
  g_assert_nonnull (memmem (bytes, size, "PRISM Studio", 12));
  g_assert_nonnull (memmem (bytes, size, "Möndchen ☾", strlen ("Möndchen ☾")));
}

static void
test_png_to_nowhere (Fixture *fixture,
                     gconstpointer data)
{
  g_autofree char *path = g_build_filename (fixture->directory, "missing", "a.png", NULL);
  g_autoptr (PrismImage) image = prism_image_new (1, 1, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_false (prism_image_save_png (image, path, 8, 0.0f, 1.0f, NULL, &error));
  g_assert_error (error, PRISM_ERROR, PRISM_ERROR_IO);
}

int
main (int argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/engine/image/references", Fixture, NULL, set_up, test_references, tear_down);
  g_test_add ("/engine/image/unknown-kinds", Fixture, NULL, set_up,
              test_unknown_kinds, tear_down);
  g_test_add ("/engine/image/bad-paths", Fixture, NULL, set_up, test_bad_paths, tear_down);
  g_test_add ("/engine/image/no-permission", Fixture, NULL, set_up,
              test_no_permission, tear_down);
  g_test_add ("/engine/image/large-file", Fixture, NULL, set_up, test_large_file, tear_down);
  g_test_add ("/engine/image/numpy", Fixture, NULL, set_up, test_numpy, tear_down);
  g_test_add ("/engine/image/numpy-colour", Fixture, NULL, set_up, test_numpy_colour, tear_down);
  g_test_add ("/engine/image/png-levels", Fixture, NULL, set_up, test_png_levels, tear_down);
  g_test_add ("/engine/image/png-round-trip", Fixture, NULL, set_up,
              test_png_round_trip, tear_down);
  g_test_add ("/engine/image/png-text", Fixture, NULL, set_up, test_png_text, tear_down);
  g_test_add ("/engine/image/png-to-nowhere", Fixture, NULL, set_up,
              test_png_to_nowhere, tear_down);
  return g_test_run ();
}
