/* prism-clock: the time of day as files and names have it, whatever the computer's clock says.
 * Thread: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

GDateTime *prism_clock_new        (gint64 seconds);
char      *prism_clock_dup_utc    (void);
char      *prism_clock_dup_local  (const char *format);

G_END_DECLS
