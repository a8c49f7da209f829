/* prism-clock: the time that passes, how it is told, and the time of day as files and names have
 * it, whatever the computer's clock says.
 * Thread: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

double prism_clock_get_seconds (void);
double prism_clock_get_processor_seconds (void);
GDateTime *prism_clock_new (gint64 seconds);
char *prism_clock_dup_utc (void);
char *prism_clock_dup_utc_exact (void);
char *prism_clock_dup_local (const char *format);
char *prism_clock_dup_duration (double seconds);

G_END_DECLS
