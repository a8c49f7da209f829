/* prism-cpu-tuner: finds out with how many threads a step is quickest. The steps of a run are timed
 * themselves: their bits are the same with any number, so that nothing is done twice.
 *
 * Thread: engine. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define PRISM_CPU_TUNER_CLASSES 7

typedef struct _PrismCpuTuner PrismCpuTuner;

/* With how many threads a step of so many terms is quickest; 0 where it is not known. */
typedef struct
{
  guint threads[PRISM_CPU_TUNER_CLASSES];
} PrismCpuTuned;

PrismCpuTuner *prism_cpu_tuner_new       (guint                n_threads,
                                          const PrismCpuTuned *tuned);
void           prism_cpu_tuner_free      (PrismCpuTuner *self);
guint          prism_cpu_tuner_get_class (gboolean fit_start,
                                          guint    n_terms);
guint          prism_cpu_tuner_choose    (PrismCpuTuner *self,
                                          guint          kind);
gboolean       prism_cpu_tuner_note      (PrismCpuTuner *self,
                                          guint          kind,
                                          double         seconds);
void           prism_cpu_tuner_get_tuned (PrismCpuTuner *self,
                                          PrismCpuTuned *tuned);
gboolean       prism_cpu_tuner_is_tuning (PrismCpuTuner *self,
                                          guint          kind);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismCpuTuner, prism_cpu_tuner_free)

G_END_DECLS
