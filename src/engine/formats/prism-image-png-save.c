#include "config.h"

#include "formats/prism-image.h"

#include "base/prism-arena.h"
#include "base/prism-error.h"
#include "base/prism-file.h"

#include <math.h>
#include <png.h>
#include <setjmp.h>
#include <string.h>

/* Everything that a longjmp() must not lose. */
typedef struct
{
  const PrismImage *image;
  int bits; /* 8 or 16 */
  float black;
  float white;
  png_structp png;
  png_infop info;
  guint8 *row;    /* [width] of 1 or 2 bytes, big endian */
  png_text *text; /* [n_text] */
  int n_text;
  char *file; /* [capacity] */
  gsize capacity;
  gsize length;
  char detail[128]; /* what libpng says */
} PngWriter;

static void
on_error (png_structp png,
          png_const_charp message)
{
  PngWriter *writer = png_get_error_ptr (png);

  g_strlcpy (writer->detail, message, sizeof writer->detail);
  png_longjmp (png, 1);
}

static void
on_warning (png_structp png,
            png_const_charp message)
{
}

static void
on_write (png_structp png,
          png_bytep bytes,
          png_size_t length)
{
  PngWriter *writer = png_get_io_ptr (png);

  if (length > writer->capacity - writer->length)
    png_error (png, "the buffer is too small");
  memcpy (writer->file + writer->length, bytes, length);
  writer->length += length;
}

static void
on_flush (png_structp png)
{
}

static void
convert_row (PngWriter *writer,
             const float *pixels)
{
  double full = writer->bits == 16 ? 65535.0 : 255.0;
  double range = (double) writer->white - writer->black;

  for (int x = 0; x < writer->image->width; x++)
    {
      double value = (pixels[x] - writer->black) / range * full;
      guint level = isnan (value) ? 0 : (guint) (CLAMP (value, 0.0, full) + 0.5);
      if (writer->bits == 16)
        {
          writer->row[2 * x] = level >> 8;
          writer->row[2 * x + 1] = level & 0xff;
        }
      else
        writer->row[x] = level;
    }
}

static void
encode (PngWriter *writer)
{
  const PrismImage *image = writer->image;

  png_set_write_fn (writer->png, writer, on_write, on_flush);
  png_set_IHDR (writer->png, writer->info, image->width, image->height, writer->bits,
                PNG_COLOR_TYPE_GRAY, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                PNG_FILTER_TYPE_DEFAULT);
  if (writer->n_text > 0)
    png_set_text (writer->png, writer->info, writer->text, writer->n_text);
  /* Without memory libpng only warns, and leaves them out. */
  if (png_get_text (writer->png, writer->info, NULL, NULL) != writer->n_text)
    png_error (writer->png, "libpng has no memory");
  png_write_info (writer->png, writer->info);
  for (int y = 0; y < image->height; y++)
    {
      convert_row (writer, image->pixels + (gsize) y * image->width);
      png_write_row (writer->png, writer->row);
    }
  png_write_end (writer->png, NULL);
}

/* The only frame that libpng jumps back to. */
static gboolean
try_encode (PngWriter *writer)
{
  if (setjmp (png_jmpbuf (writer->png)) != 0)
    return FALSE;
  encode (writer);
  return TRUE;
}

/* Pairs of key and value as chunks: tEXt where ASCII suffices, else iTXt. Returns their size. */
static gsize
set_text (PngWriter *writer,
          const char *const *text)
{
  gsize size = 0;
  guint n = text == NULL ? 0 : g_strv_length ((char **) text) / 2;

  writer->text = g_new0 (png_text, n + 1);
  writer->n_text = (int) n;
  for (guint i = 0; i < n; i++)
    {
      png_text *chunk = &writer->text[i];
      chunk->key = (char *) text[2 * i];
      chunk->text = (char *) text[2 * i + 1];
      chunk->compression = PNG_ITXT_COMPRESSION_NONE;
      if (g_str_is_ascii (chunk->text))
        chunk->compression = PNG_TEXT_COMPRESSION_NONE;
      chunk->text_length = strlen (chunk->text);
      size += strlen (chunk->key) + strlen (chunk->text) + 64;
    }
  return size;
}

static gboolean
allocate (PngWriter *writer,
          const char *const *text,
          GError **error)
{
  gsize row_bytes = (gsize) writer->image->width * writer->bits / 8;
  gsize raw = (row_bytes + 1) * writer->image->height;

  /* Deflate's stored blocks, the 12 bytes around each IDAT of 8 KiB, and the other chunks. */
  writer->capacity = raw + raw / 256 + 4096 + set_text (writer, text);
  writer->row = prism_arena_new_array (row_bytes, "a PNG image", error);
  if (writer->row != NULL)
    writer->file = prism_arena_new_array (writer->capacity, "a PNG image", error);
  return writer->file != NULL;
}

static gboolean
create_file (PngWriter *writer,
             const char *path,
             GError **error)
{
  gboolean ok = FALSE;

  writer->png = png_create_write_struct (PNG_LIBPNG_VER_STRING, writer, on_error, on_warning);
  if (writer->png != NULL)
    writer->info = png_create_info_struct (writer->png);
  if (writer->info != NULL)
    ok = try_encode (writer);
  png_destroy_write_struct (&writer->png, &writer->info);

  if (!ok)
    {
      g_autofree char *name = prism_file_dup_display_name (path);
      g_set_error (error, PRISM_ERROR, PRISM_ERROR_MEMORY,
                   "“%s” cannot be written as PNG: %s. Try again with fewer programs running.",
                   name, *writer->detail != '\0' ? writer->detail : "libpng has no memory");
      return FALSE;
    }
  return prism_file_save (path, writer->file, writer->length, error);
}

/**
 * prism_image_save_png:
 * @path: file name
 * @bits: 8 or 16
 * @black: the value that is written as 0
 * @white: the value that is written as full
 * @text: (nullable) (array zero-terminated=1): key and value in turn for the text chunks, UTF-8
 *
 * Writes a grey PNG safely, see prism_file_save(): v becomes
 * round((v - black)/(white - black)·full), clamped; NaN becomes 0. Where black is white,
 * everything above it is white.
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
  PngWriter writer = { .image = self, .bits = bits, .black = black, .white = white };
  gboolean ok;

  g_return_val_if_fail (self != NULL && path != NULL && (bits == 8 || bits == 16), FALSE);

  ok = allocate (&writer, text, error) && create_file (&writer, path, error);
  prism_arena_free_array (writer.row);
  prism_arena_free_array (writer.file);
  g_free (writer.text);
  return ok;
}
