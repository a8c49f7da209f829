/* prism-throttle: calls a function for what changes faster than one can look. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _PrismThrottle PrismThrottle;

typedef void (*PrismThrottleFunc) (gpointer data);

PrismThrottle *prism_throttle_new  (guint          interval,
                            guint          phase,
                            PrismThrottleFunc  func,
                            gpointer       data);
void       prism_throttle_free (PrismThrottle *self);
void       prism_throttle_call (PrismThrottle *self,
                            gboolean   at_once);

G_END_DECLS
