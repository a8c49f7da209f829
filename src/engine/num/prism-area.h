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

/* The values of an image along a line.
 *
 * n: number of points, h, w: rows and columns of the image. Thread: any. */

/* From the middle of one pixel to that of another. */
typedef struct
{
  double x0;                            /* column, 0 is the first */
  double y0;                            /* row */
  double x1;
  double y1;
  int width;                            /* px across, over which a mean is taken; at least 1 */
} PrismLineProfile;

/* Standard deviation of the length of a line whose ends are whole pixels, px: each end is off by up
 * to half a pixel, a twelfth mean square. */
#define PRISM_LINE_PROFILE_ERROR sqrt (1 / 6.0)

double  prism_line_profile_get_length (const PrismLineProfile *self);
guint   prism_line_profile_count      (const PrismLineProfile *self);
void    prism_line_profile_compute    (const PrismLineProfile *self,
                                       const PrismImage       *image,
                                       const PrismImage       *reference,
                                       double                 *values);

/* How often values occur in an image.
 *
 * h, w: rows and columns of the image. Thread: any. */

enum { PRISM_HISTOGRAM_N_BINS = 128 };

typedef struct
{
  guint64 count;                        /* of the finite values; without any, all is 0 */
  float minimum;
  float maximum;
  guint bins[PRISM_HISTOGRAM_N_BINS];   /* of equal width from minimum to maximum */
  guint largest;                        /* of the bins */
} PrismHistogram;

void prism_histogram_compute (PrismHistogram   *self,
                              const PrismImage *image,
                              const PrismImage *reference);

G_END_DECLS
