/* Captures and graphs: what is enqueued into a stream becomes nodes with the order that streams and
 * events give them, and is run as often as the graph is launched. Launches of kernels too. */
#include "prism-emulation-private.h"

#include <map>

#include <cxxabi.h>
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static PrismEmulationDevice &device = prism_emulation_device;

extern "C" cudaError_t
cudaStreamBeginCapture (cudaStream_t handle,
                        cudaStreamCaptureMode mode)
{
  PRISM_EMULATION_ENTER ();
  CUstream_st *stream = prism_emulation_get_stream (handle);
  if (handle == nullptr || stream != handle)
    return prism_emulation_return (cudaErrorStreamCaptureUnsupported);
  if (stream->capture != nullptr)
    return prism_emulation_return (cudaErrorIllegalState);
  stream->capture = std::make_shared<PrismEmulationCapture> ();
  stream->capture->graph = new CUgraph_st ();
  stream->capture->origin = stream;
  stream->capture->mode = mode;
  stream->capture->owner = std::this_thread::get_id ();
  stream->capture->streams.insert (stream);
  stream->capture_tail.clear ();
  return cudaSuccess;
}

/* Everything that comes before the nodes of tail, and they. */
static std::set<size_t>
find_ancestors (const CUgraph_st *graph,
                const std::set<size_t> &tail)
{
  std::vector<size_t> open (tail.begin (), tail.end ());
  std::set<size_t> found = tail;

  while (!open.empty ())
    {
      const size_t node = open.back ();

      open.pop_back ();
      for (size_t before : graph->nodes[node].after)
        if (found.insert (before).second)
          open.push_back (before);
    }
  return found;
}

extern "C" cudaError_t
cudaStreamEndCapture (cudaStream_t handle,
                      cudaGraph_t *graph)
{
  *graph = nullptr;
  PRISM_EMULATION_ENTER ();
  CUstream_st *stream = prism_emulation_get_stream (handle);
  const PrismEmulationCaptureRef capture = stream->capture;

  if (capture == nullptr)
    return prism_emulation_return (cudaErrorIllegalState);
  if (capture->origin != stream)
    return prism_emulation_return (cudaErrorStreamCaptureUnmatched);
  const bool joined = find_ancestors (capture->graph, stream->capture_tail).size () == capture->graph->nodes.size ();

  for (CUstream_st *other : capture->streams)
    other->capture = nullptr;
  if (capture->invalid || !joined)
    {
      delete capture->graph;
      capture->graph = nullptr;
      return prism_emulation_return (capture->invalid ? cudaErrorStreamCaptureInvalidated
                                                      : cudaErrorStreamCaptureUnjoined);
    }
  *graph = capture->graph;
  capture->graph = nullptr;
  device.counters.n_captures++;
  device.counters.n_graphs++;
  return cudaSuccess;
}

extern "C" cudaError_t
cudaGraphDestroy (cudaGraph_t graph)
{
  PRISM_EMULATION_ENTER ();
  if (graph == nullptr)
    return prism_emulation_return (cudaErrorInvalidValue);
  device.counters.n_graphs--;
  delete graph;
  return cudaSuccess;
}

extern "C" cudaError_t
cudaGraphGetNodes (cudaGraph_t graph,
                   cudaGraphNode_t *nodes,
                   size_t *n_nodes)
{
  PRISM_EMULATION_ENTER ();
  if (nodes != nullptr)
    for (size_t i = 0; i < *n_nodes; i++)
      nodes[i] = i < graph->nodes.size () ? reinterpret_cast<cudaGraphNode_t> (&graph->nodes[i]) : nullptr;
  *n_nodes = graph->nodes.size ();
  return cudaSuccess;
}

static std::map<const void *, size_t> &dynamic_limits = *new std::map<const void *, size_t> ();

static size_t
get_dynamic_limit (const void *kernel)
{
  const auto found = dynamic_limits.find (kernel);

  return found != dynamic_limits.end () && found->second > 48 * 1024 ? found->second : 48 * 1024;
}

/* A driver may ask again what a launch may have, long after it was captured. */
static bool
may_still_run (const CUgraph_st *graph)
{
  for (const PrismEmulationNode &node : graph->nodes)
    if (node.needs.kernel != nullptr && node.needs.shared_bytes > get_dynamic_limit (node.needs.kernel))
      {
        prism_emulation_say ("kernel %s was captured with %zu bytes of shared memory, %zu are allowed now",
                             prism_emulation_name_kernel (node.needs.kernel).c_str (), node.needs.shared_bytes,
                             get_dynamic_limit (node.needs.kernel));
        return false;
      }
  return true;
}

