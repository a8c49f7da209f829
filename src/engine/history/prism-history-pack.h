/* prism-history-pack: the text of a history as it stands in a run file, compressed. What has been
 * compressed for one save is kept for the next, so that a save costs what is new.
 * Thread: any, also while the engine appends. */
#pragma once

#include "history/prism-history.h"

G_BEGIN_DECLS


typedef struct
{
  char *data;                           /* [length] of capacity */
  gsize length;
  gsize capacity;
} PrismHistoryBytes;

/* A part of an archive, ready to be written. */
typedef struct
{
  guint64 size;                         /* bytes of the text */
  guint64 packed_size;                  /* compressed */
  guint32 crc;                          /* of the text */

  PrismHistory *history;
  int fd;                               /* where the first n_filed compressed bytes are */
  guint64 n_filed;
  PrismHistoryBytes tail;               /* the others */
  guint64 done;                         /* bytes read so far */
} PrismHistoryMember;


PrismHistoryMember *prism_history_member_new    (PrismHistory  *history,
                                                 guint64        n_rows,
                                                 GError       **error);
void                prism_history_member_free   (PrismHistoryMember *self);
void                prism_history_member_rewind (gpointer data);
gssize              prism_history_member_read   (gpointer   data,
                                                 char      *buffer,
                                                 gsize      length,
                                                 GError   **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismHistoryMember, prism_history_member_free)

G_END_DECLS
