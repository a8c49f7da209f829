/* prism-sweep-runner: the runs of a sweep as processes of prism-cli, several at a time as far as
 * processors and memory go. A point whose result is there already is not run again.
 *
 * Thread: that of the main context in which it was started. */
#pragma once

#include "batch/prism-batch.h"
#include "results/prism-sweep.h"

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

G_END_DECLS
