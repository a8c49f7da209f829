#include "config.h"

#include "formats/prism-image.h"

#include "base/prism-arena.h"
#include "formats/prism-png-stream.h"

#include <math.h>

/* row: [width] of 1 or 2 bytes, the high one first. */
static void
convert_row (guint8 *row,
             const float *pixels,
             const PrismPngFormat *format,
             float black,
             float white)
{
  double full = format->bits == 16 ? 65535.0 : 255.0;
  double range = (double) white - black;

  for (int x = 0; x < format->width; x++)
    {
      double value = (pixels[x] - black) / range * full;
      guint level = isnan (value) ? 0 : (guint) (CLAMP (value, 0.0, full) + 0.5);

      if (format->bits == 16)
        *row++ = level >> 8;
      *row++ = level & 0xff;
    }
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
  prism_autofree_array guint8 *row = NULL;

  g_return_val_if_fail (bits == 8 || bits == 16, NULL);

  if (stream == NULL)
    return NULL;
  row = prism_arena_new_array ((gsize) self->width * bits / 8, "a PNG image", error);
  if (row == NULL)
    return NULL;
  for (int y = 0; y < self->height; y++)
    {
      convert_row (row, self->pixels + (gsize) y * self->width, &format, black, white);
      if (!prism_png_stream_add (stream, row, 0, 1, error))
        return NULL;
    }
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
