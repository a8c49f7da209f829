/* prism-spikes: where the loss of a run rose most; looks at each row once.
 * Thread: one at a time, also while the engine appends. */
#pragma once

#include "history/prism-history.h"

G_BEGIN_DECLS

typedef struct _PrismSpikes PrismSpikes;

PrismSpikes *prism_spikes_new  (void);
void         prism_spikes_free (PrismSpikes *self);
gboolean     prism_spikes_read (PrismSpikes  *self,
                                PrismHistory *history,
                                guint64       n_rows,
                                guint64       n_most);
gboolean     prism_spikes_find (PrismSpikes *self,
                                guint64      step,
                                int          direction,
                                guint64     *found);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismSpikes, prism_spikes_free)

G_END_DECLS
