/* prism-toaster: one toast after the other, each alone. */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

void prism_toaster_add     (AdwToastOverlay *overlay,
                            AdwToast        *toast);
void prism_toaster_dismiss (AdwToastOverlay *overlay,
                            AdwToast        *toast);

G_END_DECLS
