/* prism-gradient-error: what a precision costs in digits of the gradient. Thread: that of a device,
 * see prism-device. */
#pragma once

#include "backend/prism-backend.h"
#include "formats/prism-image.h"

G_BEGIN_DECLS

gboolean prism_gradient_error_compute (const PrismBackendOps   *ops,
                                       const PrismBackendSpec  *spec,
                                       const PrismImage        *object,
                                       const float             *parameters,
                                       double                  *error_of,
                                       GError                 **error);

G_END_DECLS
