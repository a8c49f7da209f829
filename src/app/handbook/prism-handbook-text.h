/* prism-handbook-text: a section of the handbook in a text view: headings, lists, tables, code,
 * links and figures of the Markdown that docs/ is written in. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

void        prism_handbook_text_append   (GtkTextView *view,
                                          const char  *markdown);
void        prism_handbook_text_heading  (GtkTextView *view,
                                          const char  *title,
                                          guint        level);
void        prism_handbook_text_picture  (GtkTextView  *view,
                                          GdkPaintable *picture,
                                          const char   *caption);
const char *prism_handbook_text_get_link (GtkTextView       *view,
                                          const GtkTextIter *place);

G_END_DECLS
