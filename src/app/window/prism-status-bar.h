/* prism-status-bar: where the run is, how fast, on what, and how good. */
#pragma once

#include <adwaita.h>

#include "session/prism-session.h"

G_BEGIN_DECLS

#define PRISM_TYPE_STATUS_BAR (prism_status_bar_get_type ())

G_DECLARE_FINAL_TYPE (PrismStatusBar, prism_status_bar, PRISM, STATUS_BAR, AdwBin)

void prism_status_bar_set_session  (PrismStatusBar *self,
                                    PrismSession   *session);
void prism_status_bar_set_snapshot (PrismStatusBar *self,
                                    PrismState      state,
                                    PrismSnapshot  *snapshot);
void prism_status_bar_set_expected (PrismStatusBar *self,
                                    const double    seconds[2]);
void prism_status_bar_set_past     (PrismStatusBar *self,
                                    PrismSnapshot  *past);

G_END_DECLS
