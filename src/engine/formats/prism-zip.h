/* prism-zip: what every reader of ZIP archives checks: sizes that can be true, and checksums. */
#pragma once

#include <glib.h>
#include <zip.h>

G_BEGIN_DECLS

const char *prism_zip_check_size  (const zip_stat_t *status);
gboolean    prism_zip_read_member (zip_t   *zip,
                                   guint64  index,
                                   char    *data,
                                   guint64  size);

G_END_DECLS
