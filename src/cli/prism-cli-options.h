/* prism-cli-options: --config, --preset, --scenario and --set, for every command with
 * parameters. */
#pragma once

#include "config/prism-config.h"

G_BEGIN_DECLS

typedef struct
{
  char *config;                         /* (nullable) path */
  char *preset;                         /* (nullable) id, also of a scenario */
  char **settings;                      /* (nullable) "key=value" */
} PrismCliOptions;

#define PRISM_CLI_OPTIONS_ENTRIES 6 /* with that at the end */

void         prism_cli_options_fill  (PrismCliOptions *self,
                                      GOptionEntry    *entries);
gboolean     prism_cli_options_apply (const PrismCliOptions  *self,
                                      PrismConfig            *config,
                                      GError                **error);
PrismConfig *prism_cli_options_load_for (const PrismCliOptions  *self,
                                         PrismFramesKind         kind,
                                         GError                **error);
PrismConfig *prism_cli_options_load  (const PrismCliOptions  *self,
                                      GError                **error);

/* An option without a value, for which there may be a letter. */
#define PRISM_CLI_SWITCH(name, letter, place, help)                                                \
  {                                                                                                \
    name, letter, 0, G_OPTION_ARG_NONE, place, help, NULL                                          \
  }

#define PRISM_CLI_JSON_ENTRY(json) PRISM_CLI_SWITCH ("json", 0, json, "Write JSON")
#define PRISM_CLI_QUIET_ENTRY(quiet)                                                               \
  PRISM_CLI_SWITCH ("quiet", 'q', quiet, "Print nothing but errors")

/* --tensorboard of a command that writes results. */
#define PRISM_CLI_TENSORBOARD_ENTRY(directory)                                                     \
  {                                                                                                \
    "tensorboard", 0, 0, G_OPTION_ARG_FILENAME, directory,                                         \
        "Write the metrics of every step into this directory as events for TensorBoard", "DIR"     \
  }

G_END_DECLS
