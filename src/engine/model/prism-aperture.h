/* prism-aperture: the mask of one telescope aperture on the k-grid, as a packed box.
 * Thread: any, unless a function says otherwise. */
#pragma once

#include "base/prism-reference.h"
#include "config/prism-config.h"
#include "formats/prism-image.h"

G_BEGIN_DECLS

typedef struct _PrismMask PrismMask;

/* A 0/1 mask, immutable and reference counted. Coordinates are centred: k = 0 is the origin,
 * rows and columns run from -n/2 to n/2-1. Outside the box the mask is 0. */
struct _PrismMask
{
  gatomicrefcount ref_count;
  int image_size;                       /* n */
  int y0;                               /* first row of the box, centred */
  int x0;                               /* first column of the box, centred */
  int height;                           /* 0 for an empty mask */
  int width;
  guint8 *bits;                         /* [height][width], 0 or 1 */
  guint n_parts;                        /* points of a line, 0: the aperture stands still */
  /* [n_parts + 1] (nullable): where it is at each point, and last at the middle; their boxes have
   * one size. bits is their union. */
  PrismMask **parts;
};

typedef struct
{
  int shape;                            /* PrismApertureShape */
  double radius;                        /* px */
  double obscuration;                   /* inner radius / outer radius, 0…0.9 */
  int vanes;
  double vane_width;                    /* px */
} PrismAperture;

void       prism_aperture_init_config (PrismAperture     *self,
                                       const PrismConfig *config);
PrismMask *prism_aperture_get_mask    (const PrismAperture *self,
                                       int                  image_size,
                                       double               center_y,
                                       double               center_x);

/* Numbers of its box. */
static inline gsize
prism_mask_count_box (const PrismMask *self)
{
  return (gsize) self->height * self->width;
}

PrismMask *prism_mask_new_plane       (int           image_size,
                                       const guint8 *plane);
PrismMask *prism_mask_new_parts       (int           image_size,
                                       PrismMask   **parts,
                                       guint         n_parts);
const PrismMask *
           prism_mask_get_part        (const PrismMask *self,
                                       guint            i);
gsize      prism_mask_get_count       (const PrismMask *self);
double     prism_mask_count_operations (const PrismMask *self,
                                        guint            side);
void       prism_mask_accumulate      (const PrismMask *self,
                                       guint8          *plane);

PrismImage *prism_exposure_new_image (const PrismImage  *object,
                                      const PrismMask   *mask,
                                      GError           **error);

PRISM_DECLARE_REFERENCES (PrismMask, prism_mask)

G_END_DECLS
