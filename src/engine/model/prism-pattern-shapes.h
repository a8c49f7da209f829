/* prism-pattern-shapes: the formulas of the sampling patterns: where the n points of each lie.
 *
 * points [n_points], px from the origin of k-space; extent: radius of the region that is filled.
 * Thread: any. */
#pragma once

#include "model/prism-point.h"

G_BEGIN_DECLS

void prism_pattern_fill_fermat        (PrismPoint *points,
                                       guint       n_points,
                                       double      extent);
void prism_pattern_fill_random_disk   (PrismPoint *points,
                                       guint       n_points,
                                       double      extent,
                                       guint64     seed);
void prism_pattern_fill_random_square (PrismPoint *points,
                                       guint       n_points,
                                       double      extent,
                                       guint64     seed);
void prism_pattern_fill_raster        (PrismPoint *points,
                                       guint       n_points,
                                       double      extent);
void prism_pattern_fill_jittered      (PrismPoint *points,
                                       guint       n_points,
                                       double      extent,
                                       double      jitter,
                                       guint64     seed);
void prism_pattern_fill_star          (PrismPoint *points,
                                       guint       n_points,
                                       double      extent,
                                       guint       n_lines);
void prism_pattern_fill_circles       (PrismPoint *points,
                                       guint       n_points,
                                       double      extent,
                                       guint       n_rings);
void prism_pattern_fill_archimedean   (PrismPoint *points,
                                       guint       n_points,
                                       double      extent,
                                       double      n_turns);
void prism_pattern_fill_logarithmic   (PrismPoint *points,
                                       guint       n_points,
                                       double      extent,
                                       double      n_turns,
                                       double      innermost);

G_END_DECLS
