/* prism-cuda-expect: what a camera with read noise shows of an amplitude, from a table; twin of
 * prism_expect_get(). Included by .cu files only. */
#pragma once

#include "prism-cuda-kernel.cuh"

/* Beyond the table, with y = I + c and the variance s of what is recorded:
 * √y - s/8·y^(-3/2) - 15/128·s²·y^(-7/2). */
static __device__ __forceinline__ float
prism_cuda_expect_get_far (const PrismCudaExpect &self,
                           float amplitude,
                           float &slope)
{
  const float intensity = amplitude * amplitude, sum = intensity + self.offset;
  const float root = sqrtf (sum), change = self.noise / sum;
  const float ratio = fmaf (self.noise, intensity, self.read) / sum, part = ratio / sum;

  slope = 2.0f * amplitude / root
          * (0.5f - 0.125f * (change - 1.5f * part)
             - 15.0f / 128.0f * part * (2.0f * change - 3.5f * part));
  return root * (1.0f - 0.125f * part - 15.0f / 128.0f * part * part);
}

/* H and its slope. */
static __device__ __forceinline__ float
prism_cuda_expect_get (const PrismCudaExpect &self,
                       float amplitude,
                       float &slope)
{
  const float place = amplitude / self.pitch;
  float first, step;
  int i;

  if (!(place < PRISM_CUDA_EXPECT_N_MEANS - 2))
    return prism_cuda_expect_get_far (self, amplitude, slope);
  i = (int) place;
  first = __ldg (&self.means[i]);
  step = __ldg (&self.means[i + 1]) - first;
  slope = step / self.pitch;
  return fmaf (place - i, step, first);
}
