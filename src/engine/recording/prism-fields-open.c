#include "config.h"

#include "formats/prism-fields-readers.h"
#include "formats/prism-packed.h"
#include "recording/prism-recording-private.h"

#include "base/prism-each.h"
#include "base/prism-error.h"
#include "base/prism-file.h"

/* Which reader a file is for, by its first bytes. Thread: one at a time. */

#define MAX_BYTES (G_GUINT64_CONSTANT (1) << 40)
#define MAX_PACKED (G_GUINT64_CONSTANT (4) << 30) /* bytes of what is unpacked */

/* The first bytes of a file. */
typedef struct
{
  char bytes[1024];
  gsize n;
} Head;

typedef struct
{
  const char *magic;
  gsize length;
  gsize offset;
  PrismFields *(*load) (const char *path,
                        GError **error);
} Reader;

static const Reader readers[] = {
  { "\211HDF\r\n\032\n", 8, 0, prism_fields_load_hdf5 },
  { "\211HDF\r\n\032\n", 8, 512, prism_fields_load_hdf5 }, /* behind MATLAB 7.3's own text */
  { "MATLAB 5.0 MAT", 14, 0, prism_fields_load_matlab },
  { "\223NUMPY", 6, 0, prism_fields_load_npy },
  { "PK\003\004", 4, 0, prism_fields_load_npz },
  { "II*\0", 4, 0, prism_fields_load_tiff },
  { "MM\0*", 4, 0, prism_fields_load_tiff },
  { "II+\0", 4, 0, prism_fields_load_tiff },
  { "MM\0+", 4, 0, prism_fields_load_tiff },
  { "SIMPLE  =", 9, 0, prism_fields_load_fits },
};

/* What people have besides, and what to do with it. */
static const struct
{
  const char *magic;
  gsize length;
  gsize offset;
  const char *what;
} others[] = {
  { "\211PNG\r\n\032\n", 8, 0, "a single picture (PNG): give the folder with all frames" },
  { "\377\330\377", 3, 0, "a single picture (JPEG): give the folder with all frames" },
  { "GIF8", 4, 0, "a GIF: save the frames as a TIFF stack" },
  { "BM", 2, 0, "a single picture (BMP): save the frames as a TIFF stack" },
  { "RIFF", 4, 0, "a film (AVI): save its frames as a TIFF stack" },
  { "ftyp", 4, 4, "a film (MP4): save its frames as a TIFF stack" },
  { "\032E\337\243", 4, 0, "a film (Matroska): save its frames as a TIFF stack" },
  { "LUCAM-RECORDER", 14, 0, "a film (SER): save its frames as a TIFF stack" },
  { "ZISRAWFILE", 10, 0, "a file of ZEISS (CZI): export the frames as OME-TIFF" },
  { "\332\316\276\n", 4, 0, "a file of Nikon (ND2): export the frames as OME-TIFF" },
  { "MATLAB", 6, 0, "a file of MATLAB that is older than 5 or damaged: save it with -v7.3" },
};

static void
read_head (const PrismSource *source,
           Head *head)
{
  head->n = (gsize) MIN (source->size, sizeof head->bytes);
  if (!prism_source_read (source, 0, head->bytes, head->n))
    head->n = 0;
}

static gboolean
begins (const Head *head,
        gsize offset,
        const char *magic,
        gsize length)
{
  return head->n >= offset + length && memcmp (head->bytes + offset, magic, length) == 0;
}

/* By the first bytes, which in JSON stand behind spaces. */
static const Reader *
find_reader (const Head *head)
{
  static const Reader json = { .load = prism_fields_load_json };
  gsize n = begins (head, 0, "\357\273\277", 3) ? 3 : 0;

  PRISM_FOR_EACH_OF (reader, readers)
    if (begins (head, reader->offset, reader->magic, reader->length))
      return reader;
  while (n < head->n && g_ascii_isspace (head->bytes[n]))
    n++;
  return begins (head, n, "{", 1) || begins (head, n, "[", 1) ? &json : NULL;
}

static gboolean
set_unknown_error (const Head *head,
                   const char *path,
                   GError **error)
{
  PRISM_FOR_EACH_OF (other, others)
    if (begins (head, other->offset, other->magic, other->length))
      return prism_error_format (error, "“%s” is %s.", path, other->what);
  return prism_error_format (error, "“%s” is no recording that can be read: expected is HDF5"
                                    " (PtyLab, CXI), MATLAB 5 or 7.3, NumPy (.npy, .npz), a TIFF"
                                    " stack, a FITS cube, or a folder with a file for each frame.",
                             path);
}

static PrismFields *
load (const PrismSource *source,
      const char *path,
      GError **error)
{
  const Reader *reader;
  Head head;

  read_head (source, &head);
  reader = find_reader (&head);
  if (reader == NULL)
    return set_unknown_error (&head, path, error), NULL;
  return reader->load (path, error);
}

/* A file that is unpacked, under its own name: its reader holds what is deleted. */
static PrismFields *
load_unpacked (const PrismSource *source,
               const char *path,
               GError **error)
{
  g_autoptr (GError) reason = NULL;
  g_autofree char *inner = prism_temporary_store_dup_link (source->fd);
  PrismFields *fields = load (source, inner, &reason);

  unlink (inner);
  close (source->fd);
  if (fields != NULL)
    {
      g_free (fields->name);
      fields->name = prism_file_dup_display_name (path);
    }
  if (reason != NULL)
    {
      g_auto (GStrv) parts = g_strsplit (reason->message, inner, 2);

      g_free (reason->message);
      reason->message = g_strjoinv (path, parts);
      g_propagate_error (error, g_steal_pointer (&reason));
    }
  return fields;
}

/**
 * prism_fields_open_file:
 * @path: file name
 *
 * Lists the arrays of a file whose kind is found by its first bytes. What gzip, bzip2 or fpack has
 * packed is unpacked first.
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the arrays
 */
PrismFields *
prism_fields_open_file (const char *path,
                        GError **error)
{
  PrismSource source = { 0 };
  PrismFields *fields = NULL;
  const int fd = source.fd = prism_file_open (path, MAX_BYTES, &source.size, error);

  if (fd < 0)
    return NULL;
  if (!prism_packed_is (&source))
    fields = load (&source, path, error);
  else if (prism_packed_unpack (&source, path, MAX_PACKED, error))
    fields = load_unpacked (&source, path, error);
  close (fd);
  return fields;
}

/**
 * prism_fields_can_open:
 * @path: file name
 *
 * Returns: whether it begins as a file whose arrays can be listed
 */
gboolean
prism_fields_can_open (const char *path)
{
  PrismSource source = { 0 };
  gboolean can;
  Head head;

  source.fd = prism_file_open (path, MAX_BYTES, &source.size, NULL);
  if (source.fd < 0)
    return FALSE;
  read_head (&source, &head);
  can = find_reader (&head) != NULL || prism_packed_is (&source);
  close (source.fd);
  return can;
}
