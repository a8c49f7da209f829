/* prism-saver: writes a run's file on a thread of its own, so that the run does not wait for the
 * disk: at most one save is under way and one pending.
 *
 * Thread: every function from the engine's, which owns it. */
#pragma once

#include "history/prism-snapshot.h"
#include "history/prism-states.h"
#include "run/prism-run-file.h"
#include "run/prism-run-index.h"

G_BEGIN_DECLS

#define PRISM_SAVER_FOR_EVER G_MAXINT32 /* s */

typedef struct _PrismSaver PrismSaver;

PrismSaver *prism_saver_new        (const char              *path,
                                    const PrismRunIdentity  *identity,
                                    const PrismRunMark      *expected,
                                    GError                 **error);
void        prism_saver_free       (PrismSaver *self);
void        prism_saver_close      (PrismSaver   *self,
                                    PrismRunMark *mark);
char       *prism_saver_dup_path   (PrismSaver *self);
char       *prism_saver_take_notice (PrismSaver *self);
const PrismRunIdentity *
            prism_saver_get_identity (PrismSaver *self);
gboolean    prism_saver_is_busy    (PrismSaver *self);
void        prism_saver_submit     (PrismSaver    *self,
                                    PrismSnapshot *snapshot,
                                    PrismBundle   *state);
GError     *prism_saver_take_error (PrismSaver *self);
void        prism_saver_wait       (PrismSaver *self,
                                    guint       seconds);
gboolean    prism_saver_finish     (PrismSaver  *self,
                                    GError     **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismSaver, prism_saver_free)

/* Chooses which states of a run are kept to fork from, so that they lie evenly
 * among its samples and take no more of the disk than history_size says. Thread: engine. */

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
