/* prism-levels-editor: the histogram of a view's image, with the limits of its colours and their
 * gamma. Signal: edited, when somebody has changed what the views show. */
#pragma once

#include <adwaita.h>
#include "canvas/prism-view.h"

G_BEGIN_DECLS

#define PRISM_TYPE_LEVELS_EDITOR (prism_levels_editor_get_type ())

G_DECLARE_FINAL_TYPE (PrismLevelsEditor, prism_levels_editor, PRISM, LEVELS_EDITOR, AdwBin)

void prism_levels_editor_set_view      (PrismLevelsEditor *self,
                                        PrismView         *view);
void prism_levels_editor_link          (PrismLevelsEditor *self,
                                        PrismLevelsEditor *other);
void prism_levels_editor_get_limits    (PrismLevelsEditor *self,
                                        PrismLimits       *limits);
void prism_levels_editor_set_limits    (PrismLevelsEditor *self,
                                        const PrismLimits *limits);

G_END_DECLS
