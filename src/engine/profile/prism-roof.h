/* prism-roof: the most that a machine's memory and processors can do, for saying how much of it is
 * used.
 * Thread: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Bytes that are gone through again and again, of all threads together: from those that lie in the
 * caches to those that do not, where a byte takes up to ten times as long. */
#define PRISM_ROOF_N_SETS 5
#define PRISM_ROOF_SET(i) ((gsize) (256 << 10) << (2 * (i)))
#define PRISM_ROOF_LAST (PRISM_ROOF_N_SETS - 1)

typedef struct
{
  double bandwidths[PRISM_ROOF_N_SETS]; /* bytes/s that copies within a set read and write */
  double rate;                          /* 1/s: multiplications and additions, fused, FP32 */
} PrismRoof;

void prism_roof_measure (PrismRoof *self);

G_END_DECLS
