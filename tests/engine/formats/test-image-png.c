#include "test-image-common.h"
#include "prism-test.h"

#include <png.h>

#define WIDTH 11
#define HEIGHT 9

typedef struct
{
  int color_type, depth;
  gboolean interlaced;
} Variant;

static guint
get_sample (int y, int x, int channel, int depth)
{
  guint32 hash = (y * 7919u + x * 104729u + channel * 1299709u + 12345u) * 2654435761u;

  return hash >> (32 - depth);
}

static void
put_row (guint8 *row, const Variant *variant, int y)
{
  int n = variant->color_type == PNG_COLOR_TYPE_RGBA         ? 4
          : variant->color_type == PNG_COLOR_TYPE_RGB        ? 3
          : variant->color_type == PNG_COLOR_TYPE_GRAY_ALPHA ? 2
                                                             : 1;

  memset (row, 0, WIDTH * 8);
  for (int x = 0; x < WIDTH; x++)
    for (int c = 0; c < n; c++)
      {
        guint v = get_sample (y, x, c, variant->depth);
        int i = x * n + c;
        if (variant->depth == 16)
          {
            row[2 * i] = v >> 8;
            row[2 * i + 1] = v & 0xff;
          }
        else
          row[i * variant->depth / 8] |= v << (8 - variant->depth - i * variant->depth % 8);
      }
}

static void
on_write (png_structp png, png_bytep bytes, png_size_t length)
{
  g_byte_array_append (png_get_io_ptr (png), bytes, length);
}

static void
on_flush (png_structp png)
{
}

/* Palette: entry i is (i, 2i, 255-i) and transparent as i where it is below 128. */
static void
set_palette (png_structp png, png_infop info, int depth)
{
  png_color colors[256];
  guint8 alpha[128];
  int n = 1 << depth;

  for (int i = 0; i < n; i++)
    colors[i] = (png_color) { i, (2 * i) & 0xff, 255 - i };
  for (int i = 0; i < 128; i++)
    alpha[i] = i;
  png_set_PLTE (png, info, colors, n);
  png_set_tRNS (png, info, alpha, MIN (n, 128), NULL);
}

