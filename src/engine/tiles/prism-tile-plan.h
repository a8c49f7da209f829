/* prism-tile-plan: a large picture as overlapping tiles, each a run of its own: where they lie,
 * what their runs are, and where each of them has its files.
 *
 * Tiles are numbered from 0, row by row. m = side of a tile. Thread: any one. */
#pragma once

#include "config/prism-config.h"
#include "formats/prism-image-origin.h"
#include "formats/prism-strips.h"

G_BEGIN_DECLS

#define PRISM_TILE_PLAN_MAX_TILES 100000
#define PRISM_TILE_PLAN_STEM PRISM_PLAN_TILE "%06u"

typedef struct _PrismTilePlan PrismTilePlan;

struct _PrismTilePlan
{
  PrismConfig *base;                    /* of all tiles, but for the object and the seeds */
  char *picture;                        /* path */
  int height;                           /* of the picture, px */
  int width;
  int side;                             /* m */
  int asked;                            /* px: a side that was larger than the picture, or 0 */
  int overlap;                          /* px: at least */
  int n_rows;
  int n_columns;
  guint n_tiles;
  gboolean amplitude;                   /* the picture has amplitudes, not intensities */
  gboolean real;                        /* its values have a unit of their own */
  gboolean invert;
  double low;                           /* of the picture */
  double high;
  guint32 checksum;                     /* of its pixels */
  PrismImageOrigin origin;              /* what tiles do not show of it */
  guint8 *dark;                         /* (nullable): [n_tiles] whether no light comes from it */
};

typedef struct
{
  int row;
  int column;
  int y;                                /* px: first pixel in the picture */
  int x;
} PrismTilePlace;

PrismTilePlan *prism_tile_plan_new         (const PrismConfig  *config,
                                            GError            **error);
void           prism_tile_plan_free        (PrismTilePlan *self);
char          *prism_tile_plan_dup_note    (const PrismTilePlan *self);
gboolean       prism_tile_plan_is_dark     (const PrismTilePlan *self,
                                            guint                tile);
void           prism_tile_plan_get_place   (const PrismTilePlan *self,
                                            guint                tile,
                                            PrismTilePlace      *place);
PrismConfig   *prism_tile_plan_dup_config  (const PrismTilePlan  *self,
                                            const char           *directory,
                                            guint                 tile,
                                            GError              **error);
guint64        prism_tile_plan_get_bytes   (const PrismTilePlan *self,
                                            gboolean             keeps);
guint64        prism_tile_plan_get_disk    (const PrismTilePlan *self,
                                            gboolean             with_run);
char          *prism_tile_plan_dup_path    (const char *directory,
                                            guint       tile,
                                            const char *ending);
gboolean       prism_tile_plan_is_finished (const PrismTilePlan *self,
                                            const char          *directory,
                                            guint                tile);
gboolean       prism_tile_plan_save        (const PrismTilePlan  *self,
                                            const char           *directory,
                                            GError              **error);
PrismTilePlan *prism_tile_plan_load        (const char  *directory,
                                            GError     **error);
float          prism_tile_plan_to_value    (const PrismTilePlan *self,
                                            double               amplitude);
float          prism_tile_plan_to_amplitude (const PrismTilePlan *self,
                                             float                value);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismTilePlan, prism_tile_plan_free)

G_END_DECLS
