#include "config.h"

#include "formats/prism-strips.h"

#include "base/prism-error.h"
#include "base/prism-file.h"
#include "formats/prism-strips-private.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MAGIC_BYTES 12

struct _PrismStrips
{
  PrismStripsReader reader;
  char *name; /* for messages */
  guint64 next;
};

typedef struct
{
  const char *format;
  gboolean (*open) (PrismStripsReader *self,
                    const char *path,
                    GError **error);
  gsize length;
  const char *magic;
} StripsFormat;

static const StripsFormat formats[] = {
  { "PNG", prism_strips_open_png, 8, "\x89PNG\r\n\x1a\n" },
  { "JPEG", prism_strips_open_jpeg, 3, "\xff\xd8\xff" },
  { "TIFF", prism_strips_open_tiff, 4, "II*\0" },
  { "TIFF", prism_strips_open_tiff, 4, "MM\0*" },
  { "TIFF", prism_strips_open_tiff, 4, "II+\0" },
  { "TIFF", prism_strips_open_tiff, 4, "MM\0+" },
  { "FITS", prism_strips_open_fits, 9, "SIMPLE  =" },
  { "NumPy", prism_strips_open_npy, 6, "\x93NUMPY" },
};

static const StripsFormat *
find_format (const char *path,
             const char *name,
             GError **error)
{
  char magic[MAGIC_BYTES] = { 0 };
  guint64 size;
  int file = prism_file_open (path, G_MAXINT64, &size, error);
  FILE *stream = file >= 0 ? fdopen (file, "rb") : NULL;
  gsize n;

  if (stream == NULL)
    return NULL;
  n = fread (magic, 1, sizeof magic, stream);
  fclose (stream);
  for (gsize i = 0; i < G_N_ELEMENTS (formats); i++)
    if (n >= formats[i].length && memcmp (magic, formats[i].magic, formats[i].length) == 0)
      return &formats[i];
  g_set_error (error, PRISM_ERROR, PRISM_ERROR_FORMAT,
               _ ("“%s” is not a picture that can be read row by row: PNG, JPEG, TIFF, BigTIFF,"
                  " FITS and .npy can be. Save it as TIFF."),
               name);
  return NULL;
}

static gboolean
check_size (const PrismStrips *self,
            GError **error)
{
  guint64 height = self->reader.height, width = self->reader.width;

  if (height > 0 && width > 0 && height <= PRISM_STRIPS_MAX_SIDE && width <= PRISM_STRIPS_MAX_SIDE)
    return TRUE;
  g_set_error (error, PRISM_ERROR, PRISM_ERROR_FORMAT,
               _ ("“%s” has %" PRIu64 " × %" PRIu64 " pixels; from 1 × 1 to"
                  " %d × %d can be read. Cut it first."),
               self->name, width, height, PRISM_STRIPS_MAX_SIDE, PRISM_STRIPS_MAX_SIDE);
  return FALSE;
}

/**
 * prism_strips_open:
 * @path: file name, any bytes
 *
 * Opens the first page of a PNG, JPEG, TIFF, BigTIFF, FITS or .npy file at its first row. Values
 * are those that prism_image_load_bytes() would give, but that what is no number stays so.
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the picture
 */
PrismStrips *
prism_strips_open (const char *path,
                   GError **error)
{
  g_autofree char *name = prism_file_dup_display_name (path);
  const StripsFormat *format = find_format (path, name, error);
  g_autoptr (PrismStrips) self = NULL;

  if (format == NULL)
    return NULL;
  self = g_new0 (PrismStrips, 1);
  self->name = g_steal_pointer (&name);
  self->reader.source.name = self->name;
  self->reader.source.format = format->format;
  if (!format->open (&self->reader, path, error) || !check_size (self, error))
    return NULL;
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
  if (self->reader.close != NULL)
    self->reader.close (self->reader.state);
  g_free (self->name);
  g_free (self);
}

/**
 * prism_strips_get_height:
 *
 * Returns: rows
 */
int
prism_strips_get_height (PrismStrips *self)
{
  return (int) self->reader.height;
}

/**
 * prism_strips_get_width:
 *
 * Returns: columns
 */
int
prism_strips_get_width (PrismStrips *self)
{
  return (int) self->reader.width;
}

/**
 * prism_strips_is_amplitude:
 *
 * Returns: whether the values are amplitudes, as those of .npy files are, and not intensities
 */
gboolean
prism_strips_is_amplitude (PrismStrips *self)
{
  return strcmp (self->reader.source.format, "NumPy") == 0;
}

/**
 * prism_strips_is_real:
 *
 * Returns: whether the values have a unit of their own; else they are parts of a range, 0…1
 */
gboolean
prism_strips_is_real (PrismStrips *self)
{
  return self->reader.is_real;
}

/**
 * prism_strips_get_world:
 *
 * Returns: (transfer none) (nullable): what a FITS file says of name, unit and coordinates, for
 *   prism_strip_writer_set_world()
 */
const char *
prism_strips_get_world (PrismStrips *self)
{
  return self->reader.world;
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
  g_return_val_if_fail (self->next + (guint64) n_rows <= self->reader.height, FALSE);

  for (int y = 0; y < n_rows; y++, self->next++)
    if (!self->reader.read (&self->reader, self->next, rows + (gsize) y * self->reader.width,
                            error))
      return FALSE;
  return TRUE;
}
