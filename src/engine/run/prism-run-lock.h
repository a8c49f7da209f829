/* prism-run-lock: one writer per run file. The lock is a file beside it, NAME.lock, that is locked
 * as long as its owner lives; one that was left behind is no obstacle. Thread: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _PrismRunLock PrismRunLock;

PrismRunLock *prism_run_lock_new      (const char  *path,
                                       GError     **error);
void          prism_run_lock_free     (PrismRunLock *self);
gboolean      prism_run_lock_is_taken (const char *path);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismRunLock, prism_run_lock_free)

G_END_DECLS
