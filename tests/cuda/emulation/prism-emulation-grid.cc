/* Runs kernels: blocks on up to PRISM_EMULATION_THREADS threads of the processor, the threads of a
 * block as fibers of one of them. */
#include "prism-emulation-fiber.h"
#include "prism-emulation-private.h"

#include <atomic>
#include <condition_variable>
#include <thread>

#include <link.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_THREADS 1024
#define MAX_WARPS (MAX_THREADS / PRISM_EMULATION_WARP)

enum State
{
  STATE_READY,
  STATE_AT_BARRIER,
  STATE_AT_GATHER,
  STATE_ENDED
};

struct Fiber
{
  PrismEmulationThread thread;          /* first: prism_emulation_self points here */
  PrismEmulationFiber fiber;
  State state;
  const char *gather;                   /* name */
  unsigned int gather_mask;
  void *argument;
  int predicate;
  unsigned int index, warp;
};

/* Thread-local memory of one file with kernels, where its __shared__ arrays lie. */
struct SharedRange
{
  void *anchor;
  char *begin;
  size_t n_bytes;
};

struct Grid
{
  dim3 grid, block;
  size_t shared_bytes;
  const PrismEmulationLaunch *launch;
  std::atomic<uint64_t> next;
  uint64_t n_blocks;
  uint64_t seed;                        /* 0: no random order */
};

/* A thread of the processor that runs blocks. */
struct Worker
{
  PrismEmulationFiber scheduler;
  Fiber *fibers;
  unsigned int n_allocated;
  unsigned int n_threads, n_ended, n_at_barrier, n_phases;
  unsigned int n_at_gather[MAX_WARPS];
  bool backwards;                       /* order of lanes under way */
  uint3 block_index;
  void *shared;
  size_t shared_bytes;
  PrismEmulationVote vote;
  const Grid *grid;
  std::vector<SharedRange> ranges;
};

PRISM_EMULATION_TLS PrismEmulationThread *prism_emulation_self;
PRISM_EMULATION_TLS uint3 threadIdx, blockIdx, blockDim, gridDim;
static PRISM_EMULATION_TLS Worker *worker_self;

static Fiber *
get_fiber (void)
{
  return reinterpret_cast<Fiber *> (prism_emulation_self);
}

[[noreturn]] static void __attribute__ ((format (printf, 2, 3)))
fail (const Worker *worker,
      const char *format,
      ...)
{
  const uint3 block = worker->block_index;
  va_list arguments;

  fprintf (stderr, "emulation: kernel %s, block (%u, %u, %u): ",
           prism_emulation_name_kernel (worker->grid->launch->kernel).c_str (),
           block.x, block.y, block.z);
  va_start (arguments, format);
  vfprintf (stderr, format, arguments);
  va_end (arguments);
  fprintf (stderr, "\n");
  abort ();
}

static const char *
describe (const Fiber *fiber)
{
  switch (fiber->state)
    {
    case STATE_AT_BARRIER:
      return "waits at __syncthreads";
    case STATE_AT_GATHER:
      return fiber->gather;
    case STATE_ENDED:
      return "has ended";
    default:
      return "runs";
    }
}

void
prism_emulation_trap (const char *why)
{
  fail (worker_self, "thread %u: %s", get_fiber ()->index, why);
}

/* The next lane of the warp that can run, in the order under way, or NULL. */
static Fiber *
find_next_lane (const Worker *worker,
                const Fiber *self)
{
  const int step = worker->backwards ? -1 : 1;
  Fiber *warp = &worker->fibers[self->warp * PRISM_EMULATION_WARP];

  for (int lane = (int) self->thread.lane + step; lane >= 0 && lane < PRISM_EMULATION_WARP; lane += step)
    if (self->warp * PRISM_EMULATION_WARP + lane < worker->n_threads && warp[lane].state == STATE_READY)
      return &warp[lane];
  return nullptr;
}

