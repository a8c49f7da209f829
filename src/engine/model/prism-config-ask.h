/* prism-config-ask: the configuration that somebody asks for: a preset, a file, settings. Thread:
 * any. */
#pragma once

#include "config/prism-config.h"

G_BEGIN_DECLS

PrismConfig *prism_config_ask_load (const char  *preset,
                                    const char  *path,
                                    PrismFramesKind kind,
                                    GError     **error);
gboolean     prism_config_ask_set  (PrismConfig  *config,
                                    const char   *setting,
                                    GError      **error);
PrismConfig *prism_config_ask      (const char   *preset,
                                    const char   *path,
                                    char *const  *settings,
                                    PrismFramesKind kind,
                                    GError      **error);

G_END_DECLS
