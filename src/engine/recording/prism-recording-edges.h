/* prism-recording-edges: how clearly the spectra of bright frames fall at the edges of the circles
 * that geometry and NA say. Thread: one at a time. */
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

G_END_DECLS
