/* prism-microscope: frames that a camera recorded behind a microscope, explained by a complex
 * object, the pupil and the light of every LED, as a method of a run. Thread: engine. */
#pragma once

#include "solve/prism-solver.h"

G_BEGIN_DECLS

/* Of a solver of prism_microscope_kind. */
PrismImage      *prism_microscope_get_phase   (PrismSolver *self);
PrismFinding    *prism_microscope_get_finding (PrismSolver *self,
                                               gboolean     settled);
void             prism_microscope_look_at     (PrismSolver *self,
                                               guint        frame);
gboolean         prism_microscope_export      (PrismSolver  *self,
                                               double        seconds,
                                               double        coverage,
                                               const char   *device_reason,
                                               gboolean      is_brief,
                                               const char   *directory,
                                               GError      **error);

G_END_DECLS
