#include "config.h"

#include "formats/prism-archive-stream.h"

#include "base/prism-each.h"
#include "formats/prism-archive-private.h"

struct _PrismArchivePart
{
  PrismArchive *archive;
  char *name;
  zip_file_t *file;
};

/* What libzip reads when the archive is written. */
typedef struct
{
  PrismArchiveWriter *writer;
  PrismArchiveStream stream;
  gboolean failed;
} Stream;

/**
 * prism_archive_part_open:
 * @archive: an archive that stays open
 * @name: of a part
 *
 * Begins to read a part.
 *
 * Errors: PRISM_ERROR_FORMAT when it is missing.
 * Thread: that of @archive.
 *
 * Returns: (transfer full) (nullable): the part
 */
PrismArchivePart *
prism_archive_part_open (PrismArchive *archive,
                         const char *name,
                         GError **error)
{
  zip_file_t *file = zip_fopen (archive->zip, name, 0);
  PrismArchivePart *self;

  if (file == NULL)
    {
      prism_archive_set_format_error (error, archive, name, _ ("it is missing"));
      return NULL;
    }
  self = g_new0 (PrismArchivePart, 1);
  self->archive = archive;
  self->name = g_strdup (name);
  self->file = file;
  return self;
}

/**
 * prism_archive_part_close:
 * @self: (nullable): a part
 */
PRISM_FREE_FOR_ALL (PrismArchivePart, prism_archive_part_close, zip_fclose, file, g_free, name)

/**
 * prism_archive_part_read:
 * @data: a part
 * @buffer: (out caller-allocates) (array length=length): where to
 * @length: bytes at most
 *
 * Goes on with a part, as a #PrismReadFunc; its end is only given when the checksum is right.
 *
 * Errors: PRISM_ERROR_FORMAT when it is cut off or damaged.
 *
 * Returns: how many bytes, 0 at the end, -1 on errors
 */
gssize
prism_archive_part_read (gpointer data,
                         char *buffer,
                         gsize length,
                         GError **error)
{
  PrismArchivePart *self = data;
  zip_int64_t n = zip_fread (self->file, buffer, length);

  if (n < 0)
    prism_archive_set_format_error (error, self->archive, self->name,
                                    _ ("it is cut off or its checksum is wrong"));
  return n;
}

static zip_int64_t
read_stream (Stream *self,
             char *buffer,
             zip_uint64_t length)
{
  GError **error = self->writer->stream_failure == NULL ? &self->writer->stream_failure : NULL;
  gssize n = self->stream.read (self->stream.data, buffer, length, error);

  self->failed |= n < 0;
  return n;
}

static zip_int64_t
stat_stream (Stream *self,
             zip_stat_t *status)
{
  zip_stat_init (status);
  status->size = self->stream.size;
  status->valid = ZIP_STAT_SIZE;
  /* libzip counts the checksum of what is stored itself. */
  if (self->stream.packed_size == 0)
    return sizeof *status;
  status->comp_size = self->stream.packed_size;
  status->crc = self->stream.crc;
  status->comp_method = ZIP_CM_DEFLATE;
  status->valid = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_CRC | ZIP_STAT_COMP_METHOD;
  return sizeof *status;
}

/* The callback of libzip. */
static zip_int64_t
serve (void *user,
       void *data,
       zip_uint64_t length,
       zip_source_cmd_t command)
{
  Stream *self = user;
  const int codes[2] = { self->failed ? ZIP_ER_READ : ZIP_ER_OK, self->failed ? EIO : 0 };

  switch (command)
    {
    case ZIP_SOURCE_OPEN:
      self->stream.rewind (self->stream.data);
      return 0;
    case ZIP_SOURCE_READ:
      return read_stream (self, data, length);
    case ZIP_SOURCE_STAT:
      return stat_stream (self, data);
    case ZIP_SOURCE_ERROR:
      memcpy (data, codes, sizeof codes);
      return sizeof codes;
    case ZIP_SOURCE_SUPPORTS:
      return zip_source_make_command_bitmap (ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE,
                                             ZIP_SOURCE_STAT, ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE,
                                             -1);
    case ZIP_SOURCE_CLOSE:
    case ZIP_SOURCE_FREE:
      return 0;
    default:
      return -1;
    }
}

/**
 * prism_archive_writer_add_stream:
 * @name: of the part
 * @stream: what it holds
 *
 * Adds a part that is read while the archive is written: compressed already, or stored as it is.
 * What the stream reports is reported by prism_archive_writer_finish().
 */
void
prism_archive_writer_add_stream (PrismArchiveWriter *self,
                                 const char *name,
                                 const PrismArchiveStream *stream)
{
  Stream *copy;

  if (self->zip == NULL)
    return;
  copy = g_new0 (Stream, 1);
  copy->writer = self;
  copy->stream = *stream;
  g_ptr_array_add (self->streams, copy);
  prism_archive_writer_add_source (self, name, zip_source_function (self->zip, serve, copy),
                                   stream->size,
                                   stream->packed_size > 0 ? ZIP_CM_DEFLATE : ZIP_CM_STORE);
}
