/* prism-sweep-slurm: a sweep as an array of jobs for the Slurm workload manager: the script. */
#pragma once

#include "results/prism-sweep.h"

G_BEGIN_DECLS

char    *prism_sweep_slurm_save_script (PrismSweep         *sweep,
                                        const char         *directory,
                                        const char         *program,
                                        guint               n_jobs,
                                        const char *const  *options,
                                        GError            **error);

G_END_DECLS
