#include "test-image-common.h"
#include "../support/test-remove-tree.h"
#include "prism-test.h"

#include <tiffio.h>

#define WIDTH 37
#define HEIGHT 23
#define TILE 16
#define ROWS_PER_STRIP 5

typedef struct
{
  int bits, format;
  int photometric, n_samples;
  int planar;
  gboolean tiled;
  int compression;
  gboolean alpha;   /* straight, the last sample */
  const char *mode; /* "wl" little-endian, "wb" big-endian, "w8" BigTIFF */
} Variant;

FILE_FIXTURE ("a.tiff")

/* 0…1 in steps that every kind of sample but the bilevel one holds exactly enough. */
static double
get_fraction (int y, int x, int sample)
{
  return ((y * 37 + x * 11 + sample * 101) & 0xff) / 255.0;
}

static double
get_full (const Variant *variant)
{
  if (variant->format == SAMPLEFORMAT_IEEEFP)
    return 1.0;
  return variant->format == SAMPLEFORMAT_INT ? ldexp (1.0, variant->bits - 1) - 1.0
                                             : ldexp (1.0, variant->bits) - 1.0;
}

static void
put_sample (guint8 *row, const Variant *variant, int i, double fraction)
{
  double value = floor (fraction * get_full (variant) + 0.5);
  guint64 bits = (guint64) value;
  float narrow = (float) fraction;

  if (variant->format == SAMPLEFORMAT_IEEEFP && variant->bits == 32)
    memcpy (row + 4 * i, &narrow, 4);
  else if (variant->format == SAMPLEFORMAT_IEEEFP)
    memcpy (row + 8 * i, &fraction, 8);
  else if (variant->bits % 8 != 0 && variant->bits > 8)
    for (int k = 0; k < variant->bits; k++)
      row[(i * variant->bits + k) / 8]
          |= (bits >> (variant->bits - 1 - k) & 1) << (7 - (i * variant->bits + k) % 8);
  else if (variant->bits < 8)
    row[i * variant->bits / 8] |= bits << (8 - variant->bits - i * variant->bits % 8);
  else
    memcpy (row + i * variant->bits / 8, &bits, variant->bits / 8);
}

static void
write_strips (TIFF *tiff, const Variant *variant)
{
  gboolean separate = variant->planar == PLANARCONFIG_SEPARATE;
  int n_planes = separate ? variant->n_samples : 1, n = separate ? 1 : variant->n_samples;

  for (int plane = 0; plane < n_planes; plane++)
    for (int y = 0; y < HEIGHT; y++)
      {
        guint8 row[WIDTH * 4 * 8] = { 0 };
        for (int i = 0; i < WIDTH * n; i++)
          put_sample (row, variant, i, get_fraction (y, i / n, i % n + plane));
        g_assert_cmpint (TIFFWriteScanline (tiff, row, y, plane), ==, 1);
      }
}

static void
write_tiles (TIFF *tiff, const Variant *variant)
{
  gboolean separate = variant->planar == PLANARCONFIG_SEPARATE;
  int n_planes = separate ? variant->n_samples : 1, n = separate ? 1 : variant->n_samples;

  TIFFSetField (tiff, TIFFTAG_TILEWIDTH, TILE);
  TIFFSetField (tiff, TIFFTAG_TILELENGTH, TILE);
  for (int plane = 0; plane < n_planes; plane++)
    for (int y0 = 0; y0 < HEIGHT; y0 += TILE)
      for (int x0 = 0; x0 < WIDTH; x0 += TILE)
        {
          guint8 tile[TILE * TILE * 4 * 8] = { 0 };
          for (int i = 0; i < TILE * TILE * n; i++)
            put_sample (tile, variant, i,
                        get_fraction (y0 + i / n / TILE, x0 + i / n % TILE, i % n + plane));
          g_assert_cmpint (TIFFWriteTile (tiff, tile, x0, y0, 0, plane), >, 0);
        }
}

/* Entry i is (i, 255-i, i/2) of 255. */
static void
set_palette (TIFF *tiff, int bits)
{
  guint16 colors[3][256];

  for (int i = 0; i < 1 << bits; i++)
    {
      colors[0][i] = i * 257;
      colors[1][i] = (255 - i) * 257;
      colors[2][i] = i / 2 * 257;
    }
  TIFFSetField (tiff, TIFFTAG_COLORMAP, colors[0], colors[1], colors[2]);
}

