/* prism-device-counters: what a device has counted, as text for files and differences for bench.
 * Thread: any. */
#pragma once

#include "backend/prism-backend.h"

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

void    prism_device_counters_subtract  (PrismDeviceCounters       *self,
                                         const PrismDeviceCounters *earlier);
guint64 prism_device_counters_get_n     (const PrismDeviceCounters *self);
guint64 prism_device_counters_get_bytes (const PrismDeviceCounters *self);
void    prism_device_counters_add_json  (const PrismDeviceCounters *self,
                                         JsonBuilder               *builder);

G_END_DECLS
