/* prism-line: an aperture that moves along a straight line during each exposure.
 *
 * n = image_size. Thread: any. */
#pragma once

#include "model/prism-aperture.h"
#include "model/prism-pattern.h"

G_BEGIN_DECLS

typedef struct
{
  double length;                        /* px; 0: it stands still */
  guint n_points;                       /* where it is computed; 1: it stands still */
} PrismLine;

void       prism_line_init_config (PrismLine         *self,
                                   const PrismConfig *config);
PrismPoint prism_line_get_point   (const PrismLine  *self,
                                   const PrismPoint *middle,
                                   guint             i);
PrismMask *prism_line_get_mask    (const PrismLine     *self,
                                   const PrismAperture *aperture,
                                   int                  image_size,
                                   const PrismPoint    *middle);

G_END_DECLS
