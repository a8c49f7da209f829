/* prism-panel-grid: panels as tiles, some of them larger, with gaps that can be dragged; or one of
 * them alone. Properties: arrangement, the id of one; lines, the gaps that were moved, as text. */
#pragma once

#include "window/prism-panel.h"

G_BEGIN_DECLS

#define PRISM_TYPE_PANEL_GRID (prism_panel_grid_get_type ())

G_DECLARE_FINAL_TYPE (PrismPanelGrid, prism_panel_grid, PRISM, PANEL_GRID, GtkWidget)

void        prism_panel_grid_set_scale     (PrismPanelGrid *self,
                                            double          scale);
void         prism_panel_grid_set_front     (PrismPanelGrid *self,
                                             const char     *id);
void        prism_panel_grid_set_page      (PrismPanelGrid *self,
                                            int             page);
PrismPanel *prism_panel_grid_get_maximized (PrismPanelGrid *self);

G_END_DECLS
