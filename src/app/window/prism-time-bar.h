/* prism-time-bar: the slider that walks through the moments of a run, with what belongs to it. */
#pragma once

#include "session/prism-playback.h"

#include <adwaita.h>

G_BEGIN_DECLS

#define PRISM_TYPE_TIME_BAR (prism_time_bar_get_type ())

G_DECLARE_FINAL_TYPE (PrismTimeBar, prism_time_bar, PRISM, TIME_BAR, AdwBin)

void     prism_time_bar_set_playback (PrismTimeBar  *self,
                                      PrismPlayback *playback);
void     prism_time_bar_ask          (PrismTimeBar *self,
                                      gboolean      name);
void     prism_time_bar_set_progress (PrismTimeBar *self,
                                      double        fraction);

G_END_DECLS
