/* prism-point: a position that the aperture visits in k-space. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  double y;                             /* px from the origin of k-space */
  double x;
  double angle;                         /* of its line, radians from the x axis towards y */
} PrismPoint;

G_END_DECLS
