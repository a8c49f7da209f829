/* prism-recovery: the last good state of the decoder, in the host's memory: to go back to when
 * training diverges, and to go on from when the device is gone.
 *
 * P = number of parameters. Thread: engine. */
#pragma once

#include "backend/prism-backend.h"
#include "formats/prism-bundle.h"

G_BEGIN_DECLS

typedef struct _PrismRecovery PrismRecovery;

PrismRecovery *prism_recovery_new                (PrismBackend  *backend,
                                                  GError       **error);
void           prism_recovery_free               (PrismRecovery *self);
gboolean       prism_recovery_save               (PrismRecovery  *self,
                                                  GError        **error);
gboolean       prism_recovery_check_device       (PrismRecovery *self);
void           prism_recovery_forget_moments     (PrismRecovery *self);
void           prism_recovery_apply              (PrismRecovery *self);
void           prism_recovery_move               (PrismRecovery *self,
                                                  PrismBackend  *backend);
gboolean       prism_recovery_write              (PrismRecovery  *self,
                                                  PrismBundle    *bundle,
                                                  GError        **error);
gboolean       prism_recovery_read               (PrismRecovery  *self,
                                                  PrismBundle    *bundle,
                                                  GError        **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismRecovery, prism_recovery_free)

G_END_DECLS
