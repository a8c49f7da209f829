/* The compiler makes vectors of these loops: each is a few products and a sum per point. Sums run
 * in floats over a row at most. */
#include "config.h"

#include "kernels/prism-cpu-ptychography.h"
#include "kernels/prism-cpu-vector.h"

#define LEAST 1e-24f /* of |φ|², which has no phase at 0 */
#define POINTS 128   /* of a row that are looked at together */

static inline void
mix_rows (const PrismCpuPtychographyMix *mix,
          int n)
{
  const float *restrict a = mix->rows[0], *restrict b = mix->rows[1], *restrict c = mix->rows[2],
                        *restrict d = mix->rows[3];
  float *restrict to = mix->scratch;

  for (int i = 0; i < 2 * (n + 3); i++)
    to[i] = mix->down[0] * a[i] + mix->down[1] * b[i] + mix->down[2] * c[i] + mix->down[3] * d[i];
}

static void
fill_disk (float *clear,
           int n,
           float x0,
           float y,
           float radius,
           float rim)
{
  const float steepness = 1.0f / rim;

  for (int i = 0; i < n; i++)
    {
      const float x = x0 + (float) i;
      const float inside = (radius - sqrtf (x * x + y * y)) * steepness + 0.5f;

      clear[i] = inside < 0 ? 0 : inside > 1 ? 1
                                             : inside;
    }
}

static float
pass (const PrismCpuPtychographyMix *mix,
      const float *clear,
      const float *object,
      int n,
      float *shifted,
      float *wave)
{
  const float *restrict m = mix->scratch, *restrict w = mix->along;
  float *restrict s = shifted, *restrict out = wave;
  float largest = 0;

  mix_rows (mix, n);
  for (int k = 0; k < 2 * n; k++)
    s[k] = w[0] * m[k] + w[1] * m[k + 2] + w[2] * m[k + 4] + w[3] * m[k + 6];
  for (int i = 0; i < n; i++)
    {
      const float p = clear[i] * s[2 * i], q = clear[i] * s[2 * i + 1];
      const float o = object[2 * i], u = object[2 * i + 1], square = p * p + q * q;

      s[2 * i] = p;
      s[2 * i + 1] = q;
      out[2 * i] = p * o - q * u;
      out[2 * i + 1] = p * u + q * o;
      largest = square > largest ? square : largest;
    }
  return largest;
}

static void
compare (const float *field,
         const float *amplitude,
         int n,
         double sums[2])
{
  float energy = 0, product = 0;

  for (int i = 0; i < n; i++)
    {
      const float square = field[2 * i] * field[2 * i] + field[2 * i + 1] * field[2 * i + 1];
      const float seen = isnan (amplitude[i]) ? 0.0f : 1.0f;

      energy += seen * square;
      product += sqrtf (square) * (amplitude[i] > 0 ? amplitude[i] : 0.0f);
    }
  sums[0] += (double) energy;
  sums[1] += (double) product;
}

static void
replace (float *field,
         const float *amplitude,
         int n,
         float gain,
         float floor)
{
  const float least = gain * gain * floor + LEAST;

  for (int i = 0; i < n; i++)
    {
      const float x = field[2 * i], y = field[2 * i + 1], a = gain * amplitude[i];
      const float wanted = a * fabsf (a) + least, made = x * x + y * y + least;
      const float change = sqrtf ((wanted > 0 ? wanted : 0.0f) / made) - 1.0f;
      const float k = isnan (amplitude[i]) ? 0.0f : change;

      field[2 * i] = x * k;
      field[2 * i + 1] = y * k;
    }
}

static float
find_largest (const float *values,
              int n)
{
  float largest = 0;

  for (int i = 0; i < n; i++)
    {
      const float square = values[2 * i] * values[2 * i] + values[2 * i + 1] * values[2 * i + 1];

      largest = square > largest ? square : largest;
    }
  return largest;
}

