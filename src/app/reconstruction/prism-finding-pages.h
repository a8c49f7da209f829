/* prism-finding-pages: all that is known of recorded frames, on pages: object, pupil, lights.
 * Signal: "look-wanted" (guint), a frame is to be compared with what is predicted of it. */
#pragma once

#include "ptychography/prism-ptychography-run.h"

#include <adwaita.h>

G_BEGIN_DECLS

#define PRISM_TYPE_FINDING_PAGES (prism_finding_pages_get_type ())

G_DECLARE_FINAL_TYPE (PrismFindingPages, prism_finding_pages, PRISM, FINDING_PAGES, AdwBin)

void     prism_finding_pages_set_finding (PrismFindingPages *self,
                                          PrismFinding      *finding);
void     prism_finding_pages_set_look    (PrismFindingPages           *self,
                                          const PrismPtychographyLook *look);
void     prism_finding_pages_set_alone   (PrismFindingPages *self,
                                          gboolean           alone);
void     prism_finding_pages_hurry       (PrismFindingPages *self);
gboolean prism_finding_pages_is_busy     (PrismFindingPages *self);

G_END_DECLS
