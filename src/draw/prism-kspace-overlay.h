/* prism-kspace-overlay: what is drawn over the spectrum: axes, path, centres, aperture. */
#pragma once

#include "history/prism-convergence.h"
#include "model/prism-aperture.h"
#include "model/prism-pattern.h"
#include "prism-paint.h"

G_BEGIN_DECLS

typedef struct
{
  PrismPattern *pattern;                /* (nullable) in the order of the visits */
  guint n_visited;                      /* points before this one are measured */
  int current;                          /* where the aperture is, -1 nowhere */
  PrismAperture aperture;
  double line_length;                   /* px along which it moves at each point, 0 for none */
  double roi;                           /* diameter of the region of interest, px; 0 for none */
  const guint8 *states;                 /* (nullable) [n_states] PrismSampleState of the points */
  guint n_states;
  gboolean editing;                     /* positions are placed by hand: nothing is visited */
  gboolean hovering;
  PrismPoint hover;                     /* where the pointer is, when hovering */
  gboolean holding;
  PrismPoint held;                      /* the position that is selected, when holding */
  gboolean correlation;                 /* whether the tint is the correlation: with a scale */
} PrismKspaceOverlay;

void prism_kspace_overlay_draw     (const PrismKspaceOverlay *self,
                                    PrismPaint               *paint,
                                    const PrismFrame         *frame);

G_END_DECLS
