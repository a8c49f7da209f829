/* prism-sweep-editor: what a sweep goes over, as rows of a window. Signal: changed, when the plan
 * is another one. */
#pragma once

#include <adwaita.h>

#include "results/prism-sweep.h"

G_BEGIN_DECLS

#define PRISM_TYPE_SWEEP_EDITOR (prism_sweep_editor_get_type ())

G_DECLARE_FINAL_TYPE (PrismSweepEditor, prism_sweep_editor, PRISM, SWEEP_EDITOR,
                      AdwPreferencesGroup)

void        prism_sweep_editor_set_base   (PrismSweepEditor *self,
                                           PrismSweep       *base);
void        prism_sweep_editor_set_axis   (PrismSweepEditor *self,
                                           guint             axis,
                                           const char       *key,
                                           const char       *values);
void        prism_sweep_editor_set_ensemble (PrismSweepEditor *self);
void        prism_sweep_editor_show_sweep (PrismSweepEditor *self,
                                           PrismSweep       *sweep);
PrismSweep *prism_sweep_editor_dup_sweep  (PrismSweepEditor  *self,
                                           GError           **error);

G_END_DECLS
