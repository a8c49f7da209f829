/* prism-recording-columns: tables that are no CSV in UTF-8, as one. Thread: one at a time. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

GBytes *prism_recording_columns_load   (const char  *path,
                                        gsize        n_frames,
                                        GError     **error);
char   *prism_recording_columns_decode (GBytes *bytes);

G_END_DECLS
