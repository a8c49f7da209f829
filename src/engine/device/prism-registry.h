/* prism-registry: finds the devices of prism-device-list, chooses one for a run, and remembers of
 * each whether it can be trusted.
 *
 * Thread: any. prism_registry_choose() asks drivers, which may take a second; so does what has to
 * be found out yet. */
#pragma once

#include "backend/prism-backend.h"
#include "backend/prism-recorded.h"

G_BEGIN_DECLS

const PrismBackendOps *prism_registry_get_ops   (const char *name);
const PrismBackendOps *prism_registry_choose    (int      choice,
                                                 char   **reason,
                                                 GError **error);
const PrismBackendOps *prism_registry_find      (int choice);
gboolean               prism_registry_peek      (int                     choice,
                                                 const PrismBackendOps **ops,
                                                 GError                **error);
gboolean               prism_registry_is_gpu    (int choice);
const PrismRecordedOps *prism_registry_get_recorded (const PrismBackendOps *ops);
void                   prism_registry_note_loss (const PrismBackendOps *ops);
void                   prism_registry_replace   (const char            *name,
                                                 const PrismBackendOps *ops);

/* Whether a device computes what the CPU computes, by one tiny task on both,
 * and how much memory it has, by opening it for that task.
 *
 * Thread: engine. */

gboolean prism_backend_check (const PrismBackendOps  *ops,
                              GError                **error);
guint64  prism_backend_check_memory (const PrismBackendOps *ops);

G_END_DECLS
