/* prism-cli-harness: starts prism-cli in an empty directory of its own and looks at what it leaves.
 *
 * A command is written as in a shell, its environment in front:
 * "LANG=de run --set 'object_text=a b' --output %s".
 * A %s or %d is filled in after the words are parted; one that is NULL ends the command. */
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

PrismCliResult cli_run     (const char *command,
                            ...) G_GNUC_PRINTF (1, 2);
PrismCliResult cli_works   (const char *command,
                            ...) G_GNUC_PRINTF (1, 2);
PrismCliResult cli_clean   (const char *command,
                            ...) G_GNUC_PRINTF (1, 2);
void           cli_refuses (int         exit_code,
                            const char *part,
                            const char *command,
                            ...) G_GNUC_PRINTF (3, 4);
void      cli_set         (PrismCliResult *result,
                           PrismCliResult  next);
void      cli_clear       (PrismCliResult *result);
void      cli_check_error (const PrismCliResult *result,
                           int                   exit_code,
                           const char           *part);
JsonNode *cli_parse       (const char *text);
double    cli_number      (const char *text,
                           const char *path);
void      cli_json        (const char        *text,
                           const char *const *conditions);
const char *cli_file      (const PrismCliResult *result,
                           const char           *name);
char     *cli_bytes       (const PrismCliResult *result,
                           const char           *name,
                           gsize                *length);
void      cli_begins      (const PrismCliResult *result,
                           const char           *name,
                           const char           *beginning);
void      cli_same        (const char *folder,
                           const char *name,
                           const char *other_folder,
                           const char *other_name);

/* Each holds of the values in a JSON text: "final.psnr > 20", "runs.1.name = first run",
 * "pixel_m = 0.2 ± 1e-9", "median_ms >= best_ms", "final.rmse = finite", "cuda = null",
 * "device has CPU", "cpu begins CPU, "; "versions": it is there, "!versions": it is not. The number
 * of a list is how long it is. */
#define CLI_JSON(text, ...) cli_json (text, (const char *[]) { __VA_ARGS__, NULL })

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PrismCliResult, cli_clear)

G_END_DECLS
