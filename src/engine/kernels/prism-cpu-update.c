/* Adam, and the first layer around it. Three quarters of all parameters are here, and what costs is
 * moving them: one sweep reads and writes w, m and v once, 24 bytes each.
 *
 * width = out_channels · 16, all arrays multiples of 16 values. */
#include "config.h"

#include "kernels/prism-cpu-kernels.h"

#include "kernels/prism-cpu-vector.h"

#include <float.h>

#define LANES PRISM_VECTOR_LANES
#define WAYS 4

/* m ← m + take1·(g - m), v ← v + take2·(g² - v), w ← w - decay·w - rate·m/(√v + epsilon). The
 * corrections of Adam's two averages are in rate and epsilon. */
typedef struct
{
  float take1;
  float take2;
  float rate;
  float epsilon;
  float decay;
} Constants;

static Constants
get_constants (const PrismAdam *adam)
{
  float root = sqrtf (adam->correction2);

  return (Constants) {
    .take1 = 1.0 - adam->beta1,
    .take2 = 1.0 - adam->beta2,
    .rate = adam->learning_rate / adam->correction1 * root,
    .epsilon = adam->epsilon * root,
    .decay = adam->decay,
  };
}

/* Returns the new values; their moments are updated in place. */
PRISM_VECTOR_INLINE PrismVector
step_vector (const Constants *k,
             PrismCpuParameters p,
             gsize i,
             PrismVector g)
{
  PrismVector m = vector_load (p.first + i);
  PrismVector v = vector_load (p.second + i);
  PrismVector w = vector_load (p.values + i);

  m += k->take1 * (g - m);
  v += k->take2 * (g * g - v);
  v = vector_min (v, vector_fill (FLT_MAX));
  vector_store (p.first + i, m);
  vector_store (p.second + i, v);
  if (p.largest != NULL)
    {
      v = vector_max (v, vector_load (p.largest + i));
      vector_store (p.largest + i, v);
    }
  w -= k->decay * w;
  w -= k->rate * m / (vector_sqrt (v) + k->epsilon);
  vector_store (p.values + i, w);
  return w;
}

/* The largest magnitude, infinity when one value is not finite. Order of bits is order of
 * magnitude. */
static float
get_largest (const float *values,
             gsize n_values)
{
  PrismVectorMask largest = { 0 };
  float result = 0.0f;

  for (gsize i = 0; i < n_values; i += LANES)
    {
      PrismVectorMask bits = (PrismVectorMask) vector_load (values + i) & 0x7fffffff;
      PrismVectorMask more = bits > largest;

      largest = (bits & more) | (largest & ~more);
    }
  for (int lane = 0; lane < LANES; lane++)
    {
      PrismVector magnitudes = (PrismVector) largest;

      if (!isfinite (magnitudes[lane]))
        return INFINITY;
      result = MAX (result, magnitudes[lane]);
    }
  return result;
}

/* FALSE: the gradient is not finite, nothing is done. */
static gboolean
step_value (const Constants *k,
            PrismCpuParameters p,
            gsize i,
            float g)
{
  float v = p.second[i] + k->take2 * (g * g - p.second[i]);

  if (!isfinite (g))
    return FALSE;
  v = MIN (v, FLT_MAX);
  p.second[i] = v;
  p.first[i] += k->take1 * (g - p.first[i]);
  if (p.largest != NULL)
    v = p.largest[i] = MAX (v, p.largest[i]);
  p.values[i] -= k->decay * p.values[i];
  p.values[i] -= k->rate * p.first[i] / (sqrtf (v) + k->epsilon);
  return TRUE;
}

static void
step_each_value (const Constants *k,
                 PrismCpuParameters p,
                 const float *gradient,
                 float factor,
                 gsize n_values)
{
  for (gsize i = 0; i < n_values; i++)
    step_value (k, p, i, factor * gradient[i]);
}

