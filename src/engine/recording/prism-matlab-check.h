/* prism-matlab-check: whether the sizes in a file of MATLAB 5 can be true, found out before a
 * library asks for memory by them. Thread: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

char *prism_matlab_check (int     fd,
                          guint64 size);

G_END_DECLS
