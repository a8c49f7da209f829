/* prism-widget: what every window does beside what GTK does: keys, focus, wheel, drawing. */
#pragma once

#include "prism-paint.h"

#include <gdk/gdk.h>
#include <glib.h>
#include <gtk/gtk.h>

G_BEGIN_DECLS

/* The keyboard comes back when a menu closes. */

void prism_menu_focus_init (void);

/* The wheel scrolls pages, and changes only the field that has the focus. */

void prism_wheel_guard_init (void);

/* The keys that every window has, whoever makes it: Ctrl+W closes it, Ctrl+Q
 * ends the program. Thread: main. */

void prism_window_keys_init (void);

/* Typing into an open drop-down finds what has the text anywhere. */

void prism_list_search_enable (GtkDropDown *list);

/* Whether GTK draws the windows by GL or by cairo. Thread: main. */

gboolean prism_renderer_is_software (const char *name);
void     prism_renderer_choose      (GdkDisplay *display);

/* Where the command line of this very program is. */

char *prism_program_dup_cli (void);

/* Begins to paint a widget in its own font and colours. */

void prism_paint_init_widget (PrismPaint *self,
                              GtkWidget  *widget,
                              cairo_t    *cr);

G_END_DECLS
