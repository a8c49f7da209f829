#include "config.h"

#include "num/prism-area.h"

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
}

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
  int column = floor (x);
  int row = floor (y);
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
  return lround (prism_line_profile_get_length (self)) + 1;
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

static inline float
get_value (const PrismImage *image,
           const PrismImage *reference,
           gsize i)
{
  return reference == NULL ? image->pixels[i] : image->pixels[i] - reference->pixels[i];
}

/**
 * prism_histogram_compute:
 * @self: (out caller-allocates): a histogram
 * @image: an image
 * @reference: (nullable): of the same shape, subtracted from it
 *
 * Counts the finite values. All of a flat image are in the first bin.
 *
 * Shape: images [h][w].
 * Thread: any.
 */
void
prism_histogram_compute (PrismHistogram *self,
                         const PrismImage *image,
                         const PrismImage *reference)
{
  gsize n = (gsize) image->height * image->width;
  float scale;

  *self = (PrismHistogram) { .minimum = INFINITY, .maximum = -INFINITY };
  for (gsize i = 0; i < n; i++)
    {
      float value = get_value (image, reference, i);

      if (!isfinite (value))
        continue;
      self->count++;
      self->minimum = MIN (self->minimum, value);
      self->maximum = MAX (self->maximum, value);
    }
  if (self->count == 0)
    {
      self->minimum = self->maximum = 0;
      return;
    }
  scale = self->maximum > self->minimum
              ? PRISM_HISTOGRAM_N_BINS / (self->maximum - self->minimum)
              : 0;
  for (gsize i = 0; i < n; i++)
    {
      float value = get_value (image, reference, i);

      if (isfinite (value))
        self->bins[MIN ((int) ((value - self->minimum) * scale), PRISM_HISTOGRAM_N_BINS - 1)]++;
    }
  for (guint bin = 0; bin < PRISM_HISTOGRAM_N_BINS; bin++)
    self->largest = MAX (self->largest, self->bins[bin]);
}
