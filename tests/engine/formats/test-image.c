#include "test-image-common.h"

#include "formats/prism-npy.h"
#include "formats/prism-png-stream.h"
#include "../support/test-remove-tree.h"
#include "prism-test.h"

FILE_FIXTURE ("a b %s%n\n\xff.png")

TEST_FIXTURE (unknown_kinds, "/engine/image/unknown-kinds")
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
check_load_error (const char *path, int code, const char *part)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PrismImage) image = prism_image_load (path, &error);

  g_assert_null (image);
  g_assert_error (error, PRISM_ERROR, code);
  HAS (error->message, part);
  g_assert_true (g_utf8_validate (error->message, -1, NULL));
  g_assert_null (strchr (error->message, '\n'));
}

TEST_FIXTURE (bad_paths, "/engine/image/bad-paths")
{
  g_autofree char *shown = prism_file_dup_display_name (self->path);

  check_load_error (self->path, PRISM_ERROR_IO, shown);
  check_load_error (self->directory, PRISM_ERROR_IO, "is a directory");
  check_load_error ("/dev/zero", PRISM_ERROR_IO, "is a device");
  g_assert_true (prism_file_save (self->path, "", 0, NULL));
  check_load_error (self->path, PRISM_ERROR_FORMAT, "is empty (0 bytes)");
}

TEST_FIXTURE (no_permission, "/engine/image/no-permission")
{
  if (geteuid () == 0)
    {
      g_test_skip ("root may read every file");
      return;
    }
  g_assert_true (prism_file_save (self->path, "x", 1, NULL));
  g_assert_cmpint (g_chmod (self->path, 0), ==, 0);
  check_load_error (self->path, PRISM_ERROR_IO, g_strerror (EACCES));
}

/* A file of more than 1 GiB that takes no space. */
TEST_FIXTURE (large_file, "/engine/image/large-file")
{
  g_assert_true (prism_file_save (self->path, "x", 1, NULL));
  g_assert_cmpint (truncate (self->path, (G_GINT64_CONSTANT (1) << 30) + 1), ==, 0);
  check_load_error (self->path, PRISM_ERROR_FORMAT, "at most 1.0 GiB can be read");
}

TEST_FIXTURE (numpy, "/engine/image/numpy")
{
  g_autofree char *path = g_build_filename (g_getenv ("PRISM_TEST_DATA"), "moon64.npy", NULL);
  g_autoptr (PrismImage) image = MUST (prism_image_load (path, &error));

  g_assert_cmpint (image->height, ==, 64);
  g_assert_cmpint (image->width, ==, 64);
}

/* Three or four values at the end of the shape are read as colour, and that is said. */
TEST_FIXTURE (numpy_colour, "/engine/image/numpy-colour")
{
  const float values[2 * 2 * 4] = { 0.0f };

  for (gsize n = 3; n <= 4; n++)
    {
      g_autofree char *notice
          = g_strdup_printf ("Channels 1 to 3 of %d were taken as red, green and blue.", (int) n);

      g_assert_true (MUST (
          prism_npy_save (self->path, values, 3, (const gsize[]) { 2, 2, n }, &error)));
      g_autoptr (GBytes) file = load_file (self->path);
      check_notice (file, notice);
    }
}

TEST_FIXTURE (png_levels, "/engine/image/png-levels")
{
  const float pixels[8] = { 1.0f, 3.0f, 2.0f, 0.5f, 99.0f, NAN, -INFINITY, INFINITY };
  const double levels[8] = { 0, 1, 0.5, 0, 1, 0, 0, 1 };
  g_autoptr (PrismImage) image = prism_image_new_copy (2, 4, pixels, NULL);

  for (int bits = 8; bits <= 16; bits += 8)
    {
      double full = (1 << bits) - 1, expected[8];

      for (int i = 0; i < 8; i++)
        expected[i] = floor (levels[i] * full + 0.5) / full;
      g_assert_true (MUST (prism_image_save_png (image, self->path, bits, 1.0f, 3.0f, NULL,
                                                 &error)));
      g_autoptr (GBytes) file = load_file (self->path);
      check_pixels (file, 2, 4, expected, 1e-7);
    }
}

/* Every level of 16 bits comes back as it was. */
TEST_FIXTURE (png_round_trip, "/engine/image/png-round-trip")
{
  g_autoptr (PrismImage) image = prism_image_new (256, 256, NULL);
  g_autoptr (GError) error = NULL;

  for (int i = 0; i < 65536; i++)
    image->pixels[i] = (float) (((guint32) i * 40503u & 0xffff) / 65535.0);
  g_assert_true (prism_image_save_png (image, self->path, 16, 0.0f, 1.0f, NULL, &error));
  g_autoptr (PrismImage) copy = MUST (prism_image_load (self->path, &error));
  g_assert_cmpmem (copy->pixels, 65536 * 4, image->pixels, 65536 * 4);
}

static char *
dup_chunk (GBytes *file, const char *keyword)
{
  gsize size;
  const char *data = g_bytes_get_data (file, &size);
  const char *at = memmem (data, size, keyword, strlen (keyword) + 1);

  return at == NULL ? NULL : g_strndup (at - 4, 4);
}

TEST_FIXTURE (png_text, "/engine/image/png-text")
{
  const char *const text[] = {
    "Software", "PRISM Studio", "Title", "Möndchen ☾", "Empty", "", NULL
  };
  const float pixels[1] = { 0.5f };
  g_autoptr (PrismImage) image = prism_image_new_copy (1, 1, pixels, NULL);
  gsize size;

  g_assert_true (MUST (prism_image_save_png (image, self->path, 8, 0.0f, 1.0f, text, &error)));
  g_autoptr (GBytes) file = load_file (self->path);
  gconstpointer bytes = g_bytes_get_data (file, &size);
  g_autofree char *ascii = dup_chunk (file, "Software"), *utf8 = dup_chunk (file, "Title");
  g_assert_cmpstr (ascii, ==, "tEXt");
  g_assert_cmpstr (utf8, ==, "iTXt");
  g_assert_nonnull (memmem (bytes, size, "PRISM Studio", 12));
  g_assert_nonnull (memmem (bytes, size, "Möndchen ☾", strlen ("Möndchen ☾")));
}

TEST_FIXTURE (png_to_nowhere, "/engine/image/png-to-nowhere")
{
  g_autofree char *path = g_build_filename (self->directory, "missing", "a.png", NULL);
  g_autoptr (PrismImage) image = prism_image_new (1, 1, NULL);

  FAILS (prism_image_save_png (image, path, 8, 0.0f, 1.0f, NULL, &error), IO, "");
}
