/* prism-directory: whether results can be written into a directory, found out beforehand.
 * Thread: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

gboolean prism_directory_check (const char  *directory,
                                GError     **error);

G_END_DECLS
