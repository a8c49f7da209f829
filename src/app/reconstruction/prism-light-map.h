/* prism-light-map: where the light of every frame came from, coloured by what is known of the
 * frame; one is chosen by pointer and arrow keys. Signal: "frame-chosen" (guint). */
#pragma once

#include "prism-finding-draw.h"
#include "ptychography/prism-finding.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define PRISM_TYPE_LIGHT_MAP (prism_light_map_get_type ())

G_DECLARE_FINAL_TYPE (PrismLightMap, prism_light_map, PRISM, LIGHT_MAP, GtkWidget)

GtkWidget *prism_light_map_new         (void);
void       prism_light_map_set_finding (PrismLightMap *self,
                                        PrismFinding  *finding);
void       prism_light_map_set_kind    (PrismLightMap *self,
                                        PrismLightKind kind);
void       prism_light_map_choose      (PrismLightMap *self,
                                        guint          frame);
gboolean   prism_light_map_get_chosen  (PrismLightMap *self,
                                        guint         *frame);
char      *prism_light_map_dup_text    (PrismLightMap *self);

/* The map of the lights of recorded frames, with what its colours say, and what
 * is known of the frame that is chosen. Signal: "frame-chosen" (guint). */

#define PRISM_TYPE_LIGHT_PANEL (prism_light_panel_get_type ())

G_DECLARE_FINAL_TYPE (PrismLightPanel, prism_light_panel, PRISM, LIGHT_PANEL, GtkBox)

void prism_light_panel_set_finding (PrismLightPanel *self,
                                    PrismFinding    *finding);

G_END_DECLS
