/* prism-library-row: a run of the library in a list model, with the signal changed, when its card
 * is another; the row that shows it: small picture, name, what differs, star, with the signal
 * starred, when the star was pressed; and the pictures that were shown last, so that a list which
 * is scrolled back does not read their files again. Thread: main. */
#pragma once

#include "run/prism-run-catalogue.h"

#include <adwaita.h>

G_BEGIN_DECLS

#define PRISM_TYPE_LIBRARY_ITEM (prism_library_item_get_type ())

G_DECLARE_FINAL_TYPE (PrismLibraryItem, prism_library_item, PRISM, LIBRARY_ITEM, GObject)

struct _PrismLibraryItem
{
  GObject parent_instance;

  PrismRunCard *card;                   /* (unowned): of the catalogue, which the window keeps */
  char *object;                         /* what it is of, for people */
  GHashTable *counts;                   /* of settings in its folder */
  char *searched;                       /* (nullable): all words that it shows, for searching */
  char *place;                          /* (nullable): those of its path, as that */
  gboolean next;                        /* goes when another run is kept */
  gboolean unread;                      /* its file is not what it was, and cannot be read */
};

PrismLibraryItem *prism_library_item_new         (PrismRunCard *card,
                                                  GHashTable   *folders);
const char       *prism_library_item_get_title   (const PrismLibraryItem *self);
char             *prism_library_item_dup_numbers (PrismLibraryItem *self);
GStrv             prism_library_item_split       (const char *typed);
gboolean          prism_library_item_matches     (PrismLibraryItem *self,
                                                  GStrv             words);
void              prism_library_item_set_next    (PrismLibraryItem *self,
                                                  gboolean          next);
void              prism_library_item_changed     (PrismLibraryItem *self);

#define PRISM_TYPE_LIBRARY_ROW (prism_library_row_get_type ())

G_DECLARE_FINAL_TYPE (PrismLibraryRow, prism_library_row, PRISM, LIBRARY_ROW, AdwBin)

void       prism_library_row_set_item (PrismLibraryRow  *self,
                                       PrismLibraryItem *item,
                                       GdkTexture       *picture);
gboolean   prism_library_row_focus_star (PrismLibraryRow *self);

G_END_DECLS
