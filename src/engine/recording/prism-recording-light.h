/* prism-recording-light: how much light the frames of a recording have. Thread: any. */
#pragma once

#include "recording/prism-recording.h"

G_BEGIN_DECLS

typedef struct
{
  guint frame;
  double light;                         /* sum over its pixels */
} PrismFrameLight;

float            prism_recording_get_largest   (const PrismRecording *self);
double           prism_recording_get_light     (const PrismRecording *self,
                                                gsize                 frame);
PrismFrameLight *prism_recording_rank_by_light (const PrismRecording *self,
                                                gboolean              brightest_first);
void             prism_recording_check_light   (PrismRecording *self);

G_END_DECLS
