/* prism-lesson-list: the lessons that come with the program (data/lessons, compiled in).
 * Thread: any. */
#pragma once

#include "lesson/prism-lesson.h"

G_BEGIN_DECLS

guint        prism_lesson_list_get_n    (void);
const char  *prism_lesson_list_get_id   (guint i);
GBytes      *prism_lesson_list_load     (const char  *id,
                                         GError     **error);
PrismLesson *prism_lesson_list_read     (const char  *id,
                                         GError     **error);

G_END_DECLS
