/* prism-cuda-ssim: the window of SSIM, which metrics and losses share: 11 × 11 pixels, Gaussian
 * with σ 1.5, the border reflected. Included by .cu files only. */
#pragma once

#include "prism-cuda-kernel.cuh"
#include "prism-cuda-optics.h"

#include <math.h>

#define PRISM_CUDA_SSIM_HALO 5
#define PRISM_CUDA_SSIM_WINDOW (2 * PRISM_CUDA_SSIM_HALO + 1)
#define PRISM_CUDA_SSIM_N_MAPS 5 /* a, b, a², b², a·b */
#define PRISM_CUDA_SSIM_C1 (0.01f * 0.01f)
#define PRISM_CUDA_SSIM_C2 (0.03f * 0.03f)

typedef struct
{
  float weights[PRISM_CUDA_SSIM_WINDOW];
} PrismCudaWindow;

/* As prism-ssim.c: the sum in double, each weight rounded once. */
static inline PrismCudaWindow
prism_cuda_ssim_get_window (void)
{
  const int halo = PRISM_CUDA_SSIM_HALO;
  PrismCudaWindow window;
  double sum = 0.0;

  for (int i = -halo; i <= halo; i++)
    sum += exp (-i * i / (2.0 * 1.5 * 1.5));
  for (int i = -halo; i <= halo; i++)
    window.weights[halo + i] = (float) (exp (-i * i / (2.0 * 1.5 * 1.5)) / sum);
  return window;
}

/* The outermost pixels are not repeated. What lies farther out belongs to no pixel of the image and
 * only has to be a valid address. */
static __device__ __forceinline__ int
prism_cuda_ssim_reflect (int i,
                         int size)
{
  const int inside = i < 0 ? -i : i < size ? i
                                           : 2 * (size - 1) - i;

  return min (max (inside, 0), size - 1);
}

/* Pixels of both images with a border of HALO pixels, and their maps blurred along x: a, b, a², b²,
 * a·b. */
template <int WIDTH_, int HEIGHT_>
struct PrismCudaSsimTile
{
  static constexpr int WIDTH = WIDTH_ + 2 * PRISM_CUDA_SSIM_HALO;
  static constexpr int HEIGHT = HEIGHT_ + 2 * PRISM_CUDA_SSIM_HALO;
  float2 pixels[HEIGHT][WIDTH];
  float rows[PRISM_CUDA_SSIM_N_MAPS][HEIGHT][WIDTH_];

  __device__ __forceinline__ void
  blur_rows (const PrismCudaWindow &window)
  {
    for (int i = threadIdx.x; i < HEIGHT * WIDTH_; i += blockDim.x)
      {
        const int y = i / WIDTH_, x = i % WIDTH_;
        float sums[PRISM_CUDA_SSIM_N_MAPS] = { 0.0f };

#pragma unroll
        for (int k = 0; k < PRISM_CUDA_SSIM_WINDOW; k++)
          {
            const float2 pixel = pixels[y][x + k];
            const float weight = window.weights[k];

            sums[0] = fmaf (weight, pixel.x, sums[0]);
            sums[1] = fmaf (weight, pixel.y, sums[1]);
            sums[2] = fmaf (weight, pixel.x * pixel.x, sums[2]);
            sums[3] = fmaf (weight, pixel.y * pixel.y, sums[3]);
            sums[4] = fmaf (weight, pixel.x * pixel.y, sums[4]);
          }
#pragma unroll
        for (int map = 0; map < PRISM_CUDA_SSIM_N_MAPS; map++)
          rows[map][y][x] = sums[map];
      }
  }

  /* Of pixel (y, x) without the border. */
  __device__ __forceinline__ void
  find_means (const PrismCudaWindow &window,
              int y,
              int x,
              float means[PRISM_CUDA_SSIM_N_MAPS]) const
  {
#pragma unroll
    for (int k = 0; k < PRISM_CUDA_SSIM_WINDOW; k++)
#pragma unroll
      for (int map = 0; map < PRISM_CUDA_SSIM_N_MAPS; map++)
        means[map] = fmaf (window.weights[k], rows[map][y + k][x], means[map]);
  }
};
