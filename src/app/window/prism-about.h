/* prism-about: who made the program, and under which licence. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

void prism_about_show (GtkWindow *parent);

G_END_DECLS
