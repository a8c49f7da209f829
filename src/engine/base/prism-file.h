/* prism-file: whole files: reading within a limit, writing that never loses the old one.
 * Thread: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Gives the next bytes of something: how many, 0 at the end, -1 on errors. */
typedef gssize (*PrismReadFunc) (gpointer   data,
                                 char      *buffer,
                                 gsize      length,
                                 GError   **error);

int      prism_file_open             (const char  *path,
                                      guint64      max_bytes,
                                      guint64     *size,
                                      GError     **error);
GBytes  *prism_file_load             (const char  *path,
                                      guint64      max_bytes,
                                      GError     **error);
gboolean prism_file_check_place      (const char  *path,
                                      GError     **error);
gboolean prism_file_save             (const char     *path,
                                      gconstpointer   data,
                                      gsize           length,
                                      GError        **error);
gboolean prism_file_save_stream      (const char     *path,
                                      PrismReadFunc   read,
                                      gpointer        data,
                                      GError        **error);
gboolean prism_file_copy             (const char  *source,
                                      const char  *path,
                                      GError     **error);
char    *prism_file_dup_temporary    (const char  *path,
                                      GError     **error);
gboolean prism_file_commit           (const char  *temporary,
                                      const char  *path,
                                      GError     **error);
gboolean prism_file_commit_if        (const char  *temporary,
                                      const char  *path,
                                      GSourceFunc  guard,
                                      gpointer     data,
                                      GError     **error);
int      prism_file_sync_directory   (const char *directory);
gboolean prism_file_matches          (const char *name,
                                      const char *patterns);
char    *prism_file_dup_real         (const char *path);
char    *prism_file_dup_place        (const char  *directory,
                                      const char  *name);
char    *prism_file_dup_display_name (const char *path);

/* File names in texts: themselves where they are UTF-8, file:///a/caf%E9.png otherwise. */
char    *prism_file_to_text          (const char *path);
char    *prism_file_from_text        (const char *text);

G_END_DECLS
