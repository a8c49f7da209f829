/* prism-roof: the most that a machine's memory and processors can do, for saying how much of it is
 * used.
 * Thread: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  double bandwidth;                     /* bytes/s that a copy reads and writes */
  double rate;                          /* 1/s: multiplications and additions, fused, FP32 */
} PrismRoof;

void prism_roof_measure (PrismRoof *self);

G_END_DECLS
