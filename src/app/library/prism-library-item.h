/* prism-library-item: a run of the library in a list model. Signal: changed, when its card is
 * another. */
#pragma once

#include "run/prism-run-catalogue.h"

#include <glib-object.h>

G_BEGIN_DECLS

#define PRISM_TYPE_LIBRARY_ITEM (prism_library_item_get_type ())

G_DECLARE_FINAL_TYPE (PrismLibraryItem, prism_library_item, PRISM, LIBRARY_ITEM, GObject)

PrismLibraryItem *prism_library_item_new         (PrismRunCard *card);
PrismRunCard     *prism_library_item_get_card    (PrismLibraryItem *self);
char             *prism_library_item_dup_title   (PrismLibraryItem *self);
char             *prism_library_item_dup_details (PrismLibraryItem *self);
char             *prism_library_item_dup_numbers (PrismLibraryItem *self);
gboolean          prism_library_item_matches     (PrismLibraryItem *self,
                                                  const char       *words);
void              prism_library_item_set_next    (PrismLibraryItem *self,
                                                  gboolean          next);
gboolean          prism_library_item_get_next    (PrismLibraryItem *self);
void              prism_library_item_changed     (PrismLibraryItem *self);

G_END_DECLS
