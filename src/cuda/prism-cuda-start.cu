/* Two kernels, because the gradient is divided by the start image's sum: 12 bytes per pixel each,
 * 0.2 MB for m = 128. */
#include "prism-cuda-optics.h"

#include "prism-cuda-kernel.cuh"

#define THREADS 256
#define EPSILON 1e-8 /* of the loss's normaliser */

static __global__ void
__launch_bounds__ (THREADS)
    sum_pixels (const PrismCudaControl *control,
                const float *__restrict__ image,
                const float *__restrict__ start,
                int n_pixels,
                double *__restrict__ sums)
{
  __shared__ double scratch[PRISM_CUDA_WARP];
  double difference = 0.0, norm = 0.0;

  if (control->done)
    return;
  for (int i = blockIdx.x * THREADS + threadIdx.x; i < n_pixels; i += gridDim.x * THREADS)
    {
      difference += fabsf (image[i] - start[i]);
      norm += fabsf (start[i]);
    }
  difference = prism_cuda_sum_block (difference, scratch);
  norm = prism_cuda_sum_block (norm, scratch);
  if (threadIdx.x > 0)
    return;
  sums[2 * blockIdx.x] = difference;
  sums[2 * blockIdx.x + 1] = norm;
}

/* Every block adds up the sums of all, in the same order. */
static __global__ void
__launch_bounds__ (THREADS)
    compute_gradient (PrismCudaControl *control,
                      const float *__restrict__ image,
                      const float *__restrict__ start,
                      int n_pixels,
                      const double *__restrict__ sums,
                      float *__restrict__ gradient)
{
  __shared__ double scratch[PRISM_CUDA_WARP];
  const bool mine = threadIdx.x < gridDim.x;
  double difference = mine ? sums[2 * threadIdx.x] : 0.0;
  double norm = mine ? sums[2 * threadIdx.x + 1] : 0.0;
  float scale;

  if (control->done)
    return;
  difference = prism_cuda_sum_block (difference, scratch);
  norm = prism_cuda_sum_block (norm, scratch);
  scale = (float) (1.0 / (norm + EPSILON * n_pixels));
  for (int i = blockIdx.x * THREADS + threadIdx.x; i < n_pixels; i += gridDim.x * THREADS)
    {
      const float d = image[i] - start[i];

      gradient[i] = d > 0.0f ? scale : d < 0.0f ? -scale
                                                : 0.0f;
    }
  if (blockIdx.x > 0 || threadIdx.x > 0)
    return;
  control->loss_new = difference * scale;
  control->loss_old = 0.0;
  if (!isfinite (control->loss_new))
    control->not_finite = 1;
}

/**
 * prism_cuda_start_compute_gradient:
 * @control: of the run
 * @image: what the decoder put out
 * @start: what it should put out
 * @n_pixels: of both
 * @sums: working memory
 * @gradient: derivative of the loss for @image
 * @stream: a stream, which may be under capture
 *
 * mean|image - start| / (mean|start| + 1e-8) into loss_new, 0 into loss_old.
 *
 * Shape: @image, @start, @gradient [n_pixels], @sums [PRISM_CUDA_START_MAX_BLOCKS][2].
 * Thread: engine.
 * Source: numerics.md § 8.
 */
cudaError_t
prism_cuda_start_compute_gradient (PrismCudaControl *control,
                                   const float *image,
                                   const float *start,
                                   int n_pixels,
                                   double *sums,
                                   float *gradient,
                                   cudaStream_t stream)
{
  const int n_wanted = (n_pixels + 4 * THREADS - 1) / (4 * THREADS);
  const int n_blocks = n_wanted < PRISM_CUDA_START_MAX_BLOCKS ? n_wanted
                                                              : PRISM_CUDA_START_MAX_BLOCKS;
  cudaError_t status = prism_cuda_launch (sum_pixels, dim3 (n_blocks), dim3 (THREADS), 0, stream,
                                          control, image, start, n_pixels, sums);

  if (status != cudaSuccess)
    return status;
  return prism_cuda_launch (compute_gradient, dim3 (n_blocks), dim3 (THREADS), 0, stream, control,
                            image, start, n_pixels, sums, gradient);
}
