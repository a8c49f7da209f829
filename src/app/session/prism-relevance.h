/* prism-relevance: which parameters have an effect with the others as they are. */
#pragma once

#include "config/prism-config.h"

G_BEGIN_DECLS

gboolean prism_relevance_get            (const PrismConfig *config,
                                         const PrismParam  *param);
gboolean prism_relevance_waits          (const PrismConfig *config,
                                         const PrismParam  *param);
gboolean prism_relevance_is_other_scene (const PrismConfig *config,
                                         const PrismConfig *other);

G_END_DECLS
