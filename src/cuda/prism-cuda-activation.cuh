/* prism-cuda-activation: the activation of the decoder's output and its derivative, twin of
 * prism-cpu-activation. NaN passes all of them. Included by .cu files only. */
#pragma once

#include "prism-cuda-kernel.cuh"
#include "prism-cuda-map.h"

/* The values of PrismActivation, whose header needs GLib. */
enum PrismCudaActivation
{
  PRISM_CUDA_ACTIVATION_RELU,
  PRISM_CUDA_ACTIVATION_SIGMOID,
  PRISM_CUDA_ACTIVATION_HARDSIGMOID,
  PRISM_CUDA_ACTIVATION_TANH,
  PRISM_CUDA_ACTIVATION_NONE
};

static __device__ __forceinline__ float
prism_cuda_activate (int activation,
                     float y)
{
  switch (activation)
    {
    case PRISM_CUDA_ACTIVATION_RELU:
      return y <= 0.0f ? 0.0f : y;
    case PRISM_CUDA_ACTIVATION_SIGMOID:
      return 1.0f / (1.0f + expf (-y));
    case PRISM_CUDA_ACTIVATION_HARDSIGMOID:
      y = fmaf (y, 1.0f / 6.0f, 0.5f);
      y = y <= 0.0f ? 0.0f : y;
      return y >= 1.0f ? 1.0f : y;
    case PRISM_CUDA_ACTIVATION_TANH:
      return tanhf (y);
    default:
      return y;
    }
}

/* g times the derivative, from the activation's value. */
static __device__ __forceinline__ float
prism_cuda_deactivate (int activation,
                       float g,
                       float value)
{
  switch (activation)
    {
    case PRISM_CUDA_ACTIVATION_RELU:
      return value <= 0.0f ? 0.0f : g;
    case PRISM_CUDA_ACTIVATION_SIGMOID:
      return g * (value * (1.0f - value));
    case PRISM_CUDA_ACTIVATION_HARDSIGMOID:
      return value <= 0.0f || value >= 1.0f ? 0.0f : g * (1.0f / 6.0f);
    case PRISM_CUDA_ACTIVATION_TANH:
      return g * (1.0f - value * value);
    default:
      return g;
    }
}

/* Row (or column) of the image for one of the last map: a larger map is cropped, a smaller one has
 * a frame. */
static __device__ __forceinline__ int
prism_cuda_get_cut (const PrismCudaMap &map,
                    const PrismCudaImage &image)
{
  return (map.size - image.size) / 2;
}

/* Gradient of the last map, times scale: zero where it does not reach the image. */
struct PrismCudaImageSource
{
  const PrismCudaMap &map;
  const PrismCudaImage &image;
  float scale;

  __device__ __forceinline__ float
  load (int channel, int row, int column) const
  {
    const int cut = prism_cuda_get_cut (map, image);
    const int y = row - cut, x = column - cut;
    const size_t i = (size_t) y * image.size + x;

    if (y < 0 || y >= image.size || x < 0 || x >= image.size)
      return 0.0f;
    return prism_cuda_deactivate (image.activation, image.output_gradient[i] * scale,
                                  image.output[i]);
  }
};
