/* prism-spectrum: the object's spectrum as a picture.
 * Thread: any, unless a function says otherwise. */
#pragma once

#include "formats/prism-image.h"

#include <glib.h>

G_BEGIN_DECLS

/* Half spectrum of an image in the corner of the field, not normalised: float [n][n/2+1][2], zero
 * frequency at [0][0], for prism_arena_free_array(). (transfer full) (nullable) */
float      *prism_spectrum_transform (const PrismImage  *image,
                                      int                image_size,
                                      GError           **error);
PrismImage *prism_spectrum_new_image (const PrismImage  *object,
                                      int                image_size,
                                      GError           **error);

/* Holds an image to what is plausible beyond the band that was measured.
 * Thread: any. */

typedef struct
{
  int image_size;                       /* n */
  int object_size;                      /* m */
  double reach;                         /* px: nothing farther out in k-space was measured */
  double ring;                          /* px: width of its edge, which is the measure */
  double damping;                       /* part of what is beyond that goes, 0…1 */
} PrismBand;

gboolean prism_band_apply (const PrismBand  *self,
                           float            *image,
                           GError          **error);

G_END_DECLS
