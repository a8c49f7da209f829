/* prism-config-check: whether a run can be made of a configuration. Thread: any. */
#pragma once

#include "config/prism-config.h"

G_BEGIN_DECLS

gboolean    prism_config_check      (const PrismConfig  *self,
                                     GError            **error);
const char *prism_config_check_find (const PrismConfig  *self,
                                     gboolean            recorded,
                                     GError            **error);

G_END_DECLS
