/* Adam, and the first layer around it. Three quarters of all parameters are here, and what costs is
 * moving them: one sweep reads and writes w, m and v once, 24 bytes each.
 *
 * width = out_channels · 16, all arrays multiples of 16 values. */
#include "config.h"

#include "kernels/prism-cpu-update.h"
#include "kernels/prism-cpu-vector.h"

#include <float.h>
#include <math.h>
#include <string.h>

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

/* Zero times infinity or NaN is NaN, and stays one in the sum. */
static gboolean
are_finite (const float *values,
            gsize n_values)
{
  PrismVector sum = { 0 };

  for (gsize i = 0; i < n_values; i += LANES)
    sum += 0.0f * vector_load (values + i);
  return vector_sum (sum) == 0.0f;
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

  if (!are_finite (gradient, n_values))
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
