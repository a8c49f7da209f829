/* prism-light-check: which lights of an instrument are not as they are said to be. Thread: the
 * solver's. */
#pragma once

#include "ptychography/prism-finding-frame.h"

G_BEGIN_DECLS

GPtrArray *prism_light_check_find (PrismPtychography       *solver,
                                   const PrismFindingFrame *frames);

G_END_DECLS
