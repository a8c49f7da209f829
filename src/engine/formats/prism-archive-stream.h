/* prism-archive-stream: parts of an archive that are larger than what one wants in memory: written
 * and read piece by piece. */
#pragma once

#include "base/prism-file.h"
#include "formats/prism-archive.h"

G_BEGIN_DECLS

typedef struct _PrismArchivePart PrismArchivePart;

PrismArchivePart *prism_archive_part_open  (PrismArchive  *archive,
                                            const char    *name,
                                            GError       **error);
void              prism_archive_part_close (PrismArchivePart *self);
gssize            prism_archive_part_read  (gpointer   data,
                                            char      *buffer,
                                            gsize      length,
                                            GError   **error);

/* A part whose bytes come into being while the archive is written. */
typedef struct
{
  guint64 size;                         /* bytes that the part has */
  guint64 packed_size;                  /* deflated, as read gives them; 0 where they come, and
                                         * stay, as they are */
  guint32 crc;                          /* CRC-32 of a part that is deflated */
  PrismReadFunc read;
  GDestroyNotify rewind;                /* goes back to the beginning */
  gpointer data;                        /* for both; stays until the archive is finished */
} PrismArchiveStream;

void              prism_archive_writer_add_stream (PrismArchiveWriter       *self,
                                                   const char               *name,
                                                   const PrismArchiveStream *stream);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismArchivePart, prism_archive_part_close)

G_END_DECLS
