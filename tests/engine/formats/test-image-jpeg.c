#include "test-image-common.h"
#include "prism-test.h"

#include <jpeglib.h>

/* Flat blocks of 8 × 8 pixels survive the cosine transform to within a step of quantisation. */
#define BLOCK 8
#define WIDTH (5 * BLOCK)
#define HEIGHT (3 * BLOCK)

#define ORIENTATION_OFFSET 24

typedef struct
{
  J_COLOR_SPACE input, stored;
  int n_components;
  gboolean progressive;
  int orientation; /* 0: no Exif */
  int n_images;    /* 0: no index of pictures */
} Variant;

static guint8
get_sample (int y, int x, int component)
{
  return (37 * (y / BLOCK) + 61 * (x / BLOCK) + 89 * component + 20) & 0xff;
}

/* The index of a file of several pictures, in either order of bytes. */
static void
put_index (struct jpeg_compress_struct *jpeg, int n_images)
{
  const guint8 little[] = { 'M', 'P', 'F', 0, 'I', 'I', 42, 0, 8, 0, 0, 0, 2, 0,
                            0, 0xb0, 7, 0, 4, 0, 0, 0, '0', '1', '0', '0',
                            1, 0xb0, 4, 0, 1, 0, 0, 0, n_images, 0, 0, 0, 0, 0, 0, 0 };
  const guint8 big[] = { 'M', 'P', 'F', 0, 'M', 'M', 0, 42, 0, 0, 0, 8, 0, 1,
                         0xb0, 1, 0, 4, 0, 0, 0, 1, 0, 0, 0, n_images, 0, 0, 0, 0 };

  if (n_images > 0)
    jpeg_write_marker (jpeg, JPEG_APP0 + 2, n_images % 2 != 0 ? little : big,
                       n_images % 2 != 0 ? sizeof little : sizeof big);
}

static GBytes *
new_jpeg (const Variant *variant)
{
  struct jpeg_compress_struct jpeg;
  struct jpeg_error_mgr errors;
  unsigned char *file = NULL;
  unsigned long size = 0;

  jpeg.err = jpeg_std_error (&errors);
  jpeg_create_compress (&jpeg);
  jpeg_mem_dest (&jpeg, &file, &size);
  jpeg.image_width = WIDTH;
  jpeg.image_height = HEIGHT;
  jpeg.input_components = variant->n_components;
  jpeg.in_color_space = variant->input;
  jpeg_set_defaults (&jpeg);
  jpeg_set_colorspace (&jpeg, variant->stored);
  jpeg_set_quality (&jpeg, 100, TRUE);
  for (int c = 0; c < jpeg.num_components; c++)
    jpeg.comp_info[c].h_samp_factor = jpeg.comp_info[c].v_samp_factor = 1;
  if (variant->progressive)
    jpeg_simple_progression (&jpeg);
  jpeg_start_compress (&jpeg, TRUE);
  guint8 exif[] = { 'E', 'x', 'i', 'f', 0, 0, 'I', 'I', 42, 0, 8, 0, 0, 0, 1, 0,
                    0x12, 0x01, 3, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 };
  exif[ORIENTATION_OFFSET] = variant->orientation;
  if (variant->orientation > 0)
    jpeg_write_marker (&jpeg, JPEG_APP0 + 1, exif, sizeof exif);
  put_index (&jpeg, variant->n_images);
  for (int y = 0; y < HEIGHT; y++)
    {
      JSAMPLE row[WIDTH * 4];
      JSAMPROW rows[1] = { row };
      for (int i = 0; i < WIDTH * variant->n_components; i++)
        row[i] = get_sample (y, i / variant->n_components, i % variant->n_components);
      jpeg_write_scanlines (&jpeg, rows, 1);
    }
  jpeg_finish_compress (&jpeg);
  jpeg_destroy_compress (&jpeg);
  GBytes *bytes = g_bytes_new (file, size);
  free (file);
  return bytes;
}

static double
get_expected (const Variant *variant, int y, int x)
{
  double v[4];

  for (int c = 0; c < 4; c++)
    v[c] = get_sample (y, x, c) / 255.0;
  if (variant->n_components == 1)
    return v[0];
  if (variant->n_components == 3)
    return 0.299 * v[0] + 0.587 * v[1] + 0.114 * v[2];
  /* libjpeg writes the Adobe marker with CMYK: full is no ink. */
  return v[3] * (0.299 * v[0] + 0.587 * v[1] + 0.114 * v[2]);
}

