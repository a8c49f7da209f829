/* prism-layers-window: the layers of the decoder that is being edited, with their parameters, work
 * and memory; it follows every change. */
#pragma once

#include "session/prism-session.h"

#include <adwaita.h>

G_BEGIN_DECLS

#define PRISM_TYPE_LAYERS_WINDOW (prism_layers_window_get_type ())

G_DECLARE_FINAL_TYPE (PrismLayersWindow, prism_layers_window, PRISM, LAYERS_WINDOW, AdwWindow)

GtkWidget *prism_layers_window_new (PrismSession *session,
                                    GtkWindow    *parent);

G_END_DECLS
