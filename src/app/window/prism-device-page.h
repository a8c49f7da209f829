/* prism-device-page: what the device that computes does: memory, transfers, graphs, loss scale. */
#pragma once

#include <adwaita.h>

#include "session/prism-playback.h"

G_BEGIN_DECLS

#define PRISM_TYPE_DEVICE_PAGE (prism_device_page_get_type ())

G_DECLARE_FINAL_TYPE (PrismDevicePage, prism_device_page, PRISM, DEVICE_PAGE, AdwBin)

void       prism_device_page_set_snapshot (PrismDevicePage *self,
                                           PrismSnapshot   *snapshot);
void       prism_device_page_refresh      (PrismDevicePage *self);

G_END_DECLS
