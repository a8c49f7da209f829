/* prism-window-keys: the keys that every window has, whoever makes it: Ctrl+W closes it, Ctrl+Q
 * ends the program. Thread: main. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

void prism_window_keys_init (void);

G_END_DECLS
