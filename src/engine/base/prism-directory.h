/* prism-directory: whether results can be written into a directory, found out beforehand,
 * and that nobody else does meanwhile. Thread: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

gboolean prism_directory_check (const char  *directory,
                                GError     **error);
void     prism_directory_set_error (GError    **error,
                                    const char *directory,
                                    int         code);
gboolean prism_directory_lock  (const char  *directory,
                                int         *lock,
                                GError     **error);
void     prism_directory_unlock (int lock);
void     prism_directory_remove (const char *path);

G_END_DECLS
