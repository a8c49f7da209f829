/* prism-menu-focus: the keyboard comes back when a menu closes. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

void prism_menu_focus_init (void);

G_END_DECLS
