#include "config.h"

#include "prism-cuda-graph.h"

#include <string.h>

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

static PrismCudaCapture *
find_capture (PrismCudaGraph *self,
              gconstpointer key)
{
  for (guint i = 0; i < self->n_captures; i++)
    if (self->kind->is_same (self->captures[i].key, key))
      return &self->captures[i];
  return NULL;
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

  status = cudaStreamBeginCapture (stream, cudaStreamCaptureModeThreadLocal);
  if (status != cudaSuccess)
    return status;
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

static PrismCudaCapture *
add_capture (PrismCudaGraph *self,
             gconstpointer key)
{
  PrismCudaCapture *added = choose_place (self);

  added->key = g_memdup2 (key, self->kind->key_bytes);
  return added;
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
  PrismCudaCapture *found;
  cudaError_t status = cudaSuccess;

  if (!self->enabled)
    return self->kind->queue (key, self->data);

  found = find_capture (self, key);
  if (found == NULL)
    found = add_capture (self, key);
  found->used = ++self->n_launches;
  if (found->executable == NULL && found->n_met++ < self->kind->n_uncaptured)
    return self->kind->queue (key, self->data);
  if (found->executable == NULL)
    status = capture (self, key, &found->executable);
  if (status != cudaSuccess)
    return status;
  self->context->counters.n_launches++;
  return cudaGraphLaunch (found->executable, self->context->streams.main);
}
