/* prism-cpu-tuning: has steps taken with as many threads as are quickest, and keeps what it finds
 * out. Thread: engine. */
#pragma once

#include "backend/prism-backend.h"
#include "base/prism-pool.h"

G_BEGIN_DECLS

typedef struct _PrismCpuTuning PrismCpuTuning;

PrismCpuTuning *prism_cpu_tuning_new   (const PrismBackendSpec *spec,
                                        PrismPool              *pool);
void            prism_cpu_tuning_free  (PrismCpuTuning *self);
gboolean        prism_cpu_tuning_is_on (PrismCpuTuning *self);
void            prism_cpu_tuning_begin (PrismCpuTuning  *self,
                                        const PrismStep *step);
void            prism_cpu_tuning_end   (PrismCpuTuning  *self,
                                        const PrismStep *step);

G_END_DECLS
