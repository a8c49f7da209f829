/* prism-image-view: a panel with an image, or with the difference of two. Properties: image,
 * reference, notice. */
#pragma once

#include "canvas/prism-view.h"

G_BEGIN_DECLS

#define PRISM_TYPE_IMAGE (prism_image_get_type ())

GType prism_image_get_type (void);

#define PRISM_TYPE_IMAGE_VIEW (prism_image_view_get_type ())

G_DECLARE_FINAL_TYPE (PrismImageView, prism_image_view, PRISM, IMAGE_VIEW, PrismView)

/* Of the finite values in a rectangle. */
typedef struct
{
  int x;
  int y;
  int width;
  int height;
  int n_values;
  double mean;
  double deviation;                     /* of the population */
  double minimum;
  double maximum;
} PrismRegion;

gboolean   prism_image_view_get_region     (PrismImageView *self,
                                            PrismRegion    *region);

G_END_DECLS
