/* prism-archive: ZIP files of plain members that are written whole or not at all and checked when
 * read: .prismrun. Arrays are .npy, so that Python's zipfile and numpy open everything.
 *
 * Every member has a CRC-32; the last one, "manifest.json", names the others with their sizes.
 * Threads: one archive is used by one thread at a time. */
#pragma once

#include "formats/prism-npy.h"

#include <glib.h>
#include <zip.h>

G_BEGIN_DECLS

typedef struct _PrismArchive PrismArchive;
typedef struct _PrismArchiveWriter PrismArchiveWriter;

PrismArchive       *prism_archive_open            (const char    *path,
                                                   GError       **error);
void                prism_archive_close           (PrismArchive *self);
const char *const  *prism_archive_get_names       (PrismArchive *self);
gboolean            prism_archive_has             (PrismArchive *self,
                                                   const char   *name);
guint64             prism_archive_get_size        (PrismArchive *self,
                                                   const char   *name);
GBytes             *prism_archive_load            (PrismArchive  *self,
                                                   const char    *name,
                                                   guint64        max_bytes,
                                                   GError       **error);
char               *prism_archive_load_text       (PrismArchive  *self,
                                                   const char    *name,
                                                   GError       **error);
GBytes             *prism_archive_load_array      (PrismArchive  *self,
                                                   const char    *name,
                                                   int           *n_dims,
                                                   gsize          shape[PRISM_NPY_MAX_DIMS],
                                                   GError       **error);
float              *prism_archive_load_floats     (PrismArchive  *self,
                                                   const char    *name,
                                                   int            n_dims,
                                                   const gsize   *shape,
                                                   GError       **error);
gboolean            prism_archive_check           (PrismArchive  *self,
                                                   const char    *name,
                                                   GError       **error);

PrismArchiveWriter *prism_archive_writer_new      (const char    *path,
                                                   GError       **error);
void                prism_archive_writer_free     (PrismArchiveWriter *self);
void                prism_archive_writer_add_text (PrismArchiveWriter *self,
                                                   const char         *name,
                                                   const char         *text);
void                prism_archive_writer_take_text (PrismArchiveWriter *self,
                                                    const char         *name,
                                                    char               *text);
void                prism_archive_writer_add_array (PrismArchiveWriter *self,
                                                    const char         *name,
                                                    const float        *values,
                                                    int                 n_dims,
                                                    const gsize        *shape);
void                prism_archive_writer_copy     (PrismArchiveWriter *self,
                                                   PrismArchive       *from,
                                                   const char         *name,
                                                   const char         *new_name);
void                prism_archive_writer_set_guard (PrismArchiveWriter *self,
                                                    GSourceFunc         guard,
                                                    gpointer            data);
gboolean            prism_archive_writer_finish   (PrismArchiveWriter  *self,
                                                   GError             **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismArchive, prism_archive_close)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismArchiveWriter, prism_archive_writer_free)

/* What every reader of ZIP archives checks: sizes that can be true, and checksums. */

zip_t  *prism_zip_open (const char  *path,
                        guint64      max_bytes,
                        GError     **error);
GBytes *prism_zip_load (zip_t       *zip,
                        const char  *path,
                        const char  *name,
                        guint64      max_bytes,
                        GError     **error);

G_END_DECLS
