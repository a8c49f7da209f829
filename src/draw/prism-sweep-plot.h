/* prism-sweep-plot: a sweep as a curve or a map: on the screen, and as a file. Thread: any one. */
#pragma once

#include "prism-paint.h"
#include "prism-sweep-grid.h"

G_BEGIN_DECLS

typedef struct _PrismSweepPlot PrismSweepPlot;

struct _PrismSweepPlot
{
  PrismSweepGrid *grid;
  char *csv;                            /* its numbers */
};

PrismSweepPlot *prism_sweep_plot_new        (PrismSweep            *sweep,
                                             const PrismSweepTable *table,
                                             guint                  measure);
void            prism_sweep_plot_free       (PrismSweepPlot *self);
void            prism_sweep_plot_draw       (PrismSweepPlot *self,
                                             PrismPaint     *paint,
                                             double          width,
                                             double          height);
gboolean        prism_sweep_plot_check_path (const char  *path,
                                             GError     **error);
gboolean        prism_sweep_plot_save       (PrismSweepPlot  *self,
                                             const char      *path,
                                             GError         **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismSweepPlot, prism_sweep_plot_free)

G_END_DECLS
