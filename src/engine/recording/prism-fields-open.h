/* prism-fields-open: which reader a file is for. Thread: one at a time. */
#pragma once

#include "formats/prism-fields.h"

G_BEGIN_DECLS

gboolean     prism_fields_can_open (const char *path);
PrismFields *prism_fields_open     (const char  *path,
                                    GError     **error);
PrismFields *prism_fields_open_folder (const char   *path,
                                       char *const  *names,
                                       GError      **error);
gboolean     prism_fields_is_frame (const char *name);
gboolean     prism_fields_check_frame (const char  *path,
                                       gsize       *height,
                                       gsize       *width,
                                       GError     **error);

G_END_DECLS
