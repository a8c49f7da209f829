#include "config.h"

#include "formats/prism-image-private.h"

#include <math.h>
#include <string.h>

/* Read here rather than with cfitsio, whose memory driver (4.2.0) reads past the end of the buffer
 * for truncated files and for descriptors that point outside. */

#define BLOCK_BYTES 2880
#define CARD_BYTES 80
#define MAX_AXES 999

/* What one header says. */
typedef struct
{
  gboolean is_image;
  gboolean is_compressed; /* an image packed into a table */
  int bitpix;             /* 8, 16, 32, 64, -32 or -64 */
  int n_axes;
  gint64 axes[MAX_AXES]; /* the width first */
  double scale;
  double zero;
  gboolean has_blank;
  gint64 blank;        /* the raw value that means NaN */
  gint64 n_parameters; /* PCOUNT */
  gint64 n_groups;     /* GCOUNT */
  gsize start;         /* of the data in the file */
} FitsHeader;

static gboolean
has_key (const guint8 *card,
         const char *key)
{
  gsize length = strlen (key);

  if (memcmp (card, key, length) != 0)
    return FALSE;
  for (gsize i = length; i < 8; i++)
    if (card[i] != ' ')
      return FALSE;
  return TRUE;
}

static char *
dup_value (const guint8 *card)
{
  char *value;

  if (memcmp (card + 8, "= ", 2) != 0)
    return g_strdup ("");
  value = g_strndup ((const char *) card + 10, CARD_BYTES - 10);
  if (strchr (value, '\'') == NULL && strchr (value, '/') != NULL)
    *strchr (value, '/') = '\0';
  return g_strstrip (value);
}

static gboolean
read_integer (const char *text,
              gint64 minimum,
              gint64 maximum,
              gint64 *number)
{
  return g_ascii_string_to_signed (text, 10, minimum, maximum, number, NULL);
}

static gboolean
read_real (char *text,
           double *number)
{
  char *end;

  g_strdelimit (text, "Dd", 'E');
  *number = g_ascii_strtod (text, &end);
  return end != text && *end == '\0' && isfinite (*number);
}

/* NAXISn, n from 1. */
static gboolean
read_axis (FitsHeader *header,
           const guint8 *card,
           const char *value)
{
  g_autofree char *digits = g_strndup ((const char *) card + 5, 3);
  gint64 axis;

  if (!read_integer (g_strchomp (digits), 1, MAX_AXES, &axis))
    return FALSE;
  return read_integer (value, 0, G_MAXINT64, &header->axes[axis - 1]);
}

/* A card without interest is no error. */
static gboolean
read_card (FitsHeader *header,
           const guint8 *card)
{
  g_autofree char *value = dup_value (card);
  gint64 number = 0;
  gboolean ok = TRUE;

  if (has_key (card, "SIMPLE"))
    header->is_image = TRUE;
  else if (has_key (card, "XTENSION"))
    header->is_image = g_str_has_prefix (value, "'IMAGE ") || g_str_has_prefix (value, "'IMAGE'");
  else if (has_key (card, "ZIMAGE"))
    header->is_compressed = *value == 'T';
  else if (has_key (card, "BITPIX"))
    {
      ok = read_integer (value, -64, 64, &number);
      header->bitpix = (int) number;
    }
  else if (has_key (card, "NAXIS"))
    {
      ok = read_integer (value, 0, MAX_AXES, &number);
      header->n_axes = (int) number;
    }
  else if (memcmp (card, "NAXIS", 5) == 0)
    ok = read_axis (header, card, value);
  else if (has_key (card, "PCOUNT"))
    ok = read_integer (value, 0, G_MAXINT64, &header->n_parameters);
  else if (has_key (card, "GCOUNT"))
    ok = read_integer (value, 0, G_MAXINT64, &header->n_groups);
  else if (has_key (card, "BSCALE"))
    ok = read_real (value, &header->scale);
  else if (has_key (card, "BZERO"))
    ok = read_real (value, &header->zero);
  else if (has_key (card, "BLANK"))
    header->has_blank = read_integer (value, G_MININT64, G_MAXINT64, &header->blank);
  return ok;
}

static gboolean
is_depth_known (int bitpix)
{
  return bitpix == 8 || bitpix == 16 || ABS (bitpix) == 32 || ABS (bitpix) == 64;
}

/* The header at offset, which is a whole number of blocks. */
static gboolean
read_header (FitsHeader *header,
             const PrismImageSource *source,
             gsize offset)
{
  memset (header, 0, sizeof *header);
  header->scale = 1.0;
  header->n_groups = 1;

  for (gsize at = offset; source->size - at >= CARD_BYTES; at += CARD_BYTES)
    {
      const guint8 *card = source->data + at;
      if (has_key (card, "END"))
        {
          header->start = (at / BLOCK_BYTES + 1) * BLOCK_BYTES;
          return is_depth_known (header->bitpix) && header->start <= source->size;
        }
      if (!read_card (header, card))
        return FALSE;
    }
  return FALSE;
}

