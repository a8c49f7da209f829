/* prism-sweep-point: a row of the table of a sweep. */
#pragma once

#include <glib-object.h>

#include "results/prism-sweep-table.h"

G_BEGIN_DECLS

#define PRISM_TYPE_SWEEP_POINT (prism_sweep_point_get_type ())

G_DECLARE_FINAL_TYPE (PrismSweepPoint, prism_sweep_point, PRISM, SWEEP_POINT, GObject)

typedef enum
{
  PRISM_SWEEP_COLUMN_POINT,             /* "Signal to noise 20 dB" */
  PRISM_SWEEP_COLUMN_STATE,
  PRISM_SWEEP_COLUMN_VERDICT,           /* "explained" */
  PRISM_SWEEP_COLUMN_METRICS,           /* and the numbers after it: one of each */
  PRISM_SWEEP_COLUMN_MISFIT = PRISM_SWEEP_COLUMN_METRICS + PRISM_N_METRICS,
  PRISM_SWEEP_COLUMN_CORRELATION,       /* of frames that were held out */
  PRISM_SWEEP_COLUMN_SECONDS,
  PRISM_SWEEP_N_COLUMNS,
} PrismSweepColumn;

#define PRISM_SWEEP_COLUMN_OF(key) (PRISM_SWEEP_COLUMN_METRICS + PRISM_METRICS_INDEX (key))

PrismSweepPoint *prism_sweep_point_new       (PrismSweep          *sweep,
                                              guint                point,
                                              const PrismSweepRow *row);
gboolean         prism_sweep_point_is_of     (PrismSweepPoint     *self,
                                              const PrismSweepRow *row);
guint            prism_sweep_point_get_number (PrismSweepPoint *self);
char            *prism_sweep_column_dup_label (PrismSweepColumn column);
char            *prism_sweep_point_dup_text  (PrismSweepPoint  *self,
                                              PrismSweepColumn  column);
char            *prism_sweep_point_dup_tooltip (PrismSweepPoint  *self,
                                                PrismSweepColumn  column);
int              prism_sweep_point_compare   (PrismSweepPoint  *a,
                                              PrismSweepPoint  *b,
                                              PrismSweepColumn  column);

G_END_DECLS
