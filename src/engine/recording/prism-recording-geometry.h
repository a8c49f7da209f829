/* prism-recording-geometry: whether the directions fit the frames. The spectrum of a bright frame's
 * intensity has two circles of the aperture's radius, opposite to each other, where light that went
 * through meets what was scattered. Thread: one at a time. */
#pragma once

#include "recording/prism-recording.h"

G_BEGIN_DECLS

#define PRISM_RECORDING_GEOMETRY_MAX_FRAMES 32 /* whose spectra are looked at */
#define PRISM_RECORDING_GEOMETRY_MIN_RADIUS 8.0 /* pixels of a circle that can be seen */
#define PRISM_RECORDING_GEOMETRY_CENTER 3.0 /* pixels around zero frequency that are left out */
#define PRISM_RECORDING_GEOMETRY_SURE 3.0 /* times the standard error of a mean */

/* Signs of both axes together cannot be told from frames. */
typedef enum
{
  PRISM_TURN_NONE,
  PRISM_TURN_MIRRORED,                  /* y is −y */
  PRISM_TURN_SWAPPED,                   /* x is y */
  PRISM_TURN_ROTATED,                   /* x is y, y is −x */
  PRISM_N_TURNS
} PrismTurn;

/* How much brighter the spectra are in the circles of one turn than in those of another, as a
 * logarithm. */
PrismTurn prism_recording_geometry_find_turn (const PrismRecording *self,
                                              double               *contrast,
                                              guint                *n_used);
double    prism_recording_geometry_compute_contrast (const PrismRecording *self);
void      prism_recording_geometry_correct   (PrismRecording *self);
guint     prism_recording_geometry_choose    (const PrismRecording *self,
                                              guint                *frames,
                                              guint                 n_frames);
int       prism_recording_geometry_get_side  (const PrismRecording *self);
gboolean  prism_recording_geometry_compute_spectrum (const PrismRecording *self,
                                                     guint                 j,
                                                     float                *spectrum);

G_END_DECLS
