/* prism-finding-text: what is known of recorded frames, as a reader wants it. Thread: any. */
#pragma once

#include "ptychography/prism-finding.h"

G_BEGIN_DECLS

char *prism_finding_text_dup_aberrations (const PrismFinding *finding);
char *prism_finding_text_dup_command     (const char                      *path,
                                          const PrismConfig *settings);

G_END_DECLS
