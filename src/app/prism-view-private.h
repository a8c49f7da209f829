/* prism-view-private: what the kinds of view ask of their base class. */
#pragma once

#include "prism-view.h"

G_BEGIN_DECLS

void prism_view_set_note (PrismView  *self,
                          const char *note);

G_END_DECLS
