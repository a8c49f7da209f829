/* prism-band: holds an image to what is plausible beyond the band that was measured.
 * Thread: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

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
