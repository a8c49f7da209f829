/* prism-session-private: a session's state, shared by the files that make it up. */
#pragma once

#include "session/prism-session.h"
#include "support/prism-job.h"

G_BEGIN_DECLS

/* What marks measure on a result; private to its file. */
typedef struct _PrismSessionMarks PrismSessionMarks;

struct _PrismSession
{
  GObject parent_instance;

  PrismEngine *engine;
  PrismWakeUp *wake_up;    /* triggered while the engine's mailbox is full */
  PrismSnapshot *snapshot; /* (nullable) */
  PrismScene *recorded;    /* (nullable): frames from elsewhere, in place of the telescope */
  char *recorded_object;   /* (nullable): what configurations that look at them have as object */
  PrismSnapshot *previous; /* (nullable): the result that the present scene or run replaced */
  PrismState state;        /* of the snapshot, or what a command will make of it */
  gboolean on_cpu;         /* what computes is the processor */
  int asked;               /* the backend that is being found out, -1 for none */
  guint64 required;        /* see prism_session_get_required_bytes() */
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
  gboolean outdated;       /* see prism_session_get_outdated() */

  char *run_file;          /* (nullable): of the run on the screen; see prism-session-scene.c */
  char *moved_from;        /* (nullable): the program's own file of a run that is being moved */
  char *chosen;            /* (nullable): file that the user has named for the next run */
  gboolean unsaved;        /* the user wants runs without files */
  gboolean read_only;      /* another program writes run_file */
  gboolean resting;        /* opened from a file, and not gone on with yet */

  PrismSessionMarks *marks; /* (nullable) */
  PrismPlayback *playback; /* which moment of the run is shown */
  PrismDraft *draft;
  guint apply_id;
};

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
void     prism_session_drop_scene      (PrismSession *self);
void     prism_session_take_scene      (PrismSession      *self,
                                        PrismScene        *scene,
                                        const PrismConfig *config);
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
void     prism_session_measure_marks   (PrismSession *self);
void     prism_session_drop_marks      (PrismSession *self);
void     prism_session_emit_failure    (PrismSession *self,
                                        const GError *error);

G_END_DECLS
