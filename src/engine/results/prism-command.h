/* prism-command: the command line that computes a result again. Thread: any. */
#pragma once

#include "history/prism-snapshot.h"

G_BEGIN_DECLS

char *prism_command_dup_run (const PrismSnapshot *snapshot);

G_END_DECLS