/* |BITPIX|/8·GCOUNT·(PCOUNT + NAXIS1·…·NAXISn), up to a whole block. */
static gboolean
get_data_size (const FitsHeader *header,
               gsize *size)
{
  gsize n = header->n_axes > 0 ? 1 : 0;

  for (int i = 0; i < header->n_axes; i++)
    if (!g_size_checked_mul (&n, n, (gsize) header->axes[i]))
      return FALSE;
  if (!g_size_checked_add (&n, n, (gsize) header->n_parameters)
      || !g_size_checked_mul (&n, n, (gsize) header->n_groups)
      || !g_size_checked_mul (&n, n, (gsize) ABS (header->bitpix) / 8)
      || !g_size_checked_add (&n, n, BLOCK_BYTES - 1))
    return FALSE;
  *size = n / BLOCK_BYTES * BLOCK_BYTES;
  return TRUE;
}

/* An axis of no length means that there are no pixels: what follows is another part. */
static gboolean
is_usable (const FitsHeader *header)
{
  for (int i = 0; i < header->n_axes; i++)
    if (header->axes[i] <= 0)
      return FALSE;
  return header->is_image && header->n_axes >= 2;
}

/* Finds the first image; *header is what was read last. */
static gboolean
find_image (FitsHeader *header,
            const PrismImageSource *source,
            GError **error)
{
  gboolean seen_compressed = FALSE;
  gsize offset = 0;
  gsize size;

  while (source->size - offset >= CARD_BYTES)
    {
      if (!read_header (header, source, offset))
        {
          prism_image_set_damage (error, source, "no valid header");
          return FALSE;
        }
      if (is_usable (header))
        return TRUE;
      seen_compressed |= header->is_compressed;
      if (!get_data_size (header, &size) || size > source->size - header->start)
        break;
      offset = header->start + size;
    }
  prism_image_set_error (error, source,
                         seen_compressed ? "its image is compressed; unpack it with funpack"
                                         : "it has no image of two or more dimensions");
  return FALSE;
}

static guint64
count_planes (const FitsHeader *header)
{
  guint64 n = 1;

  for (int i = 2; i < header->n_axes; i++)
    n = header->axes[i] < G_MAXINT32 && n < G_MAXINT32 ? n * (guint64) header->axes[i] : G_MAXINT32;
  return n;
}

/* The planes of the image and the images that follow it. What is damaged there is no matter. */
static void
count_parts (PrismImageOrigin *origin,
             const FitsHeader *first,
             const PrismImageSource *source)
{
  g_autofree FitsHeader *header = g_memdup2 (first, sizeof *first);
  gsize offset = 0, size;

  origin->n_planes = count_planes (first);
  origin->n_images = 1;
  while (get_data_size (header, &size) && size <= source->size - header->start)
    {
      offset = header->start + size;
      if (source->size - offset < CARD_BYTES || !read_header (header, source, offset))
        break;
      origin->n_images += is_usable (header) ? 1 : 0;
    }
}

static guint64
read_bits (const guint8 *p,
           int n_bytes)
{
  guint64 bits = 0;

  for (int i = 0; i < n_bytes; i++)
    bits = bits << 8 | p[i];
  return bits;
}

/* Physical value of the raw pixel at p. */
static double
read_pixel (const guint8 *p,
            const FitsHeader *header)
{
  int n_bits = ABS (header->bitpix);
  guint64 bits = read_bits (p, n_bits / 8);
  guint32 half = (guint32) bits;
  gint64 integer = (gint64) (bits << (64 - n_bits)) >> (64 - n_bits);
  double value;
  float narrow;

  if (header->bitpix == -32)
    {
      memcpy (&narrow, &half, sizeof narrow);
      value = narrow;
    }
  else if (header->bitpix == -64)
    memcpy (&value, &bits, sizeof value);
  else
    {
      if (header->bitpix == 8)
        integer = *p;
      if (header->has_blank && integer == header->blank)
        return NAN;
      /* Unsigned numbers of 64 bits: small ones would not survive the sum in doubles. */
      if (header->bitpix == 64 && header->zero == 0x1p63 && header->scale == 1.0)
        return (double) (bits ^ G_GUINT64_CONSTANT (1) << 63);
      value = (double) integer;
    }
  return header->zero + header->scale * value;
}

/* Integers are divided by their full range unless the header gives them a physical scale. A BZERO
 * of half the range is how FITS stores the other signedness. */
static double
get_full_range (const FitsHeader *header)
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
 * Decodes the first plane of the first image of a FITS file, which counts its rows from the bottom,
 * and counts the others.
 * Scale, offset and blanks of the header are applied; blanks are NaN.
 *
 * Errors: PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY.
 * Source: FITS Standard 4.0, sections 3, 4.4 and 5.
 *
 * Returns: (transfer full) (nullable): the image
 */
PrismImage *
prism_image_load_fits (const PrismImageSource *source,
                       GError **error)
{
  FitsHeader header;
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
        gsize i = (gsize) (image->height - 1 - y) * image->width + x;
        double value = read_pixel (source->data + header.start + i * n_bytes, &header);
        image->pixels[(gsize) y * image->width + x] = prism_image_narrow (value / full_range);
      }
  count_parts (&image->origin, &header, source);
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
  g_autofree FitsHeader *header = g_new0 (FitsHeader, 1);

  if (!find_image (header, source, error))
    return FALSE;
  *plane = (PrismImageFitsPlane) {
    .height = (guint64) header->axes[1],
    .width = (guint64) header->axes[0],
    .start = header->start,
    .n_bytes = (gsize) ABS (header->bitpix) / 8,
    .is_real = get_full_range (header) == 1.0,
  };
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
    row[x] = prism_image_narrow (read_pixel (bytes + x * plane->n_bytes, plane->header)
                                 / full_range);
}
