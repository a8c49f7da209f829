/* Device memory is the process's own: every allocation apart, so that the address sanitizer sees
 * what lies beyond it, and filled with NaN. Copies know what lies where. */
#include "prism-emulation-private.h"

#include <map>

#include <stdlib.h>
#include <string.h>

static PrismEmulationDevice &device = prism_emulation_device;

extern "C" __attribute__ ((weak)) void __asan_poison_memory_region (void const volatile *begin,
                                                                    size_t n_bytes);
extern "C" __attribute__ ((weak)) void __asan_unpoison_memory_region (void const volatile *begin,
                                                                      size_t n_bytes);

struct Allocation
{
  size_t n_bytes;
  bool pinned;
};

/* By address. Never freed: threads may outlive static objects. */
static std::map<uintptr_t, Allocation> &allocations = *new std::map<uintptr_t, Allocation> ();

/* The allocation that holds an address, or NULL. */
static const Allocation *
find (const void *address,
      uintptr_t *begin)
{
  auto next = allocations.upper_bound (reinterpret_cast<uintptr_t> (address));

  if (next == allocations.begin ())
    return nullptr;
  --next;
  *begin = next->first;
  return reinterpret_cast<uintptr_t> (address) < next->first + next->second.n_bytes ? &next->second : nullptr;
}

static bool
lies_within (const void *address,
             size_t n_bytes,
             bool pinned)
{
  uintptr_t begin;
  const Allocation *allocation = find (address, &begin);

  return allocation != nullptr && allocation->pinned == pinned
         && reinterpret_cast<uintptr_t> (address) + n_bytes <= begin + allocation->n_bytes;
}

bool
prism_emulation_is_device (const void *begin,
                           size_t n_bytes)
{
  return lies_within (begin, n_bytes, false);
}

bool
prism_emulation_touches_device (const void *begin,
                                size_t n_bytes)
{
  uintptr_t found;
  const char *last = static_cast<const char *> (begin) + (n_bytes > 0 ? n_bytes - 1 : 0);
  const Allocation *first_allocation = find (begin, &found), *last_allocation = find (last, &found);

  return (first_allocation != nullptr && !first_allocation->pinned)
         || (last_allocation != nullptr && !last_allocation->pinned);
}

bool
prism_emulation_is_pinned (const void *begin,
                           size_t n_bytes)
{
  return lies_within (begin, n_bytes, true);
}

static void
count_bytes (int64_t n_device,
             int64_t n_pinned)
{
  PrismEmulationCounters *counters = &device.counters;

  counters->bytes_device += n_device;
  counters->bytes_pinned += n_pinned;
  if (counters->bytes_device > counters->bytes_device_peak)
    counters->bytes_device_peak = counters->bytes_device;
}

static size_t
get_capacity (void)
{
  return device.faults.memory_limit != 0 ? device.faults.memory_limit : (size_t) 16 << 30;
}

static bool
may_allocate (size_t n_bytes)
{
  const uint64_t number = ++device.n_allocations;

  device.counters.n_allocations++;
  if (number == device.faults.fail_allocation
      || (device.faults.fail_allocations_from != 0 && number >= device.faults.fail_allocations_from))
    return false;
  return device.counters.bytes_device + n_bytes <= get_capacity ();
}

/* Aligned as CUDA does; the sanitizer's zone begins right behind the last byte. */
static cudaError_t
allocate (void **pointer,
          size_t n_bytes,
          bool pinned)
{
  void *memory = nullptr;

  if (posix_memalign (&memory, pinned ? 4096 : 512, n_bytes) != 0)
    return cudaErrorMemoryAllocation;
  prism_emulation_poison (memory, n_bytes);
  allocations[reinterpret_cast<uintptr_t> (memory)] = { n_bytes, pinned };
  device.counters.n_live_allocations++;
  count_bytes (pinned ? 0 : n_bytes, pinned ? n_bytes : 0);
  *pointer = memory;
  return cudaSuccess;
}

/* Begin and size of what prism_emulation_forbid() has marked in live allocations. */
static std::map<uintptr_t, size_t> &forbidden = *new std::map<uintptr_t, size_t> ();

