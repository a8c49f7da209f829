/* prism-fields-open: which reader a file is for. Thread: one at a time. */
#pragma once

#include "formats/prism-fields.h"

G_BEGIN_DECLS

gboolean     prism_fields_can_open (const char *path);
PrismFields *prism_fields_open     (const char  *path,
                                    GError     **error);

G_END_DECLS
