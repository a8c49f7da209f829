/* prism-recording-correct: what a camera does to frames, its dark and bright frames, masks and hot
 * pixels. Thread: one at a time. */
#pragma once

#include "formats/prism-fields.h"
#include "recording/prism-recording.h"

G_BEGIN_DECLS

void     prism_recording_exposure_divide     (PrismRecording *self,
                                              const double   *exposures,
                                              const char     *name);

guint8 *prism_recording_hot_find (const PrismRecording *recording,
                                  guint                *n_found);
guint8 *prism_recording_hot_find_gaps (const PrismRecording *recording,
                                       guint                *n_found);

gboolean prism_recording_correct (PrismRecording     *self,
                                  PrismFields        *fields,
                                  const PrismRecipe  *recipe,
                                  GError            **error);

G_END_DECLS
