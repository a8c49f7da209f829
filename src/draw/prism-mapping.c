#include "config.h"

#include "prism-mapping.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

/* asinh (10·t) / asinh (10), as in DS9. */
#define ASINH_GAIN 10.0
#define DEFAULT_LOG_GAIN 1000.0

#define N_BINS 2048
/* Fraction of the values left out at each end of PRISM_LEVELS_PERCENTILE. */
#define CLIPPED 0.01

static const GEnumValue stretch_values[] = {
  { PRISM_STRETCH_LINEAR, "PRISM_STRETCH_LINEAR", "linear" },
  { PRISM_STRETCH_LOG, "PRISM_STRETCH_LOG", "log" },
  { PRISM_STRETCH_SQRT, "PRISM_STRETCH_SQRT", "sqrt" },
  { PRISM_STRETCH_ASINH, "PRISM_STRETCH_ASINH", "asinh" },
  { 0, NULL, NULL },
};

static const GEnumValue levels_values[] = {
  { PRISM_LEVELS_MANUAL, "PRISM_LEVELS_MANUAL", "manual" },
  { PRISM_LEVELS_MIN_MAX, "PRISM_LEVELS_MIN_MAX", "min-max" },
  { PRISM_LEVELS_PERCENTILE, "PRISM_LEVELS_PERCENTILE", "percentile" },
  { PRISM_LEVELS_SYMMETRIC, "PRISM_LEVELS_SYMMETRIC", "symmetric" },
  { 0, NULL, NULL },
};

/**
 * prism_stretch_get_type:
 *
 * The enumeration, with nicks as they stand in the settings.
 *
 * Returns: the type
 */
GType
prism_stretch_get_type (void)
{
  static gsize type = 0;

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("PrismStretch", stretch_values));
  return type;
}

/**
 * prism_levels_get_type:
 *
 * The enumeration, with nicks as they stand in the settings.
 *
 * Returns: the type
 */
GType
prism_levels_get_type (void)
{
  static gsize type = 0;

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("PrismLevels", levels_values));
  return type;
}

/**
 * prism_stretch_get_label:
 * @stretch: a stretch
 *
 * Returns: (transfer none): its name as a user reads it
 */
const char *
prism_stretch_get_label (PrismStretch stretch)
{
  static const char *labels[] = { N_ ("Linear"), N_ ("Logarithmic"), N_ ("Square root"),
                                  N_ ("Arsinh") };

  g_return_val_if_fail ((guint) stretch < G_N_ELEMENTS (labels), NULL);

  return _ (labels[stretch]);
}

/**
 * prism_mapping_init:
 * @self: (out caller-allocates): a mapping
 *
 * Grey, linear, from 0 to 1.
 */
void
prism_mapping_init (PrismMapping *self)
{
  *self = (PrismMapping) { .gain = DEFAULT_LOG_GAIN, .gamma = 1, .black = 0, .white = 1 };
}

static inline double
get_gamma (const PrismMapping *self)
{
  return self->gamma > 0 ? self->gamma : 1;
}

/**
 * prism_mapping_equal:
 * @a: a mapping
 * @b: a mapping
 *
 * Returns: whether both give the same colours
 */
gboolean
prism_mapping_equal (const PrismMapping *a,
                     const PrismMapping *b)
{
  return a->colormap == b->colormap && a->stretch == b->stretch && a->levels == b->levels
         && a->gain == b->gain && get_gamma (a) == get_gamma (b)
         && a->black == b->black && a->white == b->white;
}

static inline float
get_value (const float *values,
           const float *reference,
           gsize i)
{
  return reference == NULL ? values[i] : values[i] - reference[i];
}

static gboolean
compute_range (const float *values,
               const float *reference,
               gsize n,
               float *minimum,
               float *maximum)
{
  *minimum = INFINITY;
  *maximum = -INFINITY;
  for (gsize i = 0; i < n; i++)
    {
      float value = get_value (values, reference, i);

      if (!isfinite (value))
        continue;
      *minimum = MIN (*minimum, value);
      *maximum = MAX (*maximum, value);
    }
  return *minimum <= *maximum;
}

/* One round narrows low…high to the bins that hold the two percentiles. */
static void
narrow_range (const float *values,
              const float *reference,
              gsize n,
              float *low,
              float *high)
{
  gsize counts[N_BINS + 2] = { 0 };
  float black = *low;
  float width = (*high - *low) / N_BINS;
  gsize n_finite = 0;
  gsize below;
  gsize sum = 0;

  for (gsize i = 0; i < n; i++)
    {
      float value = get_value (values, reference, i);

      if (!isfinite (value))
        continue;
      n_finite++;
      if (value < black)
        counts[0]++;
      else if (value >= *high)
        counts[N_BINS + 1]++;
      else
        counts[1 + (int) MIN ((value - black) / width, N_BINS - 1)]++;
    }

  below = (gsize) (CLIPPED * n_finite);
  for (int bin = 0; bin < N_BINS + 2; sum += counts[bin++])
    {
      if (sum <= below && sum + counts[bin] > below && bin > 0)
        *low = black + (bin - 1) * width;
      if (sum < n_finite - below && sum + counts[bin] >= n_finite - below && bin <= N_BINS)
        *high = black + bin * width;
    }
}

/**
 * prism_mapping_set_limits:
 * @self: a mapping
 * @limits: of its picture
 *
 * Takes gamma and levels over; usual limits leave the levels as they are.
 *
 * Thread: any.
 */
