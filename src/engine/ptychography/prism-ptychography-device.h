/* prism-ptychography-device: passes over recorded frames on a device, further visits at the rim,
 * what frames teach together, what is predicted, and the network that makes the object. The search
 * and total variation are the CPU's. Thread: one at a time. */
#pragma once

#include "backend/prism-recorded.h"
#include "ptychography/prism-ptychography.h"

G_BEGIN_DECLS

gboolean    prism_ptychography_device_open        (PrismPtychography       *self,
                                                   const PrismRecordedOps  *ops,
                                                   GError                 **error);
void        prism_ptychography_device_close       (PrismPtychography *self);
const char *prism_ptychography_device_get_name    (PrismPtychography *self);
const char *prism_ptychography_device_get_failure (PrismPtychography *self);

G_END_DECLS
