/* prism-run-list: the run files of a directory, to go on with what was interrupted: runs that are
 * not over and that no living program writes. Reads a little of each. Thread: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  char *path;
  char *state_name;                     /* "running", …; what it did when it was saved */
  char *started;                        /* ISO 8601, UTC */
  char *saved;
  guint64 step;
  gboolean finished;                    /* finished, stopped or failed: nobody waits for it */
  gboolean locked;                      /* a living program writes it */
} PrismRunEntry;

char      *prism_run_list_dup_directory (void);
GPtrArray *prism_run_list_new           (const char *directory);
gboolean   prism_run_entry_is_interrupted (const PrismRunEntry *self);

G_END_DECLS