static GBytes *
new_tiff (const char *path, const Variant *variant)
{
  TIFF *tiff = TIFFOpen (path, variant->mode);
  const guint16 kind = EXTRASAMPLE_UNASSALPHA;

  g_assert_nonnull (tiff);
  TIFFSetField (tiff, TIFFTAG_IMAGEWIDTH, WIDTH);
  TIFFSetField (tiff, TIFFTAG_IMAGELENGTH, HEIGHT);
  TIFFSetField (tiff, TIFFTAG_BITSPERSAMPLE, variant->bits);
  TIFFSetField (tiff, TIFFTAG_SAMPLESPERPIXEL, variant->n_samples);
  TIFFSetField (tiff, TIFFTAG_SAMPLEFORMAT, variant->format);
  TIFFSetField (tiff, TIFFTAG_PHOTOMETRIC, variant->photometric);
  TIFFSetField (tiff, TIFFTAG_PLANARCONFIG, variant->planar);
  TIFFSetField (tiff, TIFFTAG_COMPRESSION, variant->compression);
  TIFFSetField (tiff, TIFFTAG_ORIENTATION, ORIENTATION_TOPLEFT);
  if (variant->alpha)
    TIFFSetField (tiff, TIFFTAG_EXTRASAMPLES, 1, &kind);
  if (variant->photometric == PHOTOMETRIC_PALETTE)
    set_palette (tiff, variant->bits);
  if (variant->tiled)
    write_tiles (tiff, variant);
  else
    {
      TIFFSetField (tiff, TIFFTAG_ROWSPERSTRIP, ROWS_PER_STRIP);
      write_strips (tiff, variant);
    }
  TIFFClose (tiff);
  return load_file (path);
}

static double
get_expected (const Variant *variant, int y, int x)
{
  double full = get_full (variant), v[4];

  for (int c = 0; c < 4; c++)
    {
      v[c] = get_fraction (y, x, c);
      if (variant->format != SAMPLEFORMAT_IEEEFP)
        v[c] = floor (v[c] * full + 0.5) / full;
    }
  if (variant->photometric == PHOTOMETRIC_PALETTE)
    {
      double i = v[0] * full;
      return (0.299 * i + 0.587 * (255 - i) + 0.114 * floor (i / 2)) / 255.0;
    }
  double value = v[0];
  if (variant->photometric == PHOTOMETRIC_RGB)
    value = 0.299 * v[0] + 0.587 * v[1] + 0.114 * v[2];
  if (variant->photometric == PHOTOMETRIC_MINISWHITE)
    value = 1.0 - value;
  return variant->alpha ? value * v[variant->n_samples - 1] : value;
}

#define GREY PHOTOMETRIC_MINISBLACK
#define WHITE PHOTOMETRIC_MINISWHITE
#define RGB PHOTOMETRIC_RGB
#define PALETTE PHOTOMETRIC_PALETTE
#define UINT SAMPLEFORMAT_UINT
#define INT SAMPLEFORMAT_INT
#define FLOAT SAMPLEFORMAT_IEEEFP
#define MIXED PLANARCONFIG_CONTIG
#define APART PLANARCONFIG_SEPARATE
#define PLAIN COMPRESSION_NONE
#define LZW COMPRESSION_LZW
#define ZIP COMPRESSION_ADOBE_DEFLATE
#define PACK COMPRESSION_PACKBITS

static const Variant variants[] = {
  { 1, UINT, GREY, 1, MIXED, FALSE, PLAIN, FALSE, "wl" },
  { 1, UINT, WHITE, 1, MIXED, FALSE, PACK, FALSE, "wl" },
  { 4, UINT, GREY, 1, MIXED, FALSE, PLAIN, FALSE, "wl" },
  { 8, UINT, GREY, 1, MIXED, FALSE, PLAIN, FALSE, "wl" },
  { 8, UINT, GREY, 1, MIXED, TRUE, LZW, FALSE, "wb" },
  { 8, UINT, WHITE, 1, MIXED, FALSE, PACK, FALSE, "wl" },
  { 8, INT, GREY, 1, MIXED, FALSE, PLAIN, FALSE, "wl" },
  { 8, UINT, GREY, 2, MIXED, FALSE, PLAIN, TRUE, "wl" },
  { 8, UINT, GREY, 2, APART, FALSE, PLAIN, TRUE, "wl" },
  { 8, UINT, RGB, 3, MIXED, FALSE, ZIP, FALSE, "wl" },
  { 8, UINT, RGB, 3, APART, FALSE, LZW, FALSE, "wb" },
  { 8, UINT, RGB, 4, MIXED, TRUE, PLAIN, TRUE, "wl" },
  { 8, UINT, RGB, 4, APART, TRUE, ZIP, TRUE, "w8" },
  { 8, UINT, PALETTE, 1, MIXED, FALSE, PLAIN, FALSE, "wl" },
  { 4, UINT, PALETTE, 1, MIXED, FALSE, PLAIN, FALSE, "wl" },
  { 12, UINT, GREY, 1, MIXED, FALSE, PLAIN, FALSE, "wl" },
  { 12, UINT, GREY, 1, MIXED, TRUE, LZW, FALSE, "wb" },
  { 10, UINT, WHITE, 1, MIXED, FALSE, ZIP, FALSE, "wb" },
  { 14, UINT, RGB, 3, MIXED, FALSE, PLAIN, FALSE, "wl" },
  { 16, UINT, GREY, 1, MIXED, FALSE, PLAIN, FALSE, "wb" },
  { 16, UINT, WHITE, 1, MIXED, TRUE, PLAIN, FALSE, "wl" },
  { 16, INT, GREY, 1, MIXED, FALSE, PLAIN, FALSE, "wb" },
  { 16, UINT, RGB, 3, MIXED, FALSE, LZW, FALSE, "wb" },
  { 16, UINT, RGB, 3, APART, TRUE, PLAIN, FALSE, "wl" },
  { 32, UINT, GREY, 1, MIXED, FALSE, ZIP, FALSE, "wl" },
  { 32, FLOAT, GREY, 1, MIXED, FALSE, PLAIN, FALSE, "wb" },
  { 32, FLOAT, RGB, 3, APART, FALSE, ZIP, FALSE, "wl" },
  { 64, FLOAT, GREY, 1, MIXED, TRUE, PLAIN, FALSE, "w8" },
};

