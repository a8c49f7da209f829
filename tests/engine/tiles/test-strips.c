#include "formats/prism-image.h"
#include "formats/prism-strip-writer.h"
#include "formats/prism-strips.h"
#include "../support/test-remove-tree.h"
#include "prism-test.h"

#include <tiffio.h>

#define HEIGHT 37
#define WIDTH 23

FOLDER_FIXTURE ("a")

static float
get_pixel (int y, int x)
{
  return (float) ((y * WIDTH + x) % 101) / 101.0f;
}

static char *
write_picture (Fixture *fixture, const char *name)
{
  char *path = g_build_filename (fixture->directory, name, NULL);
  g_autoptr (PrismStripWriter) writer
      = MUST (prism_strip_writer_new (path, HEIGHT, WIDTH, 0, 0.0f, 1.0f, &error));
  float row[WIDTH];

  for (int y = 0; y < HEIGHT; y++)
    {
      for (int x = 0; x < WIDTH; x++)
        row[x] = get_pixel (y, x);
      g_assert_true (prism_strip_writer_add (writer, row, 1, NULL));
    }
  g_assert_true (MUST (prism_strip_writer_save (writer, &error)));
  return path;
}

/* What is written is what is read, by the reader of strips and by that of whole images. */
TEST_WITH (round_trip, "/engine/strips/round-trip/tiff", "a.tif")
{
  g_autofree char *path = write_picture (self, data);
  float tolerance = g_str_has_suffix (path, ".png") ? 1e-5f : 0.0f;
  g_autoptr (PrismStrips) strips = MUST (prism_strips_open (path, &error));
  g_autoptr (PrismImage) image = prism_image_load (path, NULL);
  float rows[HEIGHT * WIDTH];

  g_assert_cmpint (strips->height, ==, HEIGHT);
  g_assert_cmpint (strips->width, ==, WIDTH);
  g_assert_true (strips->is_amplitude == g_str_has_suffix (path, ".npy"));
  g_assert_true (prism_strips_read (strips, 10, rows, NULL));
  g_assert_true (prism_strips_read (strips, HEIGHT - 10, rows + 10 * WIDTH, NULL));
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++)
      {
        float expected = get_pixel (y, x);

        g_assert_true (fabsf (rows[y * WIDTH + x] - expected) <= tolerance);
        g_assert_true (fabsf (image->pixels[y * WIDTH + x] - expected) <= tolerance);
      }
}

TEST_ALSO (round_trip, "/engine/strips/round-trip/npy", "a.npy")
TEST_ALSO (round_trip, "/engine/strips/round-trip/fits", "a.fits")
TEST_ALSO (round_trip, "/engine/strips/round-trip/png", "a.png")

/* Name, unit and coordinates of a picture on the same grid are kept, and so is the order of rows
 * that they count by; other keywords are not. */
TEST_WITH (world, "/engine/strips/world", "a.fits")
{
  static const char *const kept[]
      = { "OBJECT  = 'Europa'", "ROWORDER= 'TOP-DOWN'", "BUNIT   = 'Jy/beam'",
          "CTYPE1  = 'RA---TAN'", "CRPIX2  = 7.5", "CD2_1   = 1E-4", "PV2_11  = 0.5",
          "A_ORDER = 2" };
  static const char *const dropped[] = { "EXPTIME = 3", "CTYPE3  = 'FREQ'",
                                         "COMMENT OBJECT", "DATE-OBS= '2026-11-26'" };
  g_autoptr (GString) cards = g_string_new (NULL), all = g_string_new (NULL);
  g_autofree char *path = g_build_filename (self->directory, data, NULL), *text = NULL;
  g_autoptr (GError) error = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (kept); i++)
    g_string_append_printf (cards, "%-80s", kept[i]);
  g_string_append (all, cards->str);
  for (gsize i = 0; i < G_N_ELEMENTS (dropped); i++)
    g_string_append_printf (all, "%-80s", dropped[i]);
  for (gsize i = 0; i < 30; i++)
    g_string_append_printf (all, "%-80s", "HISTORY a header of more than a block");
  for (int turn = 0; turn < 2; turn++)
    {
      g_autoptr (PrismStripWriter) writer
          = MUST (prism_strip_writer_new (path, HEIGHT, WIDTH, 0, 0.0f, 1.0f, &error));
      float rows[HEIGHT * WIDTH];

      prism_strip_writer_set_world (writer, turn == 0 ? all->str : text);
      for (int y = 0; y < HEIGHT; y++)
        {
          for (int x = 0; x < WIDTH; x++)
            rows[x] = get_pixel (y, x);
          g_assert_true (prism_strip_writer_add (writer, rows, 1, NULL));
        }
      g_assert_true (prism_strip_writer_save (writer, &error));
      g_autoptr (PrismStrips) strips = MUST (prism_strips_open (path, &error));
      g_free (text);
      text = g_strdup (strips->world);
      g_assert_cmpstr (text, ==, cards->str);
      g_assert_true (prism_strips_read (strips, HEIGHT, rows, NULL));
      g_autoptr (PrismImage) image = MUST (prism_image_load (path, &error));
      for (int i = 0; i < HEIGHT * WIDTH; i++)
        {
          g_assert_cmpfloat (rows[i], ==, get_pixel (i / WIDTH, i % WIDTH));
          g_assert_cmpfloat (image->pixels[i], ==, rows[i]);
        }
    }
}