/* Goes on with the next lane, past the scheduler while the barrier is shut. */
static void
leave_thread (unsigned int phase)
{
  Fiber *self = get_fiber ();
  Worker *worker = worker_self;
  Fiber *next = worker->n_phases == phase ? find_next_lane (worker, self) : nullptr;

  if (next == nullptr)
    {
      prism_emulation_fiber_switch (&self->fiber, &worker->scheduler, false);
      return;
    }
  prism_emulation_self = &next->thread;
  threadIdx = next->thread.index;
  prism_emulation_fiber_switch (&self->fiber, &next->fiber, false);
}

static void
open_barrier (Worker *worker)
{
  PrismEmulationVote vote = { 0, 1, 0 };

  for (unsigned int i = 0; i < worker->n_threads; i++)
    {
      Fiber *fiber = &worker->fibers[i];

      vote.count += fiber->predicate != 0;
      vote.all &= fiber->predicate != 0;
      vote.any |= fiber->predicate != 0;
      fiber->state = STATE_READY;
    }
  worker->vote = vote;
  worker->n_at_barrier = 0;
  worker->n_phases++;
}

PrismEmulationVote
prism_emulation_barrier_vote (int predicate)
{
  Worker *worker = worker_self;
  Fiber *fiber = get_fiber ();

  const unsigned int phase = worker->n_phases;

  fiber->predicate = predicate;
  fiber->state = STATE_AT_BARRIER;
  worker->n_at_barrier++;
  if (worker->n_at_barrier == worker->n_threads)
    open_barrier (worker);
  leave_thread (phase);
  return worker->vote;
}

void
prism_emulation_barrier (void)
{
  prism_emulation_barrier_vote (0);
}

unsigned int
prism_emulation_get_active_mask (void)
{
  const Fiber *self = get_fiber ();
  const Worker *worker = worker_self;
  unsigned int mask = 0;

  for (unsigned int lane = 0; lane < PRISM_EMULATION_WARP; lane++)
    {
      const unsigned int i = self->warp * PRISM_EMULATION_WARP + lane;

      if (i < worker->n_threads && worker->fibers[i].state != STATE_ENDED)
        mask |= 1u << lane;
    }
  return mask;
}

/* Whether every lane of the mask waits at the same gathering; complains about those that never will. */
static bool
all_have_come (const Worker *worker,
               const Fiber *self,
               Fiber *warp)
{
  for (unsigned int lane = 0; lane < PRISM_EMULATION_WARP; lane++)
    {
      const Fiber *other = &warp[lane];

      if (!(self->gather_mask >> lane & 1u))
        continue;
      if (self->warp * PRISM_EMULATION_WARP + lane >= worker->n_threads)
        fail (worker, "thread %u: %s: lane %u of the mask does not exist", self->index, self->gather, lane);
      if (other->state == STATE_ENDED)
        fail (worker, "thread %u: %s: lane %u of the mask has ended", self->index, self->gather, lane);
      if (other->state != STATE_AT_GATHER || other->gather_mask != self->gather_mask
          || (other->gather != self->gather && strcmp (other->gather, self->gather) != 0))
        return false;
    }
  return true;
}

[[noreturn]] static void
fail_stuck (const Worker *worker)
{
  const Fiber *waiting = nullptr, *other = nullptr;

  for (unsigned int i = 0; i < worker->n_threads; i++)
    if (worker->fibers[i].state != STATE_ENDED && waiting == nullptr)
      waiting = &worker->fibers[i];
  if (waiting->state == STATE_AT_GATHER)
    all_have_come (worker, waiting, &worker->fibers[waiting->warp * PRISM_EMULATION_WARP]);
  for (unsigned int i = 0; i < worker->n_threads; i++)
    if (worker->fibers[i].state != waiting->state && other == nullptr)
      other = &worker->fibers[i];
  if (other == nullptr)
    fail (worker, "no thread can go on: lanes of a warp wait at different %s or with different masks",
          waiting->gather);
  fail (worker, "no thread can go on: thread %u: %s; thread %u: %s; not all have come",
        waiting->index, describe (waiting), other->index, describe (other));
}

