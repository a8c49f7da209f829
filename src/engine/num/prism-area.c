#include "config.h"

#include "num/prism-area.h"

#include <math.h>

/* Columns of a row that lie in the area: a pixel is in an ellipse where its middle is. */
static void
get_columns (const PrismArea *self,
             int row,
             int *first,
             int *end)
{
  double half = self->width / 2.0;
  double dy = (row + 0.5 - self->height / 2.0) / (self->height / 2.0);
  double reach = sqrt (MAX (0, 1 - dy * dy)) * half;

  *first = self->x;
  *end = self->x + self->width;
  if (!self->ellipse)
    return;
  *first = self->x + (int) ceil (half - reach - 0.5);
  *end = self->x + (int) floor (half + reach - 0.5) + 1;
}

static void
finish (PrismAreaValues *values,
        double origin,
        double sum,
        double squares)
{
  double mean = sum / values->count;
  double lightest = values->maximum + values->minimum;

  values->mean = origin + mean;
  values->deviation = sqrt (MAX (0, squares / values->count - mean * mean));
  if (values->deviation > 0)
    values->snr = values->mean / values->deviation;
  if (values->minimum >= 0 && lightest > 0)
    values->contrast = (values->maximum - values->minimum) / lightest;
}

/**
 * prism_area_compute:
 * @self: an area, which may reach beyond the image
 * @image: an image
 * @reference: (nullable): of the same shape, subtracted from it
 * @values: (out caller-allocates): what the part of the area on the image comes to
 *
 * Goes over the pixels once. Sums are taken around the first value, so that the deviation of a
 * nearly flat area does not cancel.
 *
 * Shape: images [h][w].
 * Thread: any.
 */
void
prism_area_compute (const PrismArea *self,
                    const PrismImage *image,
                    const PrismImage *reference,
                    PrismAreaValues *values)
{
  double origin = NAN;
  double sum = 0;
  double squares = 0;

  *values = (PrismAreaValues) { 0, NAN, NAN, NAN, NAN, NAN, NAN };
  for (int y = MAX (self->y, 0); y < MIN (self->y + self->height, image->height); y++)
    {
      const float *row = image->pixels + (gsize) y * image->width;
      const float *subtrahend
          = reference != NULL ? reference->pixels + (gsize) y * image->width : NULL;
      int first;
      int end;

      get_columns (self, y - self->y, &first, &end);
      for (int x = MAX (first, 0); x < MIN (end, image->width); x++)
        {
          double value = subtrahend == NULL ? row[x] : (double) row[x] - subtrahend[x];

          if (!isfinite (value))
            continue;
          if (values->count++ == 0)
            origin = values->minimum = values->maximum = value;
          values->minimum = MIN (values->minimum, value);
          values->maximum = MAX (values->maximum, value);
          sum += value - origin;
          squares += (value - origin) * (value - origin);
        }
    }
  if (values->count > 0)
    finish (values, origin, sum, squares);
}
