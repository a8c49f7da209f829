/* prism-finding-view: a panel with one picture of a finding, and one with its lights. What is to be
 * seen is computed on another thread. Property: picture (int, a PrismFindingPicture). */
#pragma once

#include "canvas/prism-view.h"
#include "charts/prism-chart-plot.h"
#include "history/prism-snapshot.h"
#include "ptychography/prism-finding-picture.h"

G_BEGIN_DECLS

#define PRISM_TYPE_FINDING_VIEW (prism_finding_view_get_type ())

G_DECLARE_FINAL_TYPE (PrismFindingView, prism_finding_view, PRISM, FINDING_VIEW, PrismView)

void        prism_finding_view_offer       (PrismFindingView   *view,
                                            PrismFindingPicture first,
                                            PrismFindingPicture last,
                                            PrismFindingPicture shown);
void        prism_finding_view_set_snapshot (PrismFindingView *self,
                                             PrismSnapshot    *snapshot);

/* Where the light of every frame came from, coloured by what is known of the frame, and what is
 * known of the frame that is chosen. Signal: "frame-chosen" (guint). */

#define PRISM_TYPE_LIGHT_PANEL (prism_light_panel_get_type ())

G_DECLARE_FINAL_TYPE (PrismLightPanel, prism_light_panel, PRISM, LIGHT_PANEL, GtkBox)

void            prism_light_panel_set_finding (PrismLightPanel *self,
                                               PrismFinding    *finding,
                                               gboolean         in_tiles,
                                               const char      *gap);
PrismChartPlot *prism_light_panel_get_map     (PrismLightPanel *self);

G_END_DECLS
