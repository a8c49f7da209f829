#include "config.h"

#include "formats/prism-strips-private.h"

#include "base/prism-arena.h"
#include "formats/prism-npy.h"

#include <fcntl.h>
#include <unistd.h>

/* Formats whose pixels lie in the file as they are. A row is read where it lies: a mapping would
 * end the program where somebody shortens the file. */
typedef struct
{
  int file;
  PrismImageFitsPlane plane; /* FITS */
  PrismNpyRows rows;         /* .npy */
  guint8 *bytes;             /* of a row */
} RawRows;

static void
close_raw (gpointer state)
{
  RawRows *raw = state;

  if (raw->file >= 0)
    close (raw->file);
  g_free (raw->plane.header);
  g_free (raw->plane.world);
  g_free (raw->rows.layout);
  prism_arena_free_array (raw->bytes);
  g_free (raw);
}

static gboolean
read_bytes (PrismStripsReader *self,
            guint64 start,
            gsize length,
            GError **error)
{
  RawRows *raw = self->state;

  for (gsize n = 0; n < length;)
    {
      gssize part = pread (raw->file, raw->bytes + n, length - n, (off_t) (start + n));

      if (part <= 0)
        {
          prism_image_set_damage (error, &self->source, "the file ends before its pixels do");
          return FALSE;
        }
      n += (gsize) part;
    }
  return TRUE;
}

static gboolean
read_fits (PrismStripsReader *self,
           guint64 y,
           float *row,
           GError **error)
{
  RawRows *raw = self->state;
  gsize length = (gsize) self->width * raw->plane.n_bytes;

  guint64 place = raw->plane.is_top_down ? y : self->height - 1 - y;

  if (!read_bytes (self, raw->plane.start + place * length, length, error))
    return FALSE;
  prism_image_decode_fits_row (&raw->plane, raw->bytes, row);
  return TRUE;
}

static gboolean
read_npy (PrismStripsReader *self,
          guint64 y,
          float *row,
          GError **error)
{
  RawRows *raw = self->state;
  gsize length = (gsize) self->width * raw->rows.n_bytes;

  if (!read_bytes (self, raw->rows.start + y * length, length, error))
    return FALSE;
  prism_npy_decode_row (&raw->rows, raw->bytes, row);
  return TRUE;
}

static GBytes *
load_head (PrismStripsReader *self,
           const char *path,
           GError **error)
{
  RawRows *raw = g_new0 (RawRows, 1);
  g_autofree guint8 *head = g_malloc (PRISM_STRIPS_HEAD_BYTES);
  gssize n = 0;

  self->state = raw;
  self->close = close_raw;
  raw->file = open (path, O_RDONLY | O_CLOEXEC);
  if (raw->file >= 0)
    n = pread (raw->file, head, PRISM_STRIPS_HEAD_BYTES, 0);
  if (n > 0)
    return g_bytes_new_take (g_steal_pointer (&head), (gsize) n);
  prism_image_set_damage (error, &self->source, "it cannot be read");
  return NULL;
}

/* A size that no picture has must not be asked memory for; prism_strips_open() says so. */
static gboolean
allocate (PrismStripsReader *self,
          guint64 height,
          guint64 width,
          gsize n_bytes,
          GError **error)
{
  RawRows *raw = self->state;

  self->height = height;
  self->width = width;
  raw->bytes = prism_arena_new_array ((gsize) MIN (width, G_MAXINT32) * n_bytes + 1, "a row",
                                      error);
  return raw->bytes != NULL;
}

/**
 * prism_strips_open_fits:
 * @self: to fill; its source is known
 * @path: of the file
 *
 * Errors: PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY.
 *
 * Returns: whether rows can be read
 */
gboolean
prism_strips_open_fits (PrismStripsReader *self,
                        const char *path,
                        GError **error)
{
  g_autoptr (GBytes) head = load_head (self, path, error);
  PrismImageSource source = self->source;
  RawRows *raw = self->state;

  if (head == NULL)
    return FALSE;
  source.data = g_bytes_get_data (head, &source.size);
  if (!prism_image_find_fits_plane (&raw->plane, &source, error))
    return FALSE;
  self->read = read_fits;
  self->world = raw->plane.world;
  self->is_real = raw->plane.is_real;
  return allocate (self, raw->plane.height, raw->plane.width, raw->plane.n_bytes, error);
}

/**
 * prism_strips_open_npy:
 * @self: to fill; its source is known
 * @path: of the file
 *
 * Errors: PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY.
 *
 * Returns: whether rows can be read
 */
gboolean
prism_strips_open_npy (PrismStripsReader *self,
                       const char *path,
                       GError **error)
{
  g_autoptr (GBytes) head = load_head (self, path, error);
  RawRows *raw = self->state;

  if (head == NULL || !prism_npy_find_rows (&raw->rows, head, self->source.name, error))
    return FALSE;
  self->read = read_npy;
  self->is_real = TRUE;
  return allocate (self, raw->rows.height, raw->rows.width, raw->rows.n_bytes, error);
}
