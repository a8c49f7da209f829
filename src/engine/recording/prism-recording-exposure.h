/* prism-recording-exposure: frames that a camera exposed for different times. Thread: one at a
 * time. */
#pragma once

#include "formats/prism-fields.h"
#include "recording/prism-recording.h"

G_BEGIN_DECLS

gboolean prism_recording_exposure_are_counts (const PrismRecording *self);
void     prism_recording_exposure_divide     (PrismRecording *self,
                                              const double   *exposures,
                                              const char     *name);
gboolean prism_recording_exposure_assign     (PrismRecording  *self,
                                              PrismFields     *fields,
                                              GError         **error);

G_END_DECLS
