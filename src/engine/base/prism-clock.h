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

/* How many units of work the device gets at once: as many as it likes, but no more than
 * it does in a moment, so that neither a command nor a picture waits long. Results do not depend
 * on it. Thread: engine. */

#define PRISM_PACE_MOMENT 0.015        /* s that a command may wait */

typedef struct
{
  guint most;                           /* what the device likes */
  guint n;                              /* at once, 1…most */
  double seconds;                       /* that one took, the last time; NAN before */
} PrismPace;

void  prism_pace_init   (PrismPace *self,
                         guint      most);
guint prism_pace_get    (const PrismPace *self,
                         guint            n_left);
void  prism_pace_update (PrismPace *self,
                         guint      n_done,
                         double     seconds);
double
      prism_pace_get_seconds (const PrismPace *self);

G_END_DECLS
