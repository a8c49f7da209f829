/* prism-compare-images: the pictures of the compared runs: what to show, and how to hold it against
 * each other. */
#pragma once

#include <gtk/gtk.h>

#include "results/prism-comparison.h"
#include "compare/prism-compare-stage.h"

G_BEGIN_DECLS

#define PRISM_TYPE_COMPARE_IMAGES (prism_compare_images_get_type ())

G_DECLARE_FINAL_TYPE (PrismCompareImages, prism_compare_images, PRISM, COMPARE_IMAGES, GtkWidget)

void               prism_compare_images_set_comparison (PrismCompareImages    *self,
                                                        const PrismComparison *comparison);
void               prism_compare_images_set_mode       (PrismCompareImages *self,
                                                        PrismCompareMode    mode);

G_END_DECLS
