/* prism-cpu-tuned: what the tuner found out, in a small file of the user's cache for each shape of
 * a run. Thread: any. */
#pragma once

#include "backend/prism-backend.h"
#include "cpu/prism-cpu-tuner.h"

G_BEGIN_DECLS

char    *prism_cpu_tuned_dup_shape (const PrismBackendSpec *spec,
                                    guint                   n_threads);
gboolean prism_cpu_tuned_load      (PrismCpuTuned          *self,
                                    const PrismBackendSpec *spec,
                                    guint                   n_threads);
gboolean prism_cpu_tuned_save      (const PrismCpuTuned     *self,
                                    const PrismBackendSpec  *spec,
                                    guint                    n_threads,
                                    GError                 **error);
gboolean prism_cpu_tuned_forget    (const PrismBackendSpec *spec,
                                    guint                   n_threads);

G_END_DECLS
