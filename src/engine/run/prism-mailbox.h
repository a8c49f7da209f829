/* prism-mailbox: one slot between the engine and whoever watches it: the newest snapshot wins.
 * Thread: any. */
#pragma once

#include "history/prism-snapshot.h"

G_BEGIN_DECLS

typedef struct _PrismMailbox PrismMailbox;

PrismMailbox  *prism_mailbox_new     (void);
void           prism_mailbox_free    (PrismMailbox *self);
gboolean       prism_mailbox_put     (PrismMailbox  *self,
                                      PrismSnapshot *snapshot);
PrismSnapshot *prism_mailbox_collect (PrismMailbox *self);
PrismSnapshot *prism_mailbox_wait    (PrismMailbox *self,
                                      guint         milliseconds);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismMailbox, prism_mailbox_free)

G_END_DECLS
