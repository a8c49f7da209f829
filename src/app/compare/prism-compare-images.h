/* prism-compare-images: the pictures of the compared runs: what to show, and how to hold it against
 * each other. */
#pragma once

#include <adwaita.h>
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

struct _PrismCompareStage
{
  GtkWidget parent_instance;

  GPtrArray *views;       /* of PrismView, children */
  guint sides[2];         /* which views lie left and right of the divider */
  GtkAdjustment *divider; /* where it is, 0…1 */
  PrismCompareMode mode;
  guint current; /* of the views, when they blink */
  gboolean dragging;
};

void           prism_compare_stage_set_current (PrismCompareStage *self,
                                                guint              current);

#define PRISM_TYPE_COMPARE_IMAGES (prism_compare_images_get_type ())

G_DECLARE_FINAL_TYPE (PrismCompareImages, prism_compare_images, PRISM, COMPARE_IMAGES, AdwBin)

void               prism_compare_images_set_comparison (PrismCompareImages    *self,
                                                        const PrismComparison *comparison);
void               prism_compare_images_set_mode       (PrismCompareImages *self,
                                                        PrismCompareMode    mode);

G_END_DECLS
