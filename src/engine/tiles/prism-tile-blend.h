/* prism-tile-blend: the images of tiles put together into one picture, with two rows of tiles in
 * memory. Thread: any one. */
#pragma once

#include "tiles/prism-tile-table.h"

#include <glib.h>

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

/* The gain and the offset with which the images of neighbouring tiles agree where
 * they overlap. Thread: any one. */

#define PRISM_TILE_MATCH_FIXED 1e6 /* anchor of a tile that is right: others follow it */

/* What two tiles have in common: sums over the pixels of their overlap. */
typedef struct
{
  guint a;                              /* numbers of the tiles */
  guint b;
  double n;                             /* pixels */
  double sum_a;
  double sum_b;
  double square_a;
  double square_b;
  double product;
} PrismTileSeam;

typedef struct
{
  guint n_tiles;
  GArray *seams;                        /* of PrismTileSeam */
  double *gains;                        /* [n_tiles]: what amplitudes are multiplied by */
  double *offsets;                      /* [n_tiles]: what is added to them then */
  double *anchors;                      /* [n_tiles]: how much each is held to its own brightness */
} PrismTileMatch;

PrismTileMatch *prism_tile_match_new      (guint n_tiles);
void            prism_tile_match_free     (PrismTileMatch *self);
void            prism_tile_match_add      (PrismTileMatch *self,
                                           guint           a,
                                           guint           b,
                                           const float    *rows_a,
                                           const float    *rows_b,
                                           int             height,
                                           int             width,
                                           int             stride);
void            prism_tile_match_solve    (PrismTileMatch *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismTileMatch, prism_tile_match_free)

G_END_DECLS