static void
forget_gaps (uintptr_t begin,
             size_t n_bytes)
{
  forbidden.erase (forbidden.lower_bound (begin), forbidden.lower_bound (begin + n_bytes));
}

static cudaError_t
release (void *pointer,
         bool pinned)
{
  auto found = allocations.find (reinterpret_cast<uintptr_t> (pointer));

  if (found == allocations.end () || found->second.pinned != pinned)
    {
      prism_emulation_say ("%p is freed and is no %s memory of the device", pointer,
                           pinned ? "pinned" : "device");
      return cudaErrorInvalidValue;
    }
  if (__asan_unpoison_memory_region != nullptr)
    __asan_unpoison_memory_region (pointer, found->second.n_bytes);
  forget_gaps (found->first, found->second.n_bytes);
  /* What is read after this shall not look like a number. */
  prism_emulation_poison (pointer, found->second.n_bytes);
  count_bytes (pinned ? 0 : -(int64_t) found->second.n_bytes, pinned ? -(int64_t) found->second.n_bytes : 0);
  device.counters.n_live_allocations--;
  allocations.erase (found);
  free (pointer);
  return cudaSuccess;
}

extern "C" void
prism_emulation_forbid (void *begin,
                        size_t n_bytes)
{
  if (__asan_poison_memory_region == nullptr)
    return;
  __asan_poison_memory_region (begin, n_bytes);
  forbidden[reinterpret_cast<uintptr_t> (begin)] = n_bytes;
}

extern "C" cudaError_t
cudaMalloc (void **pointer,
            size_t n_bytes)
{
  PRISM_EMULATION_ENTER ();
  *pointer = nullptr;
  if (prism_emulation_forbids_waiting ())
    return prism_emulation_return (cudaErrorStreamCaptureUnsupported);
  if (n_bytes == 0)
    return cudaSuccess;
  if (!may_allocate (n_bytes))
    return prism_emulation_return (cudaErrorMemoryAllocation);
  return prism_emulation_return (allocate (pointer, n_bytes, false));
}

extern "C" cudaError_t
cudaFree (void *pointer)
{
  PRISM_EMULATION_ENTER ();
  if (pointer == nullptr)
    return cudaSuccess;
  if (prism_emulation_forbids_waiting ())
    return prism_emulation_return (cudaErrorStreamCaptureUnsupported);
  prism_emulation_wait_all ("cudaFree");
  if (device.sticky != cudaSuccess)
    return prism_emulation_return (device.sticky);
  return prism_emulation_return (release (pointer, false));
}

extern "C" cudaError_t
cudaHostAlloc (void **pointer,
               size_t n_bytes,
               unsigned int flags)
{
  PRISM_EMULATION_ENTER ();
  *pointer = nullptr;
  if (prism_emulation_forbids_waiting ())
    return prism_emulation_return (cudaErrorStreamCaptureUnsupported);
  if (n_bytes == 0)
    return cudaSuccess;
  const uint64_t number = ++device.n_allocations;
  if (number == device.faults.fail_allocation
      || (device.faults.fail_allocations_from != 0 && number >= device.faults.fail_allocations_from))
    return prism_emulation_return (cudaErrorMemoryAllocation);
  return prism_emulation_return (allocate (pointer, n_bytes, true));
}

extern "C" cudaError_t
cudaMallocHost (void **pointer,
                size_t n_bytes)
{
  return cudaHostAlloc (pointer, n_bytes, cudaHostAllocDefault);
}

extern "C" cudaError_t
cudaFreeHost (void *pointer)
{
  PRISM_EMULATION_ENTER ();
  if (pointer == nullptr)
    return cudaSuccess;
  prism_emulation_wait_all ("cudaFreeHost");
  if (device.sticky != cudaSuccess)
    return prism_emulation_return (device.sticky);
  return prism_emulation_return (release (pointer, true));
}

extern "C" cudaError_t
cudaMemGetInfo (size_t *free_bytes,
                size_t *total_bytes)
{
  PRISM_EMULATION_ENTER ();
  *total_bytes = get_capacity ();
  *free_bytes = *total_bytes > device.counters.bytes_device ? *total_bytes - device.counters.bytes_device : 0;
  return cudaSuccess;
}

