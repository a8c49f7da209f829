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

static __device__ __forceinline__ void
prism_cuda_average (const PrismCudaAdam &adam,
                    float &m,
                    float &v,
                    float g)
{
  m = fmaf (adam.take1, g - m, m);
  v = fminf (fmaf (adam.take2, fmaf (g, g, -v), v), FLT_MAX);
}

static __device__ __forceinline__ void
prism_cuda_move (const PrismCudaAdam &adam,
                 float &w,
                 float m,
                 float divisor)
{
  w = fmaf (-adam.decay, w, w);
  w -= adam.rate * m / (sqrtf (divisor) + adam.epsilon);
}

/* A gradient that is not finite leaves all three as they are. */
static __device__ __forceinline__ void
prism_cuda_step (const PrismCudaAdam &adam,
                 float &w,
                 float &m,
                 float &v,
                 float g)
{
  if (!isfinite (g))
    return;
  prism_cuda_average (adam, m, v, g);
  prism_cuda_move (adam, w, m, v);
}

/* AMSGrad: divides by the largest v so far. */
static __device__ __forceinline__ void
prism_cuda_step (const PrismCudaAdam &adam,
                 float &w,
                 float &m,
                 float &v,
                 float &largest,
                 float g)
{
  if (!isfinite (g))
    return;
  prism_cuda_average (adam, m, v, g);
  largest = fmaxf (v, largest);
  prism_cuda_move (adam, w, m, largest);
}

static __device__ __forceinline__ void
prism_cuda_step (const PrismCudaAdam &adam,
                 float4 &w,
                 float4 &m,
                 float4 &v,
                 const float4 &g)
{
  prism_cuda_step (adam, w.x, m.x, v.x, g.x);
  prism_cuda_step (adam, w.y, m.y, v.y, g.y);
  prism_cuda_step (adam, w.z, m.z, v.z, g.z);
  prism_cuda_step (adam, w.w, m.w, v.w, g.w);
}

static __device__ __forceinline__ void
prism_cuda_step (const PrismCudaAdam &adam,
                 float4 &w,
                 float4 &m,
                 float4 &v,
                 float4 &largest,
                 const float4 &g)
{
  prism_cuda_step (adam, w.x, m.x, v.x, largest.x, g.x);
  prism_cuda_step (adam, w.y, m.y, v.y, largest.y, g.y);
  prism_cuda_step (adam, w.z, m.z, v.z, largest.z, g.z);
  prism_cuda_step (adam, w.w, m.w, v.w, largest.w, g.w);
}
