/* prism-config-applies: which parameters have an effect, by where frames come from and by what
 * the others are. Thread: any. */
#pragma once

#include "config/prism-config.h"

G_BEGIN_DECLS

gboolean prism_param_is_of         (const PrismParam *param,
                                    gboolean       recorded);
gboolean prism_param_check_is_of   (const PrismParam  *param,
                                    gboolean           recorded,
                                    GError           **error);
gboolean prism_param_is_of_decoder (const PrismParam *param);
gboolean prism_param_is_place      (const PrismParam *param);
gboolean prism_param_decides       (const PrismParam *param,
                                    gboolean       recorded);
gboolean prism_config_applies      (const PrismConfig *self,
                                    const PrismParam  *param,
                                    gboolean        recorded);

G_END_DECLS
