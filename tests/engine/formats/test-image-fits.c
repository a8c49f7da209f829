#include "test-image-common.h"
#include "prism-test.h"

#include <bzlib.h>

#include <gio/gio.h>

#define WIDTH 21
#define HEIGHT 13
#define N_PIXELS (WIDTH * HEIGHT)

typedef struct
{
  int bitpix;
  const char *cards;     /* further cards, each with a newline before it */
  double zero;           /* what the cards say */
  double full;           /* what becomes 1 */
  gboolean in_extension; /* behind an empty primary unit and a table */
} Variant;

static double
get_value (const Variant *variant, int y, int x)
{
  return (double) ((y * 31 + x * 7) & 0x7f) * (variant->bitpix < 0 ? 0.01 : 1.0);
}

static void
put_block (GByteArray *file, char padding)
{
  while (file->len % 2880 != 0)
    g_byte_array_append (file, (const guint8 *) &padding, 1);
}

static void
put_header (GByteArray *file, const char *cards)
{
  g_auto (GStrv) lines = g_strsplit (cards, "\n", -1);

  for (int i = 0; lines[i] != NULL; i++)
    {
      g_autofree char *card = g_strdup_printf ("%-80.80s", lines[i]);
      g_byte_array_append (file, (const guint8 *) card, 80);
    }
  put_block (file, ' ');
}

static void
put_pixel (GByteArray *file, int bitpix, double value)
{
  float narrow = (float) value;
  guint32 half;
  guint64 bits = (guint64) (gint64) value;
  int n = ABS (bitpix) / 8;

  memcpy (&half, &narrow, sizeof half);
  if (bitpix == -32)
    bits = half;
  else if (bitpix == -64)
    memcpy (&bits, &value, sizeof bits);
  for (int i = n - 1; i >= 0; i--)
    g_byte_array_append (file, (const guint8[]) { bits >> 8 * i & 0xff }, 1);
}

/* A file with the given raw pixels, [HEIGHT][WIDTH], first row at the bottom. */
static GBytes *
new_fits (const Variant *variant, const double *pixels)
{
  GByteArray *file = g_byte_array_new ();
  g_autofree char *header = NULL;

  header = g_strdup_printf ("%s\nBITPIX  = %20d / bits\nNAXIS   =  2\nNAXIS1  = %20d\n"
                            "NAXIS2  = %20d%s\nEND",
                            variant->in_extension ? "XTENSION= 'IMAGE   '           / it's one"
                                                  : "SIMPLE  =                    T / a / b",
                            variant->bitpix, WIDTH, HEIGHT, variant->cards);
  if (variant->in_extension)
    {
      put_header (file, "SIMPLE  = T\nBITPIX  = 8\nNAXIS   = 0\nEND");
      put_header (file,
                  "XTENSION= 'BINTABLE'\nBITPIX  = 8\nNAXIS   = 2\nNAXIS1  = 10\nNAXIS2  = 4\n"
                  "PCOUNT  = 3000\n"
                  "GCOUNT  = 1\nEND");
      for (int i = 0; i < 2 * 2880; i++)
        g_byte_array_append (file, (const guint8 *) "x", 1);
    }
  put_header (file, header);
  for (int i = 0; i < N_PIXELS; i++)
    put_pixel (file, variant->bitpix, pixels[i]);
  put_block (file, 0);
  return g_byte_array_free_to_bytes (file);
}

static GBytes *
new_sample (const Variant *variant)
{
  double pixels[N_PIXELS];

  for (int i = 0; i < N_PIXELS; i++)
    pixels[i] = get_value (variant, i / WIDTH, i % WIDTH) - variant->zero;
  return new_fits (variant, pixels);
}

