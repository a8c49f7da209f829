/* prism-cuda-graph: captured work. What has some key is captured when it has been met often enough,
 * then only launched. Thread: engine. */
#pragma once

#include "prism-cuda-context.h"

G_BEGIN_DECLS

/* Work of one kind: its key is all that the sequence of kernels depends on. */
typedef struct
{
  gsize key_bytes;
  guint n_uncaptured;                   /* times that a key is only queued before it is captured */
  gboolean (*is_same) (gconstpointer a,
                       gconstpointer b);
  /* Queues the work of a key, beginning and ending on the main stream; also under capture. */
  cudaError_t (*queue) (gconstpointer key,
                        gpointer      data);
} PrismCudaGraphKind;

typedef struct _PrismCudaGraph PrismCudaGraph;

/* data: for the kind's functions. */
PrismCudaGraph *prism_cuda_graph_new         (PrismCudaContext         *context,
                                              const PrismCudaGraphKind *kind,
                                              gpointer                  data);
void            prism_cuda_graph_free        (PrismCudaGraph           *self);
/* FALSE with PRISM_CUDA_NO_GRAPH or PRISM_NO_GRAPH in the environment: all is queued kernel by
 * kernel. */
gboolean        prism_cuda_graph_is_enabled  (PrismCudaGraph           *self);
cudaError_t     prism_cuda_graph_launch      (PrismCudaGraph           *self,
                                              gconstpointer             key);

G_END_DECLS
