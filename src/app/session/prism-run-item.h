/* prism-run-item: a run that is kept for comparing: what it came to, or the configuration that
 * waits for its turn. Properties: name, status, shown, done. */
#pragma once

#include <glib-object.h>

#include "results/prism-result.h"

G_BEGIN_DECLS

typedef enum
{
  PRISM_RUN_WAITING,
  PRISM_RUN_UNDER_WAY,
  PRISM_RUN_DONE,                       /* finished or stopped; its result comes soon after */
  PRISM_RUN_FAILED,                     /* without a result */
} PrismRunStatus;

#define PRISM_TYPE_RUN_ITEM (prism_run_item_get_type ())

G_DECLARE_FINAL_TYPE (PrismRunItem, prism_run_item, PRISM, RUN_ITEM, GObject)

PrismRunItem      *prism_run_item_new            (const char        *name,
                                                  const char        *kind,
                                                  const PrismConfig *config);
const char        *prism_run_item_get_name       (PrismRunItem *self);
const char        *prism_run_item_get_kind       (PrismRunItem *self);
void               prism_run_item_set_difference (PrismRunItem *self,
                                                  const char   *difference);
const PrismConfig *prism_run_item_get_config     (PrismRunItem *self);
PrismRunStatus     prism_run_item_get_status     (PrismRunItem *self);
void               prism_run_item_set_status     (PrismRunItem   *self,
                                                  PrismRunStatus  status);
PrismResult       *prism_run_item_get_result     (PrismRunItem *self);
void               prism_run_item_set_result     (PrismRunItem *self,
                                                  PrismResult  *result);
gboolean           prism_run_item_get_shown      (PrismRunItem *self);

G_END_DECLS
