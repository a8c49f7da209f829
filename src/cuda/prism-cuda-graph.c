#include "config.h"

#include "prism-cuda-backend.h"

#include "base/prism-number.h"

/* A run meets a shape for each number of terms and, where the past is held, each size of the union
 * of apertures; most of them never again. */
#define MAX_GRAPHS 16

typedef struct
{
  gpointer key;
  cudaGraphExec_t executable; /* NULL: not yet captured */
  guint n_met;                /* while it was not */
  guint64 used;               /* when, in launches */
} PrismCudaCapture;

struct _PrismCudaGraph
{
  PrismCudaContext *context;
  const PrismCudaGraphKind *kind;
  gpointer data;
  gboolean enabled;
  guint64 n_launches;
  guint n_captures;
  PrismCudaCapture captures[MAX_GRAPHS];
};

/**
 * prism_cuda_graph_new:
 * @context: of the run; must outlive the captured work
 * @kind: of the work
 * @data: for @kind
 *
 * Thread: engine.
 *
 * Returns: (transfer full): nothing captured yet
 */
PrismCudaGraph *
prism_cuda_graph_new (PrismCudaContext *context,
                      const PrismCudaGraphKind *kind,
                      gpointer data)
{
  PrismCudaGraph *self = g_new0 (PrismCudaGraph, 1);

  self->context = context;
  self->kind = kind;
  self->data = data;
  self->enabled = g_getenv ("PRISM_CUDA_NO_GRAPH") == NULL && g_getenv ("PRISM_NO_GRAPH") == NULL;
  return self;
}

static void
clear_capture (PrismCudaGraph *self,
               PrismCudaCapture *old)
{
  if (old->executable != NULL && !self->context->lost)
    cudaGraphExecDestroy (old->executable);
  g_free (old->key);
  *old = (PrismCudaCapture) { NULL };
}

/**
 * prism_cuda_graph_free:
 * @self: (nullable): captured work
 *
 * Frees them; leaves them behind when the device is lost.
 *
 * Thread: engine.
 */
void
prism_cuda_graph_free (PrismCudaGraph *self)
{
  if (self == NULL)
    return;
  for (guint i = 0; i < self->n_captures; i++)
    clear_capture (self, &self->captures[i]);
  g_free (self);
}

/**
 * prism_cuda_graph_is_enabled:
 * @self: captured work
 *
 * Thread: engine.
 *
 * Returns: whether anything is captured at all
 */
gboolean
prism_cuda_graph_is_enabled (PrismCudaGraph *self)
{
  return self->enabled;
}

/* The capture has to be ended even when a kernel could not be queued; that error is the one to
 * tell. */
static cudaError_t
capture (PrismCudaGraph *self,
         gconstpointer key,
         cudaGraphExec_t *executable)
{
  cudaStream_t stream = self->context->streams.main;
  cudaGraph_t graph = NULL;
  cudaError_t queued, status;

  PRISM_CUDA_TRY (cudaStreamBeginCapture (stream, cudaStreamCaptureModeThreadLocal));
  queued = self->kind->queue (key, self->data);
  status = cudaStreamEndCapture (stream, &graph);
  if (queued != cudaSuccess)
    status = queued;
  if (status == cudaSuccess)
    status = cudaGraphInstantiateWithFlags (executable, graph,
                                            cudaGraphInstantiateFlagUseNodePriority);
  if (graph != NULL)
    cudaGraphDestroy (graph);
  self->context->counters.n_captures++;
  return status;
}

/* The oldest makes room; a graph under way is freed by the driver when it is through. */
static PrismCudaCapture *
choose_place (PrismCudaGraph *self)
{
  PrismCudaCapture *oldest = &self->captures[0];

  if (self->n_captures < MAX_GRAPHS)
    return &self->captures[self->n_captures++];
  for (guint i = 1; i < MAX_GRAPHS; i++)
    if (self->captures[i].used < oldest->used)
      oldest = &self->captures[i];
  clear_capture (self, oldest);
  return oldest;
}

/**
 * prism_cuda_graph_launch:
 * @self: captured work
 * @key: of what is to be done, of the kind's size
 *
 * Runs the work of a key on the main stream, with the same result whether it was captured or not.
 *
 * Errors: cudaErrorMemoryAllocation when there is no room for the graph; nothing has run then.
 * Thread: engine.
 *
 * Returns: what the runtime reports
 */
cudaError_t
prism_cuda_graph_launch (PrismCudaGraph *self,
                         gconstpointer key)
{
  PrismCudaCapture *found = NULL;

  if (!self->enabled)
    return self->kind->queue (key, self->data);

  for (guint i = 0; found == NULL && i < self->n_captures; i++)
    if (memcmp (self->captures[i].key, key, self->kind->key_bytes) == 0)
      found = &self->captures[i];
  if (found == NULL)
    {
      found = choose_place (self);
      found->key = g_memdup2 (key, self->kind->key_bytes);
    }
  found->used = ++self->n_launches;
  if (found->executable == NULL && found->n_met++ < self->kind->n_uncaptured)
    return self->kind->queue (key, self->data);
  if (found->executable == NULL)
    PRISM_CUDA_TRY (capture (self, key, &found->executable));
  self->context->counters.n_launches++;
  return cudaGraphLaunch (found->executable, self->context->streams.main);
}

/* ---- how long it takes ---- */

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
      prism_cuda_context_destroy_event (self->begin);
      prism_cuda_context_destroy_event (self->end);
      for (guint i = 0; i < N_MARKS; i++)
        prism_cuda_context_destroy_event (self->marks[i]);
    }
  g_free (self);
}

static cudaError_t
record (PrismCudaTiming *self,
        cudaEvent_t *event)
{
  if (*event == NULL)
    PRISM_CUDA_TRY (cudaEventCreate (event));
  return cudaEventRecord (*event, self->context->streams.main);
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
