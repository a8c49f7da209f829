/* prism-phase-sync-private: one alignment, as the files that do its work see it: waves searches the
 * waves behind the frames, prism-phase-sync does passes on the host's threads, device on a device
 * that can. Dimensions as in prism-phase-sync.h. Thread: engine, but gather's, which may be any. */
#pragma once

#include "solve/prism-phase-sync.h"

G_BEGIN_DECLS

#define PRISM_PHASE_SYNC_EVERY 25 /* passes of a search until its residual is asked for */

void     prism_phase_sync_gather      (PrismPhaseSync  *self,
                                       const PrismMask *mask,
                                       float           *box);
gboolean prism_phase_sync_refuse      (GError **error);

/* The waves of some frames from n_retrieved on; half is that of the guess. Returns how many. */
guint    prism_phase_sync_retrieve_some (PrismPhaseSync  *self,
                                         GError         **error);
/* Before a search, or with fill before a fill: whether its passes are the device's is in is_put. */
void     prism_phase_sync_put                (PrismPhaseSync  *self,
                                              gboolean         fill);
/* Passes of a search until its residual is known; n: how many. */
gboolean prism_phase_sync_search_on_device   (PrismPhaseSync  *self,
                                              guint           *n,
                                              GError         **error);
/* A pass of the fill; next: its t of Nesterov's sequence. */
gboolean prism_phase_sync_fill_on_device     (PrismPhaseSync  *self,
                                              float            step,
                                              float            strength,
                                              double           next,
                                              GError         **error);

G_END_DECLS
