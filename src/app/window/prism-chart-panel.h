/* prism-chart-panel: a panel with a chart of the quantity that its menu has chosen. Properties:
 * snapshot, whose history it shows; quantity, the id of one; previous, of another run, whose curves
 * stand faint behind. */
#pragma once

#include "charts/prism-timeline.h"
#include "kspace/prism-correlation.h"
#include "session/prism-playback.h"
#include "window/prism-panel.h"

G_BEGIN_DECLS

#define PRISM_TYPE_CHART_PANEL (prism_chart_panel_get_type ())

G_DECLARE_FINAL_TYPE (PrismChartPanel, prism_chart_panel, PRISM, CHART_PANEL, GObject)

PrismChartPanel *prism_chart_panel_new (PrismPanel       *panel,
                                        guint             number,
                                        const char       *quantity,
                                        PrismTimeline    *timeline,
                                        PrismCorrelation *correlation);

G_END_DECLS
