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

/* What is made here, on the device or on the host, goes when the test is over. */
static inline void *
own (gpointer host_array)
{
  g_test_queue_free (host_array);
  return host_array;
}

static inline void
free_device_array (gpointer array)
{
  assert_cuda (cudaFree (array));
}

static inline void
wait_for_device (gpointer unused)
{
  assert_cuda (cudaDeviceSynchronize ());
}

/* values: (nullable): nothing is written then. */
static inline void *
new_device_array (const void *values,
                  gsize n_bytes)
{
  void *array = NULL;

  assert_cuda (cudaMalloc (&array, n_bytes));
  g_test_queue_destroy (free_device_array, array);
  if (values != NULL)
    assert_cuda (cudaMemcpy (array, values, n_bytes, cudaMemcpyHostToDevice));
  return array;
}

/* Waits for what came before in the default stream. */
static inline void *
dup_device_array (const void *array,
                  gsize n_bytes)
{
  void *values = own (g_malloc (n_bytes));

  assert_cuda (cudaMemcpy (values, array, n_bytes, cudaMemcpyDeviceToHost));
  return values;
}

static inline float *
new_random_floats (gsize n_values,
                   guint64 seed)
{
  float *values = (float *) own (g_new (float, n_values));

  for (gsize i = 0; i < n_values; i++)
    values[i] = (float) prism_random_uniform (seed, PRISM_STREAM_OBJECT, 0, i);
  return values;
}

static inline float *
new_normal_floats (gsize n,
                   guint64 seed)
{
  float *values = (float *) own (g_new (float, n));

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
