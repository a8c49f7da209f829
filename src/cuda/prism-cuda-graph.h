/* prism-cuda-graph: captured steps. A step of some shape is captured when it is first met, then
 * only launched. Thread: engine. */
#pragma once

#include "prism-cuda-context.h"
#include "prism-cuda-telescope.h"

G_BEGIN_DECLS

/* All that the sequence of kernels depends on. */
typedef struct
{
  PrismCudaShape shape;
  gboolean with_metrics;
  gboolean clips;                       /* the gradient is kept and measured before it is used */
  guint n_steps;                        /* alike, one after the other */
} PrismCudaGraphKey;

/* Queues the steps, beginning and ending on the main stream. */
typedef cudaError_t (*PrismCudaGraphFunc) (const PrismCudaGraphKey *key,
                                           gpointer                 data);

typedef struct _PrismCudaGraph PrismCudaGraph;

PrismCudaGraph *prism_cuda_graph_new        (PrismCudaContext        *context,
                                             PrismCudaGraphFunc       func,
                                             gpointer                 data);
void            prism_cuda_graph_free       (PrismCudaGraph          *self);
/* FALSE with PRISM_CUDA_NO_GRAPH or PRISM_NO_GRAPH in the environment: steps are queued kernel by
 * kernel. */
gboolean        prism_cuda_graph_is_enabled (PrismCudaGraph          *self);
/* Steps that one graph should have; 1 unless PRISM_CUDA_GRAPH_STEPS names another number. */
guint           prism_cuda_graph_get_n_steps (PrismCudaGraph         *self);
gboolean        prism_cuda_graph_keys_are_equal (const PrismCudaGraphKey *a,
                                                 const PrismCudaGraphKey *b);
cudaError_t     prism_cuda_graph_launch     (PrismCudaGraph          *self,
                                             const PrismCudaGraphKey *key);

G_END_DECLS
