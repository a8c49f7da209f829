/* cuda_runtime_api: the part of the CUDA runtime's interface that the module uses, on the
 * processor. Test only; see README.md beside it. Names and values are those of the real one. */
#pragma once

#include "prism-emulation-errors.h"
#include "vector_types.h"

#include <stddef.h>
#include <stdint.h>

#define PRISM_CUDA_EMULATION 1
#define CUDART_VERSION 13000

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cudaError
{
#define X(name, value) name = value,
  PRISM_EMULATION_ERRORS (X)
#undef X
} cudaError_t;

typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
typedef struct CUgraph_st *cudaGraph_t;
typedef struct CUgraphNode_st *cudaGraphNode_t;
typedef struct CUgraphExec_st *cudaGraphExec_t;

#define cudaStreamLegacy ((cudaStream_t) 0x1)
#define cudaStreamPerThread ((cudaStream_t) 0x2)

enum cudaMemcpyKind
{
  cudaMemcpyHostToHost = 0,
  cudaMemcpyHostToDevice = 1,
  cudaMemcpyDeviceToHost = 2,
  cudaMemcpyDeviceToDevice = 3,
  cudaMemcpyDefault = 4
};

enum cudaStreamCaptureMode
{
  cudaStreamCaptureModeGlobal = 0,
  cudaStreamCaptureModeThreadLocal = 1,
  cudaStreamCaptureModeRelaxed = 2
};

#define cudaStreamDefault 0x00
#define cudaStreamNonBlocking 0x01
#define cudaEventDefault 0x00
#define cudaEventDisableTiming 0x02
#define cudaHostAllocDefault 0x00
#define cudaGraphInstantiateFlagUseNodePriority 8

enum cudaFuncAttribute
{
  cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
};

enum cudaDeviceAttr
{
  cudaDevAttrMultiProcessorCount = 16,
  cudaDevAttrMaxThreadsPerMultiProcessor = 39,
  cudaDevAttrComputeCapabilityMajor = 75,
  cudaDevAttrComputeCapabilityMinor = 76,
  cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
  cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
};

struct cudaFuncAttributes
{
  int maxThreadsPerBlock;
  int maxDynamicSharedSizeBytes;
};

struct cudaDeviceProp
{
  char name[256];
  struct { char bytes[16]; } uuid;
  size_t sharedMemPerBlock;
  int warpSize;
  int maxThreadsPerBlock;
  int maxThreadsDim[3];
  int maxGridSize[3];
  int major;
  int minor;
  int multiProcessorCount;
  int l2CacheSize;
  int maxThreadsPerMultiProcessor;
  size_t sharedMemPerMultiprocessor;
  size_t sharedMemPerBlockOptin;
};

typedef enum cudaLaunchAttributeID
{
  cudaLaunchAttributeCooperative = 2,
  cudaLaunchAttributeClusterDimension = 4,
} cudaLaunchAttributeID;

typedef union cudaLaunchAttributeValue
{
  char pad[64];
  int cooperative;
  struct
  {
    unsigned int x, y, z;
  } clusterDim;
  int priority;
} cudaLaunchAttributeValue;

typedef struct cudaLaunchAttribute_st
{
  cudaLaunchAttributeID id;
  cudaLaunchAttributeValue val;
} cudaLaunchAttribute;

typedef struct cudaLaunchConfig_st
{
  dim3 gridDim;
  dim3 blockDim;
  size_t dynamicSmemBytes;
  cudaStream_t stream;
  cudaLaunchAttribute *attrs;
  unsigned int numAttrs;
} cudaLaunchConfig_t;

#ifdef __cplusplus
#define PRISM_EMULATION_DEFAULT(value) = value
#else
#define PRISM_EMULATION_DEFAULT(value)
#endif
#define PRISM_DEFAULT PRISM_EMULATION_DEFAULT

const char *cudaGetErrorName (cudaError_t error);
const char *cudaGetErrorString (cudaError_t error);
cudaError_t cudaGetLastError (void);
cudaError_t cudaPeekAtLastError (void);

cudaError_t cudaDriverGetVersion (int *version);
cudaError_t cudaRuntimeGetVersion (int *version);
cudaError_t cudaGetDeviceCount (int *count);
cudaError_t cudaGetDevice (int *device);
cudaError_t cudaSetDevice (int device);
cudaError_t cudaGetDeviceProperties (struct cudaDeviceProp *properties, int device);
cudaError_t cudaDeviceGetAttribute (int *value, enum cudaDeviceAttr attribute, int device);
cudaError_t cudaDeviceGetStreamPriorityRange (int *least, int *greatest);
cudaError_t cudaDeviceSynchronize (void);
cudaError_t cudaMemGetInfo (size_t *free_bytes, size_t *total_bytes);

