/* prism-fields-folder: frames that are files of their own. Thread: one at a time. */
#pragma once

#include "recording/prism-fields.h"

G_BEGIN_DECLS

PrismFields *prism_fields_load_folder (const char  *path,
                                       GError     **error);

G_END_DECLS
