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
  float *sums;             /* [H][W][2] */
  float *weights;          /* [H][W] */
};

gboolean prism_mosaic_make_room (PrismMosaic  *self,
                                 GError      **error);

G_END_DECLS
