/* prism-run-file: a run as a file, .prismrun: configuration, metrics, object, positions, and the
 * last states of the run, from each of which it can go on. A ZIP archive of plain members; Python's
 * zipfile and numpy open all of it. docs/command-line.md names the members.
 *
 * Threads: any, one file by one thread at a time; see prism-run-lock for programs. */
#pragma once

#include "config/prism-config.h"
#include "formats/prism-bundle.h"
#include "history/prism-snapshot.h"
#include "model/prism-pattern.h"
#include "run/prism-run-index.h"

G_BEGIN_DECLS

/* A state of a run as it comes out of a file. */
typedef struct
{
  PrismRunIdentity *identity;
  PrismSnapshot *snapshot;              /* paused, stopped, finished or failed; spectrum and
                                         * measurement are NULL */
  PrismBundle *state;                   /* for prism_trainer_restore() */
  char *state_name;                     /* "running": what the run was doing when it was saved */
  char *saved;                          /* ISO 8601, UTC */
  PrismRunMark mark;                    /* of the file */
  char *notice;                         /* (nullable) one sentence: what is damaged and left out */
} PrismRun;

void              prism_run_free              (PrismRun *self);

gboolean          prism_run_file_save         (PrismRunPlace           *place,
                                               PrismSnapshot           *snapshot,
                                               PrismBundle             *state,
                                               const PrismRunIdentity  *identity,
                                               GError                 **error);
PrismRun         *prism_run_file_load         (const char  *path,
                                               GError     **error);
PrismRun         *prism_run_file_load_until (const char  *path,
                                             guint64      step,
                                             GError     **error);
PrismSnapshot    *prism_run_file_load_snapshot (const char  *path,
                                               GError     **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismRun, prism_run_free)

/* The positions of a run as a part of its file. Thread: any. */

char         *prism_run_positions_to_text (const PrismPattern *pattern);
PrismPattern *prism_run_positions_parse   (const char  *text,
                                           guint        n_points,
                                           int          image_size,
                                           GError     **error);

/* Which settings of a run may change in its middle. Thread: any. */

gboolean prism_run_fork_check (const PrismConfig  *before,
                               const PrismConfig  *after,
                               GError            **error);

G_END_DECLS
