/* prism-recording-correct: what a camera does to frames, its dark and bright frames, masks and hot
 * pixels. Thread: one at a time. */
#pragma once

#include "formats/prism-fields.h"
#include "recording/prism-recording.h"

G_BEGIN_DECLS

gboolean prism_recording_correct (PrismRecording     *self,
                                  PrismFields        *fields,
                                  const PrismRecipe  *recipe,
                                  GError            **error);

G_END_DECLS