static gboolean
step (const PrismAdam *adam,
      PrismCpuParameters parameters,
      const float *gradient,
      gsize n_values)
{
  Constants k = get_constants (adam);
  PrismVector sum = { 0 };

  /* Zero times infinity or NaN is NaN, and stays one in the sum. */
  for (gsize i = 0; i < n_values; i += LANES)
    sum += 0.0f * vector_load (gradient + i);
  if (vector_sum (sum) != 0.0f)
    {
      step_each_value (&k, parameters, gradient, 1.0f, n_values);
      return FALSE;
    }
  for (gsize i = 0; i < n_values; i += LANES)
    step_vector (&k, parameters, i, vector_load_once (gradient + i));
  return TRUE;
}

static void
sum_rows (float *out,
          const float *rows,
          int n_rows,
          gsize stride,
          gsize n_values)
{
  for (gsize i = 0; i < n_values; i += LANES)
    {
      PrismVector sum = { 0 };

      for (int row = 0; row < n_rows; row++)
        sum += vector_load (rows + row * stride + i);
      vector_store (out + i, sum);
    }
}

static void
clear (float *out,
       gsize width)
{
  memset (out, 0, width * sizeof (float));
}

static void
add_row (float *out,
         float latent,
         const float *w,
         gsize width)
{
  PrismVector factor = vector_fill (latent);

  for (gsize i = 0; i < width; i += LANES)
    vector_store (out + i, vector_load (out + i) + factor * vector_load (w + i));
}

static float
multiply_row (const float *w,
              const float *g,
              gsize width)
{
  PrismVector sum[WAYS] = { 0 };

  for (gsize i = 0; i < width; i += WAYS * LANES)
#pragma GCC unroll 4
    for (int way = 0; way < WAYS; way++)
      sum[way] += vector_load (w + i + way * LANES) * vector_load (g + i + way * LANES);
  return vector_sum ((sum[0] + sum[1]) + (sum[2] + sum[3]));
}

static void
expand (float *out,
        const float *latent,
        const float *w,
        int n_rows,
        gsize width)
{
  clear (out, width);
  for (int row = 0; row < n_rows; row++)
    add_row (out, latent[row], w + row * width, width);
}

static void
expand_backward (float *latent_gradient,
                 float *w_gradient,
                 const float *latent,
                 const float *w,
                 const float *g,
                 int n_rows,
                 gsize width)
{
  for (int row = 0; row < n_rows; row++, w += width, w_gradient += width)
    {
      PrismVector factor = vector_fill (latent[row]);

      latent_gradient[row] = multiply_row (w, g, width);
      for (gsize i = 0; i < width; i += LANES)
        vector_store (w_gradient + i, factor * vector_load (g + i));
    }
}

/* Steps one row, adds it to out, and returns the next row times g while that is on its way from
 * memory; moments of the next row and weights of the one after are asked for a row ahead, which
 * brings the sweep from 49 to 72 GB/s. */
static float
step_row (const Constants *k,
          float *out,
          PrismCpuParameters w,
          const float *next,
          float old_latent,
          float latent,
          const float *g,
          gsize width)
{
  PrismVector sum = { 0 };

  for (gsize i = 0; i < width; i += LANES)
    {
      PrismVector gradient = vector_load_once (g + i);
      PrismVector value;

      __builtin_prefetch (w.values + 2 * width + i, 0, 2);
      __builtin_prefetch (w.first + width + i, 0, 2);
      __builtin_prefetch (w.second + width + i, 0, 2);
      sum += gradient * vector_load (next + i);
      value = step_vector (k, w, i, old_latent * gradient);
      vector_store (out + i, vector_load (out + i) + latent * value);
    }
  return vector_sum (sum);
}

