/* prism-machine-wording: what prism-cli and files tell of a machine and a time, as people here read
 * it. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

char *prism_machine_wording_dup_time   (const char *time);
char *prism_machine_wording_dup_device (const char *device);

G_END_DECLS
