/* prism-emulation-thread: what a thread of a kernel is while it runs, and what it can ask of its
 * warp and block. C++; included by kernels through cuda_runtime.h. */
#pragma once

#include "cuda_runtime_api.h"

#define PRISM_EMULATION_WARP 32
/* Found without a call, also by a module that is loaded late. */
#define PRISM_EMULATION_TLS __thread __attribute__ ((tls_model ("initial-exec")))

struct PrismEmulationThread
{
  uint3 index;
  void *dynamic_shared;
  unsigned int lane;
};

/* The thread of the kernel that this thread of the processor runs. */
extern PRISM_EMULATION_TLS PrismEmulationThread *prism_emulation_self;

/* Of that thread. */
extern PRISM_EMULATION_TLS uint3 threadIdx;
extern PRISM_EMULATION_TLS uint3 blockIdx;
extern PRISM_EMULATION_TLS uint3 blockDim;
extern PRISM_EMULATION_TLS uint3 gridDim;

/* How many __syncthreads-like barriers combine a predicate. */
struct PrismEmulationVote
{
  int count;
  int all;
  int any;
};

/* Called for a whole warp by the lane that comes last: arguments of the lanes in mask,
 * NULL else. */
typedef void (*PrismEmulationCombine) (void **arguments,
                                       unsigned int mask);

void prism_emulation_barrier (void);
PrismEmulationVote prism_emulation_barrier_vote (int predicate);
/* Waits until every lane of mask has come here with the same name (static), then combine has
 * run. */
void prism_emulation_gather (unsigned int mask,
                             const char *name,
                             void *argument,
                             PrismEmulationCombine combine);
unsigned int prism_emulation_get_active_mask (void);
[[noreturn]] void prism_emulation_trap (const char *why);

/* A launch: call runs one thread; touch is called on each thread of the processor before. */
struct PrismEmulationLaunch
{
  const void *kernel;
  void (*call) (const void *arguments);
  void *(*touch) (void);
  void *arguments;
  void (*free_arguments) (void *arguments);
  void *output;                         /* first pointer to numbers that may be written, or NULL */
  size_t output_element_size;
};

cudaError_t prism_emulation_launch (const cudaLaunchConfig_t *config,
                                    const PrismEmulationLaunch *launch);
