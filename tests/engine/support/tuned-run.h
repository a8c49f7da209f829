/* A whole run with one tuned number scaled, for what says how much depends on each. */
#pragma once

#include "cpu/prism-cpu-backend.h"
#include "num/prism-tuning.h"
#include "test-run-parts.h"

/* config: (transfer full). Returns (transfer full) (nullable): what the run ends with; NULL when it
 * failed. */
static inline PrismSnapshot *
tuned_run (PrismConfig *config, PrismTuning tuning, double factor, GError **error)
{
  PrismSnapshot *snapshot = NULL;
  gboolean ok = TRUE;
  Run run;

  prism_tuning_scale (tuning, factor);
  run_prepare (&run, config, NULL, &prism_cpu_backend_ops);
  run_start (&run);
  while (ok && run.trainer->now.phase != PRISM_PHASE_DONE)
    ok = prism_trainer_step (run.trainer, error);
  if (ok)
    {
      snapshot = prism_snapshot_new ();
      prism_trainer_publish (run.trainer, snapshot, TRUE);
    }
  run_close (&run);
  prism_tuning_scale (tuning, 1.0);
  return snapshot;
}
