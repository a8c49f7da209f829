/* prism-recording-units: numbers in other units than metres, as programs write them. What can be
 * only so is converted and noted. Thread: one at a time. */
#pragma once

#include "recording/prism-recording.h"

G_BEGIN_DECLS

double prism_recording_units_get_photon       (double          value);
void prism_recording_units_correct           (PrismRecording *self,
                                              gboolean        pixel_may_be_camera);
void prism_recording_units_correct_positions (PrismRecording *self);

G_END_DECLS