cudaError_t cudaMalloc (void **pointer, size_t n_bytes);
cudaError_t cudaFree (void *pointer);
cudaError_t cudaMallocHost (void **pointer, size_t n_bytes);
cudaError_t cudaHostAlloc (void **pointer, size_t n_bytes, unsigned int flags);
cudaError_t cudaFreeHost (void *pointer);

cudaError_t cudaMemcpy (void *to, const void *from, size_t n_bytes, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync (void *to, const void *from, size_t n_bytes, enum cudaMemcpyKind kind,
                             cudaStream_t stream PRISM_DEFAULT (0));
cudaError_t cudaMemcpy2D (void *to, size_t to_pitch, const void *from, size_t from_pitch,
                          size_t width, size_t height, enum cudaMemcpyKind kind);
cudaError_t cudaMemset (void *to, int value, size_t n_bytes);
cudaError_t cudaMemsetAsync (void *to, int value, size_t n_bytes,
                             cudaStream_t stream PRISM_DEFAULT (0));
cudaError_t cudaMemcpyToSymbol (const void *symbol, const void *from, size_t n_bytes,
                                size_t offset PRISM_DEFAULT (0),
                                enum cudaMemcpyKind kind PRISM_DEFAULT (cudaMemcpyHostToDevice));
cudaError_t cudaMemcpyToSymbolAsync (const void *symbol, const void *from, size_t n_bytes,
                                     size_t offset, enum cudaMemcpyKind kind,
                                     cudaStream_t stream PRISM_DEFAULT (0));

cudaError_t cudaStreamCreate (cudaStream_t *stream);
cudaError_t cudaStreamCreateWithFlags (cudaStream_t *stream, unsigned int flags);
cudaError_t cudaStreamCreateWithPriority (cudaStream_t *stream, unsigned int flags, int priority);
cudaError_t cudaStreamDestroy (cudaStream_t stream);
cudaError_t cudaStreamSynchronize (cudaStream_t stream);
cudaError_t cudaStreamQuery (cudaStream_t stream);
cudaError_t cudaStreamWaitEvent (cudaStream_t stream, cudaEvent_t event,
                                 unsigned int flags PRISM_DEFAULT (0));

cudaError_t cudaEventCreate (cudaEvent_t *event);
cudaError_t cudaEventCreateWithFlags (cudaEvent_t *event, unsigned int flags);
cudaError_t cudaEventDestroy (cudaEvent_t event);
cudaError_t cudaEventRecord (cudaEvent_t event, cudaStream_t stream PRISM_DEFAULT (0));
cudaError_t cudaEventQuery (cudaEvent_t event);
cudaError_t cudaEventSynchronize (cudaEvent_t event);
cudaError_t cudaEventElapsedTime (float *milliseconds, cudaEvent_t begin, cudaEvent_t end);

cudaError_t cudaStreamBeginCapture (cudaStream_t stream, enum cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture (cudaStream_t stream, cudaGraph_t *graph);
cudaError_t cudaGraphDestroy (cudaGraph_t graph);
cudaError_t cudaGraphGetNodes (cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *n_nodes);
cudaError_t cudaGraphInstantiate (cudaGraphExec_t *executable, cudaGraph_t graph,
                                  unsigned long long flags PRISM_DEFAULT (0));
cudaError_t cudaGraphInstantiateWithFlags (cudaGraphExec_t *executable, cudaGraph_t graph,
                                           unsigned long long flags PRISM_DEFAULT (0));
cudaError_t cudaGraphLaunch (cudaGraphExec_t executable, cudaStream_t stream);
cudaError_t cudaGraphExecDestroy (cudaGraphExec_t executable);

cudaError_t cudaFuncSetAttribute (const void *kernel, enum cudaFuncAttribute attribute, int value);
cudaError_t cudaFuncGetAttributes (struct cudaFuncAttributes *attributes, const void *kernel);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor (int *n_blocks, const void *kernel,
                                                           int block_size,
                                                           size_t dynamic_shared_bytes);

#undef PRISM_DEFAULT

#ifdef __cplusplus
}
#endif
