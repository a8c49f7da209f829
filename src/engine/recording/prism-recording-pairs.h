/* prism-recording-pairs: where the light of each frame came from, of the arrays of a file.
 * Thread: one at a time. */
#pragma once

#include "formats/prism-fields.h"
#include "recording/prism-recording.h"

G_BEGIN_DECLS

gsize    prism_recording_pairs_count     (PrismFields *fields);
gboolean prism_recording_pairs_assign    (PrismRecording     *self,
                                          PrismFields        *fields,
                                          const PrismRecipe  *recipe,
                                          GError            **error);
void     prism_recording_pairs_set_index (PrismRecording  *self,
                                          const double    *columns,
                                          const double    *rows);
void     prism_recording_pairs_set_depth (PrismRecording *self,
                                          const double   *heights,
                                          double          unit);

G_END_DECLS
