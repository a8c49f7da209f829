#include "config.h"

#include "prism-png-stream.h"

#include "base/prism-error.h"
#include "base/prism-file.h"

#include <glib/gi18n-lib.h>
#include <png.h>
#include <setjmp.h>

/* Everything that a longjmp() must not lose. */
struct _PrismPngStream
{
  int width;
  int height;
  png_structp png;
  png_infop info;
  GByteArray *bytes; /* compressed */
  char detail[128];  /* what libpng says */
};

static void
on_error (png_structp png,
          png_const_charp message)
{
  PrismPngStream *self = png_get_error_ptr (png);

  g_strlcpy (self->detail, message, sizeof self->detail);
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
  PrismPngStream *self = png_get_io_ptr (png);

  g_byte_array_append (self->bytes, bytes, length);
}

static void
on_flush (png_structp png)
{
}

static gboolean
fail (PrismPngStream *self,
      GError **error)
{
  g_set_error (error, PRISM_ERROR, PRISM_ERROR_MEMORY,
               _ ("A picture of %d × %d pixels cannot be drawn: %s. Take fewer values."),
               self->width, self->height, *self->detail != '\0' ? self->detail : "libpng");
  return FALSE;
}

/* The only frames that libpng jumps back to are this and the two below. */
static gboolean
begin (PrismPngStream *self,
       GError **error)
{
  if (self->info == NULL || setjmp (png_jmpbuf (self->png)) != 0)
    return fail (self, error);
  png_set_write_fn (self->png, self, on_write, on_flush);
  /* A sheet of many rows is higher than a picture may be by default. */
  png_set_user_limits (self->png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  png_set_IHDR (self->png, self->info, self->width, self->height, 8, PNG_COLOR_TYPE_RGB,
                PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info (self->png, self->info);
  /* Cairo's pixels are numbers of 32 bits. */
  if (G_BYTE_ORDER == G_LITTLE_ENDIAN)
    png_set_bgr (self->png);
  png_set_filler (self->png, 0,
                  G_BYTE_ORDER == G_LITTLE_ENDIAN ? PNG_FILLER_AFTER : PNG_FILLER_BEFORE);
  return TRUE;
}

/**
 * prism_png_stream_new:
 * @width: of the picture
 * @height: of the picture
 * @error: return location
 *
 * Begins a picture.
 *
 * Errors: PRISM_ERROR_MEMORY.
 * Thread: any.
 *
 * Returns: (transfer full) (nullable): the stream
 */
PrismPngStream *
prism_png_stream_new (int width,
                      int height,
                      GError **error)
{
  g_autoptr (PrismPngStream) self = g_new0 (PrismPngStream, 1);

  self->width = width;
  self->height = height;
  self->bytes = g_byte_array_new ();
  self->png = png_create_write_struct (PNG_LIBPNG_VER_STRING, self, on_error, on_warning);
  if (self->png != NULL)
    self->info = png_create_info_struct (self->png);
  return begin (self, error) ? g_steal_pointer (&self) : NULL;
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
  g_byte_array_unref (self->bytes);
  g_free (self);
}

/**
 * prism_png_stream_add:
 * @self: a stream
 * @surface: an image of RGB24, as wide as the picture
 * @error: return location
 *
 * Writes the next rows.
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: whether they are written
 */
gboolean
prism_png_stream_add (PrismPngStream *self,
                      cairo_surface_t *surface,
                      GError **error)
{
  const unsigned char *pixels;
  int height, stride;

  cairo_surface_flush (surface);
  pixels = cairo_image_surface_get_data (surface);
  height = cairo_image_surface_get_height (surface);
  stride = cairo_image_surface_get_stride (surface);
  if (setjmp (png_jmpbuf (self->png)) != 0)
    return fail (self, error);
  for (int y = 0; y < height; y++)
    png_write_row (self->png, pixels + (gsize) y * stride);
  return TRUE;
}

/**
 * prism_png_stream_save:
 * @self: a stream that has all its rows
 * @path: file name
 * @error: return location
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
  if (setjmp (png_jmpbuf (self->png)) != 0)
    return fail (self, error);
  png_write_end (self->png, NULL);
  return prism_file_save (path, self->bytes->data, self->bytes->len, error);
}
