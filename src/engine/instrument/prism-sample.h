/* prism-sample: a file with frames for those who have none: those of a simulated microscope.
 * Thread: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

char    *prism_sample_dup_path (void);
gboolean prism_sample_prepare  (const char  *path,
                                GError     **error);

G_END_DECLS
