/* prism-pace: calls a function for what changes faster than one can look. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _PrismPace PrismPace;

typedef void (*PrismPaceFunc) (gpointer data);

PrismPace *prism_pace_new  (guint          interval,
                            guint          phase,
                            PrismPaceFunc  func,
                            gpointer       data);
void       prism_pace_free (PrismPace *self);
void       prism_pace_call (PrismPace *self,
                            gboolean   at_once);

G_END_DECLS
