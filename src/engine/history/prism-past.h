/* prism-past: a snapshot of a moment that is over, for whatever shows snapshots.
 *
 * n = image_size. Thread: one at a time. */
#pragma once

#include "history/prism-frames.h"
#include "history/prism-snapshot.h"

G_BEGIN_DECLS

typedef struct _PrismPast PrismPast;

PrismPast     *prism_past_new          (void);
void           prism_past_free         (PrismPast *self);
PrismSnapshot *prism_past_new_snapshot (PrismPast         *self,
                                        PrismSnapshot     *live,
                                        const PrismMoment *moment);
PrismImage    *prism_past_new_exposure (const PrismSnapshot *snapshot);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismPast, prism_past_free)

G_END_DECLS
