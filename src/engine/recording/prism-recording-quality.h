/* prism-recording-quality: what frames themselves show of a camera: a value that no pixel goes
 * beyond, amplitudes instead of intensities, noise, few grey values. Thread: one at a time. */
#pragma once

#include "recording/prism-recording.h"

G_BEGIN_DECLS

void prism_recording_quality_check (PrismRecording *self,
                                    gboolean        may_be);
void prism_recording_quality_leave_out (PrismRecording *self);

G_END_DECLS
