/* prism-parameter-panel: all parameters by group, with a search. */
#pragma once

#include <gtk/gtk.h>

#include "session/prism-session.h"

G_BEGIN_DECLS

#define PRISM_TYPE_PARAMETER_PANEL (prism_parameter_panel_get_type ())

G_DECLARE_FINAL_TYPE (PrismParameterPanel, prism_parameter_panel, PRISM, PARAMETER_PANEL, GtkWidget)

void prism_parameter_panel_set_session  (PrismParameterPanel *self,
                                         PrismSession        *session);
void prism_parameter_panel_start_search (PrismParameterPanel *self);

G_END_DECLS