void
prism_emulation_gather (unsigned int mask,
                        const char *name,
                        void *argument,
                        PrismEmulationCombine combine)
{
  Worker *worker = worker_self;
  Fiber *self = get_fiber ();
  Fiber *warp = &worker->fibers[self->warp * PRISM_EMULATION_WARP];
  const unsigned int n_lanes = mask == 0xffffffffu ? PRISM_EMULATION_WARP : __builtin_popcount (mask);
  void *arguments[PRISM_EMULATION_WARP];

  self->state = STATE_AT_GATHER;
  self->gather = name;
  self->gather_mask = mask;
  self->argument = argument;
  if (!(mask >> self->thread.lane & 1u))
    fail (worker, "thread %u: %s: its own lane is not in the mask", self->index, name);
  /* Only the last to come has to look at the others. */
  if (++worker->n_at_gather[self->warp] < n_lanes
      || !all_have_come (worker, self, warp))
    {
      leave_thread (worker->n_phases);
      return;
    }

  for (unsigned int lane = 0; combine != nullptr && lane < PRISM_EMULATION_WARP; lane++)
    arguments[lane] = mask >> lane & 1u ? warp[lane].argument : nullptr;
  if (combine != nullptr)
    combine (arguments, mask);
  worker->n_at_gather[self->warp] -= n_lanes;
  for (unsigned int lane = 0; lane < PRISM_EMULATION_WARP; lane++)
    if (mask >> lane & 1u)
      warp[lane].state = STATE_READY;
}

static void
go_on (Worker *worker,
       Fiber *fiber)
{
  prism_emulation_self = &fiber->thread;
  threadIdx = fiber->thread.index;
  prism_emulation_fiber_switch (&worker->scheduler, &fiber->fiber, false);
}

extern "C" __attribute__ ((weak)) void __asan_handle_no_return (void);

/* Ends a thread for good, from whatever depth. */
[[noreturn]] static void
end_thread (Worker *worker,
            Fiber *self)
{
  self->state = STATE_ENDED;
  worker->n_ended++;
  prism_emulation_fiber_switch (&self->fiber, &worker->scheduler, true);
  abort ();
}

static void
run_thread (void)
{
  Fiber *self = get_fiber ();
  Worker *worker = worker_self;
  const PrismEmulationLaunch *launch = worker->grid->launch;

  prism_emulation_fiber_entered (&self->fiber);
  launch->call (launch->arguments);
  end_thread (worker, self);
}

/* Runs what can of one warp; the order of its lanes turns round after every barrier, so that a
 * missing one shows. */
static bool
run_warp (Worker *worker,
          unsigned int warp,
          bool backwards)
{
  const unsigned int first = warp * PRISM_EMULATION_WARP;
  const unsigned int end = first + PRISM_EMULATION_WARP < worker->n_threads ? first + PRISM_EMULATION_WARP
                                                                            : worker->n_threads;
  const unsigned int phase = worker->n_phases;
  bool any = false, again = true;

  worker->backwards = backwards;
  /* Until the block's barrier opens: then another order begins. */
  while (again && worker->n_phases == phase)
    {
      again = false;
      for (unsigned int i = first; i < end && worker->n_phases == phase; i++)
        {
          Fiber *fiber = &worker->fibers[backwards ? first + end - 1 - i : i];

          if (fiber->state == STATE_READY)
            {
              go_on (worker, fiber);
              again = any = true;
            }
        }
    }
  return any;
}

