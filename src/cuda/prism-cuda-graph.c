#include "config.h"

#include "prism-cuda-graph.h"

#include <string.h>

/* A run meets a shape for each number of terms and, where the past is held, each size of the union
 * of apertures; most of them never again. */
#define MAX_GRAPHS 16

typedef struct
{
  PrismCudaGraphKey key;
  cudaGraphExec_t executable;
  guint64 used; /* when, in launches */
} PrismCudaCapture;

struct _PrismCudaGraph
{
  PrismCudaContext *context;
  PrismCudaGraphFunc func;
  gpointer data;
  gboolean enabled;
  guint n_steps; /* of a graph, where as many alike come together */
  guint n_captures;
  PrismCudaCapture captures[MAX_GRAPHS];
};

/* What is best is for a card to say. */
static guint
choose_n_steps (void)
{
  const char *text = g_getenv ("PRISM_CUDA_GRAPH_STEPS");
  guint64 n_steps = text != NULL ? g_ascii_strtoull (text, NULL, 10) : 1;

  return (guint) CLAMP (n_steps, 1, PRISM_CUDA_MAX_CHUNK);
}

/**
 * prism_cuda_graph_new:
 * @context: of the run; must outlive the captured steps
 * @func: queues the steps of a key
 * @data: for @func
 *
 * Thread: engine.
 *
 * Returns: (transfer full): no captured step yet
 */
PrismCudaGraph *
prism_cuda_graph_new (PrismCudaContext *context,
                      PrismCudaGraphFunc func,
                      gpointer data)
{
  PrismCudaGraph *self = g_new0 (PrismCudaGraph, 1);

  self->context = context;
  self->func = func;
  self->data = data;
  self->enabled = g_getenv ("PRISM_CUDA_NO_GRAPH") == NULL && g_getenv ("PRISM_NO_GRAPH") == NULL;
  self->n_steps = choose_n_steps ();
  return self;
}

/**
 * prism_cuda_graph_free:
 * @self: (nullable): captured steps
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
  for (guint i = 0; i < self->n_captures && !self->context->lost; i++)
    cudaGraphExecDestroy (self->captures[i].executable);
  g_free (self);
}

/**
 * prism_cuda_graph_is_enabled:
 * @self: captured steps
 *
 * Thread: engine.
 *
 * Returns: whether steps are captured at all
 */
gboolean
prism_cuda_graph_is_enabled (PrismCudaGraph *self)
{
  return self->enabled;
}

/**
 * prism_cuda_graph_get_n_steps:
 * @self: captured steps
 *
 * Thread: engine.
 *
 * Returns: how many steps that are alike one graph should have
 */
guint
prism_cuda_graph_get_n_steps (PrismCudaGraph *self)
{
  return self->n_steps;
}

/**
 * prism_cuda_graph_keys_are_equal:
 * @a: a key
 * @b: another one
 *
 * Thread: any.
 *
 * Returns: whether both stand for the same kernels
 */
gboolean
prism_cuda_graph_keys_are_equal (const PrismCudaGraphKey *a,
                                 const PrismCudaGraphKey *b)
{
  return a->n_steps == b->n_steps && a->with_metrics == b->with_metrics && a->clips == b->clips
         && a->shape.fit_start == b->shape.fit_start && a->shape.loss == b->shape.loss
         && a->shape.domain == b->shape.domain && a->shape.normalise == b->shape.normalise
         && a->shape.n_terms == b->shape.n_terms && a->shape.max_height == b->shape.max_height
         && a->shape.max_width == b->shape.max_width
         && memcmp (a->shape.weights, b->shape.weights, sizeof a->shape.weights) == 0;
}

static PrismCudaCapture *
find_capture (PrismCudaGraph *self,
              const PrismCudaGraphKey *key)
{
  for (guint i = 0; i < self->n_captures; i++)
    if (prism_cuda_graph_keys_are_equal (&self->captures[i].key, key))
      return &self->captures[i];
  return NULL;
}

/* The capture has to be ended even when a kernel could not be queued; that error is the one to
 * tell. */
static cudaError_t
capture (PrismCudaGraph *self,
         const PrismCudaGraphKey *key,
         cudaGraphExec_t *executable)
{
  cudaStream_t stream = self->context->streams.main;
  cudaGraph_t graph = NULL;
  cudaError_t queued, status;

  status = cudaStreamBeginCapture (stream, cudaStreamCaptureModeThreadLocal);
  if (status != cudaSuccess)
    return status;
  queued = self->func (key, self->data);
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
  cudaGraphExecDestroy (oldest->executable);
  return oldest;
}

static cudaError_t
add_capture (PrismCudaGraph *self,
             const PrismCudaGraphKey *key,
             PrismCudaCapture **added)
{
  cudaGraphExec_t executable = NULL;
  cudaError_t status = capture (self, key, &executable);

  if (status != cudaSuccess)
    return status;
  *added = choose_place (self);
  (*added)->key = *key;
  (*added)->executable = executable;
  return cudaSuccess;
}

/**
 * prism_cuda_graph_launch:
 * @self: captured steps
 * @key: of the steps
 *
 * Runs the steps of a key on the main stream, with the same result whether it was captured or not.
 *
 * Errors: cudaErrorMemoryAllocation when there is no room for the graph; nothing has run then.
 * Thread: engine.
 *
 * Returns: what the runtime reports
 */
cudaError_t
prism_cuda_graph_launch (PrismCudaGraph *self,
                         const PrismCudaGraphKey *key)
{
  PrismCudaCapture *step;
  cudaError_t status;

  if (!self->enabled)
    return self->func (key, self->data);

  step = find_capture (self, key);
  if (step == NULL)
    {
      status = add_capture (self, key, &step);
      if (status != cudaSuccess)
        return status;
    }
  step->used = ++self->context->counters.n_launches;
  return cudaGraphLaunch (step->executable, self->context->streams.main);
}
