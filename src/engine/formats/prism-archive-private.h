/* prism-archive-private: what prism-archive.c shares with prism-archive-stream.c. */
#pragma once

#include <json-glib/json-glib.h>
#include <zip.h>

#include "formats/prism-archive.h"

G_BEGIN_DECLS

struct _PrismArchive
{
  char *name;                           /* for messages */
  zip_t *zip;
  GPtrArray *names;                     /* of char *, NULL at the end, without the manifest */
};

struct _PrismArchiveWriter
{
  char *path;
  char *temporary;
  char *name;                           /* for messages */
  GSourceFunc guard;                    /* (nullable): whether path may be replaced */
  gpointer guard_data;
  zip_t *zip;
  JsonObject *members;                  /* name → size */
  GPtrArray *headers;                   /* of GBytes: what stands before the arrays */
  GPtrArray *streams;                   /* what add_stream() reads */
  char *failure;                        /* (nullable): the first thing that went wrong */
  gboolean is_memory;                   /* it was memory that was missing */
  GError *stream_failure;               /* (nullable): of a stream */
};

gboolean prism_archive_set_format_error  (GError       **error,
                                          PrismArchive  *self,
                                          const char    *member,
                                          const char    *reason);
void     prism_archive_writer_add_source (PrismArchiveWriter *self,
                                          const char         *name,
                                          zip_source_t       *source,
                                          guint64             size,
                                          int                 method);

G_END_DECLS
