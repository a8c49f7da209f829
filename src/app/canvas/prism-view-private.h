/* prism-view-private: what the kinds of view ask of their base class. */
#pragma once

#include "canvas/prism-view.h"

G_BEGIN_DECLS

void prism_view_set_note (PrismView  *self,
                          const char *note);
/* A widget below the image. */
void prism_view_set_footer (PrismView *self,
                            GtkWidget *footer);
/* What the probe says is another thing, at the same pixel. */
void prism_view_update_probe (PrismView *self);

G_END_DECLS
