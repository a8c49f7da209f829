/* recording-grid: 5 × 5 LEDs of pitch 4 mm, 80 mm away, from the upper left on; those within NA 0.1
 * are bright. */
#pragma once

#include "recording/prism-recording.h"

#include "prism-test.h"

#define SIDE 5
#define N (SIDE * SIDE)
#define S 16
#define PITCH 4e-3
#define DISTANCE 80e-3
#define WAVELENGTH 630e-9
#define PIXEL 1.8e-6
#define NA 0.1

static inline double
get_place (gsize j, gsize axis)
{
  return PITCH * ((double) (axis == 0 ? j % SIDE : j / SIDE) - SIDE / 2);
}

static inline double
get_direction (gsize j, gsize axis)
{
  return get_place (j, axis)
         / sqrt (pow (get_place (j, 0), 2) + pow (get_place (j, 1), 2) + DISTANCE * DISTANCE);
}

/* sign: of all directions together, which cannot be seen */
static inline void
check_directions (const PrismRecording *recording, double sign)
{
  MUST (prism_recording_check (recording, &error));
  g_assert_cmpfloat_with_epsilon (recording->wavelength, WAVELENGTH, 1e-15);
  g_assert_cmpfloat_with_epsilon (recording->pixel_size, PIXEL, 1e-12);
  g_assert_cmpfloat_with_epsilon (recording->na, NA, 1e-12);
  for (gsize j = 0; j < N; j++)
    for (gsize k = 0; k < 2; k++)
      g_assert_cmpfloat_with_epsilon (sign * recording->directions[2 * j + k],
                                      get_direction (j, k), 1e-8);
}
