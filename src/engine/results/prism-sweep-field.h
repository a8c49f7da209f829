/* prism-sweep-field: one number of all runs of a sweep as a curve (one row) or a field (rows and
 * columns), runs that differ in a seed alone taken together. Thread: any one. */
#pragma once

#include "results/prism-sweep-measure.h"
#include "results/prism-sweep-table.h"

G_BEGIN_DECLS

#define PRISM_SWEEP_FIELD_NO_AXIS G_MAXUINT

typedef struct _PrismSweepField PrismSweepField;

/* What is not known is NAN. */
typedef struct
{
  guint n_runs;                         /* that have such a number */
  guint n_points;                       /* of the sweep in it */
  double mean;
  double deviation;                     /* standard deviation; NAN of fewer than two runs */
  double least;
  double most;
  guint point;                          /* nearest to the mean; the first where there is no run */
} PrismSweepCell;

struct _PrismSweepField
{
  guint measure;
  guint row_axis;                       /* of the sweep; NO_AXIS of a curve */
  guint column_axis;
  guint n_rows;
  guint n_columns;
  gboolean repeated;                    /* cells are several runs: there is a spread */
  PrismSweepCell *cells;                /* [n_rows][n_columns] */
};

PrismSweepField *prism_sweep_field_new      (PrismSweep            *sweep,
                                             const PrismSweepTable *table,
                                             guint                  measure);
void             prism_sweep_field_free     (PrismSweepField *self);
guint            prism_sweep_field_find     (const PrismSweepField *self,
                                             PrismSweep            *sweep,
                                             guint                  point);
gboolean         prism_sweep_field_get_range (const PrismSweepField *self,
                                              double                *low,
                                              double                *high);
char            *prism_sweep_field_to_csv   (const PrismSweepField *self,
                                             PrismSweep            *sweep);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismSweepField, prism_sweep_field_free)

/* What the mean of an ensemble gains, and what its uncertainty map is worth.
 *
 * m = object_size. Thread: any. */

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
