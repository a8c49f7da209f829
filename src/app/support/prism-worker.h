/* prism-worker: computes something from the newest input on another thread; one job at a time, and
 * at most a part of the time. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

#define PRISM_TYPE_WORKER (prism_worker_get_type ())

G_DECLARE_FINAL_TYPE (PrismWorker, prism_worker, PRISM, WORKER, GObject)

/* On the other thread; NULL where there is nothing to tell. */
typedef gpointer (*PrismWorkerFunc) (gpointer input);

PrismWorker *prism_worker_new        (PrismWorkerFunc func,
                                      GDestroyNotify  free_input,
                                      GDestroyNotify  free_result,
                                      guint           interval);
void         prism_worker_submit     (PrismWorker *self,
                                      gpointer     input);
void         prism_worker_hurry      (PrismWorker *self);
gpointer     prism_worker_get_result (PrismWorker *self);
gboolean     prism_worker_is_busy    (PrismWorker *self);

G_END_DECLS