extern "C" cudaError_t
cudaGraphInstantiate (cudaGraphExec_t *executable,
                      cudaGraph_t graph,
                      unsigned long long flags)
{
  *executable = nullptr;
  PRISM_EMULATION_ENTER ();
  if (graph == nullptr || !may_still_run (graph))
    return prism_emulation_return (cudaErrorInvalidValue);
  *executable = new CUgraphExec_st { *graph, nullptr };
  device.counters.n_executables++;
  return cudaSuccess;
}

extern "C" cudaError_t
cudaGraphInstantiateWithFlags (cudaGraphExec_t *executable,
                               cudaGraph_t graph,
                               unsigned long long flags)
{
  return cudaGraphInstantiate (executable, graph, flags);
}

extern "C" cudaError_t
cudaGraphExecDestroy (cudaGraphExec_t executable)
{
  PRISM_EMULATION_ENTER ();
  if (executable == nullptr)
    return prism_emulation_return (cudaErrorInvalidValue);
  device.counters.n_executables--;
  delete executable;
  return cudaSuccess;
}

/* All nodes after what the stream holds, then what is enqueued later after all of them. A graph
 * does not run beside itself. */
extern "C" cudaError_t
cudaGraphLaunch (cudaGraphExec_t executable,
                 cudaStream_t handle)
{
  PRISM_EMULATION_ENTER ();
  if (executable == nullptr || !may_still_run (&executable->graph))
    return prism_emulation_return (cudaErrorInvalidValue);
  CUstream_st *stream = prism_emulation_get_stream (handle);
  std::vector<PrismEmulationOperationRef> operations;
  std::vector<PrismEmulationOperationRef> first;

  if (stream->capture != nullptr)
    {
      prism_emulation_say ("cudaGraphLaunch within a capture is not part of the emulation");
      return prism_emulation_return (cudaErrorNotSupported);
    }
  if (executable->last != nullptr)
    first.push_back (executable->last);
  device.counters.n_graph_launches++;
  operations.push_back (prism_emulation_append (stream, nullptr, false, first));
  const PrismEmulationOperationRef begin = operations[0];
  for (const PrismEmulationNode &node : executable->graph.nodes)
    {
      auto operation = std::make_shared<PrismEmulationOperation> ();

      operation->run = node.run;
      operation->is_kernel = node.needs.kernel != nullptr;
      operation->after.push_back (begin);
      for (size_t before : node.after)
        operation->after.push_back (operations[before + 1]);
      operations.push_back (operation);
    }
  for (size_t i = 1; i < operations.size (); i++)
    prism_emulation_push (operations[i]);
  executable->last = prism_emulation_append (stream, nullptr, false, operations);
  return prism_emulation_return (cudaSuccess);
}

/* Kernels: attributes, checks and launches. */

extern "C" cudaError_t
cudaFuncSetAttribute (const void *kernel,
                      cudaFuncAttribute attribute,
                      int value)
{
  int limit;

  PRISM_EMULATION_ENTER ();
  cudaDeviceGetAttribute (&limit, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0);
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize)
    return cudaSuccess;
  if (value < 0 || value > limit)
    return prism_emulation_return (cudaErrorInvalidValue);
  dynamic_limits[kernel] = value;
  return cudaSuccess;
}

extern "C" cudaError_t
cudaFuncGetAttributes (cudaFuncAttributes *attributes,
                       const void *kernel)
{
  PRISM_EMULATION_ENTER ();
  memset (attributes, 0, sizeof *attributes);
  attributes->maxThreadsPerBlock = 1024;
  attributes->maxDynamicSharedSizeBytes = (int) get_dynamic_limit (kernel);
  return cudaSuccess;
}

extern "C" cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessor (int *n_blocks,
                                               const void *kernel,
                                               int block_size,
                                               size_t dynamic_shared_bytes)
{
  int n_threads, n_bytes;

  PRISM_EMULATION_ENTER ();
  cudaDeviceGetAttribute (&n_threads, cudaDevAttrMaxThreadsPerMultiProcessor, 0);
  cudaDeviceGetAttribute (&n_bytes, cudaDevAttrMaxSharedMemoryPerMultiprocessor, 0);
  *n_blocks = n_threads / block_size;
  if (*n_blocks > n_bytes / ((int) dynamic_shared_bytes + 1024))
    *n_blocks = n_bytes / ((int) dynamic_shared_bytes + 1024);
  return cudaSuccess;
}

