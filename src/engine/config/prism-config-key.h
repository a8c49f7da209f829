/* prism-config-key: the parameter of a key that somebody wrote. Thread: any. */
#pragma once

#include "config/prism-config.h"

G_BEGIN_DECLS

const PrismParam *prism_config_key_find (const char *key, GError **error);
char *prism_config_key_dup_shown (const char *text);

G_END_DECLS
