/* prism-finding-progress: how far a run that explains recorded frames has come, in words. Thread:
 * main. */
#pragma once

#include "ptychography/prism-ptychography-run.h"

G_BEGIN_DECLS

char *prism_finding_progress_dup_text (const PrismPtychographyStatus *status);

G_END_DECLS
