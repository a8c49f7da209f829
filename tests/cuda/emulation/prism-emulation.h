/* prism-emulation: what tests ask of the emulated device beside the CUDA runtime's interface. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct
{
  uint64_t n_launches;                  /* kernels run, those of graphs included */
  uint64_t n_graph_launches;
  uint64_t n_captures;                  /* ended captures */
  uint64_t n_to_device, bytes_to_device;
  uint64_t n_to_host, bytes_to_host;
  uint64_t n_pinned_copies;             /* of both, those whose host memory is pinned */
  uint64_t n_within_device, bytes_within_device;
  uint64_t n_memsets;
  uint64_t n_waits;                     /* calls that wait for the device */
  uint64_t n_queries;                   /* of events and streams */
  uint64_t n_allocations;               /* of device memory, since the process began */
  uint64_t n_live_allocations;          /* device and pinned */
  uint64_t bytes_device, bytes_device_peak;
  uint64_t bytes_pinned;
  uint64_t n_streams, n_events, n_graphs, n_executables;  /* alive */
} PrismEmulationCounters;

void prism_emulation_get_counters (PrismEmulationCounters *counters);

/* Forgets errors, work under way and counted launches and allocations, and reads the environment
 * anew (PRISM_EMULATION_…, see README.md): as a new process would see the device. Memory, streams
 * and events stay. */
void prism_emulation_reset (void);

/* One fault in the notation of PRISM_EMULATION_FAULT, such as "illegal-address:3" counted from now;
 * NULL clears all. */
void prism_emulation_set_fault (const char *fault);

/* As PRISM_EMULATION_ORDER. */
void prism_emulation_set_order (uint64_t seed);

/* Marks bytes between two arrays of one allocation as out of bounds, where the address sanitizer
 * runs; nothing otherwise. Multiples of 8. */
void prism_emulation_forbid (void *begin, size_t n_bytes);

#ifdef __cplusplus
}
#endif
