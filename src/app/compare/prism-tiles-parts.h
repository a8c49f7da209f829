/* prism-tiles-parts: what the window of tiles is made of. */
#pragma once

#include <gtk/gtk.h>

#include "prism-tile-map.h"

G_BEGIN_DECLS

/* A tile as it looks in the picture that it is part of: where it overlaps with
 * neighbours, one image fades into the other. */

#define PRISM_TILE_PICTURE_MAX_PARTS 9

/* An image that shows a part of the tile. */
typedef struct
{
  guint tile;
  int x;                                /* its first pixel, from the tile's */
  int y;
} PrismTilePart;

/* All that is needed, so that it can be made on another thread. */
typedef struct
{
  char *directory;
  int side;
  int overlap;
  int level;                            /* one pixel of the result for 2^level × 2^level */
  guint n_parts;
  PrismTilePart parts[PRISM_TILE_PICTURE_MAX_PARTS]; /* the tile itself first */
} PrismTilePictureSpec;

void             prism_tile_picture_init  (PrismTilePictureSpec *spec,
                                           const PrismTilePlan  *plan,
                                           const PrismTileTable *table,
                                           const char           *directory,
                                           guint                 tile,
                                           int                   level);
void             prism_tile_picture_clear (PrismTilePictureSpec *spec);
cairo_surface_t *prism_tile_picture_make  (const PrismTilePictureSpec  *spec,
                                           GError                     **error);

/* The tiles of a large picture as they are finished, to zoom into; never more
 * pixels than the screen has. */

/* Beside the kinds of maps: the images themselves. */
#define PRISM_TILE_CANVAS_IMAGES PRISM_TILE_MAP_N_KINDS

#define PRISM_TYPE_TILE_CANVAS (prism_tile_canvas_get_type ())

G_DECLARE_FINAL_TYPE (PrismTileCanvas, prism_tile_canvas, PRISM, TILE_CANVAS, GtkDrawingArea)

typedef gboolean (*PrismTileRunningFunc) (guint    tile,
                                          gpointer data);

struct _PrismTileCanvas
{
  GtkDrawingArea parent_instance;

  PrismTilePlan *plan;   /* (nullable), borrowed */
  PrismTileTable *table; /* (nullable) */
  char *directory;
  guint kind;
  double scale; /* screen pixels per pixel of the picture; 0 = all of it */
  double x;     /* pixel of the picture at the upper left corner */
  double y;
  double drag_x;
  double drag_y;
  double pointer_x;
  double pointer_y;
  guint selected;
  GHashTable *pictures; /* of Entry by tile and level */
  GArray *wanted;       /* of keys, guint, while it is drawn */
  guint n_jobs;
  gsize n_bytes;
  guint generation; /* of the tiles that are shown */
  PrismTileRunningFunc running;
  gpointer running_data;
};

void prism_tile_canvas_set_tiles    (PrismTileCanvas       *self,
                                     const PrismTilePlan   *plan,
                                     const PrismTileTable  *table,
                                     const char            *directory);
void prism_tile_canvas_set_running  (PrismTileCanvas      *self,
                                     PrismTileRunningFunc  func,
                                     gpointer              data);
void prism_tile_canvas_select       (PrismTileCanvas *self,
                                     guint            tile);
void prism_tile_canvas_fit          (PrismTileCanvas *self);

/* What the window of tiles tells of them before they run. */

void prism_tile_time_tell   (GtkLabel          *label,
                             const PrismConfig *config,
                             const char        *directory,
                             gboolean           keeps);
void prism_tile_time_forget (GtkLabel *label);

G_END_DECLS
