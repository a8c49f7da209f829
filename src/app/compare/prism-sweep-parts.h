/* prism-sweep-parts: what the window of a sweep is made of. Thread: main. */
#pragma once

#include <adwaita.h>

#include "results/prism-sweep-runner.h"
#include "results/prism-sweep-table.h"

G_BEGIN_DECLS

/* What a sweep goes over, as rows of a window. Signal: changed, when the plan
 * is another one. */

#define PRISM_TYPE_SWEEP_EDITOR (prism_sweep_editor_get_type ())

G_DECLARE_FINAL_TYPE (PrismSweepEditor, prism_sweep_editor, PRISM, SWEEP_EDITOR,
                      AdwPreferencesGroup)

void        prism_sweep_editor_set_base   (PrismSweepEditor *self,
                                           PrismSweep       *base);
void        prism_sweep_editor_set_axis   (PrismSweepEditor *self,
                                           guint             axis,
                                           const char       *key,
                                           const char       *values);
void        prism_sweep_editor_set_ensemble (PrismSweepEditor *self);
void        prism_sweep_editor_show_sweep (PrismSweepEditor *self,
                                           PrismSweep       *sweep);
PrismSweep *prism_sweep_editor_dup_sweep  (PrismSweepEditor  *self,
                                           GError           **error);

/* The points of a sweep as a table that sorts. */

GtkSingleSelection *prism_sweep_list_set_up (GtkColumnView *view,
                                             GListStore    *points);
void                prism_sweep_list_show   (GtkColumnView *view,
                                             gboolean       recorded);

/* A row of the table of a sweep. */

#define PRISM_TYPE_SWEEP_POINT (prism_sweep_point_get_type ())

G_DECLARE_FINAL_TYPE (PrismSweepPoint, prism_sweep_point, PRISM, SWEEP_POINT, GObject)

struct _PrismSweepPoint
{
  GObject parent_instance;

  guint point;                          /* its number in the sweep */
  char *title;
  PrismSweepRow row;                    /* what it has come to, without the image */
};

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
char            *prism_sweep_point_dup_text  (PrismSweepPoint  *self,
                                              PrismSweepColumn  column);
double           prism_sweep_point_get_number (const PrismSweepPoint *self,
                                              PrismSweepColumn       column);

/* How many runs a sweep is and how long they take, said where it is planned. */

void          prism_sweep_time_tell (GtkLabel   *label,
                                     PrismSweep *sweep);
const double *prism_sweep_time_get  (GtkLabel *label);

G_END_DECLS
