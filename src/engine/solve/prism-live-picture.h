/* prism-live-picture: the live picture: an image that is made to explain every measurement so far
 * while they arrive, in a round after a sample, challenged now and then by the decoder's. The start
 * image of a round is that of the decoder. Source: numerics.md, “Live picture”. */
#pragma once

#include "solve/prism-solver.h"

G_BEGIN_DECLS

extern const PrismSolverKind prism_live_picture_kind;

gboolean prism_live_picture_is_due (guint n_samples,
                                    guint n_all,
                                    gboolean is_seldom);
guint64  prism_live_picture_count_visits (const PrismSolverSpec *spec,
                                    guint                  n_all,
                                    guint64               *n_passes,
                                    guint                 *n_rounds);

G_END_DECLS