static cudaError_t
check_shape (const cudaLaunchConfig_t *config,
             const void *kernel)
{
  const dim3 grid = config->gridDim, block = config->blockDim;
  const char *why = nullptr;

  if (grid.x == 0 || grid.y == 0 || grid.z == 0 || block.x == 0 || block.y == 0 || block.z == 0)
    why = "a grid or block of size 0";
  else if (block.x > 1024 || block.y > 1024 || block.z > 64 || (uint64_t) block.x * block.y * block.z > 1024)
    why = "a block beyond 1024 threads";
  else if (grid.x > INT32_MAX || grid.y > 65535 || grid.z > 65535)
    why = "a grid beyond 65535 in y or z";
  if (why != nullptr)
    {
      prism_emulation_say ("kernel %s: %s", prism_emulation_name_kernel (kernel).c_str (), why);
      return cudaErrorInvalidConfiguration;
    }
  if (config->dynamicSmemBytes > get_dynamic_limit (kernel))
    {
      prism_emulation_say ("kernel %s: %zu bytes of shared memory are wanted, %zu are allowed", prism_emulation_name_kernel (kernel).c_str (),
                           config->dynamicSmemBytes, get_dynamic_limit (kernel));
      return cudaErrorInvalidValue;
    }
  for (unsigned int i = 0; i < config->numAttrs; i++)
    if (config->attrs[i].id == cudaLaunchAttributeCooperative
        || config->attrs[i].id == cudaLaunchAttributeClusterDimension)
      {
        prism_emulation_say ("kernel %s: clusters and cooperative launches are not part of the emulation",
                             prism_emulation_name_kernel (kernel).c_str ());
        return cudaErrorNotSupported;
      }
  return cudaSuccess;
}

/* NaN into the output of the launch that the environment names. */
static void
spoil_output (const PrismEmulationLaunch &launch)
{
  if (device.n_launches != device.faults.nan)
    return;
  if (launch.output == nullptr || !prism_emulation_is_device (launch.output, launch.output_element_size))
    prism_emulation_say ("launch %llu has no output of float to write NaN to",
                         (unsigned long long) device.n_launches);
  else if (launch.output_element_size == sizeof (double))
    *static_cast<double *> (launch.output) = NAN;
  else
    *static_cast<float *> (launch.output) = NAN;
}

cudaError_t
prism_emulation_launch (const cudaLaunchConfig_t *config,
                        const PrismEmulationLaunch *launch)
{
  const std::shared_ptr<void> arguments (launch->arguments, launch->free_arguments);
  PrismEmulationLaunch copy = *launch;
  const cudaLaunchConfig_t shape = *config;

  PRISM_EMULATION_ENTER ();
  const cudaError_t error = check_shape (config, launch->kernel);
  if (error != cudaSuccess)
    return prism_emulation_return (error);
  return prism_emulation_return (prism_emulation_enqueue (config->stream, [arguments, copy, shape] {
    device.counters.n_launches++;
    prism_emulation_grid_run (shape.gridDim, shape.blockDim, shape.dynamicSmemBytes, copy);
    spoil_output (copy);
  }, { copy.kernel, shape.dynamicSmemBytes }));
}

/* The name of a function in the symbol table of the file it comes from: kernels are static. */
static std::string
find_symbol (const char *path,
             uintptr_t offset)
{
  const int file = open (path, O_RDONLY | O_CLOEXEC);
  struct stat info;
  std::string name;

  if (file < 0 || fstat (file, &info) != 0)
    return name;
  char *data = static_cast<char *> (mmap (nullptr, info.st_size, PROT_READ, MAP_PRIVATE, file, 0));
  close (file);
  if (data == MAP_FAILED)
    return name;
  const auto *header = reinterpret_cast<const ElfW (Ehdr) *> (data);
  const auto *sections = reinterpret_cast<const ElfW (Shdr) *> (data + header->e_shoff);
  for (int i = 0; i < header->e_shnum; i++)
    if (sections[i].sh_type == SHT_SYMTAB)
      {
        const auto *symbols = reinterpret_cast<const ElfW (Sym) *> (data + sections[i].sh_offset);
        const char *names = data + sections[sections[i].sh_link].sh_offset;

        for (size_t j = 0; j < sections[i].sh_size / sizeof *symbols; j++)
          if ((symbols[j].st_info & 15) == STT_FUNC && symbols[j].st_value == offset)
            name = names + symbols[j].st_name;
      }
  munmap (data, info.st_size);
  return name;
}

/* Up to the parameters. */
static std::string
demangle (const std::string &name)
{
  int status;
  char *demangled = abi::__cxa_demangle (name.c_str (), nullptr, nullptr, &status);
  std::string result = demangled != nullptr ? demangled : name;

  free (demangled);
  return result;
}

std::string
prism_emulation_name_kernel (const void *kernel)
{
  Dl_info info;
  link_map *map = nullptr;
  std::string name;

  if (dladdr1 (kernel, &info, reinterpret_cast<void **> (&map), RTLD_DL_LINKMAP) != 0)
    {
      const char *path = map->l_name[0] != '\0' ? map->l_name : "/proc/self/exe";

      name = find_symbol (path, reinterpret_cast<uintptr_t> (kernel) - map->l_addr);
    }
  return name.empty () ? "(unknown)" : demangle (name);
}
