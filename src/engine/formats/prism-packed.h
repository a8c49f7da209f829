/* prism-packed: files that another program has packed. Thread: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define PRISM_PACKED_HEAD 65536         /* bytes from which it is told */

gboolean prism_packed_is     (gconstpointer data,
                              gsize         n);
GBytes  *prism_packed_unpack (GBytes      *bytes,
                              const char  *name,
                              gsize        most,
                              GError     **error);
char    *prism_packed_dup_file (const char  *path,
                                gsize        most,
                                GError     **error);

G_END_DECLS
