/* prism-kspace-view: a panel with the spectrum of the object, what of it is measured, the path of
 * the aperture and where it is now. Properties: show-correlation, and
 * snapshot: what it shows. */
#pragma once

#include "canvas/prism-view.h"
#include "kspace/prism-correlation.h"
#include "kspace/prism-kspace-edit.h"

G_BEGIN_DECLS

#define PRISM_TYPE_KSPACE_VIEW (prism_kspace_view_get_type ())

G_DECLARE_FINAL_TYPE (PrismKspaceView, prism_kspace_view, PRISM, KSPACE_VIEW, PrismView)

void       prism_kspace_view_set_spectrum (PrismKspaceView *self,
                                           PrismImage      *spectrum);
PrismImage *prism_kspace_view_get_spectrum (PrismKspaceView *self);
void       prism_kspace_view_set_ground   (PrismKspaceView *self,
                                           PrismImage      *ground);
void       prism_kspace_view_set_coverage (PrismKspaceView *self,
                                           PrismImage      *coverage);
void       prism_kspace_view_set_pattern  (PrismKspaceView *self,
                                           PrismPattern    *pattern,
                                           guint            n_visited,
                                           int              current);
void       prism_kspace_view_set_states   (PrismKspaceView *self,
                                           const guint8    *states,
                                           guint            n_states);
void       prism_kspace_view_set_config   (PrismKspaceView   *self,
                                           const PrismConfig *config);
PrismKspaceEdit *prism_kspace_view_get_edit (PrismKspaceView *self);
void       prism_kspace_view_set_edited   (PrismKspaceView   *self,
                                           const PrismConfig *config,
                                           PrismPattern      *pattern);
void       prism_kspace_view_set_visits   (PrismKspaceView *self,
                                           PrismImage      *visits);
void       prism_kspace_view_set_correlation (PrismKspaceView  *self,
                                              PrismCorrelation *correlation);

G_END_DECLS
