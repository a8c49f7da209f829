/* prism-wheel-guard: the wheel scrolls pages, and changes only the field that has the focus. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

void prism_wheel_guard_init (void);

G_END_DECLS
