/* prism-state-book: chooses which states of a run are kept to fork from, so that they lie evenly
 * among its samples and take no more of the disk than history_size says. Thread: engine. */
#pragma once

#include "history/prism-states.h"
#include "history/prism-snapshot.h"

G_BEGIN_DECLS

typedef struct _PrismStateBook PrismStateBook;

PrismStateBook *prism_state_book_new        (const PrismConfig *config,
                                             guint              n_samples);
void            prism_state_book_free       (PrismStateBook *self);
void            prism_state_book_load       (PrismStateBook    *self,
                                             const PrismStates *states);
gboolean        prism_state_book_wants      (PrismStateBook *self,
                                             PrismPhase      phase,
                                             guint64         n_visits);
void            prism_state_book_keep       (PrismStateBook      *self,
                                             const PrismSnapshot *snapshot,
                                             PrismBundle         *state,
                                             guint64              n_visits);
PrismStates    *prism_state_book_dup_states (PrismStateBook *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismStateBook, prism_state_book_free)

G_END_DECLS
