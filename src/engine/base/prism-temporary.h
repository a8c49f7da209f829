/* prism-temporary: files that are being written, beside those whose place they will take:
 * ".prism-NAME-XXXXXX", ".prism-XXXXXX" where the name is long.
 *
 * Threads: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

int  prism_temporary_open           (const char  *path,
                                     char       **temporary);
void prism_temporary_remove         (const char *path);
void prism_temporary_remove_unused  (const char        *directory,
                                     const char *const *names);

G_END_DECLS
