#include "config.h"

#include "num/prism-ssim-kernels.h"

#define ALWAYS_INLINE inline __attribute__ ((always_inline))

static const float c1 = 0.01f * 0.01f;
static const float c2 = 0.03f * 0.03f;

static void
blur (float *restrict blurred,
      const float *restrict padded,
      const float weights[PRISM_SSIM_WINDOW],
      int width)
{
  for (int x = 0; x < width; x++)
    {
      float sum = 0.0f;

      for (int t = 0; t < PRISM_SSIM_WINDOW; t++)
        sum += weights[t] * padded[x + t];
      blurred[x] = sum;
    }
}

static void
add_rows (float *restrict sum,
          const float *const *rows,
          const float *weights,
          int n_rows,
          int n)
{
  const float *all_rows[PRISM_SSIM_WINDOW];
  float all_weights[PRISM_SSIM_WINDOW];

  /* A constant number of rows lets the sum stay in a register. */
  for (int t = 0; t < PRISM_SSIM_WINDOW; t++)
    {
      all_rows[t] = rows[MIN (t, n_rows - 1)];
      all_weights[t] = t < n_rows ? weights[t] : 0.0f;
    }
  for (int i = 0; i < n; i++)
    {
      float total = 0.0f;

      for (int t = 0; t < PRISM_SSIM_WINDOW; t++)
        total += all_weights[t] * all_rows[t][i];
      sum[i] = total;
    }
}

static ALWAYS_INLINE void
compare_pixels (float *restrict values,
                float *restrict slopes,
                const float *restrict maps,
                const int width,
                const gboolean luminance,
                const gboolean derivatives)
{
  const float *a = maps + (gsize) PRISM_SSIM_A * width;
  const float *b = maps + (gsize) PRISM_SSIM_B * width;
  const float *aa = maps + (gsize) PRISM_SSIM_AA * width;
  const float *bb = maps + (gsize) PRISM_SSIM_BB * width;
  const float *ab = maps + (gsize) PRISM_SSIM_AB * width;

  for (int x = 0; x < width; x++)
    {
      float square_a = a[x] * a[x], square_b = b[x] * b[x], product = a[x] * b[x];
      float inverse_mean = luminance ? 1.0f / (square_a + square_b + c1) : 0.0f;
      float inverse_variance = 1.0f / (aa[x] - square_a + bb[x] - square_b + c2);
      float mean_term = luminance ? (2.0f * product + c1) * inverse_mean : 1.0f;
      float contrast = (2.0f * (ab[x] - product) + c2) * inverse_variance;
      float value = mean_term * contrast;

      values[x] = value;
      if (!derivatives)
        continue;
      slopes[x] = 2.0f
                  * (b[x] * (contrast * inverse_mean - mean_term * inverse_variance)
                     + a[x] * value * (inverse_variance - inverse_mean));
      slopes[width + x] = -value * inverse_variance;
      slopes[2 * width + x] = 2.0f * mean_term * inverse_variance;
    }
}

static void
compare (float *values,
         float *slopes,
         const float *maps,
         int width,
         gboolean luminance)
{
  if (slopes == NULL && luminance)
    compare_pixels (values, NULL, maps, width, TRUE, FALSE);
  else if (slopes == NULL)
    compare_pixels (values, NULL, maps, width, FALSE, FALSE);
  else if (luminance)
    compare_pixels (values, slopes, maps, width, TRUE, TRUE);
  else
    compare_pixels (values, slopes, maps, width, FALSE, TRUE);
}

static void
chain (float *restrict gradient,
       const float *restrict slopes,
       const float *restrict a,
       const float *restrict b,
       int width)
{
  for (int x = 0; x < width; x++)
    gradient[x] = slopes[x] + 2.0f * a[x] * slopes[width + x] + b[x] * slopes[2 * width + x];
}

const PrismSsimKernels PRISM_SSIM_KERNELS = {
  .blur = blur,
  .add_rows = add_rows,
  .compare = compare,
  .chain = chain,
};