static gboolean
expand_step (const PrismAdam *adam,
             float *out,
             PrismCpuParameters latent,
             PrismCpuParameters w,
             const float *g,
             int n_rows,
             gsize width)
{
  Constants k = get_constants (adam);
  float largest = get_largest (g, width);
  float latent_gradient = multiply_row (w.values, g, width);
  gboolean finite = TRUE;

  clear (out, width);
  for (int row = 0; row < n_rows; row++)
    {
      /* The last row has no successor here: the one behind it may be another thread's. */
      const float *next = row + 1 < n_rows ? w.values + width : w.values;
      float old_latent = latent.values[row];

      finite &= step_value (&k, latent, row, latent_gradient);
      if (isfinite (old_latent * largest))
        latent_gradient = step_row (&k, out, w, next, old_latent, latent.values[row], g, width);
      else
        {
          step_each_value (&k, w, g, old_latent, width);
          add_row (out, latent.values[row], w.values, width);
          latent_gradient = multiply_row (next, g, width);
          finite = FALSE;
        }
      w.values += width;
      w.first += width;
      w.second += width;
      if (w.largest != NULL)
        w.largest += width;
    }
  return finite;
}

const PrismCpuUpdateKernels PRISM_VECTOR_SYMBOL (prism_cpu_update_kernels) = {
  .step = step,
  .sum_rows = sum_rows,
  .expand = expand,
  .expand_backward = expand_backward,
  .expand_step = expand_step,
};

/* The decoder's output activation. All comparisons let NaN through. */

/* Below this tanh is computed by a polynomial, since 1 - 2/(exp (2x) + 1) cancels. */
#define TANH_SMALL 0.625f

/* Largest arguments of exp() whose result is finite and not a denormal. */
#define EXP_LIMIT 87.0f

/* exp (a) to 2 ulp: a = n·ln 2 + r with |r| ≤ ½ ln 2, in which ln 2 has two parts, and a polynomial
 * of degree 6 for exp (r). Source: Cephes expf. */
PRISM_VECTOR_INLINE PrismVector
compute_exp (PrismVector a)
{
  /* 1.5·2²³: adding it rounds to an integer in the low bits. */
  const float to_integer = 12582912.0f;
  PrismVector limited, shifted, n, r, p;
  PrismVectorMask exponent;

  limited = vector_select (a > EXP_LIMIT, vector_fill (EXP_LIMIT), a);
  limited = vector_select (limited < -EXP_LIMIT, vector_fill (-EXP_LIMIT), limited);
  shifted = limited * 1.44269504f + to_integer;
  n = shifted - to_integer;
  r = limited - n * 0.693359375f + n * 2.12194440e-4f;
  p = 1.9875691500e-4f * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * (r * r) + r + 1.0f;
  exponent = ((PrismVectorMask) shifted << 23) + (127 << 23);
  return p * (PrismVector) exponent;
}

PRISM_VECTOR_INLINE PrismVector
compute_sigmoid (PrismVector a)
{
  return 1.0f / (1.0f + compute_exp (-a));
}

/* Source of the polynomial: Cephes tanhf. */
PRISM_VECTOR_INLINE PrismVector
compute_tanh (PrismVector a)
{
  PrismVector s = a * a;
  PrismVector p = -5.70498872745e-3f * s + 2.06390887954e-2f;
  PrismVectorMask small = (a < TANH_SMALL) & (a > -TANH_SMALL);

  p = p * s - 5.37397155531e-2f;
  p = p * s + 1.33314422036e-1f;
  p = p * s - 3.33332819422e-1f;
  return vector_select (small, a + a * s * p, 1.0f - 2.0f / (compute_exp (2.0f * a) + 1.0f));
}

PRISM_VECTOR_INLINE PrismVector
compute_value (PrismActivation activation,
               PrismVector y)
{
  switch (activation)
    {
    case PRISM_ACTIVATION_RELU:
      return vector_select (y <= 0.0f, vector_zero (), y);
    case PRISM_ACTIVATION_SIGMOID:
      return compute_sigmoid (y);
    case PRISM_ACTIVATION_HARDSIGMOID:
      y = y * (1.0f / 6.0f) + 0.5f;
      y = vector_select (y <= 0.0f, vector_zero (), y);
      return vector_select (y >= 1.0f, vector_fill (1.0f), y);
    case PRISM_ACTIVATION_TANH:
      return compute_tanh (y);
    case PRISM_ACTIVATION_NONE:
    default:
      return y;
    }
}

