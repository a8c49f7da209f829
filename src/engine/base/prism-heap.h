/* prism-heap: how the C library keeps the memory of a program that runs for hours. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

void prism_heap_init      (void);
void prism_heap_give_back (void);

G_END_DECLS
