/* prism-panel-pictures: which pictures of a snapshot the panels show, and what stands in their
 * places where there is none. Thread: main. */
#pragma once

#include <gtk/gtk.h>

#include "session/prism-playback.h"

G_BEGIN_DECLS

const PrismSnapshot *prism_panel_pictures_get  (const PrismSnapshot *shown,
                                                const PrismSnapshot *held,
                                                gboolean             past);
void                 prism_panel_pictures_bind (GtkWidgetClass *widget_class);

G_END_DECLS
