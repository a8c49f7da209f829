/* prism-pattern: the positions that the aperture visits in k-space.
 * Thread: any, unless a function says otherwise. */
#pragma once

#include "base/prism-reference.h"
#include "config/prism-config.h"
#include "model/prism-pattern-points.h"

G_BEGIN_DECLS

typedef struct _PrismPattern PrismPattern;

/* Immutable and reference counted, in the order of the visits. */
struct _PrismPattern
{
  gatomicrefcount ref_count;
  guint n_points;
  PrismPoint *points;                   /* [n_points] */
};

PrismPattern *prism_pattern_new            (const PrismConfig  *config,
                                            GError            **error);
PrismPattern *prism_pattern_new_points     (const PrismPoint *points,
                                            guint             n_points);
PrismPattern *prism_pattern_new_sorted     (const PrismPattern *self,
                                            const double       *keys);
double        prism_pattern_get_coverage   (const guint8 *plane,
                                            int           image_size,
                                            int           roi);

PRISM_DECLARE_REFERENCES (PrismPattern, prism_pattern)

G_END_DECLS
