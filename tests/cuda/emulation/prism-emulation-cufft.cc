/* cuFFT's stand-in: complex transforms of single precision in two dimensions by FFTW, in the order
 * of the stream they are given. */
#include "cufft.h"

#include "prism-emulation-private.h"

#include <map>

#include <fftw3.h>
#include <string.h>

struct Plan
{
  int n_rows, n_columns, batch;
  cudaStream_t stream;
  bool made;
};

static std::map<cufftHandle, Plan> &plans = *new std::map<cufftHandle, Plan> ();
static std::mutex &mutex = *new std::mutex ();
static cufftHandle last_handle;

extern "C" cufftResult
cufftGetVersion (int *version)
{
  *version = 12000;
  return CUFFT_SUCCESS;
}

extern "C" cufftResult
cufftCreate (cufftHandle *handle)
{
  std::lock_guard<std::mutex> guard (mutex);

  *handle = ++last_handle;
  plans[*handle] = Plan ();
  return CUFFT_SUCCESS;
}

extern "C" cufftResult
cufftMakePlanMany (cufftHandle handle,
                   int rank,
                   int *n,
                   int *inembed,
                   int istride,
                   int idist,
                   int *onembed,
                   int ostride,
                   int odist,
                   cufftType type,
                   int batch,
                   size_t *work_size)
{
  std::lock_guard<std::mutex> guard (mutex);
  const auto plan = plans.find (handle);

  if (plan == plans.end ())
    return CUFFT_INVALID_PLAN;
  if (rank != 2 || type != CUFFT_C2C || inembed != nullptr || onembed != nullptr)
    return CUFFT_INVALID_TYPE;
  if (n[0] < 1 || n[1] < 1 || batch < 1)
    return CUFFT_INVALID_SIZE;
  plan->second.n_rows = n[0];
  plan->second.n_columns = n[1];
  plan->second.batch = batch;
  plan->second.made = true;
  if (work_size != nullptr)
    *work_size = sizeof (float2) * n[0] * n[1];
  return CUFFT_SUCCESS;
}

extern "C" cufftResult
cufftPlanMany (cufftHandle *handle,
               int rank,
               int *n,
               int *inembed,
               int istride,
               int idist,
               int *onembed,
               int ostride,
               int odist,
               cufftType type,
               int batch)
{
  cufftResult result;

  cufftCreate (handle);
  result = cufftMakePlanMany (*handle, rank, n, inembed, istride, idist, onembed, ostride, odist, type,
                              batch, nullptr);
  if (result != CUFFT_SUCCESS)
    cufftDestroy (*handle);
  return result;
}

extern "C" cufftResult
cufftPlan2d (cufftHandle *handle,
             int n_rows,
             int n_columns,
             cufftType type)
{
  int n[2] = { n_rows, n_columns };

  return cufftPlanMany (handle, 2, n, nullptr, 1, 0, nullptr, 1, 0, type, 1);
}

extern "C" cufftResult
cufftSetAutoAllocation (cufftHandle handle,
                        int allocate)
{
  return plans.count (handle) != 0 ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
}

extern "C" cufftResult
cufftSetWorkArea (cufftHandle handle,
                  void *work)
{
  return plans.count (handle) != 0 ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
}

extern "C" cufftResult
cufftGetSize (cufftHandle handle,
              size_t *work_size)
{
  *work_size = 0;
  return plans.count (handle) != 0 ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
}

extern "C" cufftResult
cufftSetStream (cufftHandle handle,
                cudaStream_t stream)
{
  std::lock_guard<std::mutex> guard (mutex);
  const auto plan = plans.find (handle);

  if (plan == plans.end ())
    return CUFFT_INVALID_PLAN;
  plan->second.stream = stream;
  return CUFFT_SUCCESS;
}

static void
transform (const Plan &plan,
           const float2 *from,
           float2 *to,
           int direction)
{
  const size_t n = (size_t) plan.n_rows * plan.n_columns;
  fftwf_complex *work = fftwf_alloc_complex (n);
  fftwf_plan fftw = fftwf_plan_dft_2d (plan.n_rows, plan.n_columns, work, work,
                                       direction == CUFFT_FORWARD ? FFTW_FORWARD : FFTW_BACKWARD,
                                       FFTW_ESTIMATE);

  for (int i = 0; i < plan.batch; i++)
    {
      memcpy (work, from + i * n, n * sizeof *work);
      fftwf_execute (fftw);
      memcpy (to + i * n, work, n * sizeof *work);
    }
  fftwf_destroy_plan (fftw);
  fftwf_free (work);
}

extern "C" cufftResult
cufftExecC2C (cufftHandle handle,
              cufftComplex *from,
              cufftComplex *to,
              int direction)
{
  Plan plan;
  {
    std::lock_guard<std::mutex> guard (mutex);
    const auto found = plans.find (handle);

    if (found == plans.end () || !found->second.made)
      return CUFFT_INVALID_PLAN;
    plan = found->second;
  }
  if (prism_emulation_device.faults.cufft)
    return CUFFT_INTERNAL_ERROR;
  const size_t n_bytes = sizeof (float2) * plan.n_rows * plan.n_columns * plan.batch;
  if (!prism_emulation_is_device (from, n_bytes) || !prism_emulation_is_device (to, n_bytes))
    return CUFFT_INVALID_VALUE;
  const cudaError_t error = prism_emulation_enqueue_work (plan.stream, [plan, from, to, direction] {
    transform (plan, from, to, direction);
  });

  return error == cudaSuccess ? CUFFT_SUCCESS : CUFFT_EXEC_FAILED;
}

extern "C" cufftResult
cufftDestroy (cufftHandle handle)
{
  std::lock_guard<std::mutex> guard (mutex);

  return plans.erase (handle) != 0 ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
}