static const Variant variants[] = {
  { 8, "", 0.0, 255.0, FALSE },
  { 8, "\nBZERO   = -128", -128.0, 127.0, FALSE },
  { 16, "", 0.0, 32767.0, FALSE },
  { 16, "\nBZERO   =                32768\nBSCALE  =  1.0D0 / D", 32768.0, 65535.0, FALSE },
  { 32, "", 0.0, 2147483647.0, TRUE },
  { -32, "\nPCOUNT  =                    0 / No 'random' parameters", 0.0, 1.0, TRUE },
  { 64, "", 0.0, 9223372036854775807.0, FALSE },
  { -32, "", 0.0, 1.0, TRUE },
  { -64, "\nCOMMENT BZERO   = 7", 0.0, 1.0, FALSE },
};

/* Pixels of a file that was written by cfitsio. */
static void
check_foreign (const char *name, double unit)
{
  g_autofree char *path = g_build_filename (g_getenv ("PRISM_TEST_DATA"), name, NULL);
  g_autoptr (GBytes) file = load_file (path);
  double expected[N_PIXELS];

  for (int k = 0; k < N_PIXELS; k++)
    expected[k] = (((HEIGHT - 1 - k / WIDTH) * 31 + k % WIDTH * 7) & 0x7f) * unit;
  check_pixels (file, HEIGHT, WIDTH, expected, 1e-6);
}

TEST (foreign_files, "/engine/image-fits/foreign-files")
{
  g_autofree char *path = g_build_filename (g_getenv ("PRISM_TEST_DATA"), "compressed.fits", NULL);
  g_autoptr (GBytes) compressed = load_file (path);
  g_autoptr (GBytes) cut
      = g_bytes_new_from_bytes (compressed, 0, g_bytes_get_size (compressed) - 2881);

  check_foreign ("ushort.fits", 1.0 / 65535.0);
  check_foreign ("extension.fits", 0.01);
  check_foreign ("compressed.fits", 1.0 / 65535.0);
  check_error (cut, "unpack it with funpack");
}

/* As archives send it; by both packers, one around the other. */
TEST (packed, "/engine/image-fits/packed")
{
  const Variant *variant = &variants[0];
  g_autoptr (GBytes) file = new_sample (variant);
  g_autoptr (GZlibCompressor) zip = g_zlib_compressor_new (G_ZLIB_COMPRESSOR_FORMAT_GZIP, 6);
  guint8 packed[1 << 16];
  double expected[N_PIXELS];
  gsize n_read, n = 0;

  g_assert_cmpint (g_converter_convert (G_CONVERTER (zip), g_bytes_get_data (file, NULL),
                                        g_bytes_get_size (file), packed, sizeof packed,
                                        G_CONVERTER_INPUT_AT_END, &n_read, &n, NULL),
                   ==, G_CONVERTER_FINISHED);
  for (int i = 0; i < N_PIXELS; i++)
    expected[i] = get_value (variant, HEIGHT - 1 - i / WIDTH, i % WIDTH) / variant->full;
  g_autoptr (GBytes) whole = g_bytes_new (packed, n), cut = g_bytes_new (packed, n - 9);
  check_pixels (whole, HEIGHT, WIDTH, expected, 1e-6);
  check_error (cut, "gunzip");
  {
    char twice[1 << 16];
    guint length = sizeof twice;

    g_assert_cmpint (
        BZ2_bzBuffToBuffCompress (twice, &length, (char *) packed, (guint) n, 9, 0, 0), ==, BZ_OK);
    g_autoptr (GBytes) both = g_bytes_new (twice, length), half = g_bytes_new (twice, length / 2);
    g_autofree guint8 *members = g_malloc (2 * n);
    check_pixels (both, HEIGHT, WIDTH, expected, 1e-6);
    check_error (half, "bunzip2");
    /* A second member belongs to it, here one more image behind the first. */
    memcpy (members, packed, n);
    memcpy (members + n, packed, n);
    g_autoptr (GBytes) two = g_bytes_new (members, 2 * n);
    check_pixels (two, HEIGHT, WIDTH, expected, 1e-6);
  }
}

