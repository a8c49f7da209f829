#include "config.h"

#include "num/prism-line-profile.h"

#include <math.h>

static inline double
get_pixel (const PrismImage *image,
           const PrismImage *reference,
           int x,
           int y)
{
  gsize i = (gsize) y * image->width + x;

  return reference == NULL ? image->pixels[i] : (double) image->pixels[i] - reference->pixels[i];
}

/* Between the four nearest pixels; NAN outside the middles of the border. */
static double
interpolate (const PrismImage *image,
             const PrismImage *reference,
             double x,
             double y)
{
  int column = (int) floor (x);
  int row = (int) floor (y);
  int right = MIN (column + 1, image->width - 1);
  int below = MIN (row + 1, image->height - 1);
  double fx = x - column;
  double fy = y - row;
  double upper;
  double lower;

  if (x < 0 || y < 0 || x > image->width - 1 || y > image->height - 1)
    return NAN;
  upper = get_pixel (image, reference, column, row);
  lower = get_pixel (image, reference, column, below);
  /* A neighbour without a weight has no say, even where it is no number. */
  if (fx > 0)
    {
      upper += fx * (get_pixel (image, reference, right, row) - upper);
      lower += fx * (get_pixel (image, reference, right, below) - lower);
    }
  return fy > 0 ? upper + fy * (lower - upper) : upper;
}

/**
 * prism_line_profile_get_length:
 * @self: a line
 *
 * Units: px.
 *
 * Returns: its length, from middle to middle
 */
double
prism_line_profile_get_length (const PrismLineProfile *self)
{
  return hypot (self->x1 - self->x0, self->y1 - self->y0);
}

/**
 * prism_line_profile_count:
 * @self: a line
 *
 * Returns: n, a point for each pixel of its length and one for its end
 */
guint
prism_line_profile_count (const PrismLineProfile *self)
{
  return (guint) lround (prism_line_profile_get_length (self)) + 1;
}

/**
 * prism_line_profile_compute:
 * @self: a line
 * @image: an image
 * @reference: (nullable): of the same shape, subtracted from it
 * @values: (out caller-allocates): at equal distances from the first end to the second
 *
 * Interpolates between the four nearest pixels and takes the mean across the line. What lies off
 * the image or is no number does not count; a point with nothing else is NAN.
 *
 * Shape: images [h][w], @values [n].
 * Thread: any.
 */
void
prism_line_profile_compute (const PrismLineProfile *self,
                            const PrismImage *image,
                            const PrismImage *reference,
                            double *values)
{
  guint n = prism_line_profile_count (self);
  double length = prism_line_profile_get_length (self);
  double dx = length > 0 ? (self->x1 - self->x0) / length : 1;
  double dy = length > 0 ? (self->y1 - self->y0) / length : 0;

  for (guint i = 0; i < n; i++)
    {
      double along = n > 1 ? length * i / (n - 1) : 0;
      double sum = 0;
      int count = 0;

      for (int k = 0; k < self->width; k++)
        {
          double across = k - (self->width - 1) / 2.0;
          double value = interpolate (image, reference, self->x0 + along * dx - across * dy,
                                      self->y0 + along * dy + across * dx);

          if (!isfinite (value))
            continue;
          sum += value;
          count++;
        }
      values[i] = count > 0 ? sum / count : NAN;
    }
}
