/* prism-cli-completion: what shells complete: commands, presets, keys and their choices. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

char *prism_cli_completion_dup (const char  *shell,
                                GError     **error);

G_END_DECLS
