/* prism-recording-geometry: whether the directions fit the frames. The spectrum of a bright frame's
 * intensity has two circles of the aperture's radius, opposite to each other, where light that went
 * through meets what was scattered. Thread: one at a time. */
#pragma once

#include "recording/prism-recording.h"

G_BEGIN_DECLS

/* Scale, turn, shift in radii, radius; each as it differs from none. */
#define PRISM_RECORDING_EDGES_N_PARAMETERS 5
/* Of the radius: how far an edge is seen, at first and at the end. */
#define PRISM_RECORDING_EDGES_WIDEST 0.13
#define PRISM_RECORDING_EDGES_NARROWEST 0.055

/* Spectra of frames, of which one half is looked at. s = side */
typedef struct
{
  int side;
  double radius; /* of the aperture, pixels of the spectrum */
  double unit;   /* pixels of the spectrum for a direction of 1 */
  guint n;
  double (*centers)[2]; /* [n]: pixels */
  float *spectra;       /* [n][s][s]: logarithms without what all have at a radius */
} PrismRecordingEdges;

extern const double prism_recording_edges_notable[PRISM_RECORDING_EDGES_N_PARAMETERS];

guint    prism_recording_edges_choose  (const PrismRecording *recording,
                                        guint                *chosen);
gboolean prism_recording_edges_look    (PrismRecordingEdges  *self,
                                        const PrismRecording *recording);
void     prism_recording_edges_clear   (PrismRecordingEdges *self);
double   prism_recording_edges_compute (const PrismRecordingEdges *self,
                                        const double              *parameters,
                                        double                     width,
                                        guint                      first,
                                        guint                      step);
double   prism_recording_edges_climb   (const PrismRecordingEdges *self,
                                        guint                      first,
                                        guint                      step,
                                        double                    *parameters);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PrismRecordingEdges, prism_recording_edges_clear)

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
