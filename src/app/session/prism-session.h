/* prism-session: one engine, the draft of its next run, and the newest snapshot. The only
 * file of the window that talks to the engine. */
#pragma once

#include "run/prism-engine.h"
#include "results/prism-sweep.h"
#include "session/prism-draft.h"
#include "session/prism-playback.h"

G_BEGIN_DECLS

#define PRISM_TYPE_SESSION (prism_session_get_type ())

G_DECLARE_FINAL_TYPE (PrismSession, prism_session, PRISM, SESSION, GObject)

PrismSession  *prism_session_new                (GError **error);
void           prism_session_start              (PrismSession      *self,
                                                 const PrismConfig *config);
void           prism_session_start_problem      (PrismSession *self,
                                                 PrismProblem *problem);
void           prism_session_pass_problem       (PrismSession *self,
                                                 PrismProblem *problem);
void           prism_session_look_at            (PrismSession *self,
                                                 guint         frame);
char          *prism_session_dup_marks          (PrismSession *self);
void           prism_session_set_marks          (PrismSession *self,
                                                 const char   *marks);
PrismImage    *prism_session_new_frame          (PrismSession *self,
                                                 guint         frame);
void           prism_session_export_problem     (PrismSession *self,
                                                 const char   *directory);
gboolean       prism_session_get_recorded       (PrismSession *self);
PrismSweep    *prism_session_new_sweep          (PrismSession *self);
void           prism_session_end                (PrismSession *self);
gboolean       prism_session_collect            (PrismSession *self);

PrismDraft    *prism_session_get_draft          (PrismSession *self);
PrismSnapshot *prism_session_get_snapshot       (PrismSession *self);
PrismPlayback *prism_session_get_playback       (PrismSession *self);
PrismSnapshot *prism_session_get_shown          (PrismSession *self);
PrismSnapshot *prism_session_get_previous       (PrismSession *self);
PrismState     prism_session_get_state          (PrismSession *self);
gboolean       prism_session_get_active         (PrismSession *self);
gboolean       prism_session_get_outdated       (PrismSession *self);
guint64        prism_session_get_required_bytes (PrismSession *self);
const char    *prism_session_get_idle_reason    (PrismSession     *self,
                                                 const PrismParam *param);
gboolean       prism_session_get_deferred       (PrismSession     *self,
                                                 const PrismParam *param);

void           prism_session_set_interval       (PrismSession *self,
                                                 guint         milliseconds);
void           prism_session_run                (PrismSession *self);
void           prism_session_pause              (PrismSession *self);
void           prism_session_step               (PrismSession *self,
                                                 guint         n_samples);
void           prism_session_stop               (PrismSession *self);
void           prism_session_restart            (PrismSession *self);
gboolean       prism_session_show_lesson        (PrismSession      *self,
                                                 const PrismConfig *config);
void           prism_session_lend_frames        (PrismSession      *self,
                                                 PrismScene        *frames);
gboolean       prism_session_run_lesson         (PrismSession      *self,
                                                 const PrismConfig *config);
void           prism_session_show_edited        (PrismSession *self);
const PrismConfig *prism_session_get_planned    (PrismSession *self);
gboolean       prism_session_run_config         (PrismSession      *self,
                                                 const PrismConfig *config);
void           prism_session_discard_result     (PrismSession *self);
void           prism_session_clear_cache        (PrismSession *self);
gboolean       prism_session_get_borrowed       (PrismSession *self);
gboolean       prism_session_run_passing        (PrismSession *self);
gboolean       prism_session_get_passing        (PrismSession *self);
guint          prism_session_get_number         (PrismSession *self);
void           prism_session_keep_run           (PrismSession *self);

const char    *prism_session_get_run_file       (PrismSession *self);
gboolean       prism_session_get_saved          (PrismSession *self);
gboolean       prism_session_get_unsaved        (PrismSession *self);
gboolean       prism_session_get_read_only      (PrismSession *self);
gboolean       prism_session_get_resting        (PrismSession *self);
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

G_END_DECLS
