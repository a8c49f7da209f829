/* prism-cli-recording: what the command line says of frames that somebody recorded. */
#pragma once

#include "prism-cli-exit.h"
#include "recording/prism-recording.h"

G_BEGIN_DECLS

typedef struct
{
  char *recipe;                         /* (nullable): file name */
  char *positions;                      /* (nullable): CSV table */
  char *save_recipe;                    /* (nullable) */
  char **values;                        /* (nullable): KEY=VALUE of a recipe */
} PrismCliRecordingOptions;

gboolean        prism_cli_recording_is      (const char *path);
void            prism_cli_recording_clear   (PrismCliRecordingOptions *self);
PrismRecipe    *prism_cli_recording_new_recipe (const PrismCliRecordingOptions  *self,
                                                GError                         **error);
PrismRecording *prism_cli_recording_load    (const PrismCliRecordingOptions  *self,
                                             const char                      *path,
                                             GError                         **error);
PrismExit       prism_cli_recording_inspect (const PrismCliRecordingOptions *self,
                                             const char                     *path,
                                             gboolean                        json);
PrismExit       prism_cli_recording_keys    (void);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PrismCliRecordingOptions, prism_cli_recording_clear)

G_END_DECLS