static const Variant variants[] = {
  { JCS_GRAYSCALE, JCS_GRAYSCALE, 1, FALSE, 0 },
  { JCS_GRAYSCALE, JCS_GRAYSCALE, 1, TRUE, 0 },
  { JCS_RGB, JCS_YCbCr, 3, FALSE, 0 },
  { JCS_RGB, JCS_YCbCr, 3, TRUE, 0 },
  { JCS_RGB, JCS_RGB, 3, FALSE, 0 },
  { JCS_CMYK, JCS_CMYK, 4, FALSE, 0 },
  { JCS_CMYK, JCS_YCCK, 4, FALSE, 0 },
};

TEST (values, "/engine/image-jpeg/values")
{
  for (gsize i = 0; i < G_N_ELEMENTS (variants); i++)
    {
      double expected[HEIGHT * WIDTH];
      g_autoptr (GBytes) file = new_jpeg (&variants[i]);

      for (int k = 0; k < HEIGHT * WIDTH; k++)
        expected[k] = get_expected (&variants[i], k / WIDTH, k % WIDTH);
      check_pixels (file, HEIGHT, WIDTH, expected, 2.5 / 255.0);
    }
}

/* Where the stored pixel (y, x) lies in the upright image, by the table of TIFF 6.0. */
static gsize
get_upright_index (int orientation, int y, int x)
{
  const int bottom = HEIGHT - 1 - y, right = WIDTH - 1 - x;
  const int rows[9] = { y, y, y, bottom, bottom, x, x, right, right };
  const int columns[9] = { x, x, right, right, x, y, bottom, bottom, y };

  return (gsize) rows[orientation] * (orientation >= 5 ? HEIGHT : WIDTH) + columns[orientation];
}

TEST (orientation, "/engine/image-jpeg/orientation")
{
  for (int orientation = 1; orientation <= 9; orientation++)
    {
      Variant variant = { JCS_GRAYSCALE, JCS_GRAYSCALE, 1, FALSE, orientation };
      int known = orientation == 9 ? 1 : orientation;
      gboolean transposed = known >= 5;
      double expected[HEIGHT * WIDTH];
      g_autoptr (GBytes) file = new_jpeg (&variant);

      for (int k = 0; k < HEIGHT * WIDTH; k++)
        {
          gsize place = get_upright_index (known, k / WIDTH, k % WIDTH);
          expected[place] = get_sample (k / WIDTH, k % WIDTH, 0) / 255.0;
        }
      check_pixels (file, transposed ? WIDTH : HEIGHT, transposed ? HEIGHT : WIDTH, expected,
                    1.5 / 255.0);
    }
}

/* Cameras put several pictures into one file, and call it JPG. */
TEST (several, "/engine/image-jpeg/several")
{
  static const char *const notices[] = { NULL, NULL, "Image 1 of 2 was taken.",
                                         "Image 1 of 3 was taken." };

  for (int n = 0; n < (int) G_N_ELEMENTS (notices); n++)
    {
      const Variant variant = { JCS_GRAYSCALE, JCS_GRAYSCALE, 1, FALSE, 6, n };
      g_autoptr (GBytes) file = new_jpeg (&variant);

      check_notice (file, notices[n]);
    }
}

/* The last marker of two bytes, and bits that fill the last byte, may be missing. */
TEST (hostile, "/engine/image-jpeg/hostile")
{
  for (gsize i = 0; i < G_N_ELEMENTS (variants); i++)
    {
      Variant variant = variants[i];

      variant.orientation = 6;
      variant.n_images = 2 + (int) i;
      g_autoptr (GBytes) file = new_jpeg (&variant);
      check_hostile (file, 4, g_test_thorough () ? 20000 : 300);
    }
}

TEST (sizes, "/engine/image-jpeg/sizes")
{
  g_autoptr (GBytes) good = new_jpeg (&variants[0]);
  gsize size;
  guint8 *data = g_memdup2 (g_bytes_get_data (good, &size), g_bytes_get_size (good));
  guint8 *frame = memmem (data, size, "\xff\xc0", 2);

  g_assert_nonnull (frame);
  frame[5] = frame[7] = 0xff;
  g_autoptr (GBytes) huge = g_bytes_new_take (data, size);
  check_error (huge, "at most 16384 × 16384");
}
