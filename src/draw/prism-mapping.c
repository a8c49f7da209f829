#include "config.h"

#include "prism-mapping.h"

/* asinh (10·t) / asinh (10), as in DS9. */
#define ASINH_GAIN 10.0
#define DEFAULT_LOG_GAIN 1000.0
#define SPECTRUM_GAIN 1e5 /* five decades */

#define N_BINS 2048
/* Fraction of the values left out at each end of PRISM_LEVELS_PERCENTILE. */
#define CLIPPED 0.01

/* clang-format off */
G_DEFINE_ENUM_TYPE (PrismStretch, prism_stretch,
                    G_DEFINE_ENUM_VALUE (PRISM_STRETCH_LINEAR, "linear"),
                    G_DEFINE_ENUM_VALUE (PRISM_STRETCH_LOG, "log"),
                    G_DEFINE_ENUM_VALUE (PRISM_STRETCH_SQRT, "sqrt"),
                    G_DEFINE_ENUM_VALUE (PRISM_STRETCH_ASINH, "asinh"))

G_DEFINE_ENUM_TYPE (PrismLevels, prism_levels,
                    G_DEFINE_ENUM_VALUE (PRISM_LEVELS_MANUAL, "manual"),
                    G_DEFINE_ENUM_VALUE (PRISM_LEVELS_MIN_MAX, "min-max"),
                    G_DEFINE_ENUM_VALUE (PRISM_LEVELS_PERCENTILE, "percentile"),
                    G_DEFINE_ENUM_VALUE (PRISM_LEVELS_SYMMETRIC, "symmetric"))

G_DEFINE_ENUM_TYPE (PrismColormap, prism_colormap,
                    G_DEFINE_ENUM_VALUE (PRISM_COLORMAP_GREY, "grey"),
                    G_DEFINE_ENUM_VALUE (PRISM_COLORMAP_VIRIDIS, "viridis"),
                    G_DEFINE_ENUM_VALUE (PRISM_COLORMAP_MAGMA, "magma"),
                    G_DEFINE_ENUM_VALUE (PRISM_COLORMAP_INFERNO, "inferno"),
                    G_DEFINE_ENUM_VALUE (PRISM_COLORMAP_PLASMA, "plasma"),
                    G_DEFINE_ENUM_VALUE (PRISM_COLORMAP_CIVIDIS, "cividis"),
                    G_DEFINE_ENUM_VALUE (PRISM_COLORMAP_COOLWARM, "coolwarm"),
                    G_DEFINE_ENUM_VALUE (PRISM_COLORMAP_COOLWARM_DARK, "coolwarm-dark"),
                    G_DEFINE_ENUM_VALUE (PRISM_COLORMAP_COVERAGE, "coverage"),
                    G_DEFINE_ENUM_VALUE (PRISM_COLORMAP_CORRELATION, "correlation"))
/* clang-format on */

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

/**
 * prism_mapping_init_spectrum:
 * @self: (out caller-allocates): a mapping
 *
 * Grey, logarithmic over five decades, as every picture of k-space has it.
 */
