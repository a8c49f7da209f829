/* prism-following: follows a folder that a camera writes frames into: takes what has come, predicts
 * and uses it, and says what there is to say, for command line and window. What one sees meanwhile
 * is an estimate that grows; the result is that of a run over all frames.
 *
 * Thread: one at a time, the same for all calls. */
#pragma once

#include "ptychography/prism-finding.h"
#include "recording/prism-arrivals.h"

G_BEGIN_DECLS

/* How well a frame was predicted before it was used. */
typedef struct
{
  guint frame;                          /* its number among all that there are to be */
  double misfit;                        /* NAN: nothing was known before it */
  double correlation;
} PrismGrowingFrame;

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
PrismRecording *prism_following_dup_recording (PrismFollowing  *self,
                                               GError         **error);
char           *prism_following_next_sentence (PrismFollowing *self);
gboolean        prism_following_next_frame    (PrismFollowing    *self,
                                               PrismGrowingFrame *frame);
PrismImage     *prism_following_dup_amplitude (PrismFollowing *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismFollowing, prism_following_free)

G_END_DECLS
