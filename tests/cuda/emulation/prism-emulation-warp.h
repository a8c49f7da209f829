/* prism-emulation-warp: barriers, shuffles and votes. Every lane of the mask must take part. */
#pragma once

#include "prism-emulation-thread.h"

static inline void
__syncthreads (void)
{
  prism_emulation_barrier ();
}

static inline int
__syncthreads_or (int predicate)
{
  return prism_emulation_barrier_vote (predicate).any;
}

static inline int
__syncthreads_count (int predicate)
{
  return prism_emulation_barrier_vote (predicate).count;
}

static inline void
__syncwarp (unsigned int mask = 0xffffffffu)
{
  prism_emulation_gather (mask, "__syncwarp", nullptr, nullptr);
}

/* What a lane brings to a shuffle and takes from it. */
template <typename T>
struct PrismEmulationShuffle
{
  T value;
  T result;
  int source;
};

template <typename T>
static void
prism_emulation_combine_shuffle (void **arguments,
                                 unsigned int mask)
{
  for (int lane = 0; lane < PRISM_EMULATION_WARP; lane++)
    if (mask >> lane & 1u)
      {
        auto *self = static_cast<PrismEmulationShuffle<T> *> (arguments[lane]);
        auto *other = static_cast<PrismEmulationShuffle<T> *> (arguments[self->source]);

        if (other == nullptr)
          prism_emulation_trap ("a shuffle reads a lane that takes no part in it");
        self->result = other->value;
      }
}

template <typename T>
static inline T
prism_emulation_shuffle (unsigned int mask,
                         const char *name,
                         T value,
                         int source)
{
  PrismEmulationShuffle<T> argument = { value, value, source };

  prism_emulation_gather (mask, name, &argument, prism_emulation_combine_shuffle<T>);
  return argument.result;
}

/* First lane of the segment of width lanes, and the lane within it. */
static inline int
prism_emulation_get_segment (int width)
{
  return (int) prism_emulation_self->lane & ~(width - 1);
}

template <typename T>
static inline T
__shfl_sync (unsigned int mask,
             T value,
             int source,
             int width = PRISM_EMULATION_WARP)
{
  return prism_emulation_shuffle (mask, "__shfl_sync", value,
                                  prism_emulation_get_segment (width) + (source & (width - 1)));
}

template <typename T>
static inline T
__shfl_up_sync (unsigned int mask,
                T value,
                unsigned int delta,
                int width = PRISM_EMULATION_WARP)
{
  const int lane = (int) prism_emulation_self->lane, source = lane - (int) delta;

  return prism_emulation_shuffle (mask, "__shfl_up_sync", value,
                                  source < prism_emulation_get_segment (width) ? lane : source);
}

template <typename T>
static inline T
__shfl_down_sync (unsigned int mask,
                  T value,
                  unsigned int delta,
                  int width = PRISM_EMULATION_WARP)
{
  const int lane = (int) prism_emulation_self->lane, source = lane + (int) delta;

  return prism_emulation_shuffle (mask, "__shfl_down_sync", value,
                                  source >= prism_emulation_get_segment (width) + width
                                    ? lane
                                    : source);
}

template <typename T>
static inline T
__shfl_xor_sync (unsigned int mask,
                 T value,
                 int lane_mask,
                 int width = PRISM_EMULATION_WARP)
{
  const int lane = (int) prism_emulation_self->lane, source = lane ^ lane_mask;

  return prism_emulation_shuffle (mask, "__shfl_xor_sync", value,
                                  source >= prism_emulation_get_segment (width) + width
                                    ? lane
                                    : source);
}

struct PrismEmulationBallot
{
  int predicate;
  unsigned int result;
};

static void
prism_emulation_combine_ballot (void **arguments,
                                unsigned int mask)
{
  unsigned int ballot = 0;

  for (int lane = 0; lane < PRISM_EMULATION_WARP; lane++)
    if ((mask >> lane & 1u) && static_cast<PrismEmulationBallot *> (arguments[lane])->predicate)
      ballot |= 1u << lane;
  for (int lane = 0; lane < PRISM_EMULATION_WARP; lane++)
    if (mask >> lane & 1u)
      static_cast<PrismEmulationBallot *> (arguments[lane])->result = ballot;
}

static inline unsigned int
__ballot_sync (unsigned int mask,
               int predicate)
{
  PrismEmulationBallot argument = { predicate != 0, 0 };

  prism_emulation_gather (mask, "__ballot_sync", &argument, prism_emulation_combine_ballot);
  return argument.result;
}

static inline int
__any_sync (unsigned int mask,
            int predicate)
{
  return __ballot_sync (mask, predicate) != 0;
}

static inline int
__all_sync (unsigned int mask,
            int predicate)
{
  return __ballot_sync (mask, predicate) == mask;
}

static inline void
__trap (void)
{
  prism_emulation_trap ("__trap");
}
