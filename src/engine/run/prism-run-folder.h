/* prism-run-folder: the run files of a directory, to go on with what was interrupted: runs that are
 * not over and that no living program writes. Reads a little of each. Thread: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  char *path;                           /* of the run itself */
  char *link;                           /* (nullable): what stands for it in the directory */
  char *state_name;                     /* "running", …; what it did when it was saved */
  char *started;                        /* ISO 8601, UTC */
  char *saved;
  guint64 step;
  guint64 size;                         /* bytes */
  gboolean finished;                    /* finished, stopped or failed: nobody waits for it */
  gboolean locked;                      /* a living program writes it */
  gboolean lesson;                      /* a step of a lesson */
  gboolean empty;                       /* it is over before it had a picture */
} PrismRunEntry;

/* What stays of the runs that are over. */
typedef struct
{
  guint n_files;
  guint64 bytes;                        /* of all of them together */
  GHashTable *marked;                   /* (nullable): paths that stay besides, and do not count */
} PrismRunLimits;

char      *prism_run_folder_dup_path      (void);
gboolean   prism_run_folder_make_for      (const char  *path,
                                           GError     **error);
char      *prism_run_folder_dup_plain     (const char *text);
guint      prism_run_folder_get_number    (const char *path);
guint      prism_run_folder_find_last     (const char *directory);
char      *prism_run_folder_dup_new_path  (const char *directory,
                                           guint       number,
                                           const char *name);
GPtrArray *prism_run_folder_list          (const char *directory);
GPtrArray *prism_run_folder_list_paths    (const char *directory);
void       prism_run_folder_add_link      (const char *directory,
                                           const char *path);
void       prism_run_folder_remove_link   (const char *directory,
                                           const char *path);
gboolean   prism_run_limits_cover         (const PrismRunLimits *self,
                                           const PrismRunEntry  *entry);
GPtrArray *prism_run_limits_choose        (const PrismRunLimits *self,
                                           GPtrArray            *entries,
                                           gboolean              next);
guint      prism_run_folder_prune         (const char           *directory,
                                           const PrismRunLimits *limits,
                                           guint                *n_deleted);
gboolean   prism_run_entry_is_interrupted (const PrismRunEntry *self);

G_END_DECLS
