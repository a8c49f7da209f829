/* prism-sweep-grid: a field of a sweep with its headings, ready to be drawn as a curve or a map;
 * what draws it notes where each cell lies. */
#pragma once

#include "prism-paint.h"
#include "results/prism-sweep-field.h"

G_BEGIN_DECLS

typedef struct _PrismSweepGrid PrismSweepGrid;

/* Units of the drawing. */
typedef struct
{
  double x;
  double y;
  double width;
  double height;
} PrismSweepArea;

struct _PrismSweepGrid
{
  PrismSweepField *field;
  char *title;                          /* of the numbers: "PSNR in dB" */
  char *column_title;                   /* "Signal to noise" */
  char *row_title;                      /* (nullable): of a map */
  char **column_labels;                 /* [n_columns] "20 dB" */
  char **row_labels;                    /* (nullable) [n_rows] */
  double *column_values;                /* (nullable) [n_columns]: NULL where they are no numbers */
  guint *cells;                         /* [n_points]: the cell of each point */
  guint n_points;
  guint marked;                         /* cell; G_MAXUINT for none */
  PrismSweepArea *areas;                /* [n_rows][n_columns]: as they were drawn last */
};

PrismSweepGrid *prism_sweep_grid_new      (PrismSweep            *sweep,
                                           const PrismSweepTable *table,
                                           guint                  measure);
void            prism_sweep_grid_free     (PrismSweepGrid *self);
gboolean        prism_sweep_grid_is_map   (const PrismSweepGrid *self);
guint           prism_sweep_grid_find     (const PrismSweepGrid *self,
                                           double                x,
                                           double                y);
char           *prism_sweep_grid_dup_text (const PrismSweepGrid *self,
                                           guint                 cell);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismSweepGrid, prism_sweep_grid_free)

/* What a sweep over two parameters has come to, as cells in colours. */

void prism_sweep_map_draw (PrismSweepGrid *grid,
                           PrismPaint     *paint,
                           double          width,
                           double          height);

/* What a sweep over one parameter has come to, as a curve with the spread of its
 * runs. */

void prism_sweep_curve_draw (PrismSweepGrid *grid,
                             PrismPaint     *paint,
                             double          width,
                             double          height);

G_END_DECLS
