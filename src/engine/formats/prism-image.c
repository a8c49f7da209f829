#include "config.h"

#include "formats/prism-image.h"

#include "base/prism-arena.h"
#include "base/prism-error.h"
#include "base/prism-file.h"
#include "base/prism-gzip.h"
#include "formats/prism-image-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

typedef struct
{
  const char *format;      /* as it reads in a message */
  PrismImageLoadFunc load; /* NULL: known, but cannot be read */
  gsize offset;            /* of the magic bytes */
  gsize length;
  const char *magic;
} ImageFormat;

static const ImageFormat formats[] = {
  { "PNG", prism_image_load_png, 0, 8, "\x89PNG\r\n\x1a\n" },
  { "JPEG", prism_image_load_jpeg, 0, 3, "\xff\xd8\xff" },
  { "TIFF", prism_image_load_tiff, 0, 4, "II*\0" },
  { "TIFF", prism_image_load_tiff, 0, 4, "MM\0*" },
  { "TIFF", prism_image_load_tiff, 0, 4, "II+\0" },
  { "TIFF", prism_image_load_tiff, 0, 4, "MM\0+" },
  { "FITS", prism_image_load_fits, 0, 9, "SIMPLE  =" },
  { "NumPy", prism_image_load_npy, 0, 6, "\x93NUMPY" },
  { "GIF", NULL, 0, 4, "GIF8" },
  { "WebP", NULL, 8, 4, "WEBP" },
  { "HEIF or AVIF", NULL, 4, 4, "ftyp" },
  { "Photoshop", NULL, 0, 4, "8BPS" },
  { "JPEG 2000", NULL, 4, 4, "jP  " },
  { "JPEG XL", NULL, 0, 2, "\xff\x0a" },
  { "PDF", NULL, 0, 5, "%PDF-" },
  { "BMP", NULL, 0, 2, "BM" },
  { "bzip2", NULL, 0, 3, "BZh" },
};

/**
 * prism_image_new:
 * @height: rows, > 0
 * @width: columns, > 0
 *
 * Creates a black image; its owner fills the pixels before sharing it.
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the image
 */
PrismImage *
prism_image_new (int height,
                 int width,
                 GError **error)
{
  g_autofree char *what = g_strdup_printf ("an image of %d × %d pixels", width, height);
  float *pixels;
  PrismImage *self;

  g_return_val_if_fail (height > 0 && width > 0, NULL);

  pixels = prism_arena_new_array ((gsize) height * width * sizeof *pixels, what, error);
  if (pixels == NULL)
    return NULL;

  self = g_new0 (PrismImage, 1);
  g_atomic_ref_count_init (&self->ref_count);
  self->height = height;
  self->width = width;
  self->pixels = pixels;
  return self;
}

/**
 * prism_image_new_copy:
 * @height: rows, > 0
 * @width: columns, > 0
 * @pixels: (array): values
 *
 * Creates an image with a copy of the pixels.
 *
 * Shape: [height][width].
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the image
 */
PrismImage *
prism_image_new_copy (int height,
                      int width,
                      const float *pixels,
                      GError **error)
{
  PrismImage *self = prism_image_new (height, width, error);

  if (self != NULL)
    memcpy (self->pixels, pixels, (gsize) height * width * sizeof *pixels);
  return self;
}

/**
 * prism_image_ref:
 *
 * Returns: (transfer full): the same image
 */
PrismImage *
prism_image_ref (PrismImage *self)
{
  /* The macro, unlike g_atomic_ref_count_inc(), is compiled here and so seen by ThreadSanitizer. */
  g_atomic_int_inc (&self->ref_count);
  return self;
}

/**
 * prism_image_unref:
 * @self: (nullable): an image
 */
void
prism_image_unref (PrismImage *self)
{
  if (self == NULL || !g_atomic_int_dec_and_test (&self->ref_count))
    return;
  prism_arena_free_array (self->pixels);
  g_free (self);
}

/**
 * prism_image_set_error:
 * @source: the file
 * @reason: what is wrong, half a sentence
 *
 * Sets PRISM_ERROR_FORMAT with the file, its format, the reason and what to do.
 */
void
prism_image_set_error (GError **error,
                       const PrismImageSource *source,
                       const char *reason)
{
  g_set_error (error, PRISM_ERROR, PRISM_ERROR_FORMAT,
               _ ("“%s” cannot be read as a %s image: %s. Choose another file or save it as PNG."),
               source->name, source->format, reason);
}

/**
 * prism_image_set_damage:
 * @source: the file
 * @detail: (nullable): what the decoder says, any bytes
 *
 * Sets the error of a file whose contents contradict its format.
 */
