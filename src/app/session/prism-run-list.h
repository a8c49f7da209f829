/* prism-run-list: the runs of this session that are kept for comparing, and the queue of those that
 * wait. Property: queue-running. Signals: changed, when other results are compared; problem, with a
 * sentence, when a file cannot be read. */
#pragma once

#include <gio/gio.h>

#include "results/prism-comparison.h"
#include "session/prism-run-item.h"
#include "session/prism-session.h"

G_BEGIN_DECLS

#define PRISM_TYPE_RUN_LIST (prism_run_list_get_type ())

G_DECLARE_FINAL_TYPE (PrismRunList, prism_run_list, PRISM, RUN_LIST, GObject)

PrismRunList    *prism_run_list_new            (PrismSession *session);
GListModel      *prism_run_list_get_model      (PrismRunList *self);
void             prism_run_list_set_budget     (PrismRunList *self,
                                                guint64       bytes);
void             prism_run_list_enqueue        (PrismRunList      *self,
                                                const char        *name,
                                                const PrismConfig *config);
void             prism_run_list_open           (PrismRunList *self,
                                                const char   *path);
void             prism_run_list_remove         (PrismRunList *self,
                                                PrismRunItem *item);
void             prism_run_list_show_only      (PrismRunList  *self,
                                                PrismSnapshot *a,
                                                PrismSnapshot *b);
void             prism_run_list_start_queue    (PrismRunList *self);
void             prism_run_list_hold_queue     (PrismRunList *self);
void             prism_run_list_set_blocked    (PrismRunList *self,
                                                gboolean      blocked);
guint            prism_run_list_count_waiting  (PrismRunList *self);
PrismComparison *prism_run_list_new_comparison (PrismRunList *self);

G_END_DECLS
