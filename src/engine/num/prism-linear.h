/* prism-linear: small systems of linear equations. Thread: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

void prism_linear_solve (double *matrix,
                         int     n);

G_END_DECLS
