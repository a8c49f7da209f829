#include "config.h"

#include "formats/prism-png-stream.h"
#include "formats/prism-rows-private.h"

#include "base/prism-arena.h"
#include "base/prism-error.h"
#include "base/prism-file.h"

#include <png.h>
#include <setjmp.h>
#include <zlib.h>

/* Deflate cannot expand by more than 1032. */
#define MAX_EXPANSION 1032

#define MAX_EXIF_BYTES G_MAXUINT16
#define DETAIL_BYTES 128
#define FIRST_CAPACITY 65536

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
  char detail[DETAIL_BYTES]; /* what libpng says */
} PngState;

/* What libpng says goes into the text that it was given. */
static void
on_error (png_structp png,
          png_const_charp message)
{
  g_strlcpy (png_get_error_ptr (png), message, DETAIL_BYTES);
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
  self->png = png_create_read_struct (PNG_LIBPNG_VER_STRING, self->detail, on_error, on_warning);
  if (self->png != NULL)
    self->info = png_create_info_struct (self->png);
  return self->info != NULL ? begin (self, error)
                            : prism_rows_fail (rows, "libpng has no memory", error);
}

/* Everything that a longjmp() must not lose. */
struct _PrismPngStream
{
  PrismPngFormat format;
  png_structp png;
  png_infop info;
  png_text *text; /* [n_text] */
  int n_text;
  guint8 *row; /* (nullable) [width] of 1 or 2 bytes: a grey one */
  char *file;  /* [capacity] */
  gsize capacity;
  gsize length;
  char detail[DETAIL_BYTES]; /* what libpng says */
};

static gboolean
make_room (PrismPngStream *self,
           gsize length)
{
  gsize capacity = MAX (FIRST_CAPACITY, 2 * (self->length + length));
  char *file;

  if (length <= self->capacity - self->length)
    return TRUE;
  file = prism_arena_new_array (capacity, "a PNG image", NULL);
  if (file == NULL)
    return FALSE;
  if (self->file != NULL)
    memcpy (file, self->file, self->length);
  prism_arena_free_array (self->file);
  self->file = file;
  self->capacity = capacity;
  return TRUE;
}

static void
on_write (png_structp png,
          png_bytep bytes,
          png_size_t length)
{
  PrismPngStream *self = png_get_io_ptr (png);

  if (self->format.file != NULL)
    {
      if (fwrite (bytes, 1, length, self->format.file) != length)
        png_error (png, g_strerror (errno));
      return;
    }
  if (!make_room (self, length))
    png_error (png, "there is no memory");
  memcpy (self->file + self->length, bytes, length);
  self->length += length;
}

static void
on_flush (png_structp png)
{
}

static gboolean
fail (PrismPngStream *self,
      GError **error)
{
  if (self->format.file != NULL)
    return prism_error_io (error, "%s", self->detail);
  return prism_error_memory (
      error,
      _ ("A picture of %d × %d pixels cannot be written as PNG: %s. Close other programs"
         " or make it smaller."),
      self->format.width, self->format.height, *self->detail != '\0' ? self->detail : "libpng");
}

