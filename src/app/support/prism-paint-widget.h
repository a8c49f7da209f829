/* prism-paint-widget: begins to paint a widget in its own font and colours. */
#pragma once

#include "prism-paint.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

void prism_paint_init_widget (PrismPaint *self,
                              GtkWidget  *widget,
                              cairo_t    *cr);

G_END_DECLS
