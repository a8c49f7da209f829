/* prism-mark-readings: what the marks over a view tell: a list of numbers, and the chart of the one
 * that is held: along a line, or over the run. */
#pragma once

#include "canvas/prism-view.h"
#include "session/prism-playback.h"

G_BEGIN_DECLS

#define PRISM_TYPE_MARK_READINGS (prism_mark_readings_get_type ())

G_DECLARE_FINAL_TYPE (PrismMarkReadings, prism_mark_readings, PRISM, MARK_READINGS, GtkWidget)

GtkWidget *prism_mark_readings_new          (PrismView *view,
                                             gboolean   camera);
void       prism_mark_readings_add_source   (PrismMarkReadings *self,
                                             PrismView      *view);
void       prism_mark_readings_set_playback (PrismMarkReadings *self,
                                             PrismPlayback  *playback);
char      *prism_mark_readings_dup_csv      (PrismMarkReadings *self);

G_END_DECLS