/* A copy of height rows of width bytes. */
struct Copy
{
  char *to;
  const char *from;
  size_t to_pitch, from_pitch, width, height;

  size_t
  span (size_t pitch) const
  {
    return height == 0 ? 0 : (height - 1) * pitch + width;
  }

  void
  run () const
  {
    if (to_pitch == width && from_pitch == width)
      memcpy (to, from, width * height);
    else
      for (size_t y = 0; y < height; y++)
        memcpy (to + y * to_pitch, from + y * from_pitch, width);
  }
};

static cudaMemcpyKind
resolve_kind (const Copy &copy,
              cudaMemcpyKind kind)
{
  const bool to = prism_emulation_is_device (copy.to, 1), from = prism_emulation_is_device (copy.from, 1);

  if (kind != cudaMemcpyDefault)
    return kind;
  return to ? (from ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice)
            : (from ? cudaMemcpyDeviceToHost : cudaMemcpyHostToHost);
}

static bool
check_side (const char *what,
            const void *begin,
            size_t n_bytes,
            bool should_be_device)
{
  if (should_be_device ? prism_emulation_is_device (begin, n_bytes)
                       : !prism_emulation_touches_device (begin, n_bytes))
    return true;
  prism_emulation_say ("the %s of a copy, %zu bytes at %p, does not lie in %s memory", what, n_bytes, begin,
                       should_be_device ? "device" : "host");
  return false;
}

static void
count_copy (cudaMemcpyKind kind,
            size_t n_bytes)
{
  PrismEmulationCounters *counters = &device.counters;

  switch (kind)
    {
    case cudaMemcpyHostToDevice:
      counters->n_to_device++;
      counters->bytes_to_device += n_bytes;
      break;
    case cudaMemcpyDeviceToHost:
      counters->n_to_host++;
      counters->bytes_to_host += n_bytes;
      break;
    case cudaMemcpyDeviceToDevice:
      counters->n_within_device++;
      counters->bytes_within_device += n_bytes;
      break;
    default:
      break;
    }
}

/* From memory that is not pinned the real runtime takes a copy before it returns; to such memory
 * it waits. Pinned memory is read and written when the stream comes to it. */
static cudaError_t
enqueue_copy (Copy copy,
              cudaMemcpyKind kind,
              cudaStream_t stream,
              bool wait)
{
  kind = resolve_kind (copy, kind);
  const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  const bool capturing = prism_emulation_get_stream (stream)->capture != nullptr;
  std::shared_ptr<std::vector<char>> staged;
  cudaError_t error;

  if (copy.width == 0 || copy.height == 0)
    return cudaSuccess;
  if (copy.to_pitch < copy.width || copy.from_pitch < copy.width)
    return cudaErrorInvalidPitchValue;
  if (!check_side ("destination", copy.to, copy.span (copy.to_pitch), to_device)
      || !check_side ("source", copy.from, copy.span (copy.from_pitch), from_device))
    return cudaErrorInvalidValue;

  const bool host_pinned = from_device != to_device
                           && (to_device ? prism_emulation_is_pinned (copy.from, copy.span (copy.from_pitch))
                                         : prism_emulation_is_pinned (copy.to, copy.span (copy.to_pitch)));
  if (!from_device && !capturing && !prism_emulation_is_pinned (copy.from, copy.span (copy.from_pitch)))
    {
      staged = std::make_shared<std::vector<char>> (copy.from, copy.from + copy.span (copy.from_pitch));
      copy.from = staged->data ();
    }
  if (!to_device && !capturing && device.order != 0
      && prism_emulation_is_pinned (copy.to, copy.span (copy.to_pitch)) && copy.to_pitch == copy.width)
    prism_emulation_poison (copy.to, copy.span (copy.to_pitch));
  error = prism_emulation_enqueue (stream, [copy, kind, staged, host_pinned] {
    count_copy (kind, copy.width * copy.height);
    device.counters.n_pinned_copies += host_pinned;
    copy.run ();
  });
  wait |= !to_device && !capturing && !prism_emulation_is_pinned (copy.to, copy.span (copy.to_pitch));
  if (error == cudaSuccess && wait)
    {
      device.counters.n_waits++;
      prism_emulation_wait (prism_emulation_get_stream (stream)->last, "a copy to or from pageable memory");
      error = device.sticky;
    }
  return error;
}

