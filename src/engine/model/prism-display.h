/* prism-display: how somebody looks at a run: the marks over its pictures, which values are their
 * darkest and brightest colour, and names of moments, by their steps. It computes nothing, and is a
 * text beside the run:
 *
 *   [display]
 *   marks=line 10 20 90 40 3; ellipse 4 4 20 20
 *   limits=reconstruction 0.1 0.9 gamma 1.5; error percentiles
 *   moments=12 The ring closes\n80 Before the refinement
 *
 * NULL where all are as the program begins. Two displays are the same where their texts are.
 * Thread: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define PRISM_DISPLAY_NAME "display.ini" /* in the file of a run */

char    *prism_display_dup  (const char  *self,
                             const char  *key);
char    *prism_display_set  (const char  *self,
                             const char  *key,
                             const char  *value);
char    *prism_display_name_moment (const char *self,
                                    const char *line);
char    *prism_display_end_at (const char *self,
                               guint64     step);
gboolean prism_display_read (const char  *text,
                             char       **display,
                             GError     **error);

G_END_DECLS
