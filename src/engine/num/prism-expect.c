#include "config.h"

#include "num/prism-expect.h"

/* An intensity I is recorded as I' = max (0, I + √(v·I + ρ)·normal). H is the mean of
 * T = √(I' + c): in a table over √I up to REACH times the root of c or of v + √ρ, and by a series
 * beyond. With c = u/4 + ρ/u T has the variance u/4 for u = v where I' is not clamped. u is no less
 * than ½√ρ: little shot noise would otherwise turn the square root into a straight line, which
 * weights bright pixels by the book but makes any descent slow. */

#define REACH 6.0 /* and widths of the normal distribution, each way */
#define N_INTERVALS (PRISM_EXPECT_N_MEANS - 2)
#define QUADRATURE_STEP 0.05
#define N_POINTS 241 /* from -REACH to REACH */

struct _PrismExpect
{
  double noise;                          /* v */
  double read;                           /* ρ */
  double offset;                         /* c */
  double pitch;                          /* of √I in the tables */
  float means[PRISM_EXPECT_N_MEANS];     /* H */
  float variances[PRISM_EXPECT_N_MEANS]; /* of T */
};

/* The trapezoidal rule over the normal distribution. */
typedef struct
{
  double points[N_POINTS];
  double weights[N_POINTS];
} Rule;

static void
rule_init (Rule *self)
{
  double x = -REACH;

  for (guint k = 0; k < N_POINTS; k++, x += QUADRATURE_STEP)
    {
      self->points[k] = x;
      self->weights[k] = exp (-0.5 * x * x);
    }
}

/* Roots come first: the sums, which have to wait for each other, would have them wait, too. */
static void
integrate (const PrismExpect *self,
           const Rule *rule,
           double intensity,
           float *mean,
           float *variance)
{
  const double deviation = sqrt (self->noise * intensity + self->read);
  double sum = 0.0, squares = 0.0, weights = 0.0, recorded[N_POINTS], roots[N_POINTS];

  for (guint k = 0; k < N_POINTS; k++)
    {
      recorded[k] = MAX (0.0, intensity + deviation * rule->points[k]) + self->offset;
      roots[k] = sqrt (recorded[k]);
    }
  for (guint k = 0; k < N_POINTS; k++)
    {
      weights += rule->weights[k];
      sum += rule->weights[k] * roots[k];
      squares += rule->weights[k] * recorded[k];
    }
  sum /= weights;
  *mean = sum;
  *variance = MAX (0.0, squares / weights - sum * sum);
}

/**
 * prism_expect_get_scale:
 * @noise: v
 * @read: ρ
 *
 * Returns: u: the variance of T is about u/4
 */
double
prism_expect_get_scale (double noise,
                        double read)
{
  return MAX (noise, 0.5 * sqrt (read));
}

/**
 * prism_expect_new:
 * @noise: v: shot noise has the variance v·I
 * @read: ρ, the variance of the read noise
 * @offset: c, above 0
 *
 * Tabulates the mean of T.
 *
 * Source: numerics.md, “Refinement”.
 *
 * Returns: (transfer full): the table
 */
PrismExpect *
prism_expect_new (double noise,
                  double read,
                  double offset)
{
  PrismExpect *self = g_new0 (PrismExpect, 1);
  Rule rule;

  rule_init (&rule);
  self->noise = noise;
  self->read = read;
  self->offset = offset;
  self->pitch = REACH * sqrt (MAX (offset, noise + sqrt (read))) / N_INTERVALS;
  for (int i = 0; i < PRISM_EXPECT_N_MEANS; i++)
    integrate (self, &rule, i * self->pitch * i * self->pitch, &self->means[i],
               &self->variances[i]);
  return self;
}

/**
 * prism_expect_free:
 * @self: (nullable): a table
 */
void
prism_expect_free (PrismExpect *self)
{
  g_free (self);
}

/**
 * prism_expect_matches:
 * @self: (nullable): a table
 * @noise: v
 * @read: ρ
 * @offset: c
 *
 * Returns: whether the table is that of this noise
 */
gboolean
prism_expect_matches (const PrismExpect *self,
                      double noise,
                      double read,
                      double offset)
{
  return self != NULL && self->noise == noise && self->read == read && self->offset == offset;
}

/**
 * prism_expect_get_offset:
 *
 * Returns: c, which T adds to a recorded intensity
 */
float
prism_expect_get_offset (const PrismExpect *self)
{
  return self->offset;
}

/* Beyond the table, with y = I + c and the variance s of I':
 * √y - s/8·y^(-3/2) - 15/128·s²·y^(-7/2). */
static float
get_far (const PrismExpect *self,
         float amplitude,
         float *slope)
{
  double intensity = (double) amplitude * amplitude;
  double sum = intensity + self->offset, root = sqrt (sum);
  double ratio = (self->noise * intensity + self->read) / sum, change = self->noise / sum;

  *slope = 2.0 * amplitude / root
           * (0.5 - 0.125 * (change - 1.5 * ratio / sum)
              - 15.0 / 128.0 * ratio / sum * (2.0 * change - 3.5 * ratio / sum));
  return root * (1.0 - 0.125 * ratio / sum - 15.0 / 128.0 * ratio * ratio / (sum * sum));
}

/**
 * prism_expect_get:
 * @amplitude: √I of the truth
 * @slope: (out): derivative of the result
 *
 * Returns: H, the mean of T
 */
float
prism_expect_get (const PrismExpect *self,
                  float amplitude,
                  float *slope)
{
  float place = amplitude / (float) self->pitch;
  int i;

  if (!(place < N_INTERVALS))
    return get_far (self, amplitude, slope);
  i = place;
  *slope = (self->means[i + 1] - self->means[i]) / (float) self->pitch;
  return self->means[i] + (place - i) * (self->means[i + 1] - self->means[i]);
}

/**
 * prism_expect_get_variance:
 * @amplitude: √I of the truth
 *
 * Returns: the variance of T
 */
double
prism_expect_get_variance (const PrismExpect *self,
                           double amplitude)
{
  double place = amplitude / self->pitch;
  int i;

  if (!(place < N_INTERVALS))
    return 0.25 * (self->noise * amplitude * amplitude + self->read)
           / (amplitude * amplitude + self->offset);
  i = place;
  return self->variances[i] + (place - i) * (self->variances[i + 1] - self->variances[i]);
}

/**
 * prism_expect_get_means:
 * @pitch: (out): of √I from one mean to the next
 *
 * Shape: [PRISM_EXPECT_N_MEANS]; the last but one is where the series takes over.
 *
 * Returns: (transfer none): the table of H
 */
const float *
prism_expect_get_means (const PrismExpect *self,
                        float *pitch)
{
  *pitch = self->pitch;
  return self->means;
}
