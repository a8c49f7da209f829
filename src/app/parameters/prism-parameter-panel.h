/* prism-parameter-panel: all parameters by group, with a search; and the switch that lets a changed
 * value start the run again, with what to know before it is used. */
#pragma once

#include <adwaita.h>

#include "session/prism-follow.h"

G_BEGIN_DECLS

#define PRISM_TYPE_PARAMETER_PANEL (prism_parameter_panel_get_type ())

G_DECLARE_FINAL_TYPE (PrismParameterPanel, prism_parameter_panel, PRISM, PARAMETER_PANEL, AdwBin)

void prism_parameter_panel_set_session  (PrismParameterPanel *self,
                                         PrismSession        *session);
void prism_parameter_panel_start_search (PrismParameterPanel *self);
void prism_parameter_panel_focus_problem (PrismParameterPanel *self);

G_END_DECLS
