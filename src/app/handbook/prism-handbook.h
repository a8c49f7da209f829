/* prism-handbook: the pages of docs/ inside the program, and their sections. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* What stands below a heading, up to the next one. */
typedef struct
{
  const char *page;                     /* "user-guide", interned */
  char *title;
  char *anchor;                         /* as links name it: "reading-the-pictures" */
  char *text;                           /* Markdown, without the heading */
  char *folded;                         /* title and text, to be searched */
  guint level;                          /* of the heading, from 1 */
} PrismHandbookSection;

GPtrArray                  *prism_handbook_load    (void);
const PrismHandbookSection *prism_handbook_find    (GPtrArray  *sections,
                                                    const char *page,
                                                    const char *anchor);
gboolean                    prism_handbook_matches (const PrismHandbookSection *section,
                                                    const char                 *words);
char                       *prism_handbook_dup_anchor (const char *title);

G_END_DECLS
