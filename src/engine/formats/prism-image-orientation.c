#include "config.h"

#include "formats/prism-image-private.h"

#include <string.h>

#define ORIENTATION_TAG 0x0112
#define N_IMAGES_TAG 0xb001
#define TYPE_SHORT 3
#define TYPE_LONG 4

/* Exif is a small TIFF file: bytes [size] and their order. */
typedef struct
{
  const guint8 *data;
  gsize size;
  gboolean big_endian;
} ExifReader;

static gboolean
read_number (const ExifReader *reader,
             gsize offset,
             guint n_bytes,
             guint32 *value)
{
  guint32 number = 0;

  if (offset > reader->size || reader->size - offset < n_bytes)
    return FALSE;
  for (guint i = 0; i < n_bytes; i++)
    number |= (guint32) reader->data[offset + i] << 8 * (reader->big_endian ? n_bytes - 1 - i : i);
  *value = number;
  return TRUE;
}

/* The value of an entry of the first directory, 0 where there is none. */
static guint32
find_value (const ExifReader *reader,
            guint32 wanted_tag,
            guint32 wanted_type)
{
  guint32 directory, n_entries, tag, type, value;

  if (!read_number (reader, 4, 4, &directory) || !read_number (reader, directory, 2, &n_entries))
    return 0;

  for (guint32 i = 0; i < n_entries; i++)
    {
      gsize entry = (gsize) directory + 2 + 12 * (gsize) i;
      if (!read_number (reader, entry, 2, &tag)
          || !read_number (reader, entry + 2, 2, &type)
          || !read_number (reader, entry + 8, wanted_type == TYPE_SHORT ? 2 : 4, &value))
        return 0;
      if (tag == wanted_tag && type == wanted_type)
        return value;
    }
  return 0;
}

static ExifReader
make_reader (const guint8 *data,
             gsize size)
{
  return (ExifReader) { data, size, data[0] == 'M' };
}

/**
 * prism_image_get_exif_orientation:
 * @exif: (array length=size): contents of an APP1 marker, "Exif" first
 * @size: bytes
 *
 * Reads how a camera was held.
 *
 * Source: Exif 2.3, tag 0x0112.
 *
 * Returns: 1 to 8; 1 (upright) where it is not stated
 */
int
prism_image_get_exif_orientation (const guint8 *exif,
                                  gsize size)
{
  ExifReader reader;
  guint32 value;

  if (size < 14 || memcmp (exif, "Exif\0\0", 6) != 0)
    return 1;
  reader = make_reader (exif + 6, size - 6);
  value = find_value (&reader, ORIENTATION_TAG, TYPE_SHORT);
  return value >= 1 && value <= 8 ? (int) value : 1;
}

/**
 * prism_image_get_mpf_count:
 * @mpf: (array length=size): contents of an APP2 marker
 * @size: bytes
 *
 * Reads how many pictures a JPEG file has of which its first one is the first.
 *
 * Source: CIPA DC-007, tag 0xB001.
 *
 * Returns: the number; 0 where it is not stated
 */
guint32
prism_image_get_mpf_count (const guint8 *mpf,
                           gsize size)
{
  ExifReader reader;

  if (size < 12 || memcmp (mpf, "MPF\0", 4) != 0)
    return 0;
  reader = make_reader (mpf + 4, size - 4);
  return find_value (&reader, N_IMAGES_TAG, TYPE_LONG);
}

/**
 * prism_image_dup_oriented:
 * @self: an image as it is stored
 * @orientation: 1 to 8 as in TIFF and Exif; any other number counts as 1
 *
 * Turns and mirrors an image so that it is upright.
 *
 * Errors: PRISM_ERROR_MEMORY.
 * Source: TIFF 6.0, tag 274.
 *
 * Returns: (transfer full) (nullable): the upright image, @self itself where nothing is to be done
 */
PrismImage *
prism_image_dup_oriented (PrismImage *self,
                          int orientation,
                          GError **error)
{
  gboolean transposed = orientation >= 5 && orientation <= 8;
  gboolean flip_y = orientation == 3 || orientation == 4 || orientation == 7 || orientation == 8;
  gboolean flip_x = orientation == 2 || orientation == 3 || orientation == 6 || orientation == 7;
  PrismImage *upright;

  if (orientation < 2 || orientation > 8)
    return prism_image_ref (self);

  upright = prism_image_new (transposed ? self->width : self->height,
                             transposed ? self->height : self->width, error);
  if (upright == NULL)
    return NULL;

  for (int y = 0; y < upright->height; y++)
    for (int x = 0; x < upright->width; x++)
      {
        int v = flip_y ? upright->height - 1 - y : y;
        int u = flip_x ? upright->width - 1 - x : x;
        gsize from = transposed ? (gsize) u * self->width + v : (gsize) v * self->width + u;
        upright->pixels[(gsize) y * upright->width + x] = self->pixels[from];
      }
  return upright;
}
