/* prism-import-plan: what reconstructing would make of recorded frames, in words. Thread: any. */
#pragma once

#include "recording/prism-recording.h"

G_BEGIN_DECLS

char *prism_import_plan_dup_text (const PrismRecording  *recording,
                                  GError               **error);

char *prism_import_plan_dup_missing (const PrismRecording *recording);

G_END_DECLS
