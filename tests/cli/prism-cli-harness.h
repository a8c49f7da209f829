/* prism-cli-harness: starts prism-cli in an empty directory of its own and looks at what it leaves.
 *
 * A command is written as in a shell: "run --set 'object_text=a b' --output %s"; one %s of each
 * word is filled in after the words are parted. Commands that need no library are tested from
 * command.py. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct
{
  char *directory;                      /* where the program ran; removed by clear */
  char *output;                         /* standard output */
  char *error;                          /* standard error */
  int exit_code;
} PrismCliResult;

PrismCliResult cli_works   (const char *command,
                            ...) G_GNUC_PRINTF (1, 2);
PrismCliResult cli_clean   (const char *command,
                            ...) G_GNUC_PRINTF (1, 2);
void           cli_refuses (int         exit_code,
                            const char *part,
                            const char *command,
                            ...) G_GNUC_PRINTF (3, 4);
void           cli_clear   (PrismCliResult *result);
const char    *cli_file    (const PrismCliResult *result,
                            const char           *name);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PrismCliResult, cli_clear)

G_END_DECLS
