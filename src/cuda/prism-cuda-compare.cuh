/* prism-cuda-compare: a noisy amplitude compared with an expected one; twin of expect_amplitude()
 * of prism-cpu-telescope-kernels. Included by .cu files only. */
#pragma once

#include "prism-cuda-expect.cuh"

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