/* The wave's derivative by the box's place is that of the pupil, times the object. */
static void
push (const PrismCpuPtychographyRow *row,
      double forces[5])
{
  const float *o = row->object, *d = row->difference, *p = row->pupil;
  float fx = 0, fy = 0, xx = 0, yy = 0, xy = 0;

  for (int i = 0; i < row->n; i++)
    {
      const float ax = 0.5f * (p[2 * i - 2] - p[2 * i + 2]);
      const float bx = 0.5f * (p[2 * i - 1] - p[2 * i + 3]);
      const float ay = 0.5f * (row->before[2 * i] - row->after[2 * i]);
      const float by = 0.5f * (row->before[2 * i + 1] - row->after[2 * i + 1]);
      const float u = o[2 * i], v = o[2 * i + 1], square = u * u + v * v;
      /* conj(O)·D */
      const float re = u * d[2 * i] + v * d[2 * i + 1], im = u * d[2 * i + 1] - v * d[2 * i];

      fx += ax * re + bx * im;
      fy += ay * re + by * im;
      xx += (ax * ax + bx * bx) * square;
      yy += (ay * ay + by * by) * square;
      xy += (ax * ay + bx * by) * square;
    }
  forces[0] += (double) fx;
  forces[1] += (double) fy;
  forces[2] += (double) xx;
  forces[3] += (double) yy;
  forces[4] += (double) xy;
}

/* ∂ψ/∂c = i·Z·ψ of every aberration. */
static void
fit (const PrismCpuPtychographyRow *row,
     const float *modes,
     gsize stride,
     int n_modes,
     double *slopes,
     double *curvatures)
{
  const float *p = row->pupil, *o = row->object, *d = row->difference;
  float slope[POINTS], square[POINTS], curved[POINTS];

  for (int first = 0; first < row->n; first += POINTS, p += 2 * POINTS, o += 2 * POINTS,
           d += 2 * POINTS, modes += POINTS)
    {
      const int n = row->n - first < POINTS ? row->n - first : POINTS;

      for (int i = 0; i < n; i++)
        {
          const float x = p[2 * i] * o[2 * i] - p[2 * i + 1] * o[2 * i + 1];
          const float y = p[2 * i] * o[2 * i + 1] + p[2 * i + 1] * o[2 * i];

          square[i] = x * x + y * y;
          slope[i] = x * d[2 * i + 1] - y * d[2 * i];
        }
      for (int a = 0; a < n_modes; a++)
        {
          const float *mode = modes + a * stride;
          float sum = 0;

          for (int i = 0; i < n; i++)
            {
              curved[i] = mode[i] * square[i];
              sum += mode[i] * slope[i];
            }
          slopes[a] += (double) sum;
          for (int b = 0; b <= a; b++)
            {
              const float *other = modes + b * stride;

              sum = 0;
              for (int i = 0; i < n; i++)
                sum += curved[i] * other[i];
              curvatures[a * n_modes + b] += (double) sum;
            }
        }
    }
}

static void
update (const PrismCpuPtychographyRow *row)
{
  float *restrict o = row->object, *restrict step = row->pupil_step;
  const float *restrict p = row->pupil, *restrict d = row->difference;

  if (step != NULL)
    for (int i = 0; i < row->n; i++)
      {
        const float u = o[2 * i], v = o[2 * i + 1], square = u * u + v * v;
        const float rate = row->clear[i] * row->pupil_rate;
        const float k = rate * sqrtf (square) / (square + row->pupil_floor);

        step[2 * i] = k * (u * d[2 * i] + v * d[2 * i + 1]);
        step[2 * i + 1] = k * (u * d[2 * i + 1] - v * d[2 * i]);
      }
  for (int i = 0; i < row->n; i++)
    {
      const float a = p[2 * i], b = p[2 * i + 1];

      o[2 * i] += row->object_rate * (a * d[2 * i] + b * d[2 * i + 1]);
      o[2 * i + 1] += row->object_rate * (a * d[2 * i + 1] - b * d[2 * i]);
    }
}

static void
gather (const PrismCpuPtychographyMix *mix,
        const float *mask,
        int n,
        float *pupil)
{
  const float *restrict w = mix->along;
  float *m = mix->scratch, *restrict p = pupil;

  mix_rows (mix, n);
  for (int k = 0; k < 2 * n; k++)
    m[k] = w[0] * m[k] + w[1] * m[k + 2] + w[2] * m[k + 4] + w[3] * m[k + 6];
  for (int i = 0; i < n; i++)
    {
      p[2 * i] += mask[i] * m[2 * i];
      p[2 * i + 1] += mask[i] * m[2 * i + 1];
    }
}

const PrismCpuPtychographyKernels PRISM_VECTOR_SYMBOL (prism_cpu_ptychography_kernels) = {
  .fill_disk = fill_disk,
  .pass = pass,
  .compare = compare,
  .replace = replace,
  .find_largest = find_largest,
  .push = push,
  .fit = fit,
  .update = update,
  .gather = gather,
};
