/* prism-npy-test: numbers of arrays from files, as devices take them. */
#pragma once

#include "base/prism-arena.h"
#include "formats/prism-fields-readers.h"

static inline float *
test_dup_floats (const PrismField *array)
{
  const gsize n = array->n_values * (array->kind == PRISM_FIELD_COMPLEX ? 2 : 1);
  float *floats = prism_arena_new_array (n * sizeof *floats, "an array", NULL);

  for (gsize i = 0; i < n; i++)
    floats[i] = (float) array->values[i];
  return floats;
}
