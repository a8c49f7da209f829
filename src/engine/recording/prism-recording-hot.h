/* prism-recording-hot: pixels of a camera that stand out of every frame, or see nothing. Thread:
 * any. */
#pragma once

#include "recording/prism-recording.h"

G_BEGIN_DECLS

guint8 *prism_recording_hot_find (const PrismRecording *recording,
                                  guint                *n_found);
guint8 *prism_recording_hot_find_gaps (const PrismRecording *recording,
                                       guint                *n_found);

G_END_DECLS
