/* prism-alignment-private: one alignment, as the files that do its passes see it: prism-alignment
 * on the host's threads, prism-alignment-device on a device that can. Dimensions as in
 * prism-alignment.h. Thread: engine, but gather's and wants_wave's, which may be any. */
#pragma once

#include "solve/prism-alignment.h"

G_BEGIN_DECLS

#define PRISM_ALIGNMENT_EVERY 25 /* passes of a search until its residual is asked for */

void     prism_alignment_gather      (PrismAlignment  *self,
                                      const PrismMask *mask,
                                      float           *box);
gboolean prism_alignment_read_points (PrismAlignment  *self,
                                      guint            i,
                                      float           *points,
                                      GError         **error);
gboolean prism_alignment_wants_wave  (const PrismAlignmentFrame *frame,
                                      gboolean                   has_noise);
void     prism_alignment_keep_wave   (PrismAlignmentFrame *frame,
                                      double               misfit,
                                      const float         *amplitude,
                                      gsize                n_bytes);

/* The waves of some frames from n_retrieved on; half is that of the guess. n: how many, 0 where the
 * host must do it. */
gboolean prism_alignment_retrieve_on_device (PrismAlignment  *self,
                                             guint           *n,
                                             GError         **error);
/* Before a search, or with fill before a fill: whether its passes are the device's is in is_put. */
void     prism_alignment_put                (PrismAlignment  *self,
                                             gboolean         fill);
/* Passes of a search until its residual is known; n: how many. */
gboolean prism_alignment_search_on_device   (PrismAlignment  *self,
                                             guint           *n,
                                             GError         **error);
/* A pass of the fill; next: its t of Nesterov's sequence. */
gboolean prism_alignment_fill_on_device     (PrismAlignment  *self,
                                             float            step,
                                             float            strength,
                                             double           next,
                                             GError         **error);

G_END_DECLS
