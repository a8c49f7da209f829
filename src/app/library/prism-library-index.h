/* prism-library-index: keeps the index of a catalogue on the disk, written on another thread while
 * the window goes on. Thread: main. And finds what is not in it yet: see PrismLibraryReading. */
#pragma once

#include "run/prism-run-catalogue.h"
#include "run/prism-run-folder.h"

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

/* Which files the library does not know yet, what it knows and is gone, and their cards, as one job
 * after the other reads them. Thread: one at a time. */
typedef struct
{
  char *pictures;                       /* folder of the small pictures */
  char *runs;                           /* folder of the runs */
  GHashTable *known;                    /* path → PrismRunCard with size and time alone */
  GHashTable *refused;                  /* path */
  GPtrArray *wanted;                    /* of char: besides those of the folder */
  GPtrArray *paths;                     /* (nullable) of char: what is to be read, of both */
  GPtrArray *gone;                      /* (nullable) of char: what is known and not there */
  guint next;                           /* of paths */
  GPtrArray *unread;                    /* of char: what the last prism_library_reading_read()
                                         * could not read */
} PrismLibraryReading;

PrismLibraryReading *prism_library_reading_new  (const char *pictures,
                                                 const char *runs);
void                 prism_library_reading_know (PrismLibraryReading *self,
                                                 const PrismRunCard  *card);
GPtrArray           *prism_library_reading_read (PrismLibraryReading *self);
void                 prism_library_reading_free (PrismLibraryReading *self);

/* How many runs stay, and what that comes to in words. Thread: any, but
 * prism_library_limits_init(). */

void  prism_library_limits_init     (PrismRunLimits *limits);
char *prism_library_limits_dup_amount (guint   n,
                                       guint64 bytes);
char *prism_library_limits_dup_text (const PrismRunLimits *limits,
                                     GPtrArray            *entries);
GHashTable *prism_library_limits_find_next (GPtrArray  *cards,
                                            const char *runs);

G_END_DECLS
