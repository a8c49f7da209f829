/* prism-finding-reporter: writes a report of what explains recorded frames while the window goes
 * on, and tells where it is. */
#pragma once

#include "ptychography/prism-finding.h"

#include <adwaita.h>

G_BEGIN_DECLS

void prism_finding_reporter_save (PrismFinding    *finding,
                                  const char      *path,
                                  AdwToastOverlay *overlay);

G_END_DECLS