TEST_FIXTURE (values, "/engine/image-tiff/values")
{
  for (gsize i = 0; i < G_N_ELEMENTS (variants); i++)
    {
      double expected[HEIGHT * WIDTH];
      g_autoptr (GBytes) file = new_tiff (self->path, &variants[i]);

      for (int k = 0; k < HEIGHT * WIDTH; k++)
        expected[k] = get_expected (&variants[i], k / WIDTH, k % WIDTH);
      check_pixels (file, HEIGHT, WIDTH, expected, 1e-6);
    }
}

/* libtiff writes the directory behind the pixels; without its end it may still be usable. */
TEST_FIXTURE (hostile, "/engine/image-tiff/hostile")
{
  for (gsize i = 0; i < G_N_ELEMENTS (variants); i++)
    {
      g_autoptr (GBytes) file = new_tiff (self->path, &variants[i]);
      check_hostile (file, 4096, g_test_thorough () ? 20000 : 300);
    }
}

static void
put_page (TIFF *tiff, int kind)
{
  guint8 row[WIDTH] = { 0 };

  row[kind] = 255;
  TIFFSetField (tiff, TIFFTAG_SUBFILETYPE, kind);
  TIFFSetField (tiff, TIFFTAG_IMAGEWIDTH, WIDTH);
  TIFFSetField (tiff, TIFFTAG_IMAGELENGTH, 1);
  TIFFSetField (tiff, TIFFTAG_BITSPERSAMPLE, 8);
  TIFFSetField (tiff, TIFFTAG_SAMPLESPERPIXEL, 1);
  TIFFSetField (tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
  g_assert_cmpint (TIFFWriteScanline (tiff, row, 0, 0), ==, 1);
  g_assert_cmpint (TIFFWriteDirectory (tiff), ==, 1);
}

/* A smaller copy and a mask are no pages. */
TEST_FIXTURE (pages, "/engine/image-tiff/pages")
{
  static const int kinds[] = { 0, FILETYPE_REDUCEDIMAGE, FILETYPE_PAGE, FILETYPE_MASK, 0 };

  for (gsize n = 1; n <= G_N_ELEMENTS (kinds); n++)
    {
      TIFF *tiff = TIFFOpen (self->path, "wl");

      for (gsize i = 0; i < n; i++)
        put_page (tiff, kinds[i]);
      TIFFClose (tiff);
      g_autoptr (GBytes) file = load_file (self->path);
      check_notice (file, n < 3 ? NULL : n < 5 ? "Page 1 of 2 was taken."
                                               : "Page 1 of 3 was taken.");
    }
}

/* Samples that have no place in a picture are told, an alpha is not among them. */
TEST_FIXTURE (channels, "/engine/image-tiff/channels")
{
  static const struct
  {
    Variant variant;
    const char *notice;
  } cases[] = {
    { { 8, UINT, GREY, 1, MIXED, FALSE, PLAIN, FALSE, "wl" }, NULL },
    { { 32, FLOAT, GREY, 2, MIXED, FALSE, PLAIN, FALSE, "wl" }, "Channel 1 of 2 was taken." },
    { { 16, UINT, GREY, 4, APART, TRUE, PLAIN, FALSE, "wb" }, "Channel 1 of 4 was taken." },
    { { 8, UINT, GREY, 2, MIXED, FALSE, PLAIN, TRUE, "wl" }, NULL },
    { { 8, UINT, RGB, 4, MIXED, FALSE, PLAIN, TRUE, "wl" }, NULL },
    { { 8, UINT, RGB, 4, MIXED, FALSE, PLAIN, FALSE, "wl" },
      "Channels 1 to 3 of 4 were taken as red, green and blue." },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GBytes) file = new_tiff (self->path, &cases[i].variant);

      check_notice (file, cases[i].notice);
    }
}

