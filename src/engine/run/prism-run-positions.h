/* prism-run-positions: the positions of a run as a part of its file. Thread: any. */
#pragma once

#include "model/prism-pattern.h"

G_BEGIN_DECLS

char         *prism_run_positions_to_text (const PrismPattern *pattern);
PrismPattern *prism_run_positions_parse   (const char  *text,
                                           guint        n_points,
                                           int          image_size,
                                           GError     **error);

G_END_DECLS
