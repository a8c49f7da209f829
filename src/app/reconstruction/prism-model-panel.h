/* prism-model-panel: what can be chosen where recorded frames are explained, a row each. Signal:
 * "changed". */
#pragma once

#include "ptychography/prism-ptychography-settings.h"

#include <adwaita.h>

G_BEGIN_DECLS

#define PRISM_TYPE_MODEL_PANEL (prism_model_panel_get_type ())

G_DECLARE_FINAL_TYPE (PrismModelPanel, prism_model_panel, PRISM, MODEL_PANEL, AdwPreferencesGroup)

GtkWidget *prism_model_panel_new          (void);
gboolean   prism_model_panel_get_settings (PrismModelPanel            *self,
                                           PrismPtychographySettings  *settings,
                                           GError                    **error);

G_END_DECLS
