/* prism-npy-test: numbers of arrays from files, as devices take them. */
#pragma once

#include "formats/prism-npy.h"

static inline float *
test_dup_floats (const PrismNpy *array)
{
  float *floats = prism_arena_new_array (array->n_values * sizeof *floats, "an array", NULL);

  for (gsize i = 0; i < array->n_values; i++)
    floats[i] = (float) array->values[i];
  return floats;
}