PRISM_VECTOR_INLINE PrismVector
compute_gradient (PrismActivation activation,
                  PrismVector g,
                  PrismVector out)
{
  switch (activation)
    {
    case PRISM_ACTIVATION_RELU:
      return vector_select (out <= 0.0f, vector_zero (), g);
    case PRISM_ACTIVATION_SIGMOID:
      return g * (out * (1.0f - out));
    case PRISM_ACTIVATION_HARDSIGMOID:
      return vector_select ((out <= 0.0f) | (out >= 1.0f), vector_zero (), g * (1.0f / 6.0f));
    case PRISM_ACTIVATION_TANH:
      return g * (1.0f - out * out);
    case PRISM_ACTIVATION_NONE:
    default:
      return g;
    }
}

/* Inlined for each activation, so that the loop has no branches. */
PRISM_VECTOR_INLINE void
apply_row (PrismActivation activation,
           float *out,
           const float *y,
           int n_values)
{
  int i = 0;
  PrismVector rest = { 0 };

  for (; i + LANES <= n_values; i += LANES)
    vector_store (out + i, compute_value (activation, vector_load (y + i)));
  if (i == n_values)
    return;
  memcpy (&rest, y + i, (n_values - i) * sizeof (float));
  rest = compute_value (activation, rest);
  memcpy (out + i, &rest, (n_values - i) * sizeof (float));
}

/* row (activation, …) with a constant for the activation. */
#define ROW_OF_EACH(row, ...)                                 \
  switch (activation)                                         \
    {                                                         \
    case PRISM_ACTIVATION_RELU:                               \
      return row (PRISM_ACTIVATION_RELU, __VA_ARGS__);        \
    case PRISM_ACTIVATION_SIGMOID:                            \
      return row (PRISM_ACTIVATION_SIGMOID, __VA_ARGS__);     \
    case PRISM_ACTIVATION_HARDSIGMOID:                        \
      return row (PRISM_ACTIVATION_HARDSIGMOID, __VA_ARGS__); \
    case PRISM_ACTIVATION_TANH:                               \
      return row (PRISM_ACTIVATION_TANH, __VA_ARGS__);        \
    case PRISM_ACTIVATION_NONE:                               \
    default:                                                  \
      return row (PRISM_ACTIVATION_NONE, __VA_ARGS__);        \
    }

static void
apply (PrismActivation activation,
       float *out,
       const float *y,
       int n_values)
{
  ROW_OF_EACH (apply_row, out, y, n_values);
}

PRISM_VECTOR_INLINE float
backward_row (PrismActivation activation,
              float *gy,
              const float *g,
              const float *out,
              int n_values)
{
  int i = 0;
  PrismVector sum = { 0 }, a = { 0 }, b = { 0 };

  for (; i + LANES <= n_values; i += LANES)
    {
      PrismVector value = compute_gradient (activation, vector_load (g + i), vector_load (out + i));

      sum += value;
      vector_store (gy + i, value);
    }
  if (i == n_values)
    return vector_sum (sum);
  memcpy (&a, g + i, (n_values - i) * sizeof (float));
  memcpy (&b, out + i, (n_values - i) * sizeof (float));
  a = compute_gradient (activation, a, b);
  memcpy (gy + i, &a, (n_values - i) * sizeof (float));
  return vector_sum (sum + a);
}

static float
backward (PrismActivation activation,
          float *gy,
          const float *g,
          const float *out,
          int n_values)
{
  ROW_OF_EACH (backward_row, gy, g, out, n_values);
}

const PrismCpuActivationKernels PRISM_VECTOR_SYMBOL (prism_cpu_activation_kernels) = {
  .apply = apply,
  .backward = backward,
};
