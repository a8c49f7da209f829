/* The emulated device itself: what it is, what it has come to, and the faults that the environment
 * asks for. */
#include "prism-emulation-private.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

PrismEmulationDevice prism_emulation_device;

static PrismEmulationDevice &device = prism_emulation_device;

void
prism_emulation_say (const char *format,
                     ...)
{
  va_list arguments;

  fprintf (stderr, "emulation: ");
  va_start (arguments, format);
  vfprintf (stderr, format, arguments);
  va_end (arguments);
  fprintf (stderr, "\n");
}

/* xorshift64*; state never 0. */
uint64_t
prism_emulation_get_random (uint64_t bound)
{
  device.random ^= device.random >> 12;
  device.random ^= device.random << 25;
  device.random ^= device.random >> 27;
  return (device.random * 0x2545f4914f6cdd1du >> 11) % bound;
}

/* One fault, "NAME" or "NAME:COUNT" or "NAME:COUNT+". */
static void
read_fault (PrismEmulationFaults *faults,
            const std::string &text)
{
  const size_t colon = text.find (':');
  const std::string name = text.substr (0, colon);
  const uint64_t count = colon == std::string::npos ? 1 : strtoull (&text[colon + 1], nullptr, 10);

  if (name == "allocation" && text.back () == '+')
    faults->fail_allocations_from = count;
  else if (name == "allocation")
    faults->fail_allocation = count;
  else if (name == "memory")
    faults->memory_limit = count;
  else if (name == "illegal-address")
    faults->illegal_address = count;
  else if (name == "launch-failure")
    faults->launch_failure = count;
  else if (name == "hang")
    faults->hang = count;
  else if (name == "nan")
    faults->nan = count;
  else if (name == "lost")
    faults->lost = count;
  else if (name == "busy")
    faults->busy = count;
  else if (name == "late")
    faults->late = count;
  else if (name == "open")
    faults->open = count;
  else if (name == "no-device")
    faults->no_device = true;
  else if (name == "no-driver")
    faults->no_driver = true;
  else if (name == "old-driver")
    faults->old_driver = true;
  else
    {
      prism_emulation_say ("PRISM_EMULATION_FAULT: there is no fault named %s", text.c_str ());
      abort ();
    }
}

static void
read_faults (const char *text)
{
  const std::string all = text != nullptr ? text : "";

  device.faults = PrismEmulationFaults ();
  for (size_t begin = 0; begin < all.size ();)
    {
      size_t end = all.find (',', begin);

      if (end == std::string::npos)
        end = all.size ();
      if (end > begin)
        read_fault (&device.faults, all.substr (begin, end - begin));
      begin = end + 1;
    }
}

void
prism_emulation_prepare (void)
{
  const char *order = getenv ("PRISM_EMULATION_ORDER"), *architecture = getenv ("PRISM_EMULATION_ARCHITECTURE");
  const char *driver = getenv ("PRISM_EMULATION_DRIVER");

  if (device.prepared)
    return;
  device.prepared = true;
  device.architecture = architecture != nullptr ? atoi (architecture) : 90;
  device.driver = driver != nullptr ? atoi (driver) : CUDART_VERSION;
  read_faults (getenv ("PRISM_EMULATION_FAULT"));
  prism_emulation_set_order (order != nullptr ? strtoull (order, nullptr, 10) : 0);
}

extern "C" void
prism_emulation_set_order (uint64_t seed)
{
  std::lock_guard<std::recursive_mutex> guard (device.mutex);

  prism_emulation_prepare ();
  device.order = seed;
  device.random = seed * 0x9e3779b97f4a7c15u + 0x853c49e6748fea9bu;
}

extern "C" void
prism_emulation_set_fault (const char *fault)
{
  std::lock_guard<std::recursive_mutex> guard (device.mutex);

  prism_emulation_prepare ();
  read_faults (fault);
  device.n_launches = device.n_allocations = 0;
}

extern "C" void
prism_emulation_reset (void)
{
  std::lock_guard<std::recursive_mutex> guard (device.mutex);

  prism_emulation_drop_work ();
  device.prepared = false;
  device.sticky = device.last = cudaSuccess;
  device.n_launches = device.n_allocations = 0;
  prism_emulation_prepare ();
}

extern "C" void
prism_emulation_get_counters (PrismEmulationCounters *counters)
{
  std::lock_guard<std::recursive_mutex> guard (device.mutex);

  *counters = device.counters;
}

static cudaError_t
get_state (void)
{
  prism_emulation_prepare ();
  if (device.faults.no_driver || device.faults.old_driver)
    return cudaErrorInsufficientDriver;
  if (device.faults.no_device)
    return cudaErrorNoDevice;
  return device.sticky;
}

PrismEmulationEntry::PrismEmulationEntry ()
  : guard (device.mutex), error (get_state ())
{
}

cudaError_t
prism_emulation_return (cudaError_t error)
{
  if (error != cudaSuccess && error != cudaErrorNotReady)
    device.last = error;
  return error;
}

extern "C" const char *
cudaGetErrorName (cudaError_t error)
{
  switch (error)
    {
#define X(name, value) \
  case name: \
    return #name;
      PRISM_EMULATION_ERRORS (X)
#undef X
    }
  return "unrecognized error code";
}

