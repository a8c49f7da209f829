/* prism-run-names: what the runs of a list are called: runs of one kind are told apart by the
 * settings in which they differ. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

void prism_run_names_update (GListModel *runs);

G_END_DECLS