void
prism_image_set_damage (GError **error,
                        const PrismImageSource *source,
                        const char *detail)
{
  g_autofree char *valid = g_utf8_make_valid (detail == NULL ? "" : detail, -1);
  g_autofree char *reason = NULL;

  g_strstrip (g_strdelimit (valid, "\r\n\t", ' '));
  if (*valid != '\0')
    reason = g_strdup_printf (_ ("it is truncated or damaged (%s)"), valid);
  prism_image_set_error (error, source, reason != NULL ? reason : _ ("it is truncated or damaged"));
}

/**
 * prism_image_check_size:
 * @source: the file
 * @height: rows, as the file's header says
 * @width: columns
 *
 * Checks a size before anything is allocated for it.
 *
 * Errors: PRISM_ERROR_FORMAT with the limit.
 *
 * Returns: whether the size is possible
 */
gboolean
prism_image_check_size (const PrismImageSource *source,
                        guint64 height,
                        guint64 width,
                        GError **error)
{
  if (height == 0 || width == 0)
    {
      prism_image_set_error (error, source, "it has no pixels");
      return FALSE;
    }
  if (height > PRISM_IMAGE_MAX_SIDE || width > PRISM_IMAGE_MAX_SIDE)
    {
      g_set_error (error, PRISM_ERROR, PRISM_ERROR_FORMAT,
                   "“%s” has %" G_GUINT64_FORMAT " × %" G_GUINT64_FORMAT " pixels; "
                   "at most %d × %d can be read. Choose a smaller image or scale it down first.",
                   source->name, width, height, PRISM_IMAGE_MAX_SIDE, PRISM_IMAGE_MAX_SIDE);
      return FALSE;
    }
  return TRUE;
}

static gboolean
check_values (const PrismImageSource *source,
              float low,
              float high,
              GError **error)
{
  g_autofree char *reason = NULL;

  if (low > high)
    {
      prism_image_set_error (error, source, _ ("not one of its pixels is a number"));
      return FALSE;
    }
  if (MAX (-low, high) <= (float) PRISM_IMAGE_MAX_VALUE)
    return TRUE;
  reason = g_strdup_printf (_ ("it has values beyond ±%g, more than single precision can hold: "
                               "divide them by the largest"),
                            PRISM_IMAGE_MAX_VALUE);
  prism_image_set_error (error, source, reason);
  return FALSE;
}

/* A pixel that is farther from all others than these are from each other leaves them little of the
 * range: one of a million makes the rest black. Where all others are the same nothing is lost. */
static void
find_lone (PrismImage *self)
{
  const gsize n = (gsize) self->height * self->width;
  gsize lowest = 0, highest = 0;
  double low = INFINITY, high = -INFINITY, range, below, above;

  for (gsize i = 1; i < n; i++)
    {
      lowest = self->pixels[i] < self->pixels[lowest] ? i : lowest;
      highest = self->pixels[i] > self->pixels[highest] ? i : highest;
    }
  for (gsize i = 0; i < n; i++)
    {
      low = i != lowest ? MIN (low, self->pixels[i]) : low;
      high = i != highest ? MAX (high, self->pixels[i]) : high;
    }
  range = (double) self->pixels[highest] - self->pixels[lowest];
  below = low - self->pixels[lowest];
  above = self->pixels[highest] - high;
  if (n < 3 || !(2 * MAX (below, above) > range) || MAX (below, above) == range)
    return;
  self->origin.lone_share = MAX (below, above) / range;
  self->origin.lone_x = (above > below ? highest : lowest) % (gsize) self->width;
  self->origin.lone_y = (above > below ? highest : lowest) / (gsize) self->width;
}

/* NaN and -Inf become the smallest number of the image, +Inf the largest. */
static gboolean
replace_non_finite (PrismImage *self,
                    const PrismImageSource *source,
                    GError **error)
{
  gsize n = (gsize) self->height * self->width;
  float low = INFINITY;
  float high = -INFINITY;

  self->origin.n_pixels = n;

  for (gsize i = 0; i < n; i++)
    if (isfinite (self->pixels[i]))
      {
        low = MIN (low, self->pixels[i]);
        high = MAX (high, self->pixels[i]);
      }

  if (!check_values (source, low, high, error))
    return FALSE;
  for (gsize i = 0; i < n; i++)
    if (!isfinite (self->pixels[i]))
      {
        self->origin.n_unknown += isnan (self->pixels[i]) ? 1 : 0;
        self->origin.n_infinite += isinf (self->pixels[i]) ? 1 : 0;
        self->pixels[i] = self->pixels[i] > 0 ? high : low;
      }
  find_lone (self);
  return TRUE;
}

