/* prism-window: the main window. */
#pragma once

#include <adwaita.h>

#include "window/prism-dashboard.h"

G_BEGIN_DECLS

#define PRISM_TYPE_WINDOW (prism_window_get_type ())

G_DECLARE_FINAL_TYPE (PrismWindow, prism_window, PRISM, WINDOW, AdwApplicationWindow)

PrismWindow    *prism_window_new           (GtkApplication *application,
                                            PrismSession   *session);
void            prism_window_tell_time     (PrismWindow *self);
void            prism_window_open_file     (PrismWindow *self,
                                            GFile       *file);
void            prism_window_open_files    (PrismWindow *self,
                                            GSList      *files);
gboolean        prism_window_compare_files (PrismWindow *self,
                                            GSList      *files);
void            prism_window_stop_and_quit (PrismWindow *self);

G_END_DECLS
