/* prism-finite: whether all numbers of a large array are finite. */
#pragma once

#include <glib.h>
#include <string.h>

G_BEGIN_DECLS

/* By the bits of the exponents, which the compiler turns into vectors. values: [n_values] */
static inline gboolean
prism_finite_all (const float *values,
                  gsize n_values)
{
  const guint32 exponent = 0x7f800000;
  guint32 bad = 0;

  for (gsize i = 0; i < n_values; i++)
    {
      guint32 bits;

      memcpy (&bits, &values[i], sizeof bits);
      bad |= (bits & exponent) == exponent;
    }
  return bad == 0;
}

G_END_DECLS
