/* prism-sweep-window: runs a sweep or an ensemble and shows what its points come to. */
#pragma once

#include "support/prism-job-window.h"

#include "results/prism-sweep.h"

G_BEGIN_DECLS

#define PRISM_TYPE_SWEEP_WINDOW (prism_sweep_window_get_type ())

G_DECLARE_FINAL_TYPE (PrismSweepWindow, prism_sweep_window, PRISM, SWEEP_WINDOW, PrismJobWindow)

GtkWidget *prism_sweep_window_new        (PrismSweep *base);
void       prism_sweep_window_set_folder (PrismSweepWindow *self,
                                          const char       *directory);
gboolean   prism_sweep_window_open       (PrismSweepWindow  *self,
                                          const char        *directory,
                                          GError           **error);
void       prism_sweep_window_show_last  (PrismSweepWindow *self);

G_END_DECLS
