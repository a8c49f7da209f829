/* prism-sweep-ensemble: what the mean of an ensemble gains, and what its uncertainty map is worth.
 *
 * m = object_size. Thread: any. */
#pragma once

#include "results/prism-sweep-table.h"

G_BEGIN_DECLS

/* Part of the pixels that is looked at: those where the runs differ most. */
#define PRISM_SWEEP_ENSEMBLE_PART 4

typedef struct
{
  guint n_runs;
  double least;                         /* dB, PSNR of the worst run */
  double most;                          /* dB, of the best one */
  double psnr;                          /* dB, of the mean */
  double share;                         /* of the mean's squared error in that part, 0…1 */
} PrismSweepEnsemble;

gboolean prism_sweep_ensemble_compute (PrismSweepEnsemble    *self,
                                       const PrismSweepTable *table,
                                       const PrismImage      *mean,
                                       const PrismImage      *spread,
                                       GError               **error);

G_END_DECLS
