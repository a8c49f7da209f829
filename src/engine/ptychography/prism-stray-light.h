/* prism-stray-light: light that is not the same everywhere, nor in every frame, as dark frames show
 * it: a plane for each, and a smooth shape that all have in common. Thread: any. */
#pragma once

#include "recording/prism-recording.h"

G_BEGIN_DECLS

/* Of polynomials of both axes, and how many there are up to it. */
#define PRISM_STRAY_LIGHT_DEGREE 6
#define PRISM_STRAY_LIGHT_TERMS \
  ((PRISM_STRAY_LIGHT_DEGREE + 1) * (PRISM_STRAY_LIGHT_DEGREE + 2) / 2)

/* A square of each frame. */
typedef struct
{
  const PrismRecording *recording;
  guint left;
  guint top;
  guint side;
  const double *distances;              /* [N]: of the light's direction, radii of the pupil */
  double background;                    /* that is taken off everywhere */
} PrismStrayLightView;

float *prism_stray_light_find (const PrismStrayLightView *view);
void   prism_stray_light_draw (const float *terms,
                               guint        side,
                               float       *field);

G_END_DECLS
