/* prism-recovery: the last good state of the decoder, to go back to when training diverges.
 *
 * P = number of parameters. Thread: engine. */
#pragma once

#include "prism-backend.h"

G_BEGIN_DECLS

typedef struct _PrismRecovery PrismRecovery;

guint64        prism_recovery_get_required_bytes (gsize n_parameters);
PrismRecovery *prism_recovery_new                (PrismBackend  *backend,
                                                  GError       **error);
void           prism_recovery_free               (PrismRecovery *self);
void           prism_recovery_save               (PrismRecovery *self);
void           prism_recovery_apply              (PrismRecovery *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismRecovery, prism_recovery_free)

G_END_DECLS
