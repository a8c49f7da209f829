/* prism-lesson-answer: what somebody predicted, held against what came out, and the table of both
 * for a class. Thread: any. */
#pragma once

#include "lesson/prism-lesson.h"

G_BEGIN_DECLS

/* Of one step; which member counts says the kind of its question. */
typedef struct
{
  gboolean given;
  guint choice;                         /* from 0 */
  double number;
  PrismLessonRegion region;
} PrismLessonAnswer;

guint    prism_lesson_step_find_right     (const PrismLessonStep   *step,
                                           const PrismLessonResult *result);
double   prism_lesson_region_get_overlap  (const PrismLessonRegion *a,
                                           const PrismLessonRegion *b);
gboolean prism_lesson_answer_is_right     (const PrismLessonAnswer *self,
                                           const PrismLessonStep   *step,
                                           const PrismLessonResult *result);
char    *prism_lesson_answer_dup_text     (const PrismLessonAnswer *self,
                                           const PrismLessonStep   *step);
char    *prism_lesson_step_dup_result     (const PrismLessonStep   *step,
                                           const PrismLessonResult *result);
char    *prism_lesson_answer_dup_reveal   (const PrismLessonAnswer *self,
                                           const PrismLessonStep   *step,
                                           const PrismLessonResult *result);
void     prism_lesson_append_head         (GString *table);
void     prism_lesson_answer_append       (const PrismLessonAnswer *self,
                                           const PrismLesson       *lesson,
                                           guint                    i,
                                           const PrismLessonResult *result,
                                           const char              *who,
                                           GString                 *table);

/* The lessons that come with the program (data/lessons, compiled in).
 * Thread: any. */

guint        prism_lesson_list_get_n    (void);
const char  *prism_lesson_list_get_id   (guint i);
GBytes      *prism_lesson_list_load     (const char  *id,
                                         GError     **error);
PrismLesson *prism_lesson_list_read     (const char  *id,
                                         GError     **error);

G_END_DECLS
