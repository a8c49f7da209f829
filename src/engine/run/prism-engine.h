/* prism-engine: the thread that owns a reconstruction: immutable commands in, immutable snapshots
 * out. Every function here may be called from any one controlling thread, the window's or the
 * CLI's. */
#pragma once

#include "run/prism-run-file.h"
#include "solve/prism-scene.h"

G_BEGIN_DECLS

typedef struct _PrismEngine PrismEngine;

/* Called on the engine thread when the one-slot mailbox goes from empty to full: at most once until
 * prism_engine_collect() empties it. It must only wake the other thread. */
typedef void (*PrismEngineNotify) (gpointer data);

PrismEngine   *prism_engine_new       (PrismEngineNotify  notify,
                                       gpointer           data,
                                       GError           **error);
void           prism_engine_free      (PrismEngine *self);

/* Checked here, loaded on the engine thread: the object, its spectrum and the pattern appear in a
 * snapshot with PRISM_STATE_IDLE. Ends a run that is under way. */
gboolean       prism_engine_configure (PrismEngine        *self,
                                       const PrismConfig  *config,
                                       GError            **error);
/* The same for frames that do not come from the telescope of config. */
gboolean       prism_engine_configure_scene (PrismEngine        *self,
                                             const PrismConfig  *config,
                                             PrismScene         *scene,
                                             GError            **error);
/* Starts, or goes on after a pause. */
void           prism_engine_run       (PrismEngine *self);
void           prism_engine_pause     (PrismEngine *self);
/* Runs n_samples more samples (passes in the polish), then pauses. */
void           prism_engine_step      (PrismEngine *self,
                                       guint        n_samples);
/* Ends the run and keeps the result. */
void           prism_engine_stop      (PrismEngine *self);
/* Lets go of the run under way, whose file has it as it is, without telling. */
void           prism_engine_close     (PrismEngine *self);
/* Applies the live parameters of config to the run under way; the others wait for the next run. */
gboolean       prism_engine_update    (PrismEngine        *self,
                                       const PrismConfig  *config,
                                       GError            **error);
/* The file of the run under way, or else of the next one. */
void           prism_engine_set_run_file (PrismEngine *self,
                                          const char  *path);
/* Writes it now. */
void           prism_engine_save      (PrismEngine *self);
/* Takes up a run from a file: PRISM_STATE_PAUSED, then prism_engine_run(). */
gboolean       prism_engine_resume    (PrismEngine        *self,
                                       PrismRun           *run,
                                       const char         *path,
                                       const PrismConfig  *config,
                                       GError            **error);
/* Shortest time between two snapshots of a running reconstruction; 0 publishes every step. */
void           prism_engine_set_interval (PrismEngine *self,
                                          guint        milliseconds);
/* The newest snapshot since the last call, or NULL. (transfer full) (nullable) */
PrismSnapshot *prism_engine_collect   (PrismEngine *self);
/* Blocks until a snapshot is there; for the command line. (transfer full) (nullable): timeout */
PrismSnapshot *prism_engine_wait      (PrismEngine *self,
                                       guint        milliseconds);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismEngine, prism_engine_free)

G_END_DECLS
