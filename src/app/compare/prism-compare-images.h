/* prism-compare-images: the pictures of the compared runs: what to show, and how to hold it against
 * each other. */
#pragma once

#include "results/prism-comparison.h"
#include "canvas/prism-view.h"

G_BEGIN_DECLS

typedef enum
{
  PRISM_COMPARE_SIDE_BY_SIDE,
  PRISM_COMPARE_BLINK,
  PRISM_COMPARE_SWIPE,
} PrismCompareMode;

/* Views of several runs in one area: side by side, one after the other, or two of them on either
 * side of a divider. */

#define PRISM_TYPE_COMPARE_STAGE (prism_compare_stage_get_type ())

G_DECLARE_FINAL_TYPE (PrismCompareStage, prism_compare_stage, PRISM, COMPARE_STAGE, GtkWidget)

void           prism_compare_stage_set_current (PrismCompareStage *self,
                                                guint              current);
GtkAdjustment *prism_compare_stage_get_divider (PrismCompareStage *self);

#define PRISM_TYPE_COMPARE_IMAGES (prism_compare_images_get_type ())

G_DECLARE_FINAL_TYPE (PrismCompareImages, prism_compare_images, PRISM, COMPARE_IMAGES, GtkWidget)

void               prism_compare_images_set_comparison (PrismCompareImages    *self,
                                                        const PrismComparison *comparison);
void               prism_compare_images_set_mode       (PrismCompareImages *self,
                                                        PrismCompareMode    mode);

G_END_DECLS
