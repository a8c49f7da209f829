/* prism-session: one engine, the draft of its next run, and the newest snapshot. The only
 * file of the window that talks to the engine. */
#pragma once

#include "support/prism-job.h"
#include "run/prism-engine.h"
#include "results/prism-sweep.h"
#include "session/prism-draft.h"
#include "session/prism-playback.h"

G_BEGIN_DECLS

typedef struct _PrismSessionMarks PrismSessionMarks;

#define PRISM_TYPE_SESSION (prism_session_get_type ())

G_DECLARE_FINAL_TYPE (PrismSession, prism_session, PRISM, SESSION, GObject)

struct _PrismSession
{
  GObject parent_instance;

  PrismEngine *engine;
  PrismWakeUp *wake_up;    /* triggered while the engine's mailbox is full */
  PrismSnapshot *snapshot; /* (nullable) */
  PrismSnapshot *previous; /* (nullable): the result that the present scene or run replaced */
  PrismState state;        /* of the snapshot, or what a command will make of it */
  gboolean on_cpu;         /* what computes is the processor */
  int asked;               /* the backend that is being found out, -1 for none */
  guint64 required_bytes;        /* memory that the edited run needs; 0: unknown */
  guint64 window;          /* bytes that the process held before its first run */
  guint window_id;         /* of the source that looks when all is drawn */
  PrismConfig *lent;       /* (nullable): what is shown or run in place of the draft */
  gboolean borrowed;       /* there is one */
  PrismScene *lent_frames; /* (nullable): recorded ones of a lesson */
  gboolean passing;        /* the run has no file, because the next value takes its place */
  guint number;            /* of the run on the screen, 0 where it has none */
  guint last_number;       /* that a run has got */
  guint64 n_begun;         /* runs that the engine was asked for; it counts them the same way */
  char *scene;             /* (nullable): in words, for the user */
  gboolean outdated;       /* the pictures show another scene than is edited */

  char *run_file;          /* (nullable): of the run on the screen; see prism-session-scene.c */
  char *moved_from;        /* (nullable): the program's own file of a run that is being moved */
  char *chosen;            /* (nullable): file that the user has named for the next run */
  gboolean unsaved;        /* the user wants runs without files */
  gboolean read_only;      /* another program writes run_file */
  gboolean resting;        /* opened from a file, and not gone on with yet */
  char *opening;           /* (nullable): name of a run that is on its way out of its file */
  gboolean stopping;       /* the run under way ends as soon as it can */

  PrismSessionMarks *marks; /* (nullable) */
  PrismPlayback *playback; /* which moment of the run is shown */
  PrismDraft *draft;
  guint apply_id;
};

PrismSession  *prism_session_new                (GError **error);
void           prism_session_start              (PrismSession      *self,
                                                 const PrismConfig *config);
void           prism_session_start_problem      (PrismSession *self,
                                                 PrismProblem *problem);
void           prism_session_pass_problem       (PrismSession *self,
                                                 PrismProblem *problem);
char          *prism_session_dup_marks          (PrismSession *self);
void           prism_session_set_marks          (PrismSession *self,
                                                 const char   *marks);
PrismImage    *prism_session_new_frame          (PrismSession *self,
                                                 guint         frame);
PrismSweep    *prism_session_new_sweep          (PrismSession *self);
void           prism_session_end                (PrismSession *self);
gboolean       prism_session_collect            (PrismSession *self);

gboolean       prism_session_get_active         (PrismSession *self);
gboolean       prism_session_get_going          (PrismSession *self);
const char    *prism_session_get_idle_reason    (PrismSession     *self,
                                                 const PrismParam *param);
gboolean       prism_session_get_deferred       (PrismSession     *self,
                                                 const PrismParam *param);

void           prism_session_run                (PrismSession *self);
void           prism_session_pause              (PrismSession *self);
void           prism_session_step               (PrismSession *self,
                                                 guint         n_samples);
void           prism_session_stop               (PrismSession *self);
void           prism_session_set_opening        (PrismSession *self,
                                                 const char   *name);
void           prism_session_restart            (PrismSession *self);
gboolean       prism_session_show_lesson        (PrismSession      *self,
                                                 const PrismConfig *config);
void           prism_session_lend_frames        (PrismSession      *self,
                                                 PrismScene        *frames);
void           prism_session_show_edited        (PrismSession *self);
const PrismConfig *prism_session_get_planned    (PrismSession *self);
gboolean       prism_session_run_config         (PrismSession      *self,
                                                 const PrismConfig *config,
                                                  gboolean           is_lesson);
void           prism_session_discard_result     (PrismSession *self);
void           prism_session_clear_cache        (PrismSession *self);
gboolean       prism_session_run_passing        (PrismSession *self);
void           prism_session_keep_run           (PrismSession *self);

gboolean       prism_session_get_saved          (PrismSession *self);
gboolean       prism_session_get_unsaved        (PrismSession *self);
gboolean       prism_session_open_run           (PrismSession *self,
                                                 PrismRun     *run,
                                                 const char   *path,
                                                 gboolean      go_on);
gboolean       prism_session_fork_run           (PrismSession *self,
                                                 PrismRun     *run,
                                                 const char   *path);
void           prism_session_move_run           (PrismSession *self,
                                                 const char   *path);
void           prism_session_run_in             (PrismSession *self,
                                                 const char   *path);
void           prism_session_run_unsaved        (PrismSession *self);

/* Within this room. */

/* What marks measure on a result; private to its file. */

void     prism_session_set_run_file    (PrismSession *self,
                                        const char   *path);
void     prism_session_number_run      (PrismSession *self);
void     prism_session_name_file       (PrismSession      *self,
                                        const PrismConfig *config,
                                        gboolean           is_lesson);
void     prism_session_follow_run_file (PrismSession *self);
void     prism_session_leave_run_file  (PrismSession *self);
void     prism_session_go_on           (PrismSession *self);
void     prism_session_begin           (PrismSession *self);
void     prism_session_follow_problem  (PrismSession *self);
gboolean prism_session_configure       (PrismSession *self);
gboolean prism_session_configure_with  (PrismSession      *self,
                                        const PrismConfig *config);
void     prism_session_set_lent        (PrismSession      *self,
                                        const PrismConfig *config);
void     prism_session_follow_scene    (PrismSession *self);
void     prism_session_follow_device   (PrismSession *self);
void     prism_session_measure_window  (PrismSession *self);
gboolean prism_session_hand_over       (PrismSession       *self,
                                        const PrismConfig  *config,
                                        GError            **error);
void     prism_session_keep_result     (PrismSession *self);
void     prism_session_keep_finest     (PrismSession  *self,
                                        PrismSnapshot *snapshot);
void     prism_session_measure_marks   (PrismSession *self);
void     prism_session_drop_marks      (PrismSession *self);
void     prism_session_emit_failure    (PrismSession *self,
                                        const GError *error);

G_END_DECLS
