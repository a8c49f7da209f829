/* prism-sweep-table: what the runs of a sweep have come to, read from the files that they left.
 *
 * m = object_size. Thread: any. */
#pragma once

#include "results/prism-sweep-measure.h"
#include "results/prism-sweep.h"

G_BEGIN_DECLS

typedef struct _PrismSweepTable PrismSweepTable;

struct _PrismSweepTable
{
  PrismSweepRow *rows;                  /* [n_rows] */
  guint n_rows;
  guint n_finished;
  PrismImage *target;                   /* (nullable) [m][m]: of the first result */
};

PrismSweepTable *prism_sweep_table_load        (PrismSweep            *sweep,
                                                const char            *directory,
                                                const PrismSweepTable *before);
PrismSweepTable *prism_sweep_table_dup         (const PrismSweepTable *self);
void             prism_sweep_table_free        (PrismSweepTable *self);
char            *prism_sweep_table_to_csv      (const PrismSweepTable *self,
                                                PrismSweep            *sweep);
char            *prism_sweep_table_to_text     (const PrismSweepTable *self,
                                                PrismSweep            *sweep);
gboolean         prism_sweep_table_get_spread  (const PrismSweepTable  *self,
                                                PrismImage            **mean,
                                                PrismImage            **spread,
                                                GError                **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismSweepTable, prism_sweep_table_free)

G_END_DECLS
