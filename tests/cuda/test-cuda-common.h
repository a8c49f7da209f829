/* What the tests of the CUDA module's parts share: arrays on the device and images at random. */
#pragma once

#include "base/prism-random.h"
#include "cuda-close.h"

#include <cuda_runtime_api.h>
#include <glib.h>
#include <math.h>
#include <string.h>

static inline void
assert_cuda (cudaError_t error)
{
  g_assert_cmpstr (cudaGetErrorName (error), ==, cudaGetErrorName (cudaSuccess));
}

/* A device array that its scope frees. */
typedef void *DeviceArray;

static inline void
device_array_clear (DeviceArray *self)
{
  if (*self != NULL)
    assert_cuda (cudaFree (*self));
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (DeviceArray, device_array_clear)

/* values: (nullable): nothing is written then. */
static inline void *
new_device_array (const void *values,
                  gsize n_bytes)
{
  void *array = NULL;

  assert_cuda (cudaMalloc (&array, n_bytes));
  if (values != NULL)
    assert_cuda (cudaMemcpy (array, values, n_bytes, cudaMemcpyHostToDevice));
  return array;
}

/* Waits for what came before in the default stream. */
static inline void *
dup_device_array (const void *array,
                  gsize n_bytes)
{
  void *values = g_malloc (n_bytes);

  assert_cuda (cudaMemcpy (values, array, n_bytes, cudaMemcpyDeviceToHost));
  return values;
}

static inline float *
new_random_floats (gsize n_values,
                   guint64 seed)
{
  float *values = g_new (float, n_values);

  for (gsize i = 0; i < n_values; i++)
    values[i] = (float) prism_random_uniform (seed, PRISM_STREAM_OBJECT, 0, i);
  return values;
}

static inline float *
new_normal_floats (gsize n,
                   guint64 seed)
{
  float *values = g_new (float, n);

  for (gsize i = 0; i < n; i++)
    values[i] = prism_random_normal (seed, PRISM_STREAM_OBJECT, 0, i);
  return values;
}

/* to [n][n] ← from [n][n] rolled by n/2. */
static inline void
roll (float *to,
      const float *from,
      int n)
{
  for (int y = 0; y < n; y++)
    for (int x = 0; x < n; x++)
      to[(gsize) ((y + n / 2) % n) * n + (x + n / 2) % n] = from[(gsize) y * n + x];
}
