/* prism-library-window: all runs that are kept, to be found again, named, compared and thrown away.
 * Signals: open-run, with a path; compare-runs, with several. */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

#define PRISM_TYPE_LIBRARY_WINDOW (prism_library_window_get_type ())

G_DECLARE_FINAL_TYPE (PrismLibraryWindow, prism_library_window, PRISM, LIBRARY_WINDOW, AdwWindow)

GtkWidget  *prism_library_window_new       (const char *catalogue,
                                            const char *runs);
void        prism_library_window_refresh   (PrismLibraryWindow *self);
GHashTable *prism_library_window_dup_marked (PrismLibraryWindow *self);
gboolean    prism_library_window_is_busy   (PrismLibraryWindow *self);

G_END_DECLS
