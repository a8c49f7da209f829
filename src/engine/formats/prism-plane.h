/* prism-plane: what a run shows beside the amplitude of its picture, each with a unit and a range.
 * Thread: any. */
#pragma once

#include "formats/prism-image.h"

G_BEGIN_DECLS

typedef enum
{
  PRISM_PLANE_PHASE,                    /* of the picture, [m][m] */
  PRISM_PLANE_PUPIL_AMPLITUDE,          /* [q][q], q = side of a frame */
  PRISM_PLANE_PUPIL_PHASE,              /* [q][q] */
  PRISM_N_PLANES,
} PrismPlane;

typedef struct
{
  const char *key;                      /* in files: "phase" */
  const char *unit;
  double low;                           /* where its colours begin and end */
  double high;
} PrismPlaneInfo;

extern const PrismPlaneInfo prism_planes[PRISM_N_PLANES];

void prism_planes_ref   (PrismImage *planes[PRISM_N_PLANES]);
void prism_planes_clear (PrismImage *planes[PRISM_N_PLANES]);

G_END_DECLS
