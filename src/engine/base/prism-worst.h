/* prism-worst: the larger of two errors, where fmax() and MAX() would forget one that is not a
 * number. */
#pragma once

#include <glib.h>
#include <math.h>

G_BEGIN_DECLS

/* Infinite as soon as one of them is not a number. */
static inline double
prism_worst (double worst,
             double error)
{
  return isnan (worst) || isnan (error) ? INFINITY : MAX (worst, error);
}

G_END_DECLS
