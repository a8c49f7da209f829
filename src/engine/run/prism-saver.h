/* prism-saver: writes a run's file on a thread of its own, so that the run does not wait for the
 * disk: at most one save is under way and one pending.
 *
 * Thread: every function from the engine's, which owns it. */
#pragma once

#include "run/prism-run-file.h"
#include "run/prism-run-place.h"

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

G_END_DECLS
