/* prism-program: where the command line of this very program is. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

char *prism_program_dup_cli (void);

G_END_DECLS
