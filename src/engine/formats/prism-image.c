#include "config.h"

#include "formats/prism-image.h"

#include "base/prism-arena.h"
#include "base/prism-each.h"
#include "base/prism-error.h"
#include "base/prism-file.h"
#include "formats/prism-packed.h"
#include "formats/prism-rows-private.h"
#include "formats/prism-strips.h"

#include <inttypes.h>

#define MAX_BYTES (G_GUINT64_CONSTANT (1) << 30)

typedef struct
{
  const char *format; /* as it reads in a message */
  gboolean (*open) (PrismRows *rows,
                    GError **error); /* NULL: known, but cannot be read */
  gsize offset;                      /* of the magic bytes */
  gsize length;
  const char *magic;
} ImageFormat;

static const ImageFormat formats[] = {
  { "PNG", prism_rows_open_png, 0, 8, "\x89PNG\r\n\x1a\n" },
  { "JPEG", prism_rows_open_jpeg, 0, 3, "\xff\xd8\xff" },
  { "TIFF", prism_rows_open_tiff, 0, 4, "II*\0" },
  { "TIFF", prism_rows_open_tiff, 0, 4, "MM\0*" },
  { "TIFF", prism_rows_open_tiff, 0, 4, "II+\0" },
  { "TIFF", prism_rows_open_tiff, 0, 4, "MM\0+" },
  { "FITS", prism_rows_open_fits, 0, 9, "SIMPLE  =" },
  { "NumPy", prism_rows_open_npy, 0, 6, "\x93NUMPY" },
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
 * prism_image_equal:
 * @self: (nullable): an image
 * @other: (nullable): another one
 *
 * Returns: whether they have the same pixels, to the bit
 */
gboolean
prism_image_equal (const PrismImage *self,
                   const PrismImage *other)
{
  if (self == NULL || other == NULL)
    return self == other;
  return self->height == other->height && self->width == other->width
         && memcmp (self->pixels, other->pixels,
                    (gsize) self->height * self->width * sizeof *self->pixels)
                == 0;
}

PRISM_CLEAR (PrismImage, image_clear, prism_arena_free_array, pixels)

PRISM_DEFINE_REFERENCES (PrismImage, prism_image, image_clear)

static gboolean
check_values (const PrismRows *rows,
              float low,
              float high,
              GError **error)
{
  g_autofree char *reason = NULL;

  if (low > high)
    return prism_rows_fail (rows, _ ("not one of its pixels is a number"), error);
  if (MAX (-low, high) <= (float) PRISM_IMAGE_MAX_VALUE)
    return TRUE;
  reason = g_strdup_printf (_ ("it has values beyond ±%g, more than single precision can hold: "
                               "divide them by the largest"),
                            PRISM_IMAGE_MAX_VALUE);
  return prism_rows_fail (rows, reason, error);
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
                    const PrismRows *rows,
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

  if (!check_values (rows, low, high, error))
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
find_format (const PrismSource *source)
{
  PRISM_FOR_EACH_OF (format, formats)
    if (prism_source_has (source, format->offset, format->magic, format->length))
      return format;
  return NULL;
}

static const ImageFormat *
check_format (const PrismRows *rows,
              GError **error)
{
  const char *readable = _ ("PNG, JPEG, TIFF, FITS and .npy images can be read");
  const ImageFormat *format = find_format (&rows->source);

  if (rows->source.size == 0)
    prism_error_format (error, _ ("“%s” is empty (0 bytes). Choose an image: %s."), rows->name,
                        readable);
  else if (rows->source.size > MAX_BYTES)
    prism_error_format (error, _ ("“%s” is larger than 1 GiB. Choose a smaller image."),
                        rows->name);
  else if (format == NULL)
    prism_error_format (error, _ ("“%s” is not an image of a known kind. Choose another file: %s."),
                        rows->name, readable);
  else if (format->open == NULL)
    prism_error_format (error, _ ("“%s” is a %s file. Convert it to PNG first: %s."),
                        rows->name, format->format, readable);
  else
    return format;
  return NULL;
}

/* Turns and mirrors a place so that the picture is upright; orientation as in TIFF, tag 274. */
static float *
get_place (PrismImage *self,
           int orientation,
           gsize y,
           gsize x)
{
  const gboolean is_turned = orientation >= 5 && orientation <= 8;
  const gsize height = (gsize) self->height, width = (gsize) self->width;
  const gsize v = is_turned ? x : y, u = is_turned ? y : x;
  const gboolean flip_y
      = orientation == 3 || orientation == 4 || orientation == 7 || orientation == 8;
  const gboolean flip_x
      = orientation == 2 || orientation == 3 || orientation == 6 || orientation == 7;

  return self->pixels + (flip_y ? height - 1 - v : v) * width + (flip_x ? width - 1 - u : u);
}

/* All rows, upright. */
static PrismImage *
load_rows (PrismRows *rows,
           GError **error)
{
  const gboolean is_turned = rows->orientation >= 5 && rows->orientation <= 8;
  g_autoptr (PrismImage) self
      = prism_image_new ((int) (is_turned ? rows->width : rows->height),
                         (int) (is_turned ? rows->height : rows->width), error);
  prism_autofree_array float *row = NULL;

  if (self != NULL && rows->orientation > 1)
    row = prism_arena_new_array (rows->width * sizeof *row, "a row", error);
  if (self == NULL || (rows->orientation > 1 && row == NULL))
    return NULL;
  for (gsize y = 0; y < rows->height; y++)
    {
      if (!rows->read (rows, y, row != NULL ? row : self->pixels + y * rows->width, error))
        return NULL;
      for (gsize x = 0; x < rows->width && row != NULL; x++)
        *get_place (self, rows->orientation, y, x) = row[x];
    }
  return g_steal_pointer (&self);
}

static PrismImage *
load_bytes (GBytes *bytes,
            const char *name,
            int channel,
            GError **error)
{
  g_autoptr (PrismImage) self = NULL;
  g_autofree char *shown = g_strdup (name);
  PrismRows rows = { .name = shown, .channel = channel };
  const ImageFormat *format;
  gsize size;

  g_return_val_if_fail (bytes != NULL && name != NULL, NULL);

  rows.source.data = g_bytes_get_data (bytes, &size);
  rows.source.size = size;
  if (prism_packed_is (&rows.source)
      && !prism_packed_unpack (&rows.source, name, MAX_BYTES, error))
    return NULL;
  format = check_format (&rows, error);
  if (format != NULL)
    {
      rows.format = format->format;
      if (format->open (&rows, error))
        self = load_rows (&rows, error);
      rows.close (&rows);
    }
  if (rows.source.data == NULL && size > 0)
    close (rows.source.fd);
  if (self != NULL)
    self->origin = rows.origin;
  return self != NULL && replace_non_finite (self, &rows, error) ? g_steal_pointer (&self) : NULL;
}

/**
 * prism_image_load_bytes:
 * @bytes: the contents of a PNG, JPEG, TIFF, FITS or .npy file, also packed, at most 1 GiB
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
  return prism_image_load_channel (path, 0, error);
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
  g_autoptr (GBytes) bytes = prism_file_load (path, MAX_BYTES, error);

  return bytes == NULL ? NULL : load_bytes (bytes, path, channel, error);
}

/**
 * prism_strips_open:
 * @path: file name, any bytes
 *
 * Opens the first page of a PNG, JPEG, TIFF, BigTIFF, FITS or .npy file at its first row. Values
 * are those that prism_image_load_bytes() would give, but that what is no number stays so, and that
 * no camera's note is followed that it was held sideways.
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the picture
 */
PrismStrips *
prism_strips_open (const char *path,
                   GError **error)
{
  g_autoptr (PrismStrips) self = g_new0 (PrismStrips, 1);
  PrismRows *rows = g_new0 (PrismRows, 1);
  const ImageFormat *format;

  self->rows = rows;
  rows->is_strip = TRUE;
  rows->name = prism_file_dup_display_name (path);
  rows->source.fd = prism_file_open (path, G_MAXINT64, &rows->source.size, error);
  if (rows->source.fd < 0)
    return NULL;
  format = find_format (&rows->source);
  if (format == NULL || format->open == NULL)
    {
      prism_error_format (error,
                          _ ("“%s” is not a picture that can be read row by row: PNG, JPEG,"
                             " TIFF, BigTIFF,"
                             " FITS and .npy can be. Save it as TIFF."),
                          rows->name);
      return NULL;
    }
  rows->format = format->format;
  if (!format->open (rows, error))
    return NULL;
  self->height = (int) rows->height;
  self->width = (int) rows->width;
  self->is_real = rows->is_real;
  self->is_amplitude = format->open == prism_rows_open_npy;
  self->world = rows->world;
  return g_steal_pointer (&self);
}

/**
 * prism_strips_free:
 * @self: (nullable): a picture
 */
void
prism_strips_free (PrismStrips *self)
{
  if (self == NULL)
    return;
  if (self->rows->close != NULL)
    self->rows->close (self->rows);
  if (self->rows->source.fd >= 0)
    close (self->rows->source.fd);
  g_free (self->rows->world);
  g_free (self->rows->name);
  g_free (self->rows);
  g_free (self);
}

/**
 * prism_strips_read:
 * @n_rows: how many
 * @rows: (out): their pixels
 *
 * Reads the next rows.
 *
 * Shape: [n_rows][width].
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_FORMAT where the file ends before its pixels do.
 *
 * Returns: whether all of them are there
 */
gboolean
prism_strips_read (PrismStrips *self,
                   int n_rows,
                   float *rows,
                   GError **error)
{
  g_return_val_if_fail (self->next + n_rows <= self->height, FALSE);

  for (int y = 0; y < n_rows; y++, self->next++)
    if (!self->rows->read (self->rows, (guint64) self->next, rows + (gsize) y * self->width,
                           error))
      return FALSE;
  return TRUE;
}
