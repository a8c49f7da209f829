/* prism-readout: a text over a corner of a picture. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

void prism_readout_show     (GtkLabel   *label,
                             const char *text);
void prism_readout_show_fit (GtkLabel   *label,
                             const char *text,
                             GtkWidget  *picture);

G_END_DECLS
