/* prism-run-index: which run a file holds (run.json), and the names of a run file's members.
 * Thread: any. */
#pragma once

#include "formats/prism-archive.h"
#include "history/prism-schedule.h"
#include "run/prism-run-lock.h"

#include <glib.h>

G_BEGIN_DECLS

#define PRISM_RUN_FILE_FORMAT 2         /* of a problem; other runs are written as 1 */
#define PRISM_RUN_FILE_SUFFIX ".prismrun"
#define PRISM_RUN_INDEX "run.json"
#define PRISM_RUN_METRICS "metrics.csv"
#define PRISM_RUN_POSITIONS "pattern.csv"
#define PRISM_RUN_OBJECT "object.npy"     /* but of a problem */
#define PRISM_RUN_PROBLEM "problem.json"  /* where recorded frames are that the run explains */
#define PRISM_RUN_PHASE "phase.npy"       /* of a state: the phase of its picture */
#define PRISM_RUN_ORIGIN "object.json"    /* where the object does not show all of its file */
#define PRISM_RUN_SNAPSHOTS "snapshots/"

/* Which run it is; the same in all its states. */
typedef struct
{
  char *id;                             /* random; a fork has another */
  char *started;                        /* ISO 8601, UTC */
  char *parent;                         /* (nullable): name of the file that it was forked from */
  gboolean lesson;                      /* a step of a lesson, which nobody set up by hand */
} PrismRunIdentity;

/* run.json */
typedef struct
{
  PrismRunIdentity *identity;
  int format;
  char *program;
  char *saved;
  char *state_name;
  PrismState state;
  guint64 step;                         /* of the newest state */
  char *backend;                        /* (nullable) */
  char *device;                         /* (nullable) */
  char *device_reason;                  /* (nullable) */
  char *precision_advice;               /* (nullable) */
  char *message;                        /* (nullable) */
} PrismRunIndex;

PrismRunIdentity *prism_run_identity_new         (const char *parent);
PrismRunIdentity *prism_run_identity_dup         (const PrismRunIdentity *self);
void              prism_run_identity_free        (PrismRunIdentity *self);

PrismRunIndex    *prism_run_index_load           (PrismArchive  *archive,
                                                  GError       **error);
PrismRunIndex    *prism_run_index_parse          (const char  *text,
                                                  GError     **error);
void              prism_run_index_free           (PrismRunIndex *self);
GArray           *prism_run_index_list_states    (PrismArchive *archive);
gboolean          prism_run_index_refuse         (const char  *member,
                                                  const char  *reason,
                                                  GError     **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismRunIdentity, prism_run_identity_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismRunIndex, prism_run_index_free)

/* The file of a run under way: its real name, its lock, and whether what has that
 * name is still what was written there last. Thread: any, one place by one thread at a time. */

/* Which file had a name at some moment, and in which state; all 0 where there was none. */
typedef struct
{
  guint64 device;
  guint64 inode;
  guint64 size;                         /* bytes */
  gint64 changed;                       /* ns */
} PrismRunMark;

typedef struct
{
  char *path;                           /* as it was named */
  char *real;                           /* without links: what is written and locked */
  PrismRunLock *lock;
  PrismRunMark mark;                    /* of what was there at the last look or write */
  guint64 written;                      /* step of the state that was written last */
  guint64 tried;                        /* … or perhaps was: the save failed */
} PrismRunPlace;

typedef struct
{
  PrismRunPlace *place;                 /* (nullable): anything may be replaced */
  const char *id;                       /* of the run */
} PrismRunGuard;

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
gboolean       prism_run_guard_allows     (gpointer guard);
void           prism_run_place_set_step   (PrismRunPlace *self,
                                           guint64        step,
                                           gboolean       written);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismRunPlace, prism_run_place_free)

G_END_DECLS
