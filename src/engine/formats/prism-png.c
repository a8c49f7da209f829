#include "config.h"

#include "formats/prism-rows-private.h"

#include "base/prism-arena.h"

#include <png.h>
#include <setjmp.h>

/* Deflate cannot expand by more than 1032. */
#define MAX_EXPANSION 1032

#define MAX_EXIF_BYTES G_MAXUINT16

/* Everything that a longjmp() must not lose. */
typedef struct
{
  PrismRows *rows;
  guint64 position; /* in the file */
  png_structp png;
  png_infop info;
  guint8 *bytes; /* one row, or all of them when interlaced */
  gsize row_bytes;
  gboolean is_interlaced;
  int n_channels;
  int bits;
  char detail[128]; /* what libpng says */
} PngState;

static void
on_error (png_structp png,
          png_const_charp message)
{
  PngState *self = png_get_error_ptr (png);

  g_strlcpy (self->detail, message, sizeof self->detail);
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
  PngState *self = png_get_io_ptr (png);

  if (!prism_source_read (&self->rows->source, self->position, bytes, length))
    png_error (png, "the file ends too early");
  self->position += length;
}

static void
close_png (PrismRows *rows)
{
  PngState *self = rows->state;

  png_destroy_read_struct (&self->png, &self->info, NULL);
  prism_arena_free_array (self->bytes);
  g_free (self);
}

/* A row as 8 or 16 bit grey, grey and alpha, RGB or RGBA. */
static gboolean
read_row (PrismRows *rows,
          guint64 y,
          float *pixels,
          GError **error)
{
  PngState *self = rows->state;
  const guint8 *row = self->bytes + (self->is_interlaced ? y * self->row_bytes : 0);
  const double scale = self->bits == 16 ? 1.0 / 65535.0 : 1.0 / 255.0;
  const int n = self->n_channels;

  if (setjmp (png_jmpbuf (self->png)) != 0)
    return prism_rows_damaged (rows, self->detail, error);
  if (!self->is_interlaced)
    png_read_row (self->png, self->bytes, NULL);
  for (gsize x = 0; x < rows->width; x++)
    {
      double v[4];

      for (int c = 0; c < n; c++)
        {
          const gsize i = x * n + c;

          v[c] = scale * (self->bits == 16 ? row[2 * i] << 8 | row[2 * i + 1] : row[i]);
        }
      pixels[x] = n < 3 ? (float) v[0] : prism_rows_mix (rows, v[0], v[1], v[2]);
      if (n == 2 || n == 4)
        pixels[x] *= (float) v[n - 1];
    }
  return TRUE;
}

/* All variants of PNG become rows of 8 or 16 bits with 1 to 4 channels. */
static gboolean
begin (PngState *self,
       GError **error)
{
  PrismRows *rows = self->rows;
  png_structp png = self->png;
  int n_passes;

  if (setjmp (png_jmpbuf (png)) != 0)
    return prism_rows_damaged (rows, self->detail, error);
  png_set_read_fn (png, self, on_read);
  png_set_user_limits (png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  png_read_info (png, self->info);
  if (png_get_rowbytes (png, self->info) * rows->height / MAX_EXPANSION > rows->source.size)
    png_error (png, "more pixels than its bytes can hold");
  n_passes = png_set_interlace_handling (png);
  self->is_interlaced = n_passes > 1;
  if (self->is_interlaced && rows->is_strip)
    return prism_rows_fail (rows,
                            "it is interlaced, so that no row is there before all are: save it"
                            " without interlacing",
                            error);
  png_set_expand (png);
  png_read_update_info (png, self->info);
  self->n_channels = png_get_channels (png, self->info);
  self->bits = png_get_bit_depth (png, self->info);
  self->row_bytes = png_get_rowbytes (png, self->info);
  self->bytes = prism_arena_new_array (self->row_bytes * (n_passes > 1 ? rows->height : 1),
                                       "a PNG image", error);
  if (self->bytes == NULL)
    return FALSE;
  for (int pass = 0; pass < n_passes && n_passes > 1; pass++)
    for (guint64 y = 0; y < rows->height; y++)
      png_read_row (png, self->bytes + y * self->row_bytes, NULL);
  return TRUE;
}

/* The place of a chunk's bytes, which stands before the one that ends the search; 0: none. */
static guint64
find_chunk (const PrismSource *source,
            const char *name,
            const char *end,
            guint32 *length)
{
  guint8 head[8];

  for (guint64 at = 8; prism_source_read (source, at, head, sizeof head)
                       && memcmp (head + 4, end, 4) != 0;
       at += 12 + (guint64) *length)
    {
      *length = png_get_uint_32 (head);
      if (source->size - at < 12 || *length > source->size - at - 12)
        break;
      if (memcmp (head + 4, name, 4) == 0)
        return at + 8;
    }
  return 0;
}

/**
 * prism_rows_open_png:
 *
 * PNG: all colour types and depths, transparency on black, turned as Exif says; interlaced where
 * the whole picture may be there; of an animation the image that viewers without animations show.
 *
 * Errors: PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY.
 *
 * Returns: whether rows can be read
 */
gboolean
prism_rows_open_png (PrismRows *rows,
                     GError **error)
{
  PngState *self = g_new0 (PngState, 1);
  guint8 header[24];

  rows->state = self;
  rows->read = read_row;
  rows->close = close_png;
  self->rows = rows;
  /* libpng would report a forbidden size as damage; the header says it first. */
  if (!prism_source_read (&rows->source, 0, header, sizeof header)
      || memcmp (header + 12, "IHDR", 4) != 0)
    return prism_rows_damaged (rows, NULL, error);
  rows->width = png_get_uint_32 (header + 16);
  rows->height = png_get_uint_32 (header + 20);
  if (!prism_rows_check_size (rows, error))
    return FALSE;
  if (!rows->is_strip)
    {
      guint32 length;
      guint8 bytes[4];
      guint64 at = find_chunk (&rows->source, "acTL", "IDAT", &length);

      /* Frames of an animation, and how Exif says that the picture is turned. */
      if (at > 0 && length >= 4 && prism_source_read (&rows->source, at, bytes, 4))
        rows->origin.n_frames = png_get_uint_32 (bytes);
      at = find_chunk (&rows->source, "eXIf", "IEND", &length);
      if (at > 0 && length > 0 && length <= MAX_EXIF_BYTES)
        {
          g_autofree guint8 *exif = g_malloc (length);

          if (prism_source_read (&rows->source, at, exif, length))
            rows->orientation = prism_exif_get_orientation (exif, length);
        }
    }
  self->png = png_create_read_struct (PNG_LIBPNG_VER_STRING, self, on_error, on_warning);
  if (self->png != NULL)
    self->info = png_create_info_struct (self->png);
  return self->info != NULL ? begin (self, error)
                            : prism_rows_fail (rows, "libpng has no memory", error);
}
