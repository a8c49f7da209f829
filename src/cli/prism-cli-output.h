/* prism-cli-output: what the commands print: JSON, texts of the parameter table. */
#pragma once

#include "base/prism-text.h"
#include "config/prism-config.h"
#include "prism-cli-exit.h"

#include <glib.h>
#include <json-glib/json-glib.h>
#include <stdio.h>

G_BEGIN_DECLS

void      prism_cli_add_config    (JsonBuilder       *builder,
                                   const PrismConfig *config);
void      prism_cli_print_json    (JsonBuilder *builder);
void      prism_cli_print_line    (FILE       *stream,
                                   const char *format,
                                   ...) G_GNUC_PRINTF (2, 3);
void      prism_cli_note_older    (const char *directory);
PrismExit prism_cli_finish_output (void);
void      prism_cli_check_output  (void);
char     *prism_cli_dup_shown     (const PrismConfig *config,
                                   const PrismParam  *param);
char     *prism_cli_dup_allowed   (const PrismParam *param);

/* The options that a command has, asked of the command itself. Thread: main. */

typedef struct
{
  char *name;                           /* "output", without dashes */
  char short_name;                      /* 'o', or 0 */
  char *argument;                       /* (nullable): "DIR"; NULL for a switch */
  char *help;
} PrismCliOption;

typedef PrismExit (*PrismCliRunner) (int    argc,
                                     char **argv);

void       prism_cli_listing_set_runner (PrismCliRunner      runner);
GPtrArray *prism_cli_listing_dup        (const char         *command);
gboolean   prism_cli_listing_is_on      (void);
void       prism_cli_listing_add        (const GOptionEntry *entries);

G_END_DECLS
