#include "config.h"

#include "formats/prism-fields-readers.h"

#include "base/prism-file.h"
#include "base/prism-gzip.h"
#include "formats/prism-fits.h"

#include <stdlib.h>
#include <string.h>

#define MAX_BYTES (G_GUINT64_CONSTANT (64) << 30)

/* The whole file, and where its cube lies. */
typedef struct
{
  GBytes *bytes;
  PrismFitsHeader header;
} FitsFile;

static void
free_file (gpointer data)
{
  FitsFile *self = data;

  if (self->bytes != NULL)
    g_bytes_unref (self->bytes);
  g_free (self);
}

static gboolean
read_run (PrismFields *fields,
          const PrismField *field,
          gsize first,
          gsize n,
          double *values,
          GError **error)
{
  const FitsFile *self = fields->data;
  const gsize size = (gsize) abs (self->header.bitpix) / 8;
  const guint8 *data = g_bytes_get_data (self->bytes, NULL);

  data += self->header.start + first * size;
  for (gsize i = 0; i < n; i++)
    values[i] = prism_fits_get_pixel (data + i * size, &self->header);
  return TRUE;
}

/* The cube's array; its longest distance between two values is the plane. */
static void
add_cube (PrismFields *fields,
          const FitsFile *self)
{
  const PrismFitsHeader *header = &self->header;
  gsize shape[PRISM_FIELDS_MAX_DIMS] = { 0 };
  gsize present = g_bytes_get_size (self->bytes) - header->start;
  PrismField *field;

  for (int i = 0; i < header->n_axes && i < PRISM_FIELDS_MAX_DIMS; i++)
    shape[i] = (gsize) header->axes[MIN (header->n_axes, PRISM_FIELDS_MAX_DIMS) - 1 - i];
  field = prism_fields_add (fields, "frames", PRISM_FIELD_REAL, header->n_axes, shape);
  if (field->obstacle == NULL && field->n_values > present / ((gsize) abs (header->bitpix) / 8))
    field->obstacle = g_strdup ("the file ends before its pixels do");
}

/**
 * prism_fields_load_fits:
 * @path: file name
 *
 * The first image of a FITS file, which may be packed by gzip: a cube with the frames one after the
 * other, called “frames”. Rows are taken in the order of the file.
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the arrays
 */
PrismFields *
prism_fields_load_fits (const char *path,
                        GError **error)
{
  g_autofree char *name = prism_file_dup_display_name (path);
  g_autoptr (PrismFields) fields = prism_fields_new (name, "FITS");
  FitsFile *self = g_new0 (FitsFile, 1);
  const char *reason;
  gboolean is_damaged;

  fields->data = self;
  fields->free_data = free_file;
  fields->read_run = read_run;
  self->bytes = prism_file_load (path, MAX_BYTES, error);
  if (self->bytes != NULL && prism_gzip_is (self->bytes))
    {
      g_autoptr (GBytes) packed = g_steal_pointer (&self->bytes);

      self->bytes = prism_gzip_unpack (packed, MAX_BYTES);
      if (self->bytes == NULL)
        prism_fields_set_error (error, name, "FITS",
                                "gzip's packing is damaged or cut off; unpack it with gunzip");
    }
  if (self->bytes == NULL)
    return NULL;
  if (g_bytes_get_size (self->bytes) < 9
      || memcmp (g_bytes_get_data (self->bytes, NULL), "SIMPLE  =", 9) != 0)
    {
      prism_fields_set_error (error, name, "FITS",
                              "it is something else that gzip has packed; unpack it with gunzip");
      return NULL;
    }
  reason = prism_fits_find_image (&self->header, g_bytes_get_data (self->bytes, NULL),
                                  g_bytes_get_size (self->bytes), &is_damaged);
  if (reason != NULL)
    {
      prism_fields_set_error (error, name, "FITS", reason);
      return NULL;
    }
  add_cube (fields, self);
  return g_steal_pointer (&fields);
}
