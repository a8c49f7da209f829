/* prism-area: what the values in a rectangle or an ellipse of an image come to.
 *
 * h, w: rows and columns of the image. Thread: any. */
#pragma once

#include "formats/prism-image.h"

G_BEGIN_DECLS

typedef struct
{
  gboolean ellipse;                     /* the largest in the rectangle */
  int x;                                /* first column */
  int y;                                /* first row */
  int width;                            /* px */
  int height;
} PrismArea;

/* Of the finite values; NAN where there are none. */
typedef struct
{
  int count;
  double mean;
  double deviation;                     /* of the population */
  double minimum;
  double maximum;
  double snr;                           /* mean over deviation; NAN where that is 0 */
  double contrast;                      /* (maximum - minimum) / (maximum + minimum); NAN where
                                         * values are below 0 */
} PrismAreaValues;

void prism_area_compute (const PrismArea  *self,
                         const PrismImage *image,
                         const PrismImage *reference,
                         PrismAreaValues  *values);

G_END_DECLS