TEST (values, "/engine/image-fits/values")
{
  for (gsize i = 0; i < G_N_ELEMENTS (variants); i++)
    {
      double expected[N_PIXELS];
      g_autoptr (GBytes) file = new_sample (&variants[i]);

      for (int k = 0; k < N_PIXELS; k++)
        expected[k] = get_value (&variants[i], HEIGHT - 1 - k / WIDTH,
                                 k % WIDTH)
                      / variants[i].full;
      check_pixels (file, HEIGHT, WIDTH, expected, 1e-6);
    }
}

/* Scale and offset of the header apply; a blank becomes the smallest value. */
TEST (scale_and_blank, "/engine/image-fits/scale-and-blank")
{
  const Variant variant = { 16, "\nBSCALE  = 0.5\nBZERO   = 1.0E1\nBLANK   = -7", 10.0, 1.0,
                            FALSE };
  double pixels[N_PIXELS], expected[N_PIXELS];

  for (int i = 0; i < N_PIXELS; i++)
    {
      int from_top = (HEIGHT - 1 - i / WIDTH) * WIDTH + i % WIDTH;
      pixels[i] = i == 40 ? -7 : 2 + i % 50;
      expected[from_top] = i == 40 ? 11.0 : 10.0 + 0.5 * pixels[i];
    }
  g_autoptr (GBytes) file = new_fits (&variant, pixels);
  check_pixels (file, HEIGHT, WIDTH, expected, 1e-6);
  check_notice (file, "1 of 273 pixels is not a number; it was taken as the darkest value.");
}

TEST (infinite, "/engine/image-fits/infinite")
{
  const Variant variant = { -64, "", 0.0, 1.0, FALSE };
  double pixels[N_PIXELS];

  for (int i = 0; i < N_PIXELS; i++)
    pixels[i] = i;
  pixels[3] = INFINITY;
  pixels[4] = -INFINITY;
  g_autoptr (GBytes) some = new_fits (&variant, pixels);
  check_notice (some, "2 of 273 pixels are infinite; they were taken as the brightest or the "
                      "darkest value.");
  pixels[5] = -1e200;
  g_autoptr (GBytes) large = new_fits (&variant, pixels);
  check_error (large, "values beyond ±1e+37");
}

/* Programs of cameras write the row on top first and say so. */
TEST (row_order, "/engine/image-fits/row-order")
{
  static const char *const cards[] = { "\nROWORDER= 'TOP-DOWN'           / Order of the rows",
                                       "\nROWORDER= 'BOTTOM-UP'", "" };

  for (gsize k = 0; k < G_N_ELEMENTS (cards); k++)
    {
      const Variant variant = { -64, cards[k], 0.0, 1.0, FALSE };
      double pixels[N_PIXELS], expected[N_PIXELS];

      for (int i = 0; i < N_PIXELS; i++)
        {
          int row = k == 0 ? i / WIDTH : HEIGHT - 1 - i / WIDTH;

          pixels[i] = i;
          expected[row * WIDTH + i % WIDTH] = i;
        }
      g_autoptr (GBytes) file = new_fits (&variant, pixels);
      check_pixels (file, HEIGHT, WIDTH, expected, 1e-6);
      check_notice (file, NULL);
    }
}

/* One of a million makes all others black, one of minus a million white. */
TEST (lone_pixel, "/engine/image-fits/lone-pixel")
{
  const Variant variant = { -64, "", 0.0, 1.0, FALSE };
  double pixels[N_PIXELS];

  for (int sign = -1; sign <= 1; sign += 2)
    {
      for (int i = 0; i < N_PIXELS; i++)
        pixels[i] = i / 100.0;
      pixels[WIDTH + 4] = sign * 1e6;
      g_autoptr (GBytes) one = new_fits (&variant, pixels);
      check_notice (one, "One pixel, in column 5, row 12, takes 100 % of the range of values alone,"
                         " and all others share the rest: where it is wrong, mend it in the file.");
      pixels[WIDTH + 5] = sign * 0.9e6;
      g_autoptr (GBytes) two = new_fits (&variant, pixels);
      check_notice (two, NULL);
    }
  /* One point on a ground that is the same everywhere is a picture. */
  for (int i = 0; i < N_PIXELS; i++)
    pixels[i] = i == WIDTH + 4 ? 1.0 : 0.0;
  g_autoptr (GBytes) point = new_fits (&variant, pixels);
  check_notice (point, NULL);
}

