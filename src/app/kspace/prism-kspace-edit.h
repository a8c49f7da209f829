/* prism-kspace-edit: pointer and keyboard of the k-space view while positions are placed by hand.
 *
 * Emits "preview" when something looks different, "edited" (what, merge key or NULL) when a change
 * is complete, "refused" (sentence) and "leave". */
#pragma once

#include "canvas/prism-canvas.h"
#include "kspace/prism-point-list.h"

G_BEGIN_DECLS

#define PRISM_TYPE_KSPACE_EDIT (prism_kspace_edit_get_type ())

G_DECLARE_FINAL_TYPE (PrismKspaceEdit, prism_kspace_edit, PRISM, KSPACE_EDIT, GObject)

PrismKspaceEdit *prism_kspace_edit_new        (PrismCanvas *canvas);
void             prism_kspace_edit_set_active (PrismKspaceEdit *self,
                                               gboolean         active);
PrismPointList  *prism_kspace_edit_get_list   (PrismKspaceEdit *self);
gboolean         prism_kspace_edit_get_hover  (PrismKspaceEdit *self,
                                               PrismPoint      *place);
void             prism_kspace_edit_move_crosshair (PrismKspaceEdit *self);

G_END_DECLS
