/* prism-replay: which earlier measurements a step looks at again. */
#pragma once

#include "config/prism-config.h"

G_BEGIN_DECLS

guint prism_replay_choose (const PrismConfig *config,
                           guint64            step,
                           guint              n_available,
                           guint             *picks);

G_END_DECLS
