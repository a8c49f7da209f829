/* prism-wake-up: lets another thread call a function in the main loop. One source for its whole
 * life: there is nothing that could queue up, however often it is triggered. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _PrismWakeUp PrismWakeUp;

typedef void (*PrismWakeUpFunc) (gpointer data);

PrismWakeUp *prism_wake_up_new     (PrismWakeUpFunc  func,
                                    gpointer         data);
void         prism_wake_up_free    (PrismWakeUp *self);
void         prism_wake_up_trigger (PrismWakeUp *self);

G_END_DECLS
