/* prism-gzip: files that gzip has packed. Thread: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

gboolean prism_gzip_is     (GBytes *bytes);
GBytes  *prism_gzip_unpack (GBytes  *bytes,
                            gsize    most);

G_END_DECLS
