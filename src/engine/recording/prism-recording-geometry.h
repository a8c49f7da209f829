/* prism-recording-geometry: whether the directions fit the frames. The spectrum of a bright frame's
 * intensity has two circles of the aperture's radius, opposite to each other, where light that went
 * through meets what was scattered. Thread: one at a time. */
#pragma once

#include "recording/prism-recording.h"

G_BEGIN_DECLS

#define PRISM_RECORDING_GEOMETRY_MIN_RADIUS 8.0 /* pixels of a circle that can be seen */
#define PRISM_RECORDING_GEOMETRY_CENTER 3.0 /* pixels around zero frequency that are left out */
enum { PRISM_RECORDING_GEOMETRY_N_RADII = 7 }; /* 0.85 to 1.15 of the NA */
#define PRISM_RECORDING_GEOMETRY_SURE 3.0 /* times the standard error of a mean */

double    prism_recording_geometry_compute_contrast (const PrismRecording *self);
gboolean  prism_recording_geometry_compute_edges
                (const PrismRecording *self,
                 const double          shift[2],
                 double                edges[3][PRISM_RECORDING_GEOMETRY_N_RADII]);
guint     prism_recording_geometry_choose    (const PrismRecording *self,
                                              guint                *frames,
                                              guint                 n_frames);
int       prism_recording_geometry_get_side  (const PrismRecording *self);
gboolean  prism_recording_geometry_compute_spectrum (const PrismRecording *self,
                                                     guint                 j,
                                                     float                *spectrum);

G_END_DECLS
