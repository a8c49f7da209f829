/* prism-renderer: whether GTK draws the windows by GL or by cairo. Thread: main. */
#pragma once

#include <gdk/gdk.h>

G_BEGIN_DECLS

gboolean prism_renderer_is_software (const char *name);
void     prism_renderer_choose      (GdkDisplay *display);

G_END_DECLS