void
prism_mapping_set_limits (PrismMapping *self,
                          const PrismLimits *limits)
{
  static const PrismLevels levels[] = {
    [PRISM_LIMITS_FIXED] = PRISM_LEVELS_MANUAL,
    [PRISM_LIMITS_PERCENTILES] = PRISM_LEVELS_PERCENTILE,
    [PRISM_LIMITS_EXTREMES] = PRISM_LEVELS_MIN_MAX,
  };

  self->gamma = limits->gamma;
  if (limits->kind != PRISM_LIMITS_USUAL)
    self->levels = levels[limits->kind];
  if (limits->kind == PRISM_LIMITS_FIXED)
    {
      self->black = (float) limits->black;
      self->white = (float) limits->white;
    }
}

/**
 * prism_mapping_compute_levels:
 * @self: a mapping
 * @image: what is shown
 * @reference: (nullable): an image of the same shape that is subtracted
 *
 * Sets the black and the white level from the values, unless they are manual. White always ends up
 * above black, so that a flat image has a colour, too.
 *
 * Thread: any.
 */
void
prism_mapping_compute_levels (PrismMapping *self,
                              const PrismImage *image,
                              const PrismImage *reference)
{
  const float *subtrahend = reference == NULL ? NULL : reference->pixels;
  gsize n = (gsize) image->height * image->width;
  float low;
  float high;

  if (self->levels != PRISM_LEVELS_MANUAL)
    {
      if (!compute_range (image->pixels, subtrahend, n, &low, &high))
        low = 0, high = 1;
      else if (self->levels == PRISM_LEVELS_SYMMETRIC)
        {
          high = MAX (fabsf (low), fabsf (high));
          low = -high;
        }
      else if (self->levels == PRISM_LEVELS_PERCENTILE && high > low)
        {
          narrow_range (image->pixels, subtrahend, n, &low, &high);
          if (high > low)
            narrow_range (image->pixels, subtrahend, n, &low, &high);
        }
      self->black = low;
      self->white = high;
    }

  if (!(self->white > self->black))
    {
      float margin = MAX (fabsf (self->black) * 1e-3f, 1e-6f);
      self->white = self->black + margin;
      if (self->levels == PRISM_LEVELS_SYMMETRIC)
        self->black -= margin;
    }
}

static double
stretch_double (const PrismMapping *self,
                double t)
{
  switch (self->stretch)
    {
    case PRISM_STRETCH_LOG:
      return log1p (self->gain * t) / log1p (self->gain);
    case PRISM_STRETCH_SQRT:
      return sqrt (t);
    case PRISM_STRETCH_ASINH:
      return asinh (ASINH_GAIN * t) / asinh (ASINH_GAIN);
    case PRISM_STRETCH_LINEAR:
    default:
      return t;
    }
}

/**
 * prism_mapping_get_position:
 * @self: a mapping
 * @value: a value
 *
 * Returns: its place among the colours, 0 at black to 1 at white; NAN for NAN
 */
double
prism_mapping_get_position (const PrismMapping *self,
                            double value)
{
  double t = (value - self->black) / ((double) self->white - self->black);

  if (isnan (t))
    return NAN;
  t = stretch_double (self, CLAMP (t, 0.0, 1.0));
  return get_gamma (self) == 1 ? t : pow (t, 1 / get_gamma (self));
}

/* position = outer · f (inner · t) with f in float: what the double version computes, at the
 * speed a frame needs. */
static inline float
stretch_position (PrismStretch stretch,
                  float t,
                  float inner,
                  float outer)
{
  switch (stretch)
    {
    case PRISM_STRETCH_LOG:
      return outer * log1pf (inner * t);
    case PRISM_STRETCH_SQRT:
      return outer * sqrtf (t);
    case PRISM_STRETCH_ASINH:
      return outer * asinhf (inner * t);
    case PRISM_STRETCH_LINEAR:
    default:
      return outer * t;
    }
}

/* The colours in another order, so that gamma takes no time for each pixel. */
static const guint32 *
bend_table (const PrismMapping *self,
            guint32 *bent)
{
  const guint32 *table = prism_colormap_get_table (self->colormap);
  const int last = PRISM_COLORMAP_SIZE - 1;

  if (get_gamma (self) == 1)
    return table;
  for (int i = 0; i <= last; i++)
    bent[i] = table[(int) lround (last * pow ((double) i / last, 1 / get_gamma (self)))];
  return bent;
}

/**
 * prism_mapping_apply:
 * @self: a mapping
 * @values: (array length=n_pixels): values
 * @reference: (array length=n_pixels) (nullable): subtracted from them
 * @pixels: (array length=n_pixels) (out caller-allocates): colours in cairo's ARGB32
 * @n_pixels: number of values
 *
 * Colours the values. What is not finite becomes transparent.
 *
 * Shape: all [n_pixels].
 * Thread: any.
 */
void
prism_mapping_apply (const PrismMapping *self,
                     const float *values,
                     const float *reference,
                     guint32 *pixels,
                     int n_pixels)
{
  guint32 bent[PRISM_COLORMAP_SIZE];
  const guint32 *table = bend_table (self, bent);
  float scale = 1 / (self->white - self->black);
  float inner = self->stretch == PRISM_STRETCH_LOG ? self->gain : ASINH_GAIN;
  float outer = PRISM_COLORMAP_SIZE - 1;

  if (self->stretch == PRISM_STRETCH_LOG)
    outer /= log1p (inner);
  else if (self->stretch == PRISM_STRETCH_ASINH)
    outer /= asinh (inner);

  for (int i = 0; i < n_pixels; i++)
    {
      float value = get_value (values, reference, i);
      float t = CLAMP ((value - self->black) * scale, 0.0f, 1.0f);

      if (isfinite (value))
        pixels[i] = table[(int) (stretch_position (self->stretch, t, inner, outer) + 0.5f)];
      else
        pixels[i] = 0;
    }
}
