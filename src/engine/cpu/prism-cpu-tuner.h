/* prism-cpu-tuner: finds out with how many threads a step is quickest. The steps of a run are timed
 * themselves: their bits are the same with any number, so that nothing is done twice.
 *
 * Thread: engine. */
#pragma once

#include "backend/prism-backend.h"
#include "base/prism-pool.h"

#include <glib.h>

G_BEGIN_DECLS

#define PRISM_CPU_TUNER_CLASSES 7

#define PRISM_CPU_TUNER_CANDIDATES 10 /* 1, 2, 4 … 256, and all */
#define PRISM_CPU_TUNER_ROUNDS 9      /* each candidate takes one step of each */

/* With how many threads a step of so many terms is quickest; 0 where it is not known. */
typedef struct
{
  guint threads[PRISM_CPU_TUNER_CLASSES];
} PrismCpuTuned;

/* Steps of one kind. */
typedef struct
{
  guint settled; /* threads, 0 while it is tuned */
  guint n_steps; /* since then */
  guint n_warm;
  guint candidate; /* of the next step */
  guint round;
  double spent;                                                            /* s */
  double times[PRISM_CPU_TUNER_CANDIDATES][PRISM_CPU_TUNER_ROUNDS]; /* s */
} PrismCpuTunerKind;

typedef struct
{
  PrismCpuTuned tuned;                          /* the last that was settled */
  guint candidates[PRISM_CPU_TUNER_CANDIDATES]; /* the last has all */
  guint n_candidates;
  PrismCpuTunerKind kinds[PRISM_CPU_TUNER_CLASSES];
} PrismCpuTuner;

void     prism_cpu_tuner_init      (PrismCpuTuner       *self,
                                    guint                n_threads,
                                    const PrismCpuTuned *tuned);
guint    prism_cpu_tuner_get_class (gboolean fit_start,
                                    guint    n_terms);
guint    prism_cpu_tuner_choose    (const PrismCpuTuner *self,
                                    guint                kind);
gboolean prism_cpu_tuner_note      (PrismCpuTuner *self,
                                    guint          kind,
                                    double         seconds);

/* How long the parts of a step take. Thread: engine. */

#define PRISM_CPU_TIMING_N_TIMES 1024

typedef enum
{
  PRISM_CPU_PART_FORWARD,
  PRISM_CPU_PART_TELESCOPE,
  PRISM_CPU_PART_BACKWARD,
  PRISM_CPU_N_PARTS,
} PrismCpuPart;

typedef struct
{
  double times[PRISM_CPU_N_PARTS][PRISM_CPU_TIMING_N_TIMES]; /* ms, ring */
  guint n_times[PRISM_CPU_N_PARTS];
} PrismCpuTiming;

gint64 prism_cpu_timing_begin (void);
void   prism_cpu_timing_add  (PrismCpuTiming *self,
                              PrismCpuPart    part,
                              gint64          since,
                              double          operations);
double prism_cpu_timing_take (PrismCpuTiming  *self,
                              guint            part,
                              const char     **name);

/* Has steps taken with as many threads as are quickest, and keeps what it finds
 * out. Thread: engine. */

typedef struct _PrismCpuTuning PrismCpuTuning;

PrismCpuTuning *prism_cpu_tuning_new   (const PrismBackendSpec *spec,
                                        PrismPool              *pool);
void            prism_cpu_tuning_free  (PrismCpuTuning *self);
gboolean        prism_cpu_tuning_is_on (PrismCpuTuning *self);
void            prism_cpu_tuning_begin (PrismCpuTuning  *self,
                                        const PrismStep *step);
void            prism_cpu_tuning_end   (PrismCpuTuning  *self,
                                        const PrismStep *step);

/* What the tuner found out, in a small file of the user's cache for each shape of
 * a run. Thread: any. */

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
