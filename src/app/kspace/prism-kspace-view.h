/* prism-kspace-view: a panel with the spectrum of the object, what of it is measured, the path of
 * the aperture and where it is now. Properties: show-correlation, and
 * snapshot: what it shows. */
#pragma once

#include "prism-kspace-overlay.h"
#include "canvas/prism-view.h"
#include "kspace/prism-correlation.h"
#include "kspace/prism-kspace-edit.h"

G_BEGIN_DECLS

#define PRISM_TYPE_KSPACE_VIEW (prism_kspace_view_get_type ())

G_DECLARE_FINAL_TYPE (PrismKspaceView, prism_kspace_view, PRISM, KSPACE_VIEW, PrismView)

struct _PrismKspaceView
{
  PrismView parent_instance;

  PrismKspaceOverlay overlay;
  guint8 *states; /* (nullable) [overlay.n_states] */
  PrismKspaceEdit *edit;
  PrismPattern *pattern; /* (nullable) of the run */
  guint n_visited;
  int current;
  PrismPattern *edited;          /* (nullable): positions that are placed by hand */
  PrismImage *visits;            /* (nullable) [n][n]: 0, 1, 2 */
  PrismImage *coverage;          /* (nullable) [n][n] */
  PrismImage *spectrum;          /* (nullable) [n][n] of the run */
  gboolean is_flat;              /* zeros in its place: nobody knows it */
  PrismImage *ground;            /* (nullable) [m][m] of what is edited, where m is not n */
  PrismCorrelation *correlation; /* (nullable) */
  gboolean show_correlation;
};

void       prism_kspace_view_set_ground   (PrismKspaceView *self,
                                           PrismImage      *ground);
void       prism_kspace_view_set_coverage (PrismKspaceView *self,
                                           PrismImage      *coverage);
void       prism_kspace_view_set_pattern  (PrismKspaceView *self,
                                           PrismPattern    *pattern,
                                           guint            n_visited,
                                           int              current);
void       prism_kspace_view_set_config   (PrismKspaceView   *self,
                                           const PrismConfig *config);
void       prism_kspace_view_set_edited   (PrismKspaceView   *self,
                                           const PrismConfig *config,
                                           PrismPattern      *pattern);
void       prism_kspace_view_set_visits   (PrismKspaceView *self,
                                           PrismImage      *visits);
void       prism_kspace_view_set_correlation (PrismKspaceView  *self,
                                              PrismCorrelation *correlation);

G_END_DECLS
