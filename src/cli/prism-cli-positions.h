/* prism-cli-positions: the positions that a program prints. Only the command line may name it. */
#pragma once

#include "config/prism-config.h"

G_BEGIN_DECLS

#define PRISM_CLI_PATTERN_COMMAND "pattern_command"

gboolean prism_cli_positions_apply (PrismConfig  *config,
                                    const char   *command,
                                    GError      **error);

G_END_DECLS
