/* prism-folder: folders that many runs write into: asked for, named, shown in the file manager. */
#pragma once

#include "support/prism-file-dialog.h"

G_BEGIN_DECLS

void     prism_folder_ask  (GtkWidget           *window,
                            const char          *title,
                            PrismFileDialogFunc  func);
gboolean prism_folder_show (const char  *directory,
                            GError     **error);
gboolean prism_folder_is_result (const char *path);
char *prism_folder_dup_new (const char *kind,
                            const char *format);

G_END_DECLS
