/* prism-compare-stage: views of several runs in one area: side by side, one after the other, or two
 * of them on either side of a divider. Properties: mode, position of the divider 0…1, current. */
#pragma once

#include <gtk/gtk.h>

#include "canvas/prism-view.h"

G_BEGIN_DECLS

typedef enum
{
  PRISM_COMPARE_SIDE_BY_SIDE,
  PRISM_COMPARE_BLINK,
  PRISM_COMPARE_SWIPE,
} PrismCompareMode;

#define PRISM_TYPE_COMPARE_STAGE (prism_compare_stage_get_type ())

G_DECLARE_FINAL_TYPE (PrismCompareStage, prism_compare_stage, PRISM, COMPARE_STAGE, GtkWidget)

void              prism_compare_stage_set_views    (PrismCompareStage *self,
                                                    GPtrArray         *views);
void              prism_compare_stage_set_mode     (PrismCompareStage *self,
                                                    PrismCompareMode   mode);
PrismCompareMode  prism_compare_stage_get_mode     (PrismCompareStage *self);
void              prism_compare_stage_set_current  (PrismCompareStage *self,
                                                    guint              current);
guint             prism_compare_stage_get_current  (PrismCompareStage *self);
void              prism_compare_stage_set_position (PrismCompareStage *self,
                                                    double             position);

G_END_DECLS
