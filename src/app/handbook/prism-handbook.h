/* prism-handbook: the pages of docs/ inside the program, their sections, and a section in a text
 * view: headings, lists, tables, code, links and figures of the Markdown that docs/ is written
 * in. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* What stands below a heading, up to the next one. */
typedef struct
{
  const char *page;                     /* "user-guide", interned */
  char *title;
  char *anchor;                         /* as links name it: "reading-the-pictures" */
  char *text;                           /* Markdown, without the heading */
  gboolean for_users;                   /* not for those who change the program */
  gboolean in_english;
  guint level;                          /* of the heading, from 1 */
} PrismHandbookSection;

GPtrArray                  *prism_handbook_load    (void);
const PrismHandbookSection *prism_handbook_find    (GPtrArray  *sections,
                                                    const char *page,
                                                    const char *anchor);
char                       *prism_handbook_dup_excerpt (const PrismHandbookSection *section,
                                                        const char                 *words);
char                       *prism_handbook_dup_anchor (const char *title);

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
