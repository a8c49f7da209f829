#include "config.h"

#include "formats/prism-rows-private.h"

#include "base/prism-error.h"
#include "formats/prism-strips.h"

#include <inttypes.h>

#define ORIENTATION_TAG 0x0112
#define N_IMAGES_TAG 0xb001
#define TYPE_SHORT 3
#define TYPE_LONG 4

/**
 * prism_rows_fail:
 * @reason: what is wrong, half a sentence
 *
 * Sets PRISM_ERROR_FORMAT with the file, its format, the reason and what to do.
 *
 * Returns: FALSE
 */
gboolean
prism_rows_fail (const PrismRows *self,
                 const char *reason,
                 GError **error)
{
  return prism_error_format (error, _ ("“%s” cannot be read as a %s image: %s. Choose another file"
                                       " or save it as PNG."),
                             self->name, self->format, reason);
}

/**
 * prism_rows_damaged:
 * @detail: (nullable): what the decoder says, any bytes
 *
 * Sets the error of a file whose contents contradict its format.
 *
 * Returns: FALSE
 */
gboolean
prism_rows_damaged (const PrismRows *self,
                    const char *detail,
                    GError **error)
{
  g_autofree char *valid = g_utf8_make_valid (detail == NULL ? "" : detail, -1);
  g_autofree char *reason = NULL;

  g_strstrip (g_strdelimit (valid, "\r\n\t", ' '));
  if (*valid != '\0')
    reason = g_strdup_printf (_ ("it is truncated or damaged (%s)"), valid);
  return prism_rows_fail (self, reason != NULL ? reason : _ ("it is truncated or damaged"), error);
}

/**
 * prism_rows_check_size:
 * @self: whose height and width are what the file's header says
 *
 * Checks a size before anything is allocated for it.
 *
 * Errors: PRISM_ERROR_FORMAT with the limit.
 *
 * Returns: whether the size is possible
 */
gboolean
prism_rows_check_size (const PrismRows *self,
                       GError **error)
{
  const guint64 most = self->is_strip ? PRISM_STRIPS_MAX_SIDE : PRISM_IMAGE_MAX_SIDE;

  if (MIN (self->height, self->width) > 0 && MAX (self->height, self->width) <= most)
    return TRUE;
  if (self->is_strip)
    return prism_error_format (error, _ ("“%s” has %" PRIu64 " × %" PRIu64 " pixels; from 1 × 1 to"
                                         " %d × %d can be read. Cut it first."),
                               self->name, self->width, self->height, PRISM_STRIPS_MAX_SIDE,
                               PRISM_STRIPS_MAX_SIDE);
  if (MIN (self->height, self->width) == 0)
    return prism_rows_fail (self, _ ("it has no pixels"), error);
  return prism_error_format (error, _ ("“%s” has %" PRIu64 " × %" PRIu64 " pixels; "
                                       "at most %d × %d can be read. Choose a smaller image or"
                                       " scale it down first."),
                             self->name, self->width, self->height, PRISM_IMAGE_MAX_SIDE,
                             PRISM_IMAGE_MAX_SIDE);
}

/* The value of an entry of the first directory of a small TIFF file, as Exif is one; 0: none. */
static guint32
find_value (const guint8 *data,
            gsize size,
            guint32 wanted_tag,
            guint32 wanted_type)
{
  const PrismSource source = { .data = data, .size = size };
  const gboolean swap = size > 0 && (data[0] == 'M') == (G_BYTE_ORDER == G_LITTLE_ENDIAN);
  const gsize n_value = wanted_type == TYPE_SHORT ? 2 : 4;
  guint8 entry[12];
  guint64 directory, n_entries;

  if (!prism_source_read (&source, 4, entry, 4))
    return 0;
  directory = prism_source_get_bits (entry, 4, swap);
  if (!prism_source_read (&source, directory, entry, 2))
    return 0;
  n_entries = prism_source_get_bits (entry, 2, swap);
  for (guint64 i = 0; i < n_entries; i++)
    {
      if (!prism_source_read (&source, directory + 2 + 12 * i, entry, 8 + n_value))
        return 0;
      if (prism_source_get_bits (entry, 2, swap) == wanted_tag
          && prism_source_get_bits (entry + 2, 2, swap) == wanted_type)
        return (guint32) prism_source_get_bits (entry + 8, n_value, swap);
    }
  return 0;
}

/**
 * prism_exif_get_orientation:
 * @exif: (array length=size): Exif data, from its order of bytes on
 * @size: bytes
 *
 * Reads how a camera was held.
 *
 * Source: Exif 2.3, tag 0x0112.
 *
 * Returns: 1 to 8; 1 (upright) where it is not stated
 */
int
prism_exif_get_orientation (const guint8 *exif,
                            gsize size)
{
  const guint32 value = find_value (exif, size, ORIENTATION_TAG, TYPE_SHORT);

  return value >= 1 && value <= 8 ? (int) value : 1;
}

/**
 * prism_exif_get_n_images:
 * @mpf: (array length=size): contents of an APP2 marker, from its order of bytes on
 * @size: bytes
 *
 * Reads how many pictures a JPEG file has of which its first one is the first.
 *
 * Source: CIPA DC-007, tag 0xB001.
 *
 * Returns: the number; 0 where it is not stated
 */
guint32
prism_exif_get_n_images (const guint8 *mpf,
                         gsize size)
{
  return find_value (mpf, size, N_IMAGES_TAG, TYPE_LONG);
}
