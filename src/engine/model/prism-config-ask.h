/* prism-config-ask: the configuration that somebody asks for: a preset, a file, settings. Thread:
 * any. */
#pragma once

#include "config/prism-config.h"

G_BEGIN_DECLS

PrismConfig *prism_config_ask_load (const char  *preset,
                                    const char  *path,
                                    gboolean     recorded,
                                    GError     **error);
gboolean     prism_config_ask_set  (PrismConfig  *config,
                                    const char   *setting,
                                    gboolean      recorded,
                                    GError      **error);
PrismConfig *prism_config_ask      (const char   *preset,
                                    const char   *path,
                                    char *const  *settings,
                                    gboolean      recorded,
                                    GError      **error);

G_END_DECLS
