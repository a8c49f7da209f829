/* prism-cli-harness: starts prism-cli in an empty directory of its own and looks at what it
 * leaves. */
#pragma once

#include <gio/gio.h>
#include <json-glib/json-glib.h>

G_BEGIN_DECLS

typedef struct
{
  char *directory;                      /* where the program ran; removed by clear */
  char *output;                         /* standard output */
  char *error;                          /* standard error */
  int exit_code;
} PrismCliResult;

void      prism_cli_harness_run         (PrismCliResult     *result,
                                         const char *const  *environment,
                                         const char         *first_argument,
                                         ...) G_GNUC_NULL_TERMINATED;
void      prism_cli_harness_works       (PrismCliResult     *result,
                                         const char         *first_argument,
                                         ...) G_GNUC_NULL_TERMINATED;
void      prism_cli_harness_refuses     (PrismCliResult     *result,
                                         int                 exit_code,
                                         const char         *part,
                                         const char         *first_argument,
                                         ...) G_GNUC_NULL_TERMINATED;
void      prism_cli_harness_clear       (PrismCliResult *result);
void      prism_cli_harness_check_error (const PrismCliResult *result,
                                         int                   exit_code,
                                         const char           *part);
JsonNode *prism_cli_harness_parse       (const char *text);
char     *prism_cli_harness_dup_file    (const PrismCliResult *result,
                                         const char           *name,
                                         gsize                *length);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PrismCliResult, prism_cli_harness_clear)

G_END_DECLS
