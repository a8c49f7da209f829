/* prism-run-place: the file of a run under way: its real name, its lock, and whether what has that
 * name is still what was written there last. Thread: any, one place by one thread at a time. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Which file had a name at some moment, and in which state; all 0 where there was none. */
typedef struct
{
  guint64 device;
  guint64 inode;
  guint64 size;                         /* bytes */
  gint64 changed;                       /* ns */
} PrismRunMark;

typedef struct _PrismRunPlace PrismRunPlace;

void           prism_run_mark_init        (PrismRunMark *self,
                                           const char   *path);
gboolean       prism_run_mark_equal       (const PrismRunMark *a,
                                           const PrismRunMark *b);
PrismRunPlace *prism_run_place_new        (const char          *path,
                                           const PrismRunMark  *expected,
                                           GError             **error);
PrismRunPlace *prism_run_place_new_beside (PrismRunPlace  *self,
                                           GError        **error);
void           prism_run_place_free       (PrismRunPlace *self);
const char    *prism_run_place_get_path   (PrismRunPlace *self);
const char    *prism_run_place_get_real   (PrismRunPlace *self);
const PrismRunMark *
               prism_run_place_get_mark   (PrismRunPlace *self);
gboolean       prism_run_place_is_ours    (PrismRunPlace *self,
                                           const char    *id);
void           prism_run_place_set_step   (PrismRunPlace *self,
                                           guint64        step,
                                           gboolean       written);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismRunPlace, prism_run_place_free)

G_END_DECLS
