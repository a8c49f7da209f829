/* prism-band: holds an image to what is plausible beyond the band that was measured. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  int image_size;                       /* n */
  int object_size;                      /* m */
  double reach;                         /* px: nothing farther from the origin of k-space was measured */
  double ring;                          /* px: width of the band's edge, which serves as the measure */
} PrismBand;

gboolean prism_band_apply (const PrismBand  *self,
                           float            *image,
                           GError          **error);

G_END_DECLS
