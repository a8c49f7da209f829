/* prism-recording-assign: which array of a file is what of a recording, by the names that programs
 * use and by a recipe. Thread: one at a time. */
#pragma once

#include "recording/prism-fields.h"
#include "recording/prism-recording.h"

G_BEGIN_DECLS

gboolean prism_recording_assign (PrismRecording     *self,
                                 PrismFields        *fields,
                                 const PrismRecipe  *recipe,
                                 GError            **error);

G_END_DECLS
