/* prism-temporary: files that are being written, beside those whose place they will take:
 * ".prism-NAME-XXXXXX", ".prism-XXXXXX" where the name is long; ".prism-set-XXXXXX", a folder of
 * several.
 *
 * Threads: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

int  prism_temporary_open          (const char  *path,
                                    char       **temporary);
void prism_temporary_unlink        (void);
void prism_temporary_remove        (const char *path);
void prism_temporary_remove_unused (const char        *directory,
                                    const char *const *names);

/* A temporary file without a name, for what need not stay in memory. It disappears
 * with the process, however that ends. Thread: any. */

int      prism_temporary_store_open  (guint64 n_bytes);
char    *prism_temporary_store_dup_link (int fd);
gboolean prism_temporary_store_write (int            fd,
                                      gconstpointer  data,
                                      gsize          length,
                                      guint64        offset);
gboolean prism_temporary_store_read  (int       fd,
                                      gpointer  data,
                                      gsize     length,
                                      guint64   offset);

G_END_DECLS
