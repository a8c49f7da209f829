#include "config.h"

#include "formats/prism-image-private.h"

#include "formats/prism-fits.h"

#include <math.h>

static gboolean
find_image (PrismFitsHeader *header,
            const PrismImageSource *source,
            GError **error)
{
  gboolean is_damaged;
  const char *reason = prism_fits_find_image (header, source->data, source->size, &is_damaged);

  if (reason != NULL && is_damaged)
    prism_image_set_damage (error, source, reason);
  else if (reason != NULL)
    prism_image_set_error (error, source, reason);
  return reason == NULL;
}

static guint64
count_planes (const PrismFitsHeader *header)
{
  guint64 n = 1;

  for (int i = 2; i < header->n_axes; i++)
    n = header->axes[i] < G_MAXINT32 && n < G_MAXINT32 ? n * (guint64) header->axes[i] : G_MAXINT32;
  return n;
}

/* The planes of the image and the images that follow it. What is damaged there is no matter. */
static void
count_parts (PrismImageOrigin *origin,
             const PrismFitsHeader *first,
             const PrismImageSource *source)
{
  g_autofree PrismFitsHeader *header = g_memdup2 (first, sizeof *first);

  origin->n_planes = count_planes (first);
  origin->n_images = 1;
  while (prism_fits_find_next (header, source->data, source->size))
    origin->n_images += prism_fits_is_usable (header) ? 1 : 0;
}

/* Integers are divided by their full range unless the header gives them a physical scale. A BZERO
 * of half the range is how FITS stores the other signedness. */
static double
get_full_range (const PrismFitsHeader *header)
{
  double half = ldexp (1.0, header->bitpix - 1);
  gboolean is_byte = header->bitpix == 8;

  if (header->bitpix < 0 || header->scale != 1.0)
    return 1.0;
  if (header->zero == 0.0)
    return is_byte ? 2.0 * half - 1.0 : half - 1.0;
  if (header->zero == (is_byte ? -half : half))
    return is_byte ? half - 1.0 : 2.0 * half - 1.0;
  return 1.0;
}

/**
 * prism_image_load_fits:
 * @source: the file
 *
 * Decodes the first plane of the first image of a FITS file, which counts its rows from the bottom
 * unless ROWORDER says otherwise, and counts the others.
 * Scale, offset and blanks of the header are applied; blanks are NaN.
 *
 * Errors: PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY.
 * Source: FITS Standard 4.0, sections 3, 4.4 and 5; ROWORDER: a convention of cameras' programs and
 * Siril, 'TOP-DOWN' or 'BOTTOM-UP'.
 *
 * Returns: (transfer full) (nullable): the image
 */
PrismImage *
prism_image_load_fits (const PrismImageSource *source,
                       GError **error)
{
  PrismFitsHeader header;
  PrismImage *image;
  double full_range;
  gsize n_pixels, n_bytes;

  if (!find_image (&header, source, error)
      || !prism_image_check_size (source, header.axes[1], header.axes[0], error))
    return NULL;

  n_pixels = (gsize) header.axes[0] * (gsize) header.axes[1];
  n_bytes = (gsize) ABS (header.bitpix) / 8;
  if (n_pixels * n_bytes > source->size - header.start)
    {
      prism_image_set_damage (error, source, "the file ends before its pixels do");
      return NULL;
    }
  image = prism_image_new ((int) header.axes[1], (int) header.axes[0], error);
  if (image == NULL)
    return NULL;

  full_range = get_full_range (&header);
  for (int y = 0; y < image->height; y++)
    for (int x = 0; x < image->width; x++)
      {
        int row = header.is_top_down ? y : image->height - 1 - y;
        gsize i = (gsize) row * image->width + x;
        double value = prism_fits_get_pixel (source->data + header.start + i * n_bytes, &header);
        image->pixels[(gsize) y * image->width + x] = prism_image_narrow (value / full_range);
      }
  count_parts (&image->origin, &header, source);
  if (header.steps[0] != 0 && header.steps[1] != 0)
    image->origin.pixel_ratio = fabs (header.steps[1] / header.steps[0]);
  return image;
}

/**
 * prism_image_find_fits_plane:
 * @plane: (out): where the first image is
 * @source: the file, or its beginning
 *
 * Errors: PRISM_ERROR_FORMAT.
 *
 * Returns: whether there is an image
 */
gboolean
prism_image_find_fits_plane (PrismImageFitsPlane *plane,
                             const PrismImageSource *source,
                             GError **error)
{
  g_autofree PrismFitsHeader *header = g_new0 (PrismFitsHeader, 1);

  if (!find_image (header, source, error))
    return FALSE;
  *plane = (PrismImageFitsPlane) {
    .height = (guint64) header->axes[1],
    .width = (guint64) header->axes[0],
    .start = header->start,
    .n_bytes = (gsize) ABS (header->bitpix) / 8,
    .is_real = get_full_range (header) == 1.0,
    .is_top_down = header->is_top_down,
  };
  plane->world = prism_fits_dup_world (header, source->data, plane->is_real);
  plane->header = g_steal_pointer (&header);
  return TRUE;
}

/**
 * prism_image_decode_fits_row:
 * @plane: of prism_image_find_fits_plane()
 * @bytes: of a row
 * @row: (out): its pixels
 *
 * Shape: bytes is [width][n_bytes], row is [width].
 */
void
prism_image_decode_fits_row (const PrismImageFitsPlane *plane,
                             const guint8 *bytes,
                             float *row)
{
  const double full_range = get_full_range (plane->header);

  for (guint64 x = 0; x < plane->width; x++)
    row[x] = prism_image_narrow (prism_fits_get_pixel (bytes + x * plane->n_bytes, plane->header)
                                 / full_range);
}
