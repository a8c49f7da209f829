/* prism-following: follows a folder that a camera writes frames into: takes what has come, predicts
 * and uses it, and says what there is to say, for command line and window.
 *
 * Thread: one at a time, the same for all calls. */
#pragma once

#include "ptychography/prism-growing.h"
#include "recording/prism-arrivals.h"

G_BEGIN_DECLS

typedef struct _PrismFollowing PrismFollowing;

PrismFollowing *prism_following_new           (const char         *folder,
                                               const char         *positions,
                                               const PrismRecipe  *recipe,
                                               const PrismConfig  *settings,
                                               GError            **error);
void            prism_following_free          (PrismFollowing *self);
gboolean        prism_following_step          (PrismFollowing *self);
double          prism_following_get_idle      (const PrismFollowing *self);
PrismArrivals  *prism_following_get_arrivals  (PrismFollowing *self);
char           *prism_following_next_sentence (PrismFollowing *self);
gboolean        prism_following_next_frame    (PrismFollowing    *self,
                                               PrismGrowingFrame *frame);
PrismImage     *prism_following_dup_amplitude (PrismFollowing *self);
PrismRecording *prism_following_get_recording (PrismFollowing *self,
                                               gboolean        whole);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismFollowing, prism_following_free)

G_END_DECLS
