/* prism-sweep-plot: a number of all runs of a sweep as a chart, a curve or a map: on the screen,
 * and as a file. Thread: any, one at a time. */
#pragma once

#include "prism-chart-draw.h"
#include "results/prism-sweep-field.h"

G_BEGIN_DECLS

typedef struct
{
  PrismChartData *chart;                /* an item for each cell */
  PrismSweepField *field;
  guint *cells;                         /* [n_points]: the cell of each point */
  guint n_points;
  char *csv;                            /* its numbers */
} PrismSweepPlot;

PrismSweepPlot *prism_sweep_plot_new        (PrismSweep            *sweep,
                                             const PrismSweepTable *table,
                                             guint                  measure);
void            prism_sweep_plot_free       (PrismSweepPlot *self);
gboolean        prism_sweep_plot_check_path (const char  *path,
                                             GError     **error);
gboolean        prism_sweep_plot_save       (PrismSweepPlot  *self,
                                             const char      *path,
                                             GError         **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismSweepPlot, prism_sweep_plot_free)

/* The pictures of all runs, for an ensemble with its mean and its uncertainty map, and the files
 * that go with them. m = object_size. */

typedef struct
{
  PrismChartData *chart;                /* a cell each: mean and uncertainty, then the points */
  guint first;                          /* item of the first point */
  double width;                         /* that pictures of the usual size need, points */
  double height;
  PrismImage *mean;                     /* (nullable) [m][m] amplitude, of an ensemble */
  PrismImage *spread;                   /* (nullable) [m][m] standard deviation */
  PrismSweepEnsemble ensemble;          /* n_runs is 0 where there is no object to compare with */
} PrismSweepSheet;

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