static cudaError_t
copy_now (const Copy &copy,
          cudaMemcpyKind kind)
{
  if (prism_emulation_forbids_waiting ())
    return cudaErrorStreamCaptureUnsupported;
  return enqueue_copy (copy, kind, nullptr, true);
}

extern "C" cudaError_t
cudaMemcpy (void *to,
            const void *from,
            size_t n_bytes,
            cudaMemcpyKind kind)
{
  PRISM_EMULATION_ENTER ();
  return prism_emulation_return (copy_now ({ (char *) to, (const char *) from, n_bytes, n_bytes, n_bytes, 1 },
                                           kind));
}

extern "C" cudaError_t
cudaMemcpyAsync (void *to,
                 const void *from,
                 size_t n_bytes,
                 cudaMemcpyKind kind,
                 cudaStream_t stream)
{
  PRISM_EMULATION_ENTER ();
  return prism_emulation_return (enqueue_copy ({ (char *) to, (const char *) from, n_bytes, n_bytes, n_bytes, 1 },
                                               kind, stream, false));
}

extern "C" cudaError_t
cudaMemcpy2D (void *to,
              size_t to_pitch,
              const void *from,
              size_t from_pitch,
              size_t width,
              size_t height,
              cudaMemcpyKind kind)
{
  PRISM_EMULATION_ENTER ();
  return prism_emulation_return (copy_now ({ (char *) to, (const char *) from, to_pitch, from_pitch, width, height },
                                           kind));
}

static cudaError_t
enqueue_set (void *to,
             int value,
             size_t n_bytes,
             cudaStream_t stream)
{
  if (n_bytes == 0)
    return cudaSuccess;
  if (!check_side ("destination", to, n_bytes, true))
    return cudaErrorInvalidValue;
  return prism_emulation_enqueue (stream, [to, value, n_bytes] {
    device.counters.n_memsets++;
    memset (to, value, n_bytes);
  });
}

extern "C" cudaError_t
cudaMemsetAsync (void *to,
                 int value,
                 size_t n_bytes,
                 cudaStream_t stream)
{
  PRISM_EMULATION_ENTER ();
  return prism_emulation_return (enqueue_set (to, value, n_bytes, stream));
}

extern "C" cudaError_t
cudaMemset (void *to,
            int value,
            size_t n_bytes)
{
  PRISM_EMULATION_ENTER ();
  if (prism_emulation_forbids_waiting ())
    return prism_emulation_return (cudaErrorStreamCaptureUnsupported);
  return prism_emulation_return (enqueue_set (to, value, n_bytes, nullptr));
}

extern "C" cudaError_t
cudaMemcpyToSymbolAsync (const void *symbol,
                         const void *from,
                         size_t n_bytes,
                         size_t offset,
                         cudaMemcpyKind kind,
                         cudaStream_t stream)
{
  PRISM_EMULATION_ENTER ();
  char *to = static_cast<char *> (const_cast<void *> (symbol)) + offset;
  auto staged = std::make_shared<std::vector<char>> ();

  if (kind == cudaMemcpyHostToDevice)
    staged->assign (static_cast<const char *> (from), static_cast<const char *> (from) + n_bytes);
  return prism_emulation_return (prism_emulation_enqueue (stream, [to, from, n_bytes, kind, staged] {
    count_copy (kind, n_bytes);
    memcpy (to, kind == cudaMemcpyHostToDevice ? staged->data () : from, n_bytes);
  }));
}

extern "C" cudaError_t
cudaMemcpyToSymbol (const void *symbol,
                    const void *from,
                    size_t n_bytes,
                    size_t offset,
                    cudaMemcpyKind kind)
{
  return cudaMemcpyToSymbolAsync (symbol, from, n_bytes, offset, kind, nullptr);
}
