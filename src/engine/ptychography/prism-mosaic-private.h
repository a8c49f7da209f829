/* prism-mosaic-private: what the files of a mosaic share. Thread: one at a time. */
#pragma once

#include "ptychography/prism-mosaic.h"

G_BEGIN_DECLS

struct _PrismMosaic
{
  PrismRecording *recording;
  PrismConfig *settings;              /* of each tile */
  PrismMosaicPlan plan;
  PrismFinding **findings; /* [n_tiles] (nullable): without their objects */
  float **objects;         /* [n_tiles] (nullable) [m][m][2] */
  GArray *meetings;        /* of what tiles that overlap tell; private to prism-mosaic-join.c */
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

GArray *prism_mosaic_join_new   (void);
void    prism_mosaic_join_level (float             *object,
                                 int                m,
                                 PrismPtychography *solver,
                                 guint              inner);

G_END_DECLS
