/* prism-import-window: frames that a camera recorded, before they are used: what was understood of
 * a file, and what is to be understood otherwise. */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

#define PRISM_TYPE_IMPORT_WINDOW (prism_import_window_get_type ())

G_DECLARE_FINAL_TYPE (PrismImportWindow, prism_import_window, PRISM, IMPORT_WINDOW, AdwWindow)

void        prism_import_window_open        (PrismImportWindow *self,
                                             const char        *path);

G_END_DECLS