static const ImageFormat *
get_format (const PrismImageSource *source)
{
  for (gsize i = 0; i < G_N_ELEMENTS (formats); i++)
    {
      const ImageFormat *format = &formats[i];
      if (source->size >= format->offset + format->length
          && memcmp (source->data + format->offset, format->magic, format->length) == 0)
        return format;
    }
  return NULL;
}

static const ImageFormat *
check_format (const PrismImageSource *source,
              GError **error)
{
  const char *readable = _ ("PNG, JPEG, TIFF, FITS and .npy images can be read");
  const ImageFormat *format = get_format (source);

  if (source->size == 0)
    g_set_error (error, PRISM_ERROR, PRISM_ERROR_FORMAT,
                 _ ("“%s” is empty (0 bytes). Choose an image: %s."), source->name, readable);
  else if (source->size > PRISM_IMAGE_MAX_BYTES)
    g_set_error (error, PRISM_ERROR, PRISM_ERROR_FORMAT,
                 _ ("“%s” is larger than 1 GiB. Choose a smaller image."), source->name);
  else if (format == NULL)
    g_set_error (error, PRISM_ERROR, PRISM_ERROR_FORMAT,
                 _ ("“%s” is not an image of a known kind. Choose another file: %s."),
                 source->name, readable);
  else if (format->load == NULL)
    g_set_error (error, PRISM_ERROR, PRISM_ERROR_FORMAT,
                 _ ("“%s” is a %s file. Convert it to PNG first: %s."),
                 source->name, format->format, readable);
  else
    return format;
  return NULL;
}

static PrismImage *
load_bytes (GBytes *bytes,
            const char *name,
            int channel,
            GError **error)
{
  g_autoptr (PrismImage) self = NULL;
  g_autoptr (GBytes) unpacked = NULL;
  PrismImageSource source = { .name = name, .channel = channel };
  const ImageFormat *format;

  g_return_val_if_fail (bytes != NULL && name != NULL, NULL);

  if (prism_gzip_is (bytes))
    {
      unpacked = prism_gzip_unpack (bytes, PRISM_IMAGE_MAX_BYTES);
      bytes = unpacked;
    }
  if (bytes == NULL)
    {
      g_set_error (error, PRISM_ERROR, PRISM_ERROR_FORMAT,
                   _ ("“%s” is packed by gzip, and damaged or larger than 1 GiB unpacked. Unpack it"
                      " with gunzip."),
                   name);
      return NULL;
    }

  source.data = g_bytes_get_data (bytes, &source.size);
  format = check_format (&source, error);
  if (format == NULL)
    return NULL;

  source.format = format->format;
  self = format->load (&source, error);
  if (self == NULL || !replace_non_finite (self, &source, error))
    return NULL;
  return g_steal_pointer (&self);
}

/**
 * prism_image_load_bytes:
 * @bytes: the contents of a PNG, JPEG, TIFF, FITS or .npy file, also packed by gzip, at most 1 GiB
 * @name: what to call it in an error message
 *
 * Decodes an image of at most 16384 × 16384 pixels; its kind is told by the contents. Colour
 * becomes Rec. 601 luma, transparency shows black. Integers are scaled so that the full range is
 * 1, floating point values stay as they are; NaN becomes the smallest value of the image. Of
 * several pages, frames, planes or images the first is read. The image's origin counts both.
 *
 * Errors: PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the image, all pixels finite
 */
PrismImage *
prism_image_load_bytes (GBytes *bytes,
                        const char *name,
                        GError **error)
{
  return load_bytes (bytes, name, 0, error);
}

/**
 * prism_image_load:
 * @path: file name, any bytes
 *
 * Reads an image file, see prism_image_load_bytes().
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the image, all pixels finite
 */
PrismImage *
prism_image_load (const char *path,
                  GError **error)
{
  g_autofree char *name = prism_file_dup_display_name (path);
  g_autoptr (GBytes) bytes = prism_file_load (path, PRISM_IMAGE_MAX_BYTES, error);

  return bytes == NULL ? NULL : prism_image_load_bytes (bytes, name, error);
}

/**
 * prism_image_load_channel:
 * @path: file name of a PNG or JPEG, any bytes
 * @channel: 1 to 3: red, green or blue
 *
 * Reads one colour of an image file, whose grey is every colour; see prism_image_load_bytes().
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the image, all pixels finite
 */
PrismImage *
prism_image_load_channel (const char *path,
                          int channel,
                          GError **error)
{
  g_autofree char *name = prism_file_dup_display_name (path);
  g_autoptr (GBytes) bytes = prism_file_load (path, PRISM_IMAGE_MAX_BYTES, error);

  return bytes == NULL ? NULL : load_bytes (bytes, name, channel, error);
}
