/* prism-sweep-runner: the runs of a sweep as processes of prism-cli, several at a time as far as
 * processors and memory go. A point whose result is there already is not run again.
 *
 * Thread: that of the main context in which it was started. */
#pragma once

#include "batch/prism-batch.h"
#include "forecast/prism-forecast.h"
#include "results/prism-sweep.h"

#include <gio/gio.h>

G_BEGIN_DECLS

PrismBatch *prism_sweep_batch_new (PrismSweep      *sweep,
                                   const char      *directory,
                                   const char      *program,
                                   guint            n_jobs,
                                   PrismBatchFunc   func,
                                   gpointer         data,
                                   GError         **error);

/* How long the runs of a sweep will take that have no result yet.
 * Thread: that of a device where runs may be timed; otherwise any. */

typedef struct
{
  guint n_jobs;                         /* at a time */
  guint n_threads;                      /* of each run; 0 = as its configuration says */
  double start;                         /* s: of a process, beside each run */
  gboolean may_time;                    /* runs of a shape that is not known are tried */
  gboolean on_host_only;                /* where they would be on the CPU */
  GCancellable *cancellable;            /* (nullable) */
  double *seconds;                      /* (nullable) [n_points], filled: what each run that is to
                                         * come is likely to take */
} PrismSweepTerms;

gboolean prism_sweep_forecast_init (PrismForecast         *self,
                                    PrismSweep            *sweep,
                                    const char            *directory,
                                    const PrismSweepTerms *terms);

/* A sweep as an array of jobs for the Slurm workload manager: the script. */

char    *prism_sweep_slurm_save_script (PrismSweep         *sweep,
                                        const char         *directory,
                                        const char         *program,
                                        guint               n_jobs,
                                        const char *const  *options,
                                        GError            **error);

G_END_DECLS
