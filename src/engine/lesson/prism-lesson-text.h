/* prism-lesson-text: the lines of a lesson's file as groups of keys, with the number of each line.
 * A line that begins with a blank goes on with the value above. Thread: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  char *key;
  char *locale;                         /* (nullable): of key[locale] */
  char *value;
  guint line;                           /* from 1 */
} PrismLessonEntry;

typedef struct
{
  char *name;                           /* "step" */
  guint line;                           /* from 1 */
  GPtrArray *entries;                   /* of PrismLessonEntry */
} PrismLessonGroup;

void        prism_lesson_tell          (GPtrArray  *mistakes,
                                        const char *name,
                                        guint       line,
                                        const char *sentence);
GPtrArray  *prism_lesson_text_read     (const char *text,
                                        gssize      length,
                                        const char *name,
                                        GPtrArray  *mistakes);
const PrismLessonEntry *
            prism_lesson_group_find    (const PrismLessonGroup *self,
                                        const char             *key);
const char *prism_lesson_group_get     (const PrismLessonGroup *self,
                                        const char             *key);
GStrv       prism_lesson_group_dup_all (const PrismLessonGroup *self,
                                        const char             *key);

G_END_DECLS
