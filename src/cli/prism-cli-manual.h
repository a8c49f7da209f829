/* prism-cli-manual: the parameter table and the commands as a manual page and as Markdown. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

char *prism_cli_manual_dup_markdown (void);
char *prism_cli_manual_dup_man      (void);

G_END_DECLS
