/* prism-recording-names: what people call the numbers and columns of an instrument. Thread: any. */
#pragma once

#include "formats/prism-unit.h"

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  PRISM_NAME_NONE,
  PRISM_NAME_WAVELENGTH,
  PRISM_NAME_PIXEL_SIZE,
  PRISM_NAME_CAMERA_PIXEL,
  PRISM_NAME_MAGNIFICATION,
  PRISM_NAME_NA,
  PRISM_NAME_DISTANCE,
  PRISM_NAME_PITCH,
  PRISM_NAME_FILE,                      /* the name of a frame's own */
  PRISM_NAME_POSITIONS,                 /* of LEDs, two or three numbers each */
  PRISM_NAME_COSINES,
  PRISM_NAME_WAVES,
  /* What tables have as columns: */
  PRISM_NAME_FRAME,
  PRISM_NAME_Z,
  PRISM_NAME_X,                         /* the y of each follows it */
  PRISM_NAME_Y,
  PRISM_NAME_NA_X,
  PRISM_NAME_NA_Y,
  PRISM_NAME_WAVE_X,
  PRISM_NAME_WAVE_Y,
  PRISM_NAME_BOX_X,
  PRISM_NAME_BOX_Y,
  PRISM_NAME_COLUMN,
  PRISM_NAME_ROW,
  PRISM_NAME_THETA,                     /* of the light, from the axis */
  PRISM_NAME_PHI,                       /* of the light, around the axis */
  PRISM_NAME_EXPOSURE,
  PRISM_N_NAMES
} PrismName;

PrismName prism_recording_names_find (const char *name,
                                      PrismUnit  *unit);

G_END_DECLS
