/* prism-recording-circles: whether the bright circles in the spectra of frames have the places and
 * the radius that geometry and NA say, and by how much they differ. Thread: one at a time. */
#pragma once

#include "recording/prism-recording.h"

G_BEGIN_DECLS

/* What has to be done to the directions, in this order, and to the NA. */
typedef struct
{
  double scale;
  double turn;                          /* radians, from x to y */
  double shift[2];                      /* of the directions */
  double radius;                        /* times the NA */
  double pixel;                         /* times the side of a pixel; directions stay */
} PrismCircles;

gboolean prism_recording_circles_find    (const PrismRecording *self,
                                          PrismCircles         *found,
                                          guint                *n_frames);
void     prism_recording_circles_correct (PrismRecording *self);
void     prism_recording_circles_undo    (PrismRecording *self);

G_END_DECLS
