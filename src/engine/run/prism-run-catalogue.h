/* prism-run-catalogue: what is known of many runs without opening their files: a card each, in one
 * index, with a small picture beside it.
 *
 * Thread: one at a time; prism_run_card_read() any. */
#pragma once

#include "base/prism-error.h"

#include <glib.h>

G_BEGIN_DECLS

#define PRISM_RUN_CARD_SIDE 64          /* px, of a small picture */

typedef struct
{
  char *key;                            /* of the path, names the small picture */
  char *path;
  char *name;                           /* "" where nobody has named it */
  char *tags;                           /* "", or words with commas between them */
  gboolean starred;
  gboolean lesson;                      /* a step of a lesson */
  char *object;                         /* what it is of, as in its configuration */
  char *settings;                       /* "key=value;…" where they differ from the defaults */
  char *saved;                          /* ISO 8601, UTC */
  char *state_name;                     /* "finished", … */
  char *verdict;                        /* of prism_verdict_get_key() */
  char *frames;                         /* path of recorded frames of a microscope, "" for others */
  double psnr;                          /* dB, NAN where it is not known */
  double misfit;                        /* of held-out frames, NAN where there are none */
  double coverage;                      /* 0…1, NAN where frames were predicted */
  guint64 bytes;                        /* of the file */
  gint64 modified;                      /* s since 1970 */
} PrismRunCard;

typedef struct
{
  char *folder;
  GPtrArray *cards;                     /* of PrismRunCard */
  GHashTable *by_path;                  /* path → card */
} PrismRunCatalogue;

void               prism_run_card_free         (PrismRunCard *self);
PrismRunCard      *prism_run_card_read         (const char  *path,
                                                const char  *folder,
                                                GError     **error);
GPtrArray         *prism_run_card_read_last    (guint n);
gboolean           prism_run_card_is_current   (const PrismRunCard *self);
gboolean           prism_run_card_is_marked    (const PrismRunCard *self);

char              *prism_run_catalogue_dup_folder (void);
PrismRunCatalogue *prism_run_catalogue_new     (const char  *folder,
                                                GError     **error);
char              *prism_run_catalogue_dup_name (const char *path,
                                                 const char *other);
GHashTable        *prism_run_catalogue_load_marked (const char  *folder,
                                                    GError     **error);
PrismRunCatalogue *prism_run_catalogue_copy    (PrismRunCatalogue *self);
void               prism_run_catalogue_free    (PrismRunCatalogue *self);
GHashTable        *prism_run_catalogue_dup_marked (PrismRunCatalogue *self);
PrismRunCard      *prism_run_catalogue_find    (PrismRunCatalogue *self,
                                                const char        *path);
PrismRunCard      *prism_run_catalogue_add     (PrismRunCatalogue *self,
                                                PrismRunCard      *card);
void               prism_run_catalogue_remove  (PrismRunCatalogue *self,
                                                PrismRunCard      *card);
char              *prism_run_catalogue_dup_picture (PrismRunCatalogue  *self,
                                                    const PrismRunCard *card);
gboolean           prism_run_catalogue_save    (PrismRunCatalogue *self,
                                                GError           **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismRunCatalogue, prism_run_catalogue_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismRunCard, prism_run_card_free)

G_END_DECLS
