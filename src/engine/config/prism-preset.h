/* prism-preset: the configurations that come with the program (data/presets, compiled in), and the
 * user's own, files of a folder. prism-preset-store.c has their texts. Thread: any. */
#pragma once

#include "config/prism-config.h"

G_BEGIN_DECLS

typedef struct
{
  const char *id;                       /* "quick-look" */
  const char *label;                    /* "Quick look" */
  const char *help;                     /* one sentence */
  gboolean scene;                       /* says what is looked at, not only how */
} PrismPreset;

const PrismPreset *prism_preset_get_all (gsize *n_presets);
PrismConfig       *prism_preset_load_over (const PrismConfig  *base,
                                           const char         *id,
                                           GError            **error);
PrismConfig       *prism_preset_load    (const char  *id,
                                         GError     **error);
gboolean           prism_preset_save    (const char         *id,
                                         const char         *help,
                                         const PrismConfig  *config,
                                         GError            **error);
char              *prism_preset_dup_help (const char *id);
char              *prism_preset_dup_command (const PrismConfig *self,
                                             const char        *verb);

char              *prism_preset_store_dup_folder (void);
char              *prism_preset_store_dup_path   (const char  *id);
gboolean           prism_preset_store_is_builtin (const char *id);
GStrv              prism_preset_store_dup_own    (void);
GBytes            *prism_preset_store_load       (const char  *id,
                                                  GError     **error);

G_END_DECLS
