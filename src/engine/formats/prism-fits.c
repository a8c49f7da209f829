#include "config.h"

#include "formats/prism-fits.h"

#include <math.h>
#include <string.h>

/* Read here rather than with cfitsio, whose memory driver (4.2.0) reads past the end of the buffer
 * for truncated files and for descriptors that point outside. */

#define BLOCK_BYTES 2880
#define CARD_BYTES 80

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
  value = g_strstrip (g_strndup ((const char *) card + 10, CARD_BYTES - 10));
  /* Behind a number, too, a comment may have quotes. */
  if (*value != '\'' && strchr (value, '/') != NULL)
    *strchr (value, '/') = '\0';
  return g_strchomp (value);
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
read_axis (PrismFitsHeader *header,
           const guint8 *card,
           const char *value)
{
  g_autofree char *digits = g_strndup ((const char *) card + 5, 3);
  gint64 axis;

  if (!read_integer (g_strchomp (digits), 1, PRISM_FITS_MAX_AXES, &axis))
    return FALSE;
  return read_integer (value, 0, G_MAXINT64, &header->axes[axis - 1]);
}

/* A card without interest is no error. */
static gboolean
read_card (PrismFitsHeader *header,
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
      ok = read_integer (value, 0, PRISM_FITS_MAX_AXES, &number);
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
  else if (has_key (card, "ROWORDER"))
    header->is_top_down = g_str_has_prefix (value, "'TOP-DOWN");
  else if (has_key (card, "CDELT1") || has_key (card, "CDELT2"))
    read_real (value, &header->steps[card[5] - '1']);
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
read_header (PrismFitsHeader *header,
             const guint8 *data,
             gsize size,
             gsize offset)
{
  memset (header, 0, sizeof *header);
  header->scale = 1.0;
  header->n_groups = 1;
  header->head = offset;

  for (gsize at = offset; size - at >= CARD_BYTES; at += CARD_BYTES)
    {
      const guint8 *card = data + at;
      if (has_key (card, "END"))
        {
          header->start = (at / BLOCK_BYTES + 1) * BLOCK_BYTES;
          return is_depth_known (header->bitpix) && header->start <= size;
        }
      if (!read_card (header, card))
        return FALSE;
    }
  return FALSE;
}

/* |BITPIX|/8·GCOUNT·(PCOUNT + NAXIS1·…·NAXISn), up to a whole block. */
static gboolean
get_data_size (const PrismFitsHeader *header,
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

/**
 * prism_fits_is_usable:
 * @header: a header
 *
 * An axis of no length means that there are no pixels: what follows is another part.
 *
 * Returns: whether it is that of an image with pixels
 */
gboolean
prism_fits_is_usable (const PrismFitsHeader *header)
{
  for (int i = 0; i < header->n_axes; i++)
    if (header->axes[i] <= 0)
      return FALSE;
  return header->is_image && header->n_axes >= 2;
}

/**
 * prism_fits_find_image:
 * @header: (out caller-allocates): what was read last
 * @data: (array length=size): the whole file
 * @is_damaged: (out): whether the file is, where there is a reason
 *
 * Finds the first image of a file.
 *
 * Returns: (nullable): why there is none, without a full stop; %NULL where there is one
 */
const char *
prism_fits_find_image (PrismFitsHeader *header,
                       const guint8 *data,
                       gsize size,
                       gboolean *is_damaged)
{
  gboolean seen_compressed = FALSE;
  gsize offset = 0;
  gsize n_bytes;

  *is_damaged = FALSE;
  while (size - offset >= CARD_BYTES)
    {
      if (!read_header (header, data, size, offset))
        {
          *is_damaged = TRUE;
          return "no valid header";
        }
      if (prism_fits_is_usable (header))
        return NULL;
      seen_compressed |= header->is_compressed;
      if (!get_data_size (header, &n_bytes) || n_bytes > size - header->start)
        break;
      offset = header->start + n_bytes;
    }
  return seen_compressed ? "its image is compressed; unpack it with funpack"
                         : "it has no image of two or more dimensions";
}

/**
 * prism_fits_find_next:
 * @header: (inout): a header, then the one after it
 * @data: (array length=size): the whole file
 *
 * Returns: whether there is a further header that can be read
 */
gboolean
prism_fits_find_next (PrismFitsHeader *header,
                      const guint8 *data,
                      gsize size)
{
  gsize n_bytes, offset;

  if (!get_data_size (header, &n_bytes) || n_bytes > size - header->start)
    return FALSE;
  offset = header->start + n_bytes;
  return size - offset >= CARD_BYTES && read_header (header, data, size, offset);
}

/* What a picture shows, in which unit, and where in the world its pixels are, as far as their own
 * header alone says it. */
#define NAMES "OBJECT|ROWORDER"
#define UNIT "BUNIT"
#define WORLD                                                                                      \
  "WCSNAME|RADESYS|RADECSYS|EQUINOX|EPOCH|LONPOLE|LATPOLE"                                         \
  "|(CTYPE|CRVAL|CRPIX|CDELT|CUNIT|CROTA|CNAME)[12][A-Z]?|(PC|CD)[12]_[12][A-Z]?|P[VS][12]_[0-9]+" \
  "|[AB]P?_ORDER|[AB]P?_[0-9]_[0-9]"

/**
 * prism_fits_dup_world:
 * @header: of an image
 * @data: the file, or its beginning with the whole header
 * @has_unit: whether values are in the unit of the file, too
 *
 * Picks the cards that hold for every image on the same grid, whatever its values: name, unit and
 * coordinates.
 *
 * Returns: (transfer full): cards of 80 bytes, one behind the other, 0 at the end; may be empty
 */
char *
prism_fits_dup_world (const PrismFitsHeader *header,
                      const guint8 *data,
                      gboolean has_unit)
{
  const char *names = has_unit ? "^(" NAMES "|" UNIT "|" WORLD ")$" : "^(" NAMES "|" WORLD ")$";
  g_autoptr (GRegex) regex = g_regex_new (names, 0, 0, NULL);
  GString *cards = g_string_new (NULL);

  for (gsize at = header->head; at < header->start && !has_key (data + at, "END");
       at += CARD_BYTES)
    {
      const char *card = (const char *) data + at;
      g_autofree char *key = g_strchomp (g_strndup (card, 8));
      g_autofree char *text = g_strndup (card, CARD_BYTES);

      if (strlen (text) == CARD_BYTES && g_str_is_ascii (text)
          && g_regex_match (regex, key, 0, NULL))
        g_string_append (cards, text);
    }
  return g_string_free (cards, FALSE);
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

/**
 * prism_fits_get_pixel:
 * @p: the raw pixel, |BITPIX|/8 bytes
 * @header: its image's
 *
 * Returns: its physical value; NAN where it is blank
 */
double
prism_fits_get_pixel (const guint8 *p,
                      const PrismFitsHeader *header)
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
