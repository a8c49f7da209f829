/* prism-library-index: keeps the index of a catalogue on the disk, written on another thread while
 * the window goes on. Thread: main. */
#pragma once

#include "run/prism-run-catalogue.h"

G_BEGIN_DECLS

typedef struct _PrismLibraryIndex PrismLibraryIndex;

/* Something could not be written: one sentence. */
typedef void (*PrismLibraryIndexFailed) (const char *sentence,
                                         gpointer    data);

PrismLibraryIndex *prism_library_index_new         (PrismRunCatalogue      *catalogue,
                                                    PrismLibraryIndexFailed failed,
                                                    gpointer                data);
void               prism_library_index_changed     (PrismLibraryIndex *self);
void               prism_library_index_grows       (PrismLibraryIndex *self);
gboolean           prism_library_index_is_at_rest  (const PrismLibraryIndex *self);
void               prism_library_index_close       (PrismLibraryIndex *self);

G_END_DECLS