TEST (oblong_pixels, "/engine/image-fits/oblong-pixels")
{
  const Variant oblong = { -64, "\nCDELT1  = -0.001\nCDELT2  = 0.002", 0.0, 1.0, FALSE };
  const Variant square = { -64, "\nCDELT1  = -1.0E-3\nCDELT2  = 1.0001D-3", 0.0, 1.0, FALSE };
  g_autoptr (GBytes) first = new_sample (&oblong), second = new_sample (&square);

  check_notice (first, "Its pixels are 2 times as high as wide; they were taken as squares.");
  check_notice (second, NULL);
}

/* A cube of three planes, behind which another image follows, and something that is none. */
TEST (planes_and_images, "/engine/image-fits/planes-and-images")
{
  static const char cube[] = "SIMPLE  = T\nBITPIX  = 8\nNAXIS   = 4\nNAXIS1  = 2\nNAXIS2  = 2\n"
                             "NAXIS3  = 3\nNAXIS4  = 1\nEND";
  static const char second[] = "XTENSION= 'IMAGE   '\nBITPIX  = 8\nNAXIS   = 2\nNAXIS1  = 2\n"
                               "NAXIS2  = 1\nEND";
  GByteArray *file = g_byte_array_new ();

  put_header (file, cube);
  g_byte_array_append (file, (const guint8 *) "abcdefghijkl", 12);
  put_block (file, '\0');
  g_autoptr (GBytes) alone = g_bytes_new (file->data, file->len);
  check_notice (alone, "Plane 1 of 3 was taken.");
  put_header (file, second);
  g_byte_array_append (file, (const guint8 *) "ab", 2);
  put_block (file, '\0');
  g_byte_array_append (file, (const guint8 *) "rubbish", 7);
  g_autoptr (GBytes) bytes = g_byte_array_free_to_bytes (file);
  check_notice (bytes, "Plane 1 of 3 was taken. Image 1 of 2 was taken.");
}

/* A part with an axis of no length has no pixels, and the header after it is none. */
TEST (empty_axis, "/engine/image-fits/empty-axis")
{
  static const char empty[] = "SIMPLE  = T\nBITPIX  = 8\nNAXIS   = 3\nNAXIS1  = 2\nNAXIS2  = 2\n"
                              "NAXIS3  = 0\nEND";
  static const char second[] = "XTENSION= 'IMAGE   '\nBITPIX  = 8\nNAXIS   = 2\nNAXIS1  = 2\n"
                               "NAXIS2  = 1\nEND";
  static const double expected[] = { 51 / 255.0, 102 / 255.0 };
  GByteArray *file = g_byte_array_new ();

  put_header (file, empty);
  put_header (file, second);
  g_byte_array_append (file, (const guint8[]) { 51, 102 }, 2);
  put_block (file, '\0');
  g_autoptr (GBytes) bytes = g_byte_array_free_to_bytes (file);
  check_pixels (bytes, 1, 2, expected, 1e-7);
}

