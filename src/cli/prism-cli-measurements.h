/* prism-cli-measurements: prism-cli run --measurements: explains frames that somebody recorded. */
#pragma once

#include "measure/prism-scene.h"
#include "prism-cli-exit.h"
#include "prism-cli-options.h"
#include "prism-cli-run-file.h"
#include "recording/prism-recording.h"

G_BEGIN_DECLS

/* What the command line says of frames that somebody recorded. */

typedef struct
{
  char *recipe;                         /* (nullable): file name */
  char *positions;                      /* (nullable): CSV table */
  char *save_recipe;                    /* (nullable) */
  char **values;                        /* (nullable): KEY=VALUE of a recipe */
} PrismCliRecordingOptions;

PrismRecipe    *prism_cli_recording_new_recipe (const PrismCliRecordingOptions  *self,
                                                GError                         **error);
PrismRecording *prism_cli_recording_load    (const PrismCliRecordingOptions  *self,
                                             const char                      *path,
                                             GError                         **error);

#define PRISM_CLI_MEASUREMENTS_ENTRIES(path, options)                                              \
  { "measurements", 'm', PRISM_CLI_INPUT, path,                                                    \
    "Explain recorded frames: HDF5, CXI, MATLAB, TIFF, FITS, .npy, .npz, a folder", "FILE" },      \
  PRISM_CLI_READING_ENTRIES (options)

#define PRISM_CLI_READING_ENTRIES(options)                                                         \
  { "positions", 0, PRISM_CLI_INPUT, &(options)->positions,                                        \
    "Positions or directions of the LEDs of the frames: CSV, .npy, .json and others", "FILE" },    \
  { "recipe", 0, PRISM_CLI_INPUT, &(options)->recipe,                                              \
    "How the file of the frames is to be understood", "FILE" },                                    \
  { "assign", 0, PRISM_CLI_TEXTS, &(options)->values,                                 \
    "One line of a recipe; as often as needed", "KEY=VALUE" }

gboolean  prism_cli_measurements_check (const char                      *measurements,
                                        const PrismCliRecordingOptions  *reading,
                                        const char                      *unused,
                                        GError                         **error);
gboolean  prism_cli_measurements_take  (PrismCliRunFile                 *file,
                                        PrismRecording                  *recording,
                                        const PrismRecipe               *recipe,
                                        const char                      *positions,
                                        PrismConfig                     *config,
                                        gboolean                         is_filmed,
                                        gboolean                         quiet,
                                        GError                         **error);
gboolean  prism_cli_measurements_load  (PrismCliRunFile                 *file,
                                        const char                      *path,
                                        const PrismCliRecordingOptions  *reading,
                                        PrismConfig                     *config,
                                        gboolean                         is_filmed,
                                        gboolean                         quiet,
                                        GError                         **error);
void      prism_cli_measurements_print_choice (const PrismRecording *recording);
gboolean  prism_cli_measurements_conclude (const char  *directory,
                                           char       **reports,
                                           gboolean     json,
                                           gboolean     quiet,
                                           GError     **error);

G_END_DECLS
