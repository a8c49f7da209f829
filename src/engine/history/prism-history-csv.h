/* prism-history-csv: the rows of a history as text, metrics.csv, one after the other.
 * Thread: any, also while the engine appends. */
#pragma once

#include <stdio.h>

#include "base/prism-file.h"
#include "history/prism-history.h"

G_BEGIN_DECLS

typedef struct _PrismHistoryCsv PrismHistoryCsv;

PrismHistoryCsv *prism_history_csv_new     (PrismHistory *history,
                                            guint64       first,
                                            guint64       n_rows);
void             prism_history_csv_free    (PrismHistoryCsv *self);
gssize           prism_history_csv_read    (gpointer   data,
                                            char      *buffer,
                                            gsize      length,
                                            GError   **error);

PrismHistory    *prism_history_new_csv     (PrismReadFunc   read,
                                            gpointer        data,
                                            guint64         n_rows,
                                            const char     *name,
                                            GError        **error);
PrismHistory    *prism_history_load_csv    (const char     *path,
                                            GError        **error);
gboolean         prism_history_save_csv    (PrismHistory  *self,
                                            guint64        n_rows,
                                            const char    *path,
                                            GError       **error);
const char      *prism_history_get_csv_header (void);
gboolean         prism_history_print_csv      (PrismHistory  *self,
                                               guint64        n_rows,
                                               const char    *first_cell,
                                               FILE          *stream,
                                               GError       **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismHistoryCsv, prism_history_csv_free)

G_END_DECLS