/* Small unsigned numbers are stored far from 0. */
TEST (unsigned_64, "/engine/image-fits/unsigned-64")
{
  static const char cards[] = "SIMPLE  = T\nBITPIX  = 64\nNAXIS   = 2\nNAXIS1  = 2\nNAXIS2  = 1\n"
                              "BZERO   = 9223372036854775808\nEND";
  const guint8 pixels[] = { 0x80, 0, 0, 0, 0, 0, 0, 1, 0x80, 0, 0, 0, 0, 0, 0, 3 };
  GByteArray *file = g_byte_array_new ();

  put_header (file, cards);
  g_byte_array_append (file, pixels, sizeof pixels);
  put_block (file, '\0');
  g_autoptr (GBytes) bytes = g_byte_array_free_to_bytes (file);
  g_autoptr (PrismImage) image = MUST (prism_image_load_bytes (bytes, "sample", &error));
  g_assert_cmpfloat (image->pixels[0], >, 0.0f);
  g_assert_cmpfloat (image->pixels[1], ==, 3.0f * image->pixels[0]);
}

TEST (not_a_number, "/engine/image-fits/not-a-number")
{
  const Variant variant = { -32, "", 0.0, 1.0, FALSE };
  double pixels[N_PIXELS], expected[N_PIXELS];

  for (int i = 0; i < N_PIXELS; i++)
    {
      int from_top = (HEIGHT - 1 - i / WIDTH) * WIDTH + i % WIDTH;
      pixels[i] = i % 10 == 3 ? NAN : -5.0 + i % 10;
      expected[from_top] = i % 10 == 3 ? -5.0 : -5.0 + i % 10;
    }
  g_autoptr (GBytes) some = new_fits (&variant, pixels);
  check_pixels (some, HEIGHT, WIDTH, expected, 1e-6);
  check_notice (some, "27 of 273 pixels are not numbers; they were taken as the darkest value.");
  for (int i = 0; i < N_PIXELS; i++)
    pixels[i] = NAN;
  g_autoptr (GBytes) all = new_fits (&variant, pixels);
  check_error (all, "not one of its pixels is a number");
}

/* A unit is padded to 2880 bytes. */
TEST (hostile, "/engine/image-fits/hostile")
{
  for (gsize i = 0; i < G_N_ELEMENTS (variants); i++)
    {
      g_autoptr (GBytes) file = new_sample (&variants[i]);
      check_hostile (file, 2879, g_test_thorough () ? 20000 : 300);
    }
}

TEST (bad_headers, "/engine/image-fits/bad-headers")
{
  static const char *const cases[][2] = {
    { "BITPIX  = 8\nNAXIS   = 2\nNAXIS1  = 100000\nNAXIS2  = 100000\nEND",
      "100000 × 100000 pixels; at most 16384 × 16384" },
    { "BITPIX  = 8\nNAXIS   = 0\nEND", "no image of two or more dimensions" },
    { "BITPIX  = 8\nNAXIS   = 1\nNAXIS1  = 10\nEND", "no image of two or more dimensions" },
    { "BITPIX  = -8\nNAXIS   = 2\nNAXIS1  = 10\nNAXIS2  = 10\nEND", "no valid header" },
    { "BITPIX  = 8\nNAXIS   = 2\nNAXIS1  = -10\nNAXIS2  = 10\nEND", "no valid header" },
    { "BITPIX  = 8\nNAXIS   = 2\nNAXIS1  = 1\nNAXIS2  = 1\nBSCALE  = NaN\nEND",
      "no valid header" },
    { "BITPIX  = -64\nNAXIS   = 2\nNAXIS1  = 10000\nNAXIS2  = 10000\nEND",
      "ends before its pixels do" },
    { "BITPIX  = 8\nNAXIS   = 1\nNAXIS1  = 9223372036854775807\n"
      "GCOUNT  = 9223372036854775807\nEND",
      "no image" },
    { "nonsense", "no valid header" },
  };
  g_autofree char *path = g_strdup_printf ("%s/prism-stderr-%d", g_get_tmp_dir (), (int) getpid ());
  int saved = begin_silence (path);

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *cards = g_strconcat ("SIMPLE  = T\n", cases[i][0], NULL);
      GByteArray *file = g_byte_array_new ();

      put_header (file, cards);
      g_autoptr (GBytes) bytes = g_byte_array_free_to_bytes (file);
      check_error (bytes, cases[i][1]);
    }
  end_silence (path, saved);
}