void
prism_mapping_init_spectrum (PrismMapping *self)
{
  prism_mapping_init (self);
  self->stretch = PRISM_STRETCH_LOG;
  self->levels = PRISM_LEVELS_MIN_MAX;
  self->gain = SPECTRUM_GAIN;
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
  const guint32 *table = prism_colormap_get_table (self->colormap);
  const int last = PRISM_COLORMAP_SIZE - 1;
  float scale = 1 / (self->white - self->black);
  float inner = self->stretch == PRISM_STRETCH_LOG ? self->gain : ASINH_GAIN;
  float outer = last;

  if (self->stretch == PRISM_STRETCH_LOG)
    outer /= log1p (inner);
  else if (self->stretch == PRISM_STRETCH_ASINH)
    outer /= asinh (inner);
  /* The colours in another order, so that gamma takes no time for each pixel. */
  if (get_gamma (self) != 1)
    {
      for (int i = 0; i <= last; i++)
        bent[i] = table[lround (last * pow ((double) i / last, 1 / get_gamma (self)))];
      table = bent;
    }

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

#define N_COLORMAPS (PRISM_COLORMAP_CORRELATION + 1)
#define N_TERMS 7

/* [channel][power]: polynomials in the position 0…1. */
typedef double Polynomial[3][N_TERMS];

/* Source: fits of degree 6 by Matt Zucker (CC0, shadertoy.com/view/WlfXRN) to the tables of
 * Nathaniel Smith and Stéfan van der Walt (CC0, bids.github.io/colormap); within 2 % of them
 * everywhere. */
static const Polynomial viridis = {
  { 0.2777273, 0.1050930, -0.3308618, -4.6342305, 6.2282699, 4.7763850, -5.4354559 },
  { 0.0054073, 1.4046135, 0.2148476, -5.7991010, 14.1799334, -13.7451454, 4.6458526 },
  { 0.3340998, 1.3845902, 0.0950952, -19.3324410, 56.6905526, -65.3530326, 26.3124352 },
};

static const Polynomial magma = {
  { -0.0021365, 0.2516605, 8.3537173, -27.6687331, 52.1761398, -50.7685254, 18.6557051 },
  { -0.0007497, 0.6775232, -3.5777195, 14.2647308, -27.9436061, 29.0465828, -11.4897735 },
  { -0.0053861, 2.4940266, 0.3144679, -13.6492132, 12.9441694, 4.2341530, -5.6019615 },
};

static const Polynomial inferno = {
  { 0.0002189, 0.1065134, 11.6024931, -41.7039961, 77.1629357, -71.3194282, 25.1311262 },
  { 0.0016510, 0.5639564, -3.9728540, 17.4363989, -33.4023589, 32.6260643, -12.2426690 },
  { -0.0194809, 3.9327124, -15.9423941, 44.3541452, -81.8073093, 73.2095199, -23.0703250 },
};

static const Polynomial plasma = {
  { 0.0587323, 2.1765146, -2.6894605, 6.1303483, -11.1074362, 10.0230656, -3.6587138 },
  { 0.0233367, 0.2383834, -7.4558511, 42.3461881, -82.6663111, 71.4136177, -22.9315347 },
  { 0.5433402, 0.7539605, 3.1107999, -28.5188547, 60.1398477, -54.0721866, 18.1919078 },
};

/* Source: the fit of d3-scale-chromatic to the table of Nuñez, Anderton and Renslow,
 * doi:10.1371/journal.pone.0199239; in units of 1/255. */
static const Polynomial cividis = {
  { -4.54, -35.34, 2381.73, -6402.70, 7024.72, -2710.57, 0 },
  { 32.49, 170.73, 52.82, -131.46, 176.58, -67.37, 0 },
  { 81.24, 442.36, -2482.43, 6167.24, -6614.94, 2475.67, 0 },
};

static guint32 tables[N_COLORMAPS][PRISM_COLORMAP_SIZE];

static guint32
pack_color (const double rgb[3],
            double alpha)
{
  guint32 pixel = (guint32) lrint (255 * alpha) << 24;

  for (int c = 0; c < 3; c++)
    pixel |= (guint32) lrint (255 * alpha * CLAMP (rgb[c], 0.0, 1.0)) << (16 - 8 * c);
  return pixel;
}

static void
compute_polynomial (const Polynomial polynomial,
                    double unit,
                    guint32 table[PRISM_COLORMAP_SIZE])
{
  for (int i = 0; i < PRISM_COLORMAP_SIZE; i++)
    {
      double t = i / (PRISM_COLORMAP_SIZE - 1.0);
      double rgb[3] = { 0 };

      for (int c = 0; c < 3; c++)
        for (int power = N_TERMS - 1; power >= 0; power--)
          rgb[c] = rgb[c] * t + polynomial[c][power] / unit;
      table[i] = pack_color (rgb, 1);
    }
}

/* Magnitude, saturation, hue to sRGB by way of CIELAB under D65. */
static void
convert_msh (const double msh[3],
             double rgb[3])
{
  static const double white[3] = { 0.95047, 1.0, 1.08883 };
  static const double matrix[3][3] = {
    { 3.2406, -1.5372, -0.4986 },
    { -0.9689, 1.8758, 0.0415 },
    { 0.0557, -0.2040, 1.0570 },
  };
  double y = (msh[0] * cos (msh[1]) + 16) / 116;
  double f[3] = {
    y + msh[0] * sin (msh[1]) * cos (msh[2]) / 500,
    y,
    y - msh[0] * sin (msh[1]) * sin (msh[2]) / 200,
  };
  double xyz[3];

  for (int c = 0; c < 3; c++)
    xyz[c] = white[c] * (f[c] > 6.0 / 29 ? pow (f[c], 3) : (f[c] - 4.0 / 29) * 108 / 841);
  for (int c = 0; c < 3; c++)
    {
      double linear = matrix[c][0] * xyz[0] + matrix[c][1] * xyz[1] + matrix[c][2] * xyz[2];
      rgb[c] = linear > 0.0031308 ? 1.055 * pow (linear, 1 / 2.4) - 0.055 : 12.92 * linear;
    }
}

/* Source: Kenneth Moreland, "Diverging Color Maps for Scientific Visualization" (2009): straight
 * lines in Msh, on paper from sRGB (59, 76, 192) over a white of M = 88 to (180, 4, 38), on a dark
 * page from a light blue over the page's grey to a light red. */
static void
compute_coolwarm (guint32 table[PRISM_COLORMAP_SIZE],
                  const double end[2],
                  double middle)
{
  static const double hues[2][2] = { { -1.1, -1.661 }, { 0.5, 1.061 } };

  for (int i = 0; i < PRISM_COLORMAP_SIZE; i++)
    {
      double t = 2.0 * i / (PRISM_COLORMAP_SIZE - 1) - 1;
      const double *hue = hues[t > 0];
      double msh[3] = { middle + fabs (t) * (end[0] - middle), fabs (t) * end[1],
                        hue[1] + fabs (t) * (hue[0] - hue[1]) };
      double rgb[3];

      convert_msh (msh, rgb);
      table[i] = pack_color (rgb, 1);
    }
}

static gpointer
compute_tables (gpointer data)
{
  static const double black_to_white[3][N_TERMS] = { { 0, 1 }, { 0, 1 }, { 0, 1 } };
  static const double paper[2] = { 80, 1.08 };
  static const double night[2] = { 90, 0.8 };
  static const double tint[3] = { 0.20, 0.78, 1.0 };

  compute_polynomial (black_to_white, 1, tables[PRISM_COLORMAP_GREY]);
  compute_polynomial (viridis, 1, tables[PRISM_COLORMAP_VIRIDIS]);
  compute_polynomial (magma, 1, tables[PRISM_COLORMAP_MAGMA]);
  compute_polynomial (inferno, 1, tables[PRISM_COLORMAP_INFERNO]);
  compute_polynomial (plasma, 1, tables[PRISM_COLORMAP_PLASMA]);
  compute_polynomial (cividis, 255, tables[PRISM_COLORMAP_CIVIDIS]);
  compute_coolwarm (tables[PRISM_COLORMAP_COOLWARM], paper, 88);
  compute_coolwarm (tables[PRISM_COLORMAP_COOLWARM_DARK], night, 16);
  for (int i = 0; i < PRISM_COLORMAP_SIZE; i++)
    {
      double rgb[3];

      for (int c = 0; c < 3; c++)
        rgb[c] = (tables[PRISM_COLORMAP_VIRIDIS][i] >> (16 - 8 * c) & 0xff) / 255.0;
      tables[PRISM_COLORMAP_COVERAGE][i] = pack_color (tint, 0.38 * i / (PRISM_COLORMAP_SIZE - 1));
      /* The spectrum is to be seen through it. */
      tables[PRISM_COLORMAP_CORRELATION][i] = pack_color (rgb, 0.72);
    }
  return tables;
}

/**
 * prism_colormap_get_label:
 * @self: a colour map
 *
 * Returns: (transfer none): its name as a user reads it
 */
const char *
prism_colormap_get_label (PrismColormap self)
{
  static const char *labels[N_COLORMAPS] = {
    N_ ("Grey"),
    N_ ("Viridis"),
    N_ ("Magma"),
    N_ ("Inferno"),
    N_ ("Plasma"),
    N_ ("Cividis"),
    N_ ("Cool to warm"),
    N_ ("Cool to warm"),
    N_ ("Coverage"),
    N_ ("Correlation"),
  };

  g_return_val_if_fail ((guint) self < N_COLORMAPS, NULL);

  return _ (labels[self]);
}

/**
 * prism_colormap_get_table:
 * @self: a colour map
 *
 * The colours from black level to white level, as cairo's ARGB32 has them: alpha in the highest
 * byte, premultiplied.
 *
 * Shape: [PRISM_COLORMAP_SIZE].
 * Thread: any.
 *
 * Returns: (transfer none) (array fixed-size=256): the table
 */
const guint32 *
prism_colormap_get_table (PrismColormap self)
{
  static GOnce once = G_ONCE_INIT;

  g_return_val_if_fail ((guint) self < N_COLORMAPS, NULL);

  g_once (&once, compute_tables, NULL);
  return tables[self];
}
