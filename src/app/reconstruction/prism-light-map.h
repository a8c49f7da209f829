/* prism-light-map: where the light of every frame came from, coloured by what is known of the
 * frame, and what is known of the frame that is chosen. Signal: "frame-chosen" (guint). */
#pragma once

#include "ptychography/prism-finding.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define PRISM_TYPE_LIGHT_PANEL (prism_light_panel_get_type ())

G_DECLARE_FINAL_TYPE (PrismLightPanel, prism_light_panel, PRISM, LIGHT_PANEL, GtkBox)

void prism_light_panel_set_finding (PrismLightPanel *self,
                                    PrismFinding    *finding);

G_END_DECLS
