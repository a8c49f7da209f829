/* prism-config-view: the parameters that say how pictures are looked at, not what is computed: the
 * group "picture". They may change when a run is over. Thread: any. */
#pragma once

#include "config/prism-config.h"

G_BEGIN_DECLS

gboolean prism_config_view_contains (const PrismParam *param);
gboolean prism_config_view_equal (const PrismConfig *a,
                                  const PrismConfig *b);
gboolean prism_config_view_is_all (const PrismConfig *a,
                                   const PrismConfig *b);
void prism_config_view_set (PrismConfig *self,
                            const PrismConfig *from);

G_END_DECLS
