/* prism-cuda-adam: one Adam step of one value, twin of prism-cpu-update. Included by .cu files
 * only.
 *
 * Source: Kingma and Ba, "Adam: A Method for Stochastic Optimization", 2015, algorithm 1. */
#pragma once

#include "prism-cuda-types.h"
#include "prism-cuda-kernel.cuh"

#include <float.h>

/* m ← m + take1·(g - m), v ← v + take2·(g² - v), w ← w - decay·w - rate·m/(√v + epsilon). The
 * corrections of the two averages are in rate and epsilon. */
struct PrismCudaAdam
{
  float take1;
  float take2;
  float rate;
  float epsilon;
  float decay;
};

static __device__ __forceinline__ PrismCudaAdam
prism_cuda_adam (const PrismCudaControl *control)
{
  const float root = sqrtf (control->correction2);

  return { (float) (1.0 - control->beta1), (float) (1.0 - control->beta2),
           control->learning_rate / control->correction1 * root, control->epsilon * root,
           control->decay };
}

/* A gradient that is not finite leaves all as they are. AMSGrad divides by the largest v so far. */
template <bool AMSGRAD>
static __device__ __forceinline__ void
prism_cuda_step (const PrismCudaAdam &adam,
                 float &w,
                 float &m,
                 float &v,
                 float *largest,
                 float g)
{
  float divisor;

  if (!isfinite (g))
    return;
  m = fmaf (adam.take1, g - m, m);
  divisor = v = fminf (fmaf (adam.take2, fmaf (g, g, -v), v), FLT_MAX);
  if constexpr (AMSGRAD)
    divisor = *largest = fmaxf (v, *largest);
  w = fmaf (-adam.decay, w, w);
  w -= adam.rate * m / (sqrtf (divisor) + adam.epsilon);
}

template <bool AMSGRAD>
static __device__ __forceinline__ void
prism_cuda_step (const PrismCudaAdam &adam,
                 float4 &w,
                 float4 &m,
                 float4 &v,
                 float4 *largest,
                 const float4 &g)
{
  prism_cuda_step<AMSGRAD> (adam, w.x, m.x, v.x, &largest->x, g.x);
  prism_cuda_step<AMSGRAD> (adam, w.y, m.y, v.y, &largest->y, g.y);
  prism_cuda_step<AMSGRAD> (adam, w.z, m.z, v.z, &largest->z, g.z);
  prism_cuda_step<AMSGRAD> (adam, w.w, m.w, v.w, &largest->w, g.w);
}
