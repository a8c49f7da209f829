/* prism-line-profile: the values of an image along a line.
 *
 * n: number of points, h, w: rows and columns of the image. Thread: any. */
#pragma once

#include "formats/prism-image.h"

G_BEGIN_DECLS

/* From the middle of one pixel to that of another. */
typedef struct
{
  double x0;                            /* column, 0 is the first */
  double y0;                            /* row */
  double x1;
  double y1;
  int width;                            /* px across, over which a mean is taken; at least 1 */
} PrismLineProfile;

double  prism_line_profile_get_length (const PrismLineProfile *self);
guint   prism_line_profile_count      (const PrismLineProfile *self);
void    prism_line_profile_compute    (const PrismLineProfile *self,
                                       const PrismImage       *image,
                                       const PrismImage       *reference,
                                       double                 *values);

G_END_DECLS