/* The only frames that libpng jumps back to are this and the two below. */
static gboolean
begin_stream (PrismPngStream *self,
              GError **error)
{
  const PrismPngFormat *format = &self->format;

  if (self->info == NULL || setjmp (png_jmpbuf (self->png)) != 0)
    return fail (self, error);
  png_set_write_fn (self->png, self, on_write, on_flush);
  /* A sheet of many rows is higher than a picture may be by default. */
  png_set_user_limits (self->png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  png_set_IHDR (self->png, self->info, format->width, format->height,
                format->bits != 0 ? format->bits : 8,
                format->bits != 0 ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  if (self->n_text > 0)
    png_set_text (self->png, self->info, self->text, self->n_text);
  /* Without memory libpng only warns, and leaves them out. */
  if (png_get_text (self->png, self->info, NULL, NULL) != self->n_text)
    png_error (self->png, "libpng has no memory");
  /* Sixteen bits of a reconstruction hardly pack: the least effort is half the time. */
  if (format->file != NULL)
    png_set_compression_level (self->png, 1);
  png_write_info (self->png, self->info);
  if (format->bits == 0)
    {
      png_structp png = self->png;

      /* Cairo's pixels are numbers of 32 bits. */
      /* Drawings repeat themselves, more than what libpng thinks of filtered rows. */
      png_set_compression_strategy (png, Z_DEFAULT_STRATEGY);
      if (G_BYTE_ORDER == G_LITTLE_ENDIAN)
        png_set_bgr (png);
      png_set_filler (png, 0,
                      G_BYTE_ORDER == G_LITTLE_ENDIAN ? PNG_FILLER_AFTER : PNG_FILLER_BEFORE);
    }
  return TRUE;
}

/**
 * prism_png_stream_new:
 * @format: of the picture
 *
 * Begins a picture.
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the stream
 */
PrismPngStream *
prism_png_stream_new (const PrismPngFormat *format,
                      GError **error)
{
  g_autoptr (PrismPngStream) self = g_new0 (PrismPngStream, 1);
  const char *const *text;
  guint n;

  self->format = *format;
  /* Chunks of tEXt where ASCII suffices, else iTXt. */
  text = format->text;
  n = text != NULL ? g_strv_length ((char **) text) / 2 : 0;
  self->text = g_new0 (png_text, n + 1);
  self->n_text = (int) n;
  for (guint i = 0; i < n; i++)
    {
      png_text *chunk = &self->text[i];

      chunk->key = (char *) text[2 * i];
      chunk->text = (char *) text[2 * i + 1];
      chunk->compression = g_str_is_ascii (chunk->text) ? PNG_TEXT_COMPRESSION_NONE
                                                        : PNG_ITXT_COMPRESSION_NONE;
      chunk->text_length = strlen (chunk->text);
    }
  self->png = png_create_write_struct (PNG_LIBPNG_VER_STRING, self->detail, on_error, on_warning);
  if (self->png != NULL)
    self->info = png_create_info_struct (self->png);
  if (format->bits != 0)
    {
      self->row = prism_arena_new_array ((gsize) format->width * format->bits / 8, "a row", error);
      if (self->row == NULL)
        return NULL;
    }
  return begin_stream (self, error) ? g_steal_pointer (&self) : NULL;
}

/**
 * prism_png_stream_free:
 * @self: (nullable): a stream
 */
void
prism_png_stream_free (PrismPngStream *self)
{
  if (self == NULL)
    return;
  png_destroy_write_struct (&self->png, &self->info);
  prism_arena_free_array (self->row);
  prism_arena_free_array (self->file);
  g_free (self->text);
  g_free (self);
}

/**
 * prism_png_stream_add:
 * @rows: (array): the next rows: grey, of two bytes with the high one first; or numbers of 32 bits,
 *   0x00RRGGBB
 * @stride: bytes from a row to the next
 * @n_rows: how many
 *
 * Writes rows.
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: whether they are written
 */
gboolean
prism_png_stream_add (PrismPngStream *self,
                      const guint8 *rows,
                      gsize stride,
                      int n_rows,
                      GError **error)
{
  if (setjmp (png_jmpbuf (self->png)) != 0)
    return fail (self, error);
  for (int y = 0; y < n_rows; y++)
    png_write_row (self->png, rows + (gsize) y * stride);
  return TRUE;
}

/**
 * prism_png_stream_add_grey:
 * @self: a stream of grey pixels
 * @pixels: the next row
 * @black: the value that is written as 0
 * @white: the value that is written as full
 * @error: return location
 *
 * v becomes round((v - black)/(white - black)·full), clamped; NaN becomes 0.
 *
 * Shape: [width].
 * Errors: those of prism_png_stream_add().
 *
 * Returns: whether it is written
 */
gboolean
prism_png_stream_add_grey (PrismPngStream *self,
                           const float *pixels,
                           float black,
                           float white,
                           GError **error)
{
  const double full = self->format.bits == 16 ? 65535.0 : 255.0;
  const double range = (double) white - black;
  guint8 *row = self->row;

  for (int x = 0; x < self->format.width; x++)
    {
      const double value = (pixels[x] - black) / range * full;
      const guint level = isnan (value) ? 0 : (guint) (CLAMP (value, 0.0, full) + 0.5);

      if (self->format.bits == 16)
        *row++ = level >> 8;
      *row++ = level & 0xff;
    }
  return prism_png_stream_add (self, self->row, 0, 1, error);
}

/**
 * prism_png_stream_end:
 * @self: a picture that has all its rows
 * @length: (out): bytes
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer none) (nullable): the file
 */
const char *
prism_png_stream_end (PrismPngStream *self,
                      gsize *length,
                      GError **error)
{
  if (setjmp (png_jmpbuf (self->png)) != 0)
    {
      fail (self, error);
      return NULL;
    }
  png_write_end (self->png, NULL);
  *length = self->length;
  return self->format.file == NULL ? self->file : "";
}

/**
 * prism_png_stream_save:
 * @self: a stream that has all its rows
 * @path: file name
 *
 * Ends the picture and writes it safely, see prism_file_save().
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_MEMORY.
 *
 * Returns: whether the file is on the disk
 */
gboolean
prism_png_stream_save (PrismPngStream *self,
                       const char *path,
                       GError **error)
{
  gsize length;
  const char *file = prism_png_stream_end (self, &length, error);

  return file != NULL && prism_file_save (path, file, length, error);
}

/**
 * prism_image_encode_png:
 * @bits: 8 or 16
 * @black: the value that is written as 0
 * @white: the value that is written as full
 * @text: (nullable) (array zero-terminated=1): key and value in turn for the text chunks, UTF-8
 *
 * Makes a grey PNG in memory: v becomes round((v - black)/(white - black)·full), clamped; NaN
 * becomes 0. Where black is white, everything above it is white.
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): all rows, for prism_png_stream_save()
 */
PrismPngStream *
prism_image_encode_png (const PrismImage *self,
                        int bits,
                        float black,
                        float white,
                        const char *const *text,
                        GError **error)
{
  PrismPngFormat format = { self->width, self->height, bits, text };
  g_autoptr (PrismPngStream) stream = prism_png_stream_new (&format, error);

  g_return_val_if_fail (bits == 8 || bits == 16, NULL);

  for (int y = 0; stream != NULL && y < self->height; y++)
    if (!prism_png_stream_add_grey (stream, self->pixels + (gsize) y * self->width, black, white,
                                    error))
      return NULL;
  return g_steal_pointer (&stream);
}

/**
 * prism_image_save_png:
 * @path: file name
 * @bits: 8 or 16
 * @black: the value that is written as 0
 * @white: the value that is written as full
 * @text: (nullable) (array zero-terminated=1): see prism_image_encode_png()
 *
 * Writes a grey PNG safely, see prism_file_save().
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_MEMORY.
 *
 * Returns: whether the file is on the disk
 */
gboolean
prism_image_save_png (const PrismImage *self,
                      const char *path,
                      int bits,
                      float black,
                      float white,
                      const char *const *text,
                      GError **error)
{
  g_autoptr (PrismPngStream) stream = NULL;

  g_return_val_if_fail (path != NULL, FALSE);

  stream = prism_image_encode_png (self, bits, black, white, text, error);
  return stream != NULL && prism_png_stream_save (stream, path, error);
}
