/* prism-cuda-compare: a noisy amplitude compared with an expected one; twin of expect_amplitude()
 * of prism-cpu-telescope-kernels. Included by .cu files only. */
#pragma once

#include "prism-cuda-kernel.cuh"

/* What a camera with read noise shows of an amplitude, from a table; twin of
 * prism_expect_get(). Included by .cu files only. */

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

/* H(a) - T and, in slope, H'(a)·(H(a) - T). T = √(t² + v/4); H is the mean of T when the
 * intensity's mean is a² and its variance v·a², clamped at 0: with s = a/√v it is
 * √v·(s + ½/(1 + 0.3s + 0.2s² + 0.05s³)⁴) to 0.01·√v. Without noise both are as they are. */
static __device__ __forceinline__ float
prism_cuda_optics_compare (float amplitude,
                           float target,
                           float noise,
                           float &slope)
{
  const float root = sqrtf (noise);
  float difference, s, base, fourth;

  if (!(noise > 0.0f))
    return slope = amplitude - target;
  s = amplitude / root;
  base = 1.0f / fmaf (s, fmaf (s, fmaf (s, 0.05f, 0.2f), 0.3f), 1.0f);
  fourth = base * base * base * base;
  difference = fmaf (0.5f * root, fourth, amplitude)
               - sqrtf (fmaf (target, target, 0.25f * noise));
  slope = difference
          * (1.0f - 2.0f * fourth * base * fmaf (s, fmaf (s, 0.15f, 0.4f), 0.3f));
  return difference;
}

/* The same with read noise: T = √(t² + c). */
static __device__ __forceinline__ float
prism_cuda_optics_compare (float amplitude,
                           float target,
                           const PrismCudaExpect &expect,
                           float &slope)
{
  const float difference = prism_cuda_expect_get (expect, amplitude, slope)
                           - sqrtf (fmaf (target, target, expect.offset));

  slope *= difference;
  return difference;
}
