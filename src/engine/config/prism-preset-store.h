/* prism-preset-store: the texts of presets: those that come with the program, compiled in, and the
 * user's own, files of a folder. Thread: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define PRISM_PRESET_STORE_MOST 262144 /* bytes of a text */

char     *prism_preset_store_dup_folder (void);
char     *prism_preset_store_dup_path   (const char  *id);
gboolean  prism_preset_store_is_builtin (const char *id);
GStrv     prism_preset_store_dup_own    (void);
GBytes   *prism_preset_store_load       (const char  *id,
                                         GError     **error);

G_END_DECLS
