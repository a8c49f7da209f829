/* prism-ptychography-state: an earlier result, or a part of the field next to it, as what passes
 * begin with. Thread: the solver's. */
#pragma once

#include "ptychography/prism-finding.h"

G_BEGIN_DECLS

void     prism_ptychography_start_take (PrismPtychography  *solver,
                                        const PrismFinding *finding,
                                        gboolean            elsewhere);
gboolean prism_ptychography_start_load (PrismPtychography  *solver,
                                        GError            **error);
void     prism_ptychography_save_judged (const PrismPtychography *self,
                                         PrismBundle             *bundle);
gboolean prism_ptychography_load_judged (PrismPtychography *self,
                                         PrismBundle       *bundle,
                                         GError           **error);

G_END_DECLS
