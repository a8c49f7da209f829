/* prism-memory-estimate: what memory a run will need, told before it begins. The one place that
 * knows. Thread: any. */
#pragma once

#include "backend/prism-backend.h"
#include "config/prism-config.h"

G_BEGIN_DECLS

/* The most that a process with nothing but this run holds. */
typedef struct
{
  guint64 host;                         /* bytes of the machine's memory, prism-cli included */
  guint64 run;                          /* the same without the program */
  guint64 device;                       /* bytes of the GPU's memory; 0 on the CPU */
} PrismMemoryEstimate;

void     prism_memory_estimate_init (PrismMemoryEstimate    *self,
                                     const PrismConfig      *config,
                                     const PrismBackendSpec *spec,
                                     const PrismBackendOps  *ops,
                                     gboolean                saves);

/* What a run asks of its device, told by the configuration. Thread: any. */

gboolean prism_task_init_spec (const PrismConfig  *config,
                               guint               n_samples,
                               PrismBackendSpec   *spec,
                               GError            **error);

G_END_DECLS
