/* prism-tile-blend: the images of tiles put together into one picture, with two rows of tiles in
 * memory. Thread: any one. */
#pragma once

#include "tiles/prism-tile-table.h"

G_BEGIN_DECLS

typedef struct _PrismTileBlend PrismTileBlend;

/* What the picture has come to. */
struct _PrismTileBlend
{
  double *gains;                        /* [n_tiles] */
  double *offsets;                      /* [n_tiles] */
  guint64 n_pixels;                     /* that some tile shows */
  guint64 n_missing;                    /* that none does: they are dark */
  double psnr;                          /* dB, of amplitudes; NAN without the picture to compare */
  double seconds;
};

PrismTileBlend *prism_tile_blend_run  (const PrismTilePlan  *plan,
                                       const PrismTileTable *table,
                                       const char           *directory,
                                       const char           *path,
                                       GError              **error);
void            prism_tile_blend_free (PrismTileBlend *self);
gboolean        prism_tile_blend_save (const PrismTileBlend *self,
                                       const PrismTilePlan  *plan,
                                       const PrismTileTable *table,
                                       const char           *directory,
                                       const char           *path,
                                       GError              **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismTileBlend, prism_tile_blend_free)

G_END_DECLS
