/* prism-cli-listing: the options that a command has, asked of the command itself. Thread: main. */
#pragma once

#include "prism-cli-exit.h"

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  char *name;                           /* "output", without dashes */
  char short_name;                      /* 'o', or 0 */
  char *argument;                       /* (nullable): "DIR"; NULL for a switch */
  char *help;
  gboolean repeated;                    /* whether it may be given again */
} PrismCliOption;

typedef PrismExit (*PrismCliRunner) (int    argc,
                                     char **argv);

void       prism_cli_listing_set_runner (PrismCliRunner      runner);
GPtrArray *prism_cli_listing_dup        (const char         *command);
gboolean   prism_cli_listing_is_on      (void);
void       prism_cli_listing_add        (const GOptionEntry *entries);

G_END_DECLS
