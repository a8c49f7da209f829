/* prism-growing: an estimate of object, pupil and light that grows while frames arrive. Each frame
 * is predicted by those before it, and then used. It is what one sees meanwhile; the result is that
 * of a run over all frames.
 *
 * Thread: one at a time. */
#pragma once

#include "ptychography/prism-finding.h"

G_BEGIN_DECLS

typedef struct _PrismGrowing PrismGrowing;

/* How well a frame was predicted before it was used. */
typedef struct
{
  guint frame;                          /* its number among all that there are to be */
  double misfit;                        /* NAN: nothing was known before it */
  double correlation;
} PrismGrowingFrame;

PrismGrowing *prism_growing_new         (const PrismConfig *settings);
void          prism_growing_free        (PrismGrowing *self);
gboolean      prism_growing_add         (PrismGrowing    *self,
                                         PrismRecording  *recording,
                                         const guint     *numbers,
                                         GArray          *predicted,
                                         GError         **error);
gboolean      prism_growing_pass        (PrismGrowing *self);
PrismImage   *prism_growing_dup_amplitude (PrismGrowing  *self,
                                           GError       **error);
PrismFinding *prism_growing_dup_finding (PrismGrowing  *self,
                                         GError       **error);
gboolean      prism_growing_is_predicted (PrismGrowing *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismGrowing, prism_growing_free)

G_END_DECLS
