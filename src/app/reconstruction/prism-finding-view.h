/* prism-finding-view: a panel with one picture of a finding. What is to be seen is computed on
 * another thread. Actions: finding.save-figure, finding.copy-picture. */
#pragma once

#include "canvas/prism-view.h"
#include "ptychography/prism-finding-picture.h"

G_BEGIN_DECLS

#define PRISM_TYPE_FINDING_VIEW (prism_finding_view_get_type ())

G_DECLARE_FINAL_TYPE (PrismFindingView, prism_finding_view, PRISM, FINDING_VIEW, PrismView)

GtkWidget  *prism_finding_view_new         (PrismFindingPicture picture);
void        prism_finding_view_set_finding (PrismFindingView *self,
                                            PrismFinding     *finding);
void        prism_finding_view_set_picture (PrismFindingView   *self,
                                            PrismFindingPicture picture);
void        prism_finding_view_hurry       (PrismFindingView *self);
gboolean    prism_finding_view_is_busy     (PrismFindingView *self);
const char *prism_finding_view_get_label   (PrismFindingPicture picture);

G_END_DECLS
