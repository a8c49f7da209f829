/* prism-engine: the thread that owns a reconstruction: immutable commands in, immutable snapshots
 * out. Every function here may be called from any one controlling thread, the window's or the
 * CLI's. */
#pragma once

#include "run/prism-run-file.h"
#include "measure/prism-scene.h"

G_BEGIN_DECLS

typedef struct _PrismEngine PrismEngine;

/* Called on the engine thread when the one-slot mailbox goes from empty to full: at most once until
 * prism_engine_collect() empties it. It must only wake the other thread. */
typedef void (*PrismEngineNotify) (gpointer data);

PrismEngine   *prism_engine_new       (PrismEngineNotify  notify,
                                       gpointer           data,
                                       GError           **error);
void           prism_engine_free      (PrismEngine *self);

gboolean       prism_engine_configure (PrismEngine        *self,
                                       const PrismConfig  *config,
                                       GError            **error);
gboolean       prism_engine_configure_again (PrismEngine        *self,
                                             const PrismConfig  *config,
                                             const char         *reading,
                                             GError            **error);
gboolean       prism_engine_configure_scene (PrismEngine        *self,
                                             const PrismConfig  *config,
                                             PrismScene         *scene,
                                             GError            **error);
void           prism_engine_run       (PrismEngine *self);
void           prism_engine_pause     (PrismEngine *self);
void           prism_engine_step      (PrismEngine *self,
                                       guint        n_samples);
void           prism_engine_stop      (PrismEngine *self);
void           prism_engine_close     (PrismEngine *self);
gboolean       prism_engine_update    (PrismEngine        *self,
                                       const PrismConfig  *config,
                                       GError            **error);
void           prism_engine_set_run_file (PrismEngine *self,
                                          const char  *path);
void           prism_engine_set_lesson_file (PrismEngine *self,
                                             const char  *path);
void           prism_engine_export      (PrismEngine *self,
                                         const char  *directory,
                                         gboolean     brief);
PrismSnapshot *prism_engine_write       (PrismEngine    *self,
                                         const char     *directory,
                                         gboolean        brief,
                                         PrismSnapshot  *snapshot,
                                         GError        **error);
void           prism_engine_clear_cache (PrismEngine *self);
void           prism_engine_look_at    (PrismEngine *self,
                                        guint        frame);
void           prism_engine_show       (PrismEngine *self,
                                        const char  *display);
gboolean       prism_engine_resume    (PrismEngine        *self,
                                       PrismRun           *run,
                                       const char         *path,
                                       const PrismConfig  *config,
                                       GError            **error);
void           prism_engine_set_interval (PrismEngine *self,
                                          guint        milliseconds);
void           prism_engine_set_keeps_states (PrismEngine *self,
                                              gboolean     keeps);
PrismProblem  *prism_engine_ref_problem (PrismEngine *self);
PrismSnapshot *prism_engine_collect   (PrismEngine *self);
PrismSnapshot *prism_engine_wait      (PrismEngine *self,
                                       guint        milliseconds);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismEngine, prism_engine_free)

G_END_DECLS
