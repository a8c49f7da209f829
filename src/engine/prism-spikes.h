/* prism-spikes: where the loss of a run rose most. */
#pragma once

#include "prism-history.h"

G_BEGIN_DECLS

gboolean prism_spikes_find (PrismHistory *history,
                            guint64       n_rows,
                            guint64       step,
                            int           direction,
                            guint64      *found);

G_END_DECLS
