/* prism-mosaic-private: what the files of a mosaic share. Thread: one at a time. */
#pragma once

#include "ptychography/prism-mosaic.h"

G_BEGIN_DECLS

/* Tiles that are asked about the whole field, evenly from the middle outwards: one tells 8 of 15
 * unknowns of the objective. */
enum
{
  PRISM_MOSAIC_MOST_ASKED = 16,
};

/* Where a tile begins: they are spread evenly from edge to edge. */
static inline int
prism_mosaic_get_origin (int length,
                         int side,
                         int n,
                         int i)
{
  return n > 1 ? (int) ((gint64) i * (length - side) / (n - 1)) : 0;
}

/* Of a tile, m from the middle of the field. */
static inline void
prism_mosaic_get_middle (const PrismMosaic *self,
                         const PrismMosaicTile *tile,
                         double at[2])
{
  const double pixel = self->recording->pixel_size;

  at[0] = pixel * (tile->x + (self->plan.side - (int) self->recording->width) / 2.0);
  at[1] = pixel * (tile->y + (self->plan.side - (int) self->recording->height) / 2.0);
}

PrismPtychography *prism_mosaic_new_solver_from (const PrismMosaic  *self,
                                                 guint               tile,
                                                 const PrismFinding *known,
                                                 GError            **error);
GArray *prism_mosaic_join_new   (void);
void    prism_mosaic_join_level (float             *object,
                                 int                m,
                                 PrismPtychography *solver,
                                 guint              inner);

G_END_DECLS
