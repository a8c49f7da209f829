/* prism-sweep-table: what the runs of a sweep have come to, read from the files that they left.
 *
 * m = object_size. Thread: any. */
#pragma once

#include "formats/prism-image.h"
#include "model/prism-verdict.h"
#include "num/prism-metrics.h"
#include "results/prism-sweep.h"

G_BEGIN_DECLS

#define PRISM_SWEEP_FAILURE_NAME "failure.txt"

typedef struct _PrismSweepTable PrismSweepTable;

/* Numbers that are not known are NAN. */
typedef struct
{
  gboolean finished;
  char *failure;                        /* (nullable): one sentence */
  PrismMetrics metrics;
  double misfit;
  double coverage;                      /* 0…1 */
  double seconds;
  double steps;
  PrismVerdict verdict;                 /* open where it is not known */
  PrismImage *image;                    /* (nullable) [m][m] */
} PrismSweepRow;

struct _PrismSweepTable
{
  PrismSweepRow *rows;                  /* [n_rows] */
  guint n_rows;
  guint n_finished;
  PrismImage *target;                   /* (nullable) [m][m]: of the first result */
};

gboolean         prism_sweep_table_is_finished (const char *directory,
                                                guint       point);
PrismSweepTable *prism_sweep_table_load        (PrismSweep *sweep,
                                                const char *directory);
PrismSweepTable *prism_sweep_table_load_since  (PrismSweep            *sweep,
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