static uint64_t
scramble (uint64_t x)
{
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/* Warps in turn: up and down after each other, or shuffled where a seed is given. */
static void
run_threads (Worker *worker,
             uint64_t block)
{
  const unsigned int n_warps = (worker->n_threads + PRISM_EMULATION_WARP - 1) / PRISM_EMULATION_WARP;
  const uint64_t seed = worker->grid->seed;

  while (worker->n_ended < worker->n_threads)
    {
      const uint64_t random = scramble (seed + block * 977 + worker->n_phases);
      const bool backwards = seed != 0 ? random >> 40 & 1 : (worker->n_phases + block) & 1;
      const unsigned int start = seed != 0 ? random % n_warps : 0, phase = worker->n_phases;
      bool any = false;

      for (unsigned int i = 0; i < n_warps && worker->n_phases == phase; i++)
        {
          const unsigned int warp = (start + (backwards ? n_warps - 1 - i : i)) % n_warps;

          any |= run_warp (worker, warp, backwards);
        }
      if (!any)
        fail_stuck (worker);
    }
}

static int
find_module (struct dl_phdr_info *info,
             size_t size,
             void *data)
{
  SharedRange *range = static_cast<SharedRange *> (data);
  char *begin = static_cast<char *> (info->dlpi_tls_data), *anchor = static_cast<char *> (range->anchor);

  for (int i = 0; begin != nullptr && i < info->dlpi_phnum; i++)
    if (info->dlpi_phdr[i].p_type == PT_TLS && anchor >= begin
        && anchor < begin + info->dlpi_phdr[i].p_memsz)
      {
        range->begin = begin;
        range->n_bytes = info->dlpi_phdr[i].p_memsz;
        return 1;
      }
  return 0;
}

/* The __shared__ arrays of this thread of the processor, all of the kernel's library. */
static const SharedRange *
get_range (Worker *worker)
{
  SharedRange range = { worker->grid->launch->touch (), nullptr, 0 };

  for (const SharedRange &known : worker->ranges)
    if (known.anchor == range.anchor)
      return &known;
  dl_iterate_phdr (find_module, &range);
  worker->ranges.push_back (range);
  return &worker->ranges.back ();
}

void
prism_emulation_poison (void *begin,
                        size_t n_bytes)
{
  const uint32_t poison = PRISM_EMULATION_POISON;
  char *bytes = static_cast<char *> (begin);

  if (n_bytes < sizeof poison)
    {
      memcpy (bytes, &poison, n_bytes);
      return;
    }
  memcpy (bytes, &poison, sizeof poison);
  for (size_t done = sizeof poison; done < n_bytes;)
    {
      const size_t more = done < n_bytes - done ? done : n_bytes - done;

      memcpy (bytes + done, bytes, more);
      done += more;
    }
}

static void
prepare_fiber (Worker *worker,
               unsigned int i)
{
  const Grid *grid = worker->grid;
  Fiber *fiber = &worker->fibers[i];

  if (i >= worker->n_allocated)
    {
      prism_emulation_fiber_allocate (&fiber->fiber);
      worker->n_allocated = i + 1;
    }
  fiber->thread.index = { i % grid->block.x, i / grid->block.x % grid->block.y,
                          i / grid->block.x / grid->block.y };
  fiber->thread.dynamic_shared = worker->shared;
  fiber->thread.lane = i % PRISM_EMULATION_WARP;
  fiber->index = i;
  fiber->warp = i / PRISM_EMULATION_WARP;
  fiber->state = STATE_READY;
  prism_emulation_fiber_prepare (&fiber->fiber, run_thread);
}

static void
run_block (Worker *worker,
           uint64_t block)
{
  const Grid *grid = worker->grid;
  const SharedRange *range = get_range (worker);

  worker->block_index = { (unsigned int) (block % grid->grid.x),
                          (unsigned int) (block / grid->grid.x % grid->grid.y),
                          (unsigned int) (block / grid->grid.x / grid->grid.y) };
  blockIdx = worker->block_index;
  blockDim = { grid->block.x, grid->block.y, grid->block.z };
  gridDim = { grid->grid.x, grid->grid.y, grid->grid.z };
  worker->n_threads = grid->block.x * grid->block.y * grid->block.z;
  worker->n_ended = worker->n_at_barrier = worker->n_phases = 0;
  memset (worker->n_at_gather, 0, sizeof worker->n_at_gather);
  prism_emulation_poison (range->begin, range->n_bytes);
  prism_emulation_poison (worker->shared, grid->shared_bytes);
  for (unsigned int i = 0; i < worker->n_threads; i++)
    prepare_fiber (worker, i);
  run_threads (worker, block);
}

/* The stack of this thread of the processor, which the sanitizer wants to know on the way back. */
static void
find_own_stack (PrismEmulationFiber *fiber)
{
  pthread_attr_t attributes;

  pthread_getattr_np (pthread_self (), &attributes);
  pthread_attr_getstack (&attributes, &fiber->stack, &fiber->stack_size);
  pthread_attr_destroy (&attributes);
}

static Worker *
get_worker (void)
{
  if (worker_self == nullptr)
    {
      worker_self = new Worker ();
      worker_self->fibers = static_cast<Fiber *> (calloc (MAX_THREADS, sizeof (Fiber)));
      find_own_stack (&worker_self->scheduler);
    }
  return worker_self;
}

/* Takes blocks until none is left. Every other launch begins at the last block. */
static void
run_blocks (Grid *grid)
{
  Worker *worker = get_worker ();
  const bool backwards = grid->seed != 0 && (scramble (grid->seed) & 1);

  worker->grid = grid;
  /* As PRISM_CUDA_DYNAMIC_SHARED asks for; not a byte more, so that the sanitizer sees the end. */
  if (posix_memalign (&worker->shared, 32, grid->shared_bytes) != 0)
    worker->shared = nullptr;
  for (uint64_t i = grid->next++; i < grid->n_blocks; i = grid->next++)
    run_block (worker, backwards ? grid->n_blocks - 1 - i : i);
  free (worker->shared);
  prism_emulation_self = nullptr;
}

/* Helpers that wait for launches; they live as long as the process. */
struct Helpers
{
  std::mutex mutex;
  std::condition_variable changed;
  Grid *grid = nullptr;
  uint64_t n_launches = 0;
  unsigned int n_busy = 0, n_helpers = 0;
};

static Helpers *helpers;

static void
help (void)
{
  uint64_t seen = 0;

  std::unique_lock<std::mutex> lock (helpers->mutex);
  while (true)
    {
      helpers->changed.wait (lock, [&] { return helpers->grid != nullptr && helpers->n_launches != seen; });
      seen = helpers->n_launches;
      Grid *grid = helpers->grid;
      helpers->n_busy++;
      lock.unlock ();
      run_blocks (grid);
      lock.lock ();
      helpers->n_busy--;
      helpers->changed.notify_all ();
    }
}

static unsigned int
get_n_threads (void)
{
  const char *wanted = getenv ("PRISM_EMULATION_THREADS");
  long n = wanted != nullptr ? atol (wanted) : sysconf (_SC_NPROCESSORS_ONLN);

  return n < 1 ? 1 : n > 8 ? 8 : (unsigned int) n;
}

static void
start_helpers (void)
{
  helpers = new Helpers ();
  helpers->n_helpers = get_n_threads () - 1;
  for (unsigned int i = 0; i < helpers->n_helpers; i++)
    std::thread (help).detach ();
}

static void
run_with_helpers (Grid *grid)
{
  {
    std::lock_guard<std::mutex> lock (helpers->mutex);
    helpers->grid = grid;
    helpers->n_launches++;
    helpers->changed.notify_all ();
  }
  run_blocks (grid);
  std::unique_lock<std::mutex> lock (helpers->mutex);
  helpers->grid = nullptr;
  helpers->changed.wait (lock, [] { return helpers->n_busy == 0; });
}

void
prism_emulation_grid_run (const dim3 &size,
                          const dim3 &block,
                          size_t shared_bytes,
                          const PrismEmulationLaunch &launch)
{
  Grid grid;

  grid.grid = size;
  grid.block = block;
  grid.shared_bytes = shared_bytes;
  grid.launch = &launch;
  grid.next = 0;
  grid.n_blocks = (uint64_t) size.x * size.y * size.z;
  grid.seed = prism_emulation_device.order != 0 ? prism_emulation_get_random (UINT64_MAX) + 1 : 0;
  if (helpers == nullptr)
    start_helpers ();
  if (helpers->n_helpers > 0 && grid.n_blocks >= 4)
    run_with_helpers (&grid);
  else
    run_blocks (&grid);
}
