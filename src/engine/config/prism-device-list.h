/* prism-device-list: the devices that a configuration can ask for. All that follow the CPU are
 * modules: NAME is in libprism-NAME.so and handed out by prism_NAME_backend_get_ops. Another
 * vendor's device is one entry more. Thread: any. */
#pragma once

#include "config/prism-config.h"

G_BEGIN_DECLS

#define PRISM_DEVICE_LIST_LENGTH 3

/* By number, which is the value of “backend”; the automatic choice tries modules in this order. */
extern const PrismChoice prism_device_list[PRISM_DEVICE_LIST_LENGTH + 1];

int prism_device_list_find (const char *name);

G_END_DECLS
