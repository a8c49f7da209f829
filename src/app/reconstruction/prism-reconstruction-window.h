/* prism-reconstruction-window: explains recorded frames while one looks on, and shows what has come
 * of it, now or of a folder. */
#pragma once

#include "ptychography/prism-ptychography-run.h"
#include "reconstruction/prism-model-panel.h"

#include <adwaita.h>

G_BEGIN_DECLS

#define PRISM_TYPE_RECONSTRUCTION_WINDOW (prism_reconstruction_window_get_type ())

G_DECLARE_FINAL_TYPE (PrismReconstructionWindow, prism_reconstruction_window, PRISM,
                      RECONSTRUCTION_WINDOW, AdwWindow)

GtkWidget       *prism_reconstruction_window_new       (PrismRecording *recording);
void             prism_reconstruction_window_start     (PrismReconstructionWindow *self);
void             prism_reconstruction_window_open      (PrismReconstructionWindow *self,
                                                        const char                *directory);
void             prism_reconstruction_window_save      (PrismReconstructionWindow *self,
                                                        const char                *parent);
void             prism_reconstruction_window_save_and_close (PrismReconstructionWindow *self,
                                                             GtkWindow                 *also);
PrismFinding    *prism_reconstruction_window_get       (PrismReconstructionWindow *self);
gboolean         prism_reconstruction_window_get_unsaved (PrismReconstructionWindow *self);
gboolean         prism_reconstruction_window_is_active (PrismReconstructionWindow *self);

G_END_DECLS
