/* prism-sweep-sheet: what a sweep has come to, to look at and to keep: small multiples, for an
 * ensemble with its mean and its uncertainty map, and the files that go with them.
 *
 * m = object_size. Thread: any one. */
#pragma once

#include "prism-multiples.h"
#include "results/prism-sweep-ensemble.h"
#include "results/prism-sweep-table.h"

G_BEGIN_DECLS

typedef struct _PrismSweepSheet PrismSweepSheet;

struct _PrismSweepSheet
{
  PrismMultiples multiples;             /* mean and uncertainty, then the points */
  guint first;                          /* item of the first point */
  PrismImage *mean;                     /* (nullable) [m][m] amplitude, of an ensemble */
  PrismImage *spread;                   /* (nullable) [m][m] standard deviation */
  PrismSweepEnsemble ensemble;          /* n_runs is 0 where there is no object to compare with */
};

PrismSweepSheet *prism_sweep_sheet_new      (PrismSweep            *sweep,
                                             const PrismSweepTable *table);
void             prism_sweep_sheet_free     (PrismSweepSheet *self);
gboolean         prism_sweep_sheet_save_all (const PrismSweepSheet *self,
                                             PrismSweep            *sweep,
                                             const PrismSweepTable *table,
                                             const char            *directory,
                                             GError               **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismSweepSheet, prism_sweep_sheet_free)

G_END_DECLS
