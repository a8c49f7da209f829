/* prism-arrangement: which panels of the window are large, and in which order all of them fill its
 * tiles; and what the charts show in the beginning. Thread: any. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define PRISM_ARRANGEMENT_CHARTS 4

typedef struct
{
  const char *id;                       /* of the panel */
  int n_columns;
  int n_rows;
} PrismArrangementTile;

typedef struct
{
  const char *id;                       /* "explore" */
  const PrismArrangementTile *tiles;    /* id is NULL at the end; other panels follow, one tile
                                         * each */
  guint n_charts;                       /* that are shown */
  const char *quantities[PRISM_ARRANGEMENT_CHARTS];
} PrismArrangement;

/* A panel's place in units of tiles. */
typedef struct
{
  int column;
  int row;
  int n_columns;
  int n_rows;
} PrismPlace;

const PrismArrangement *prism_arrangement_find  (const char *id);
int                     prism_arrangement_place (const PrismArrangement *self,
                                                 const char *const      *panels,
                                                 int                     n_panels,
                                                 int                     n_columns,
                                                 PrismPlace             *places);

/* What is kept of each arrangement, a dictionary as text. */

GVariant               *prism_arrangement_parse (const char *text,
                                                 const char *type);
GVariant               *prism_arrangement_keep  (GVariant   *kept,
                                                 const char *key,
                                                 GVariant   *value);

/* The gap between two rows or columns of panels, which can be dragged, or moved by
 * the arrow keys. Signals: “moved” (int px, where its left or upper edge should be in its parent),
 * “reset” for a double click or Delete. */

#define PRISM_TYPE_SPLITTER (prism_splitter_get_type ())

G_DECLARE_FINAL_TYPE (PrismSplitter, prism_splitter, PRISM, SPLITTER, GtkWidget)

GtkWidget *prism_splitter_new (GtkOrientation orientation,
                               int            number);

G_END_DECLS
