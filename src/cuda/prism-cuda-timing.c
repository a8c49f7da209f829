#include "config.h"

#include "prism-cuda-timing.h"

#include "base/prism-number.h"
#include "prism-cuda-types.h"

#define N_TIMES 1024
#define N_MARKS (PRISM_CUDA_MAX_CHUNK * (PRISM_CUDA_N_PARTS + 1))

static const char *const part_names[PRISM_CUDA_N_PARTS] = {
  "decoder forward",
  "telescope and loss",
  "decoder backward and Adam",
};

static const char *const step_name = "step, as one graph";

typedef struct
{
  double values[N_TIMES]; /* ms, ring */
  guint n_values;
} PrismCudaTimes;

struct _PrismCudaTiming
{
  PrismCudaContext *context;
  gboolean by_part;
  cudaEvent_t begin, end;     /* of a chunk */
  cudaEvent_t marks[N_MARKS]; /* made when first used */
  guint n_marks;              /* of the chunk under way */
  PrismCudaTimes times[PRISM_CUDA_N_PARTS];
};

/**
 * prism_cuda_timing_new:
 * @context: of the run; must outlive the timing
 * @by_part: whether parts are timed rather than whole steps: inside a graph that is not possible
 *
 * Thread: engine.
 *
 * Returns: (transfer full): no times yet
 */
PrismCudaTiming *
prism_cuda_timing_new (PrismCudaContext *context,
                       gboolean by_part)
{
  PrismCudaTiming *self = g_new0 (PrismCudaTiming, 1);

  self->context = context;
  self->by_part = by_part;
  return self;
}

static void
destroy (cudaEvent_t event)
{
  if (event != NULL)
    cudaEventDestroy (event);
}

/**
 * prism_cuda_timing_free:
 * @self: (nullable): times
 *
 * Frees them; leaves the events behind when the device is lost.
 *
 * Thread: engine.
 */
void
prism_cuda_timing_free (PrismCudaTiming *self)
{
  if (self == NULL)
    return;
  if (!self->context->lost)
    {
      destroy (self->begin);
      destroy (self->end);
      for (guint i = 0; i < N_MARKS; i++)
        destroy (self->marks[i]);
    }
  g_free (self);
}

static cudaError_t
record (PrismCudaTiming *self,
        cudaEvent_t *event)
{
  cudaError_t status = *event == NULL ? cudaEventCreate (event) : cudaSuccess;

  return status == cudaSuccess ? cudaEventRecord (*event, self->context->streams.main) : status;
}

/**
 * prism_cuda_timing_mark:
 * @self: times
 * @part: what begins on the main stream
 *
 * Thread: engine.
 *
 * Returns: what the runtime reports
 */
cudaError_t
prism_cuda_timing_mark (PrismCudaTiming *self,
                        guint part)
{
  if (!self->by_part || self->n_marks == N_MARKS)
    return cudaSuccess;
  return record (self, &self->marks[self->n_marks++]);
}

/**
 * prism_cuda_timing_begin:
 * @self: times
 *
 * Thread: engine.
 *
 * Returns: what the runtime reports
 */
cudaError_t
prism_cuda_timing_begin (PrismCudaTiming *self)
{
  self->n_marks = 0;
  return record (self, &self->begin);
}

/**
 * prism_cuda_timing_end:
 * @self: times
 *
 * Thread: engine.
 *
 * Returns: what the runtime reports
 */
cudaError_t
prism_cuda_timing_end (PrismCudaTiming *self)
{
  return record (self, &self->end);
}

static void
add_time (PrismCudaTimes *times,
          cudaEvent_t begin,
          cudaEvent_t end,
          guint n_steps)
{
  float milliseconds;

  if (cudaEventElapsedTime (&milliseconds, begin, end) == cudaSuccess)
    times->values[times->n_values++ % N_TIMES] = milliseconds / n_steps;
}

/**
 * prism_cuda_timing_collect:
 * @self: times
 * @n_steps: steps between begin and end, at least 1
 *
 * Takes the times of a chunk that the device is through with.
 *
 * Thread: engine.
 */
void
prism_cuda_timing_collect (PrismCudaTiming *self,
                           guint n_steps)
{
  if (!self->by_part)
    add_time (&self->times[0], self->begin, self->end, n_steps);
  for (guint i = 0; i + PRISM_CUDA_N_PARTS < self->n_marks; i += PRISM_CUDA_N_PARTS + 1)
    for (guint part = 0; part < PRISM_CUDA_N_PARTS; part++)
      add_time (&self->times[part], self->marks[i + part], self->marks[i + part + 1], 1);
  self->n_marks = 0;
}

/**
 * prism_cuda_timing_take:
 * @self: times
 * @part: number of a part, from 0
 * @name: (out): what it is called
 *
 * The median since the last call.
 *
 * Units: milliseconds of a step.
 * Thread: engine.
 *
 * Returns: the time, 0 where there is none, -1 for a part that does not exist
 */
double
prism_cuda_timing_take (PrismCudaTiming *self,
                        guint part,
                        const char **name)
{
  PrismCudaTimes *times = &self->times[MIN (part, PRISM_CUDA_N_PARTS - 1)];
  guint n = MIN (times->n_values, N_TIMES);

  if (part >= (self->by_part ? PRISM_CUDA_N_PARTS : 1))
    return -1.0;
  *name = self->by_part ? part_names[part] : step_name;
  times->n_values = 0;
  if (n == 0)
    return 0.0;
  prism_sort_doubles (times->values, n);
  return times->values[n / 2];
}
