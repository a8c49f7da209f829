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

typedef struct _PrismSweepRunner PrismSweepRunner;

/* After each point, those that had their result before included; message is NULL where it went
 * well. Without a point (G_MAXUINT) something else has changed, and message is the batch's notice,
 * or NULL. */
typedef void (*PrismSweepRunnerFunc) (PrismSweepRunner *self,
                                      guint             point,
                                      const char       *message,
                                      gpointer          data);

PrismSweepRunner *prism_sweep_runner_new       (PrismSweep            *sweep,
                                                const char            *directory,
                                                const char            *program,
                                                guint                  n_jobs,
                                                PrismSweepRunnerFunc   func,
                                                gpointer               data,
                                                GError               **error);
void              prism_sweep_runner_free      (PrismSweepRunner *self);
gboolean          prism_sweep_runner_start     (PrismSweepRunner  *self,
                                                GError           **error);
void              prism_sweep_runner_stop      (PrismSweepRunner *self);
gboolean          prism_sweep_runner_is_over   (PrismSweepRunner *self);
guint             prism_sweep_runner_get_n_jobs (PrismSweepRunner *self);
guint             prism_sweep_runner_get_n_threads (PrismSweepRunner *self);
guint             prism_sweep_runner_get_n_over (PrismSweepRunner *self);
char             *prism_sweep_runner_dup_text   (PrismSweepRunner *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismSweepRunner, prism_sweep_runner_free)

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
