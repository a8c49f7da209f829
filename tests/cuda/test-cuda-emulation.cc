/* The emulated GPU itself: that kernels run as on a device, and that each kind of mistake is found. */
#include "prism-cuda-kernel.cuh"

#include "prism-emulation.h"

#include <glib.h>

static __global__ void
sum_kernel (const float *values,
            float *sums,
            int n)
{
  __shared__ float scratch[32];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float sum = prism_cuda_sum_block (i < n ? values[i] : 0.0f, scratch);

  if (threadIdx.x == 0)
    sums[blockIdx.x] = sum;
}

static void
test_sum (void)
{
  const int n = 1000, n_blocks = 4;
  float host[n], sums[n_blocks], expected = 0.0f, sum = 0.0f;
  float *values, *result;

  for (int i = 0; i < n; i++)
    expected += host[i] = i;
  g_assert_cmpint (cudaMalloc (&values, sizeof host), ==, cudaSuccess);
  g_assert_cmpint (cudaMalloc (&result, sizeof sums), ==, cudaSuccess);
  g_assert_cmpint (cudaMemcpy (values, host, sizeof host, cudaMemcpyHostToDevice), ==, cudaSuccess);
  g_assert_cmpint (prism_cuda_launch (sum_kernel, n_blocks, 256, 0, nullptr, values, result, n), ==, cudaSuccess);
  g_assert_cmpint (cudaMemcpy (sums, result, sizeof sums, cudaMemcpyDeviceToHost), ==, cudaSuccess);
  for (int i = 0; i < n_blocks; i++)
    sum += sums[i];
  g_assert_cmpfloat (sum, ==, expected);
  cudaFree (values);
  cudaFree (result);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cuda-emulation/sum", test_sum);
  return g_test_run ();
}