/* Columns that follow each other cannot be read in strips: the sentence says what helps. */
TEST_WITH (fortran, "/engine/strips/fortran", "a.npy")
{
  g_autofree char *path = write_picture (self, data), *bytes = NULL;
  gsize length;

  g_assert_true (g_file_get_contents (path, &bytes, &length, NULL));
  char *order = g_strstr_len (bytes + 10, 118, "False,"); /* after the header's length */
  g_assert_nonnull (order);
  memcpy (order, "True, ", 6);
  g_assert_true (g_file_set_contents (path, bytes, (gssize) length, NULL));
  FAILS (prism_strips_open (path, &error), FORMAT, "numpy.ascontiguousarray");
}

/* TIFF in tiles of 16 × 16 and RGB of 8 bits: as the whole image reads it. */
TEST_FIXTURE (tiled_tiff, "/engine/strips/tiled-tiff")
{
  g_autofree char *path = g_build_filename (self->directory, "tiled.tif", NULL);
  TIFF *tiff = TIFFOpen (path, "w8");
  guint8 tile[16 * 16 * 3];
  float rows[HEIGHT * WIDTH];

  TIFFSetField (tiff, TIFFTAG_IMAGEWIDTH, WIDTH);
  TIFFSetField (tiff, TIFFTAG_IMAGELENGTH, HEIGHT);
  TIFFSetField (tiff, TIFFTAG_BITSPERSAMPLE, 8);
  TIFFSetField (tiff, TIFFTAG_SAMPLESPERPIXEL, 3);
  TIFFSetField (tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_RGB);
  TIFFSetField (tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
  TIFFSetField (tiff, TIFFTAG_COMPRESSION, COMPRESSION_LZW);
  TIFFSetField (tiff, TIFFTAG_TILEWIDTH, 16);
  TIFFSetField (tiff, TIFFTAG_TILELENGTH, 16);
  for (guint32 y = 0; y < HEIGHT; y += 16)
    for (guint32 x = 0; x < WIDTH; x += 16)
      {
        for (gsize i = 0; i < sizeof tile; i++)
          tile[i] = (guint8) (i * 7 + y * 3 + x);
        g_assert_cmpint (TIFFWriteTile (tiff, tile, x, y, 0, 0), >, 0);
      }
  TIFFClose (tiff);
  g_autoptr (PrismImage) image = prism_image_load (path, NULL);
  g_autoptr (PrismStrips) strips = prism_strips_open (path, NULL);
  g_assert_nonnull (strips);
  g_assert_true (prism_strips_read (strips, HEIGHT, rows, NULL));
  for (int i = 0; i < HEIGHT * WIDTH; i++)
    g_assert_cmpfloat_with_epsilon (rows[i], image->pixels[i], 1e-6);
}

/* A file that ends too early says so and gives no rows. */
TEST_WITH (truncated, "/engine/strips/truncated/tiff", "a.tif")
{
  g_autofree char *path = write_picture (self, data), *contents = NULL;
  g_autoptr (GError) error = NULL;
  float rows[HEIGHT * WIDTH];
  gsize length;

  g_assert_true (g_file_get_contents (path, &contents, &length, NULL));
  length = g_str_has_suffix (path, ".fits") ? 2880 + 100 : length / 2;
  g_assert_true (g_file_set_contents (path, contents, (gssize) length, NULL));
  g_autoptr (PrismStrips) strips = prism_strips_open (path, &error);
  if (strips != NULL)
    g_assert_false (prism_strips_read (strips, HEIGHT, rows, &error));
  g_assert_error (error, PRISM_ERROR, PRISM_ERROR_FORMAT);
}

TEST_ALSO (truncated, "/engine/strips/truncated/npy", "a.npy")
TEST_ALSO (truncated, "/engine/strips/truncated/fits", "a.fits")
TEST_ALSO (truncated, "/engine/strips/truncated/png", "a.png")

/* A file that is emptied while it is read is an error, and nothing worse. */
TEST_WITH (emptied, "/engine/strips/emptied/tiff", "a.tif")
{
  g_autofree char *path = write_picture (self, data);
  g_autoptr (PrismStrips) strips = MUST (prism_strips_open (path, &error));
  float rows[HEIGHT * WIDTH];

  g_assert_cmpint (truncate (path, 0), ==, 0);
  FAILS (prism_strips_read (strips, HEIGHT, rows, &error), FORMAT, "");
}

TEST_ALSO (emptied, "/engine/strips/emptied/npy", "a.npy")
TEST_ALSO (emptied, "/engine/strips/emptied/fits", "a.fits")

TEST_FIXTURE (refused, "/engine/strips/refused")
{
  g_autofree char *path = g_build_filename (self->directory, "text.tif", NULL);

  g_assert_true (g_file_set_contents (path, "no picture", -1, NULL));
  FAILS (prism_strips_open (path, &error), FORMAT, "");
  FAILS (prism_strips_open ("/nowhere.tif", &error), IO, "");
  FAILS (prism_strip_writer_check_path ("a.jpg", &error), CONFIG, "");
}

/* What is not saved leaves nothing, and the old file stays. */
TEST_FIXTURE (unsaved, "/engine/strips/unsaved")
{
  g_autofree char *path = write_picture (self, "old.tif");
  PrismStripWriter *writer = prism_strip_writer_new (path, HEIGHT, WIDTH, 0, 0.0f, 1.0f, NULL);

  prism_strip_writer_free (writer);
  g_autoptr (PrismImage) image = prism_image_load (path, NULL);
  g_assert_nonnull (image);
  g_autoptr (GDir) folder = g_dir_open (self->directory, 0, NULL);
  g_assert_cmpstr (g_dir_read_name (folder), ==, "old.tif");
  g_assert_null (g_dir_read_name (folder));
}
