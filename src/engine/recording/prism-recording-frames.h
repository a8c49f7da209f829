/* prism-recording-frames: the frames of a recording from an array of a file.
 * Thread: one at a time. */
#pragma once

#include "formats/prism-fields.h"
#include "recording/prism-recording.h"

G_BEGIN_DECLS

gboolean prism_recording_frames_load (PrismRecording     *self,
                                      PrismFields        *fields,
                                      const PrismField   *field,
                                      const PrismRecipe  *recipe,
                                      GError            **error);
float   *prism_recording_frames_load_mean (PrismFields        *fields,
                                           const PrismField   *field,
                                           const PrismRecipe  *recipe,
                                           guint               height,
                                           guint               width,
                                           GError            **error);
gboolean prism_recording_frames_finish (PrismRecording  *self,
                                        GError         **error);

G_END_DECLS
