/* prism-config-command: a configuration as a command line that the shell takes. Thread: any. */
#pragma once

#include "config/prism-config.h"

G_BEGIN_DECLS

void  prism_config_append_setting (GString    *command,
                                   const char *key,
                                   const char *value);
char *prism_config_dup_command    (const PrismConfig *self,
                                   const char        *verb);

G_END_DECLS