/* A volume of three planes, a tile for each: the first is read. */
TEST_FIXTURE (volume, "/engine/image-tiff/volume")
{
  TIFF *tiff = TIFFOpen (self->path, "wl");
  guint8 tile[TILE * TILE];
  double expected[TILE * TILE];

  TIFFSetField (tiff, TIFFTAG_IMAGEWIDTH, TILE);
  TIFFSetField (tiff, TIFFTAG_IMAGELENGTH, TILE);
  TIFFSetField (tiff, TIFFTAG_IMAGEDEPTH, 3);
  TIFFSetField (tiff, TIFFTAG_TILEWIDTH, TILE);
  TIFFSetField (tiff, TIFFTAG_TILELENGTH, TILE);
  TIFFSetField (tiff, TIFFTAG_TILEDEPTH, 1);
  TIFFSetField (tiff, TIFFTAG_BITSPERSAMPLE, 8);
  TIFFSetField (tiff, TIFFTAG_SAMPLESPERPIXEL, 1);
  TIFFSetField (tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
  for (int plane = 2; plane >= 0; plane--)
    {
      for (int i = 0; i < TILE * TILE; i++)
        {
          tile[i] = (guint8) (7 * i + plane);
          expected[i] = tile[i] / 255.0;
        }
      g_assert_cmpint (TIFFWriteEncodedTile (tiff, plane, tile, sizeof tile), ==, sizeof tile);
    }
  TIFFClose (tiff);
  g_autoptr (GBytes) file = load_file (self->path);
  check_pixels (file, TILE, TILE, expected, 1e-7);
  check_notice (file, "Plane 1 of 3 was taken.");
}

static void
put_entry (GByteArray *file, guint16 tag, guint16 type, guint32 value)
{
  const guint8 entry[12] = { tag & 0xff, tag >> 8, type, 0, 1, 0, 0, 0, value & 0xff,
                             value >> 8 & 0xff, value >> 16 & 0xff, value >> 24 };

  g_byte_array_append (file, entry, sizeof entry);
}

/* A little-endian file with nothing but a directory. */
static GBytes *
new_directory (guint32 width,
               guint32 height,
               guint16 bits,
               guint16 n_samples,
               guint32 rows_per_strip)
{
  GByteArray *file = g_byte_array_new ();

  g_byte_array_append (file, (const guint8 *) "II*\0\x08\0\0\0\x08\0", 10);
  put_entry (file, TIFFTAG_IMAGEWIDTH, 4, width);
  put_entry (file, TIFFTAG_IMAGELENGTH, 4, height);
  put_entry (file, TIFFTAG_BITSPERSAMPLE, 3, bits);
  put_entry (file, TIFFTAG_PHOTOMETRIC, 3, PHOTOMETRIC_MINISBLACK);
  put_entry (file, TIFFTAG_STRIPOFFSETS, 4, 8);
  put_entry (file, TIFFTAG_SAMPLESPERPIXEL, 3, n_samples);
  put_entry (file, TIFFTAG_ROWSPERSTRIP, 4, rows_per_strip);
  put_entry (file, TIFFTAG_STRIPBYTECOUNTS, 4, 0xffffffff);
  g_byte_array_append (file, (const guint8 *) "\0\0\0\0", 4);
  return g_byte_array_free_to_bytes (file);
}

TEST_FIXTURE (absurd_tags, "/engine/image-tiff/absurd-tags")
{
  g_autofree char *path = g_build_filename (self->directory, "stderr", NULL);
  static const struct
  {
    guint32 width, height;
    guint16 bits, n_samples;
    guint32 rows_per_strip;
    const char *error; /* (nullable) */
  } cases[] = {
    { 100000, 100000, 8, 1, 1, "100000 × 100000 pixels; at most 16384 × 16384" },
    { 0, 100, 8, 1, 1 },
    { 16384, 16384, 8, 65535, 0xffffffff },
    { 10, 10, 7, 1, 10 },
    { 10, 10, 0, 1, 0 },
    { 1000, 1000, 8, 1, 1000 },
  };
  int saved = begin_silence (path);

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GBytes) file
          = new_directory (cases[i].width, cases[i].height, cases[i].bits, cases[i].n_samples,
                           cases[i].rows_per_strip);

      check_error (file, cases[i].error);
    }
  end_silence (path, saved);
}
