#include "config.h"

#include "formats/prism-image-private.h"

#include "base/prism-arena.h"
#include "base/prism-file.h"

#include <math.h>
#include <png.h>
#include <setjmp.h>
#include <string.h>

/* Deflate cannot expand by more than 1032. */
#define MAX_EXPANSION 1032

#define HEADER_BYTES 24

/* Everything that a longjmp() must not lose. */
typedef struct
{
  const PrismImageSource *source;
  gsize position; /* in source */
  png_structp png;
  png_infop info;
  guint8 *rows; /* one row, or all of them when interlaced */
  PrismImage *image;
  GError **error;
  char detail[128]; /* what libpng says */
  guint32 n_frames; /* of an animation */
} PngReader;

static void
on_read_error (png_structp png,
               png_const_charp message)
{
  PngReader *reader = png_get_error_ptr (png);

  g_strlcpy (reader->detail, message, sizeof reader->detail);
  png_longjmp (png, 1);
}

static void
on_warning (png_structp png,
            png_const_charp message)
{
}

static void
on_read (png_structp png,
         png_bytep bytes,
         png_size_t length)
{
  PngReader *reader = png_get_io_ptr (png);

  if (length > reader->source->size - reader->position)
    png_error (png, "the file ends too early");
  memcpy (bytes, reader->source->data + reader->position, length);
  reader->position += length;
}

/* One row as 8 or 16 bit grey, grey and alpha, RGB or RGBA. */
static void
convert_row (const PrismImageSource *source,
             float *pixels,
             const guint8 *row,
             int width,
             int n_channels,
             int bits)
{
  double scale = bits == 16 ? 1.0 / 65535.0 : 1.0 / 255.0;

  for (int x = 0; x < width; x++)
    {
      double v[4] = { 0.0 };
      for (int c = 0; c < n_channels; c++)
        {
          gsize i = (gsize) x * n_channels + c;
          v[c] = scale * (bits == 16 ? row[2 * i] << 8 | row[2 * i + 1] : row[i]);
        }
      pixels[x] = n_channels < 3 ? (float) v[0] : prism_image_mix (source, v[0], v[1], v[2]);
      if (n_channels == 2 || n_channels == 4)
        pixels[x] *= (float) v[n_channels - 1];
    }
}

static gboolean
is_possible (PngReader *reader)
{
  png_uint_32 height = png_get_image_height (reader->png, reader->info);
  gsize row_bytes = png_get_rowbytes (reader->png, reader->info);

  return (guint64) row_bytes * height / MAX_EXPANSION <= reader->source->size;
}

/* All variants of PNG become rows of 8 or 16 bits with 1 to 4 channels. */
static void
set_transformations (PngReader *reader)
{
  png_set_expand (reader->png);
  png_read_update_info (reader->png, reader->info);
}

static void
read_rows (PngReader *reader,
           int n_passes)
{
  png_structp png = reader->png;
  gsize row_bytes = png_get_rowbytes (png, reader->info);
  int n_channels = png_get_channels (png, reader->info);
  int bits = png_get_bit_depth (png, reader->info);
  PrismImage *image = reader->image;

  for (int pass = 0; pass < n_passes; pass++)
    for (int y = 0; y < image->height; y++)
      {
        guint8 *row = reader->rows + (n_passes > 1 ? y * row_bytes : 0);
        png_read_row (png, row, NULL);
        if (pass == n_passes - 1)
          convert_row (reader->source, image->pixels + (gsize) y * image->width, row,
                       image->width, n_channels, bits);
      }
}

static gboolean
decode (PngReader *reader)
{
  png_structp png = reader->png;
  int n_passes;
  gsize row_bytes;

  png_set_read_fn (png, reader, on_read);
  png_set_user_limits (png, PRISM_IMAGE_MAX_SIDE, PRISM_IMAGE_MAX_SIDE);
  png_read_info (png, reader->info);
  if (!is_possible (reader))
    png_error (png, "more pixels than its bytes can hold");

  n_passes = png_set_interlace_handling (png);
  set_transformations (reader);
  reader->image = prism_image_new ((int) png_get_image_height (png, reader->info),
                                   (int) png_get_image_width (png, reader->info), reader->error);
  if (reader->image == NULL)
    return FALSE;

  row_bytes = png_get_rowbytes (png, reader->info);
  if (n_passes > 1)
    row_bytes *= reader->image->height;
  reader->rows = prism_arena_new_array (row_bytes, "a PNG image", reader->error);
  if (reader->rows == NULL)
    return FALSE;

  read_rows (reader, n_passes);
  reader->image->origin.n_frames = reader->n_frames;
  return TRUE;
}

