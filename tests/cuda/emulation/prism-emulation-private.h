/* prism-emulation-private: what the parts of the emulated runtime share. */
#pragma once

#include "prism-emulation-thread.h"
#include "prism-emulation.h"

#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#define PRISM_EMULATION_POISON 0x7ff77ff7u /* NaN as half, bfloat16, float and double */

/* prism-emulation-grid: runs a launch to its end. */
void prism_emulation_grid_run (const dim3 &grid,
                               const dim3 &block,
                               size_t shared_bytes,
                               const PrismEmulationLaunch &launch);
std::string prism_emulation_name_kernel (const void *kernel);

/* prism-emulation-fault: the environment. Counts begin at 1; 0: never. */
struct PrismEmulationFaults
{
  uint64_t fail_allocation;             /* this one */
  uint64_t fail_allocations_from;
  uint64_t memory_limit;                /* bytes, 0: none */
  uint64_t illegal_address;             /* at this launch */
  uint64_t launch_failure;
  uint64_t hang;                        /* from this launch on */
  uint64_t nan;
  uint64_t lost;
  uint64_t busy;                        /* of two devices, this many are taken by others */
  uint64_t late;                        /* so many queries of events say that it is not done */
  uint64_t open;                        /* what opening a device returns */
  bool no_device;
  bool no_driver;
  bool old_driver;
};

struct PrismEmulationDevice
{
  std::recursive_mutex mutex;
  bool prepared;
  PrismEmulationFaults faults;
  uint64_t order;                       /* seed; 0: at once */
  uint64_t random;
  int architecture;                     /* 90 */
  int driver;                           /* 13000: that of CUDA 13.0 */
  int current;                          /* device of all threads */
  cudaError_t sticky;                   /* of the device, for good */
  cudaError_t last;
  uint64_t n_launches, n_allocations;   /* as the faults count them */
  PrismEmulationCounters counters;
};

extern PrismEmulationDevice prism_emulation_device;

void prism_emulation_prepare (void);
uint64_t prism_emulation_get_random (uint64_t bound);
void prism_emulation_say (const char *format, ...) __attribute__ ((format (printf, 1, 2)));

/* Begins every call of the interface: holds the lock, knows what the device has come to. */
struct PrismEmulationEntry
{
  std::lock_guard<std::recursive_mutex> guard;
  cudaError_t error;

  PrismEmulationEntry ();
};

/* Remembers error for cudaGetLastError and returns it. */
cudaError_t prism_emulation_return (cudaError_t error);

#define PRISM_EMULATION_ENTER() \
  PrismEmulationEntry entry; \
  if (entry.error != cudaSuccess) \
    return prism_emulation_return (entry.error)

/* prism-emulation-memory. */
bool prism_emulation_is_device (const void *begin,
                                size_t n_bytes);
bool prism_emulation_touches_device (const void *begin,
                                     size_t n_bytes);
bool prism_emulation_is_pinned (const void *begin,
                                size_t n_bytes);
/* Makes all device memory out of bounds, where the address sanitizer runs, and gives it back. */
void prism_emulation_poison (void *begin,
                             size_t n_bytes);

/* prism-emulation-stream. */
struct PrismEmulationOperation
{
  std::function<void ()> run;           /* empty: only order */
  std::vector<std::shared_ptr<PrismEmulationOperation>> after;
  bool is_kernel = false;
  bool done = false;
  bool stuck = false;                   /* hangs, for ever */
  double time = 0.0;                    /* when it was done, ms */
};

typedef std::shared_ptr<PrismEmulationOperation> PrismEmulationOperationRef;

/* What a launch was made with; kernel is NULL for what is no launch. */
struct PrismEmulationLaunchNeeds
{
  const void *kernel = nullptr;
  size_t shared_bytes = 0;              /* dynamic */
};

struct PrismEmulationNode
{
  std::function<void ()> run;
  PrismEmulationLaunchNeeds needs;
  std::set<size_t> after;               /* indices of nodes */
};

struct CUgraph_st
{
  std::vector<PrismEmulationNode> nodes;
};

struct CUgraphExec_st
{
  CUgraph_st graph;
  PrismEmulationOperationRef last;
};

struct PrismEmulationCapture
{
  CUgraph_st *graph;
  CUstream_st *origin;
  cudaStreamCaptureMode mode;
  std::thread::id owner; /* who captures: by its mode a capture forbids things to it alone */
  bool invalid;
  std::set<CUstream_st *> streams;
};

typedef std::shared_ptr<PrismEmulationCapture> PrismEmulationCaptureRef;

struct CUstream_st
{
  bool blocking;                        /* with the legacy stream */
  PrismEmulationOperationRef last;
  PrismEmulationCaptureRef capture;
  std::set<size_t> capture_tail;
};

struct CUevent_st
{
  bool timing;
  PrismEmulationOperationRef operation; /* empty: never recorded */
  PrismEmulationCaptureRef capture;
  std::set<size_t> capture_tail;
};

CUstream_st *prism_emulation_get_stream (cudaStream_t stream);
cudaError_t prism_emulation_enqueue (cudaStream_t stream,
                                     std::function<void ()> run,
                                     const PrismEmulationLaunchNeeds &needs = {});
/* The same from another library, such as cuFFT's stand-in. */
cudaError_t prism_emulation_enqueue_work (cudaStream_t stream,
                                          std::function<void ()> run);
PrismEmulationOperationRef prism_emulation_append (CUstream_st *stream,
                                                   std::function<void ()> run,
                                                   bool is_kernel,
                                                   std::vector<PrismEmulationOperationRef> after);
/* Makes the operation's turn come, now or later, as the order is. */
void prism_emulation_push (PrismEmulationOperationRef operation);
void prism_emulation_wait (const PrismEmulationOperationRef &operation,
                           const char *caller);
void prism_emulation_wait_all (const char *caller);
/* Lets some of the work go on, as time does. */
void prism_emulation_let_pass (void);
/* During a capture in global mode, calls that could wait are not allowed. */
bool prism_emulation_forbids_waiting (void);
void prism_emulation_drop_work (void);
