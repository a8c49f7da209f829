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
void      prism_cli_print_text    (char *text);
void      prism_cli_print_line    (FILE       *stream,
                                   const char *format,
                                   ...) G_GNUC_PRINTF (2, 3);
/* A line on the standard output, and one that the program says of itself on the other. */
#define prism_cli_say(...) prism_cli_print_line (stdout, __VA_ARGS__)
#define prism_cli_warn(...) prism_cli_print_line (stderr, "prism-cli: " __VA_ARGS__)
void      prism_cli_note          (GError  *failure,
                                   GError **error);
void      prism_cli_note_older    (const char *directory);
char     *prism_cli_dup_written   (const char *directory);

/* Writes a result into a directory.
 *
 * Errors: PRISM_ERROR_IO and others. */
typedef gboolean (*PrismCliWriter) (gpointer    data,
                                    const char *directory,
                                    GError    **error);

gboolean  prism_cli_write_result  (const char    *directory,
                                   PrismCliWriter write,
                                   gpointer       data,
                                   GError       **error);
gboolean  prism_cli_check_reports (char   *const *paths,
                                   GError **error);
PrismExit prism_cli_finish_output (void);
void      prism_cli_check_output  (void);

G_END_DECLS
