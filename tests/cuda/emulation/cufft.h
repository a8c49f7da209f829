/* cufft: the part of cuFFT's interface that the module uses. Its stand-in on FFTW is a library of
 * its own that programs load as they load cuFFT. */
#pragma once

#include "cuda_runtime_api.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CUFFT_FORWARD -1
#define CUFFT_INVERSE 1

typedef enum cufftResult_t
{
  CUFFT_SUCCESS = 0x0,
  CUFFT_INVALID_PLAN = 0x1,
  CUFFT_ALLOC_FAILED = 0x2,
  CUFFT_INVALID_TYPE = 0x3,
  CUFFT_INVALID_VALUE = 0x4,
  CUFFT_INTERNAL_ERROR = 0x5,
  CUFFT_EXEC_FAILED = 0x6,
  CUFFT_SETUP_FAILED = 0x7,
  CUFFT_INVALID_SIZE = 0x8
} cufftResult;

typedef enum cufftType_t
{
  CUFFT_R2C = 0x2a,
  CUFFT_C2R = 0x2c,
  CUFFT_C2C = 0x29,
  CUFFT_D2Z = 0x6a,
  CUFFT_Z2D = 0x6c,
  CUFFT_Z2Z = 0x69
} cufftType;

typedef int cufftHandle;
typedef float cufftReal;
typedef float2 cufftComplex;

cufftResult cufftCreate (cufftHandle *plan);
cufftResult cufftPlan2d (cufftHandle *plan, int n_rows, int n_columns, cufftType type);
cufftResult cufftPlanMany (cufftHandle *plan, int rank, int *n, int *inembed, int istride,
                           int idist, int *onembed, int ostride, int odist,
                           cufftType type, int batch);
cufftResult cufftMakePlanMany (cufftHandle plan, int rank, int *n, int *inembed, int istride,
                               int idist, int *onembed, int ostride, int odist,
                           cufftType type, int batch,
                               size_t *work_size);
cufftResult cufftSetAutoAllocation (cufftHandle plan, int allocate);
cufftResult cufftSetWorkArea (cufftHandle plan, void *work);
cufftResult cufftSetStream (cufftHandle plan, cudaStream_t stream);
cufftResult cufftGetSize (cufftHandle plan, size_t *work_size);
cufftResult cufftGetVersion (int *version);
cufftResult cufftExecC2C (cufftHandle plan, cufftComplex *from, cufftComplex *to, int direction);
cufftResult cufftDestroy (cufftHandle plan);

#ifdef __cplusplus
}
#endif