extern "C" const char *
cudaGetErrorString (cudaError_t error)
{
  switch (error)
    {
    case cudaSuccess:
      return "no error";
    case cudaErrorInvalidValue:
      return "invalid argument";
    case cudaErrorMemoryAllocation:
      return "out of memory";
    case cudaErrorInvalidConfiguration:
      return "invalid configuration argument";
    case cudaErrorInsufficientDriver:
      return "CUDA driver version is insufficient for CUDA runtime version";
    case cudaErrorNoDevice:
      return "no CUDA-capable device is detected";
    case cudaErrorNotReady:
      return "device not ready";
    case cudaErrorIllegalAddress:
      return "an illegal memory access was encountered";
    case cudaErrorLaunchFailure:
      return "unspecified launch failure";
    case cudaErrorUnknown:
      return "unknown error";
    default:
      return cudaGetErrorName (error);
    }
}

extern "C" cudaError_t
cudaPeekAtLastError (void)
{
  PrismEmulationEntry entry;

  return entry.error != cudaSuccess ? entry.error : device.last;
}

extern "C" cudaError_t
cudaGetLastError (void)
{
  const cudaError_t error = cudaPeekAtLastError ();

  device.last = cudaSuccess;
  return error;
}

extern "C" cudaError_t
cudaDriverGetVersion (int *version)
{
  PrismEmulationEntry entry;

  *version = device.faults.no_driver ? 0 : device.faults.old_driver ? 11040 : device.driver;
  return cudaSuccess;
}

extern "C" cudaError_t
cudaRuntimeGetVersion (int *version)
{
  *version = CUDART_VERSION;
  return cudaSuccess;
}

extern "C" cudaError_t
cudaGetDeviceCount (int *count)
{
  *count = 0;
  PRISM_EMULATION_ENTER ();
  *count = device.faults.busy > 0 ? 2 : 1;
  return cudaSuccess;
}

extern "C" cudaError_t
cudaGetDevice (int *number)
{
  PRISM_EMULATION_ENTER ();
  *number = device.current;
  return cudaSuccess;
}

static bool
is_device_number (int number)
{
  return number == 0 || (number == 1 && device.faults.busy > 0);
}

extern "C" cudaError_t
cudaSetDevice (int number)
{
  PRISM_EMULATION_ENTER ();
  if (!is_device_number (number))
    return prism_emulation_return (cudaErrorInvalidDevice);
  if ((uint64_t) number < device.faults.busy)
    return prism_emulation_return (cudaErrorDevicesUnavailable);
  if (device.faults.open != 0)
    return prism_emulation_return ((cudaError_t) device.faults.open);
  device.current = number;
  return cudaSuccess;
}

/* Shared memory that one block may ask for. */
static size_t
get_shared_limit (void)
{
  switch (device.architecture)
    {
    case 75:
      return 64 * 1024;
    case 80:
      return 163 * 1024;
    case 86:
    case 89:
    case 120:
      return 99 * 1024;
    default:
      return 227 * 1024;
    }
}

static void
describe_device (cudaDeviceProp *properties)
{
  const bool hopper = device.architecture >= 90;

  memset (properties, 0, sizeof *properties);
  snprintf (properties->name, sizeof properties->name, "Emulated GPU (sm_%d)", device.architecture);
  properties->sharedMemPerBlock = 48 * 1024;
  properties->sharedMemPerBlockOptin = get_shared_limit ();
  properties->sharedMemPerMultiprocessor = get_shared_limit () + 1024;
  properties->warpSize = PRISM_EMULATION_WARP;
  properties->maxThreadsPerBlock = properties->maxThreadsDim[0] = properties->maxThreadsDim[1] = 1024;
  properties->maxThreadsDim[2] = 64;
  properties->maxGridSize[0] = INT32_MAX;
  properties->maxGridSize[1] = properties->maxGridSize[2] = 65535;
  properties->major = device.architecture / 10;
  properties->minor = device.architecture % 10;
  properties->multiProcessorCount = hopper ? 132 : 40;
  properties->l2CacheSize = hopper ? 50 << 20 : 4 << 20;
  properties->maxThreadsPerMultiProcessor = device.architecture == 75 ? 1024 : 2048;
}

extern "C" cudaError_t
cudaGetDeviceProperties (cudaDeviceProp *properties,
                         int number)
{
  PRISM_EMULATION_ENTER ();
  if (!is_device_number (number))
    return prism_emulation_return (cudaErrorInvalidDevice);
  describe_device (properties);
  return cudaSuccess;
}

static int
get_attribute (const cudaDeviceProp &properties,
               cudaDeviceAttr attribute)
{
  switch (attribute)
    {
    case cudaDevAttrMultiProcessorCount:
      return properties.multiProcessorCount;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      return properties.maxThreadsPerMultiProcessor;
    case cudaDevAttrComputeCapabilityMajor:
      return properties.major;
    case cudaDevAttrComputeCapabilityMinor:
      return properties.minor;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      return (int) properties.sharedMemPerMultiprocessor;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      return (int) properties.sharedMemPerBlockOptin;
    }
  return -1;
}

extern "C" cudaError_t
cudaDeviceGetAttribute (int *value,
                        cudaDeviceAttr attribute,
                        int number)
{
  cudaDeviceProp properties;

  PRISM_EMULATION_ENTER ();
  describe_device (&properties);
  *value = get_attribute (properties, attribute);
  return prism_emulation_return (*value >= 0 ? cudaSuccess : cudaErrorInvalidValue);
}

extern "C" cudaError_t
cudaDeviceGetStreamPriorityRange (int *least,
                                  int *greatest)
{
  PRISM_EMULATION_ENTER ();
  *least = 0;
  *greatest = -5;
  return cudaSuccess;
}
