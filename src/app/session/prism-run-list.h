/* prism-run-list: the runs of this session that are kept for comparing, and the queue of those that
 * wait. Property: queue-running. Signals: changed, when other results are compared; problem, with a
 * sentence, when a file cannot be read. A PrismRunItem is one run: what it came to, or the
 * configuration that waits for its turn. Its properties: name, status, shown, done. */
#pragma once

#include <gio/gio.h>

#include "results/prism-comparison.h"
#include "session/prism-session.h"

G_BEGIN_DECLS

typedef enum
{
  PRISM_RUN_WAITING,
  PRISM_RUN_UNDER_WAY,
  PRISM_RUN_STOPPED,                    /* its result comes soon after, as that of: */
  PRISM_RUN_DONE,
  PRISM_RUN_FAILED,                     /* without a result */
} PrismRunStatus;

#define PRISM_TYPE_RUN_ITEM (prism_run_item_get_type ())

G_DECLARE_FINAL_TYPE (PrismRunItem, prism_run_item, PRISM, RUN_ITEM, GObject)

struct _PrismRunItem
{
  GObject parent_instance;

  char *name;                           /* what the user reads */
  char *own_name;                       /* (nullable): number or file, which no other has */
  char *path;                           /* (nullable): its file */
  char *given;                          /* (nullable): what it was called by who began it */
  PrismConfig *config;
  PrismResult *result;                  /* (nullable): what it came to */
  PrismRunStatus status;
  gboolean shown;                       /* takes part in the comparison */
};

PrismRunItem    *prism_run_item_new            (char              *own_name,
                                                const char        *given,
                                                const PrismConfig *config);
void             prism_run_item_set_status     (PrismRunItem   *self,
                                                PrismRunStatus  status);
void             prism_run_item_set_result     (PrismRunItem *self,
                                                PrismResult  *result);
void             prism_run_item_name_all       (GListModel *runs);
char            *prism_run_item_dup_common     (GListModel *runs);

#define PRISM_TYPE_RUN_LIST (prism_run_list_get_type ())

G_DECLARE_FINAL_TYPE (PrismRunList, prism_run_list, PRISM, RUN_LIST, GObject)

struct _PrismRunList
{
  GObject parent_instance;

  PrismSession *session;
  GListStore *store;     /* of PrismRunItem, the oldest first */
  PrismRunItem *current; /* (nullable): of the queue, under way */
  PrismRunItem *passing; /* (nullable): the one run of those that give way to the next */
  guint64 budget;
  guint64 last_run; /* that was kept */
  gboolean running; /* the queue goes on when a run ends */
  gboolean blocked; /* but not now */
  guint next_id;
  GQueue paths; /* of files that are opened, in the order of the asking; the first is being read */
};

PrismRunList    *prism_run_list_new            (PrismSession *session);
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
void             prism_run_list_set_running    (PrismRunList *self,
                                                gboolean      running);
void             prism_run_list_set_blocked    (PrismRunList *self,
                                                gboolean      blocked);
guint            prism_run_list_count_waiting  (PrismRunList *self);
char            *prism_run_list_dup_name       (PrismRunList *self);
void             prism_run_list_follow_names   (PrismRunList *self);
PrismComparison *prism_run_list_new_comparison (PrismRunList *self);

G_END_DECLS
