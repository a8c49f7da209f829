/* prism-cli-options: what describes an option of a command, and --config, --preset, --scenario and
 * --set, for every command with parameters. */
#pragma once

#include "config/prism-config.h"
#include "prism-cli-claim.h"

G_BEGIN_DECLS

typedef struct
{
  const char *name;                     /* "output" */
  char letter;                          /* 0: none */
  PrismCliKind kind;
  gpointer place;
  const char *help;
  const char *value;                    /* what the help calls the value; NULL without one */
  double least, most;                   /* of a number */
  const char *names;                    /* of what is written into a folder */
  gboolean is_given;                    /* of one that is given once */
} PrismCliOption;

typedef struct
{
  char *config;                         /* (nullable) path */
  char *preset;                         /* (nullable) id, also of a scenario */
  char *scenario;                       /* (nullable) instead of it */
  char **settings;                      /* (nullable) "key=value" */
} PrismCliOptions;

void         prism_cli_options_append (PrismCliOptions *self,
                                       GArray          *options);
gboolean     prism_cli_options_apply (const PrismCliOptions  *self,
                                      PrismConfig            *config,
                                      GError                **error);
PrismConfig *prism_cli_options_load_for (const PrismCliOptions  *self,
                                         PrismFramesKind         kind,
                                         GError                **error);
PrismConfig *prism_cli_options_load  (const PrismCliOptions  *self,
                                      GError                **error);

#define PRISM_CLI_JSON_ENTRY(json) { "json", 0, PRISM_CLI_SWITCH, json, "Write JSON" }
#define PRISM_CLI_QUIET_ENTRY(quiet)                                                               \
  { "quiet", 'q', PRISM_CLI_SWITCH, quiet, "Print nothing but errors" }

/* Of commands that write results. */
#define PRISM_CLI_OUTPUT_ENTRY(directory, help)                                                    \
  {                                                                                                \
    "output", 'o', PRISM_CLI_FOLDER, directory, help, "DIR", .names = PRISM_RESULT_NAMES           \
  }
#define PRISM_CLI_TENSORBOARD_ENTRY(directory)                                                     \
  {                                                                                                \
    "tensorboard", 0, PRISM_CLI_FOLDER, directory,                                                 \
        "Write the metrics of every step into this directory as events for TensorBoard", "DIR",    \
        .names = PRISM_CLI_EVENTS                                                                  \
  }

G_END_DECLS
