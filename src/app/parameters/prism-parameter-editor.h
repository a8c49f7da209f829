/* prism-parameter-editor: the control that edits one parameter, chosen by its type. */
#pragma once

#include <gtk/gtk.h>

#include "config/prism-config.h"

G_BEGIN_DECLS

#define PRISM_TYPE_PARAMETER_EDITOR (prism_parameter_editor_get_type ())

G_DECLARE_FINAL_TYPE (PrismParameterEditor,
                      prism_parameter_editor,
                      PRISM,
                      PARAMETER_EDITOR,
                      GtkWidget)

GtkWidget *prism_parameter_editor_new         (const PrismParam *param);
void       prism_parameter_editor_set_text    (PrismParameterEditor *self,
                                               const char           *text);
GtkWidget *prism_parameter_editor_get_control (PrismParameterEditor *self);

G_END_DECLS