static GBytes *
new_png (const Variant *variant)
{
  GByteArray *file = g_byte_array_new ();
  png_structp png = png_create_write_struct (PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
  png_infop info = png_create_info_struct (png);

  png_set_write_fn (png, file, on_write, on_flush);
  png_set_IHDR (png, info, WIDTH, HEIGHT, variant->depth, variant->color_type,
                variant->interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE,
                PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  if (variant->color_type == PNG_COLOR_TYPE_PALETTE)
    set_palette (png, info, variant->depth);
  png_write_info (png, info);
  int n_passes = png_set_interlace_handling (png);
  for (int pass = 0; pass < n_passes; pass++)
    for (int y = 0; y < HEIGHT; y++)
      {
        guint8 row[WIDTH * 8];
        put_row (row, variant, y);
        png_write_row (png, row);
      }
  png_write_end (png, info);
  png_destroy_write_struct (&png, &info);
  return g_byte_array_free_to_bytes (file);
}

static double
get_expected (const Variant *variant, int y, int x)
{
  double full = (1 << variant->depth) - 1, v[4];

  for (int c = 0; c < 4; c++)
    v[c] = get_sample (y, x, c, variant->depth) / full;
  switch (variant->color_type)
    {
    case PNG_COLOR_TYPE_PALETTE:
      {
        int i = get_sample (y, x, 0, variant->depth);
        return (0.299 * i + 0.587 * ((2 * i) & 0xff) + 0.114 * (255 - i)) / 255.0
               * (i < 128 ? i / 255.0 : 1.0);
      }
    case PNG_COLOR_TYPE_GRAY:
      return v[0];
    case PNG_COLOR_TYPE_GRAY_ALPHA:
      return v[0] * v[1];
    case PNG_COLOR_TYPE_RGB:
      return 0.299 * v[0] + 0.587 * v[1] + 0.114 * v[2];
    default:
      return (0.299 * v[0] + 0.587 * v[1] + 0.114 * v[2]) * v[3];
    }
}

static const Variant variants[] = {
  { PNG_COLOR_TYPE_GRAY, 1 },
  { PNG_COLOR_TYPE_GRAY, 2 },
  { PNG_COLOR_TYPE_GRAY, 4 },
  { PNG_COLOR_TYPE_GRAY, 8 },
  { PNG_COLOR_TYPE_GRAY, 16 },
  { PNG_COLOR_TYPE_GRAY_ALPHA, 8 },
  { PNG_COLOR_TYPE_GRAY_ALPHA, 16 },
  { PNG_COLOR_TYPE_RGB, 8 },
  { PNG_COLOR_TYPE_RGB, 16 },
  { PNG_COLOR_TYPE_RGBA, 8 },
  { PNG_COLOR_TYPE_RGBA, 16 },
  { PNG_COLOR_TYPE_PALETTE, 1 },
  { PNG_COLOR_TYPE_PALETTE, 2 },
  { PNG_COLOR_TYPE_PALETTE, 4 },
  { PNG_COLOR_TYPE_PALETTE, 8 },
};

TEST (values, "/engine/image-png/values")
{
  for (gsize i = 0; i < 2 * G_N_ELEMENTS (variants); i++)
    {
      Variant variant = variants[i / 2];
      double expected[HEIGHT * WIDTH];

      variant.interlaced = i % 2;
      for (int k = 0; k < HEIGHT * WIDTH; k++)
        expected[k] = get_expected (&variant, k / WIDTH, k % WIDTH);
      g_autoptr (GBytes) file = new_png (&variant);
      check_pixels (file, HEIGHT, WIDTH, expected, 1e-6);
    }
}

/* The last chunk, and the checksums before it, may be missing. */
TEST (hostile, "/engine/image-png/hostile")
{
  for (gsize i = 0; i < 2 * G_N_ELEMENTS (variants); i++)
    {
      Variant variant = variants[i / 2];

      variant.interlaced = i % 2;
      g_autoptr (GBytes) file = new_png (&variant);
      check_hostile (file, 12 + 4 + 4, g_test_thorough () ? 20000 : 300);
    }
}

static guint32
compute_crc (const guint8 *bytes, gsize length)
{
  guint32 crc = 0xffffffff;

  for (gsize i = 0; i < length; i++)
    {
      crc ^= bytes[i];
      for (int k = 0; k < 8; k++)
        crc = crc & 1 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
    }
  return ~crc;
}

/* A good file that claims another size, with a right checksum. */
static GBytes *
new_liar (guint32 height, guint32 width)
{
  Variant variant = { PNG_COLOR_TYPE_GRAY, 8, FALSE };
  g_autoptr (GBytes) good = new_png (&variant);
  gsize size;
  guint8 *data = g_bytes_unref_to_data (g_steal_pointer (&good), &size);

  png_save_uint_32 (data + 16, width);
  png_save_uint_32 (data + 20, height);
  png_save_uint_32 (data + 29, compute_crc (data + 12, 17));
  return g_bytes_new_take (data, size);
}

/* A good file with a chunk behind the header, whose checksum is put at its end. */
static GBytes *
new_with_chunk (GBytes *still, guint8 *chunk, gsize length)
{
  GByteArray *file = g_byte_array_new ();
  gsize size;
  const guint8 *data = g_bytes_get_data (still, &size);

  png_save_uint_32 (chunk + length - 4, compute_crc (chunk + 4, length - 8));
  g_byte_array_append (file, data, 33);
  g_byte_array_append (file, chunk, (guint) length);
  g_byte_array_append (file, data + 33, (guint) size - 33);
  return g_byte_array_free_to_bytes (file);
}

/* The chunk of an animation. */
TEST (animation, "/engine/image-png/animation")
{
  const Variant variant = { PNG_COLOR_TYPE_GRAY, 8, FALSE };
  guint8 chunk[20] = { 0, 0, 0, 8, 'a', 'c', 'T', 'L', 0, 0, 0, 7 };
  g_autoptr (GBytes) still = new_png (&variant);
  g_autoptr (GBytes) moving = new_with_chunk (still, chunk, sizeof chunk);

  check_notice (still, NULL);
  check_notice (moving, "Frame 1 of 7 was taken.");
}

/* Exif of one entry, an orientation of 6: the first column is the upper row, from its end. */
TEST (orientation, "/engine/image-png/orientation")
{
  const Variant variant = { PNG_COLOR_TYPE_GRAY, 8, FALSE };
  guint8 chunk[38] = { 0, 0, 0, 26, 'e', 'X', 'I', 'f', 'M', 'M', 0, 42, 0, 0, 0, 8, 0,
                       1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, 6 };
  g_autoptr (GBytes) still = new_png (&variant);
  g_autoptr (GBytes) turned = new_with_chunk (still, chunk, sizeof chunk);
  g_autoptr (PrismImage) image = prism_image_load_bytes (still, "sample", NULL);
  double expected[WIDTH * HEIGHT];

  for (int y = 0; y < WIDTH; y++)
    for (int x = 0; x < HEIGHT; x++)
      expected[y * HEIGHT + x] = image->pixels[(HEIGHT - 1 - x) * WIDTH + y];
  check_pixels (turned, WIDTH, HEIGHT, expected, 1e-6);
}

TEST (sizes, "/engine/image-png/sizes")
{
  static const struct
  {
    guint32 height, width;
    const char *error;
  } cases[] = { { 100000, 100000, "100000 × 100000 pixels; at most 16384 × 16384" },
                { 1, 16385, "16385 × 1 pixels" },
                { 16384, 16384, "more pixels than its bytes can hold" },
                { 0, 5, "no pixels" } };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GBytes) liar = new_liar (cases[i].height, cases[i].width);

      check_error (liar, cases[i].error);
    }
}
