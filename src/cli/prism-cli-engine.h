/* prism-cli-engine: runs a configuration to its end, shows how it gets on, and turns signals into a
 * stop that keeps the result. */
#pragma once

#include "prism-cli-exit.h"
#include "run/prism-engine.h"

#include <gio/gio.h>

G_BEGIN_DECLS

void           prism_cli_engine_end_tidily       (void);
void           prism_cli_engine_catch_signals    (void);
int            prism_cli_engine_get_signal       (void);
int            prism_cli_engine_take_signal      (void);
PrismExit      prism_cli_engine_stopped          (const char *more);
PrismExit      prism_cli_engine_get_exit         (void);
gboolean       prism_cli_engine_is_over          (PrismState state);
gboolean       prism_cli_engine_check            (const PrismSnapshot  *snapshot,
                                                  GError              **error);
void           prism_cli_engine_wait_for         (gpointer   work,
                                                  gboolean (*is_over) (gpointer work),
                                                  void     (*stop)    (gpointer work));
char          *prism_cli_dup_program             (void);
const GError  *prism_cli_engine_get_save_failure (void);
PrismSnapshot *prism_cli_engine_run              (PrismEngine        *engine,
                                                  const PrismConfig  *config,
                                                  PrismScene         *scene,
                                                  gboolean            quiet,
                                                  GError            **error);
PrismSnapshot *prism_cli_engine_wait_ready       (PrismEngine *engine);
PrismSnapshot *prism_cli_engine_go_on            (PrismEngine        *engine,
                                                  gboolean            quiet);

/* Cancels what takes a while when a signal comes, beside the thread that waits. */

typedef struct
{
  GCancellable *cancellable;
  GThread *thread;
  int over; /* atomic */
} PrismCliWatch;

void prism_cli_watch_init  (PrismCliWatch *self);
void prism_cli_watch_clear (PrismCliWatch *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PrismCliWatch, prism_cli_watch_clear)

G_END_DECLS
