/* prism-cli-claim: what a command reads and writes, so that no output takes the place of an input,
 * of another output, or of what is there, and no two commands write into one folder at a time.
 * Thread: any; each has the claims of the command that it has parsed. */
#pragma once

#include "base/prism-directory.h"

G_BEGIN_DECLS

/* What an option's value is, and where it goes. Of files and folders it says who reads and who
 * writes: no output may take the place of an input or of another output, see prism_cli_claim(). */
typedef enum
{
  PRISM_CLI_SWITCH,                     /* gboolean; there is no value */
  PRISM_CLI_ALONE,                      /* the same; arguments may be missing then */
  PRISM_CLI_CALL,                       /* void (*) (void), which prints something and exits */
  PRISM_CLI_INTEGER,                    /* int, from least to most */
  PRISM_CLI_NUMBER,                     /* double, from least to most */
  PRISM_CLI_TEXT,                       /* char *, UTF-8 */
  PRISM_CLI_TEXTS,                      /* char **: may be given again, as all plurals */
  PRISM_CLI_SETTINGS,                   /* the same, of any bytes, as names of files have */
  PRISM_CLI_INPUT,                      /* char *: a file or folder that is read */
  PRISM_CLI_INPUTS,
  PRISM_CLI_OUTPUT,                     /* char *: a file that is written */
  PRISM_CLI_OUTPUTS,
  PRISM_CLI_FOLDER,                     /* char *: files are written into it that have names */
} PrismCliKind;

#define PRISM_CLI_EVENTS "events.*"

void     prism_cli_claim_none   (gboolean force);
gboolean prism_cli_claim        (PrismCliKind   kind,
                                 const char    *name,
                                 const char    *path,
                                 const char    *names,
                                 GError       **error);
gboolean prism_cli_claim_places (GError **error);
gboolean prism_cli_claim_folder (const char  *directory,
                                 GError     **error);

G_END_DECLS
