/* prism-spill: a temporary file without a name, for what need not stay in memory. It disappears
 * with the process, however that ends. Thread: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

int      prism_spill_open  (void);
gboolean prism_spill_write (int            fd,
                            gconstpointer  data,
                            gsize          length,
                            guint64        offset);
gboolean prism_spill_read  (int       fd,
                            gpointer  data,
                            gsize     length,
                            guint64   offset);

G_END_DECLS
