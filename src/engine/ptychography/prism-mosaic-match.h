/* prism-mosaic-match: puts the object of one tile to those of others, with the gain, the phase and
 * the ramp of the phase that make it meet them: frames leave all three free. Thread: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  float *sums;                          /* [height][width][2]: of the objects, times weights */
  float *weights;                       /* [height][width] */
  int height;
  int width;
  int side;                             /* m, of the tile */
  int x;                                /* its first column */
  int y;
  int fade;                             /* pixels over which it gives way to its neighbours */
  double gain;                          /* (out): with which it is taken */
  double phase;                         /* (out): rad */
  double ramp[2];                       /* (out): rad a pixel */
} PrismMosaicMatch;

gboolean prism_mosaic_match_add (PrismMosaicMatch *self,
                                 const float      *object,
                                 GError          **error);

G_END_DECLS