/* The only frame that libpng jumps back to. */
static gboolean
try_decode (PngReader *reader)
{
  if (setjmp (png_jmpbuf (reader->png)) != 0)
    {
      prism_image_set_damage (reader->error, reader->source, reader->detail);
      return FALSE;
    }
  return decode (reader);
}

/* The bytes of a chunk before the one that ends the search; %NULL where there is none. */
static const guint8 *
find_chunk (const PrismImageSource *source,
            const char *name,
            const char *end,
            guint32 *length)
{
  gsize at = 8;

  while (source->size - at >= 12 && memcmp (source->data + at + 4, end, 4) != 0)
    {
      *length = png_get_uint_32 (source->data + at);
      if (*length > source->size - at - 12)
        break;
      if (memcmp (source->data + at + 4, name, 4) == 0)
        return source->data + at + 8;
      at += 12 + (gsize) *length;
    }
  return NULL;
}

/* Of an animation; 0 where there is none. */
static guint32
count_frames (const PrismImageSource *source)
{
  guint32 length;
  const guint8 *chunk = find_chunk (source, "acTL", "IDAT", &length);

  return chunk != NULL && length >= 4 ? png_get_uint_32 (chunk) : 0;
}

/* As Exif says it, which in a PNG begins with its order of bytes. */
static int
get_orientation (const PrismImageSource *source)
{
  guint32 length;
  const guint8 *chunk = find_chunk (source, "eXIf", "IEND", &length);
  g_autofree guint8 *exif = NULL;

  if (chunk == NULL || length < 8 || length > G_MAXUINT16)
    return 1;
  exif = g_malloc (length + 6);
  memcpy (exif, "Exif\0\0", 6);
  memcpy (exif + 6, chunk, length);
  return prism_image_get_exif_orientation (exif, length + 6);
}

/* libpng would report a forbidden size as damage; the header says it first. */
static gboolean
check_header (const PrismImageSource *source,
              GError **error)
{
  if (source->size < HEADER_BYTES || memcmp (source->data + 12, "IHDR", 4) != 0)
    {
      prism_image_set_damage (error, source, NULL);
      return FALSE;
    }
  return prism_image_check_size (source, png_get_uint_32 (source->data + 20),
                                 png_get_uint_32 (source->data + 16), error);
}

/**
 * prism_image_load_png:
 * @source: the file
 *
 * Decodes PNG: all colour types and depths, interlaced or not, transparency on black, turned as
 * Exif says; of an animation the image that viewers without animations show.
 *
 * Errors: PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the image
 */
PrismImage *
prism_image_load_png (const PrismImageSource *source,
                      GError **error)
{
  PngReader reader = { .source = source, .error = error };
  PrismImage *upright = NULL;
  gboolean ok = FALSE;

  if (!check_header (source, error))
    return NULL;

  reader.n_frames = count_frames (source);
  reader.png = png_create_read_struct (PNG_LIBPNG_VER_STRING, &reader, on_read_error, on_warning);
  if (reader.png != NULL)
    reader.info = png_create_info_struct (reader.png);
  if (reader.info != NULL)
    ok = try_decode (&reader);
  else
    prism_image_set_error (error, source, "libpng has no memory");

  png_destroy_read_struct (&reader.png, &reader.info, NULL);
  prism_arena_free_array (reader.rows);
  if (ok)
    upright = prism_image_dup_oriented (reader.image, get_orientation (source), error);
  if (upright != NULL)
    upright->origin = reader.image->origin;
  if (reader.image != NULL)
    prism_image_unref (reader.image);
  return upright;
}
