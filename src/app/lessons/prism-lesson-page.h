/* prism-lesson-page: a step of a lesson: text, question, and after the run the prediction beside
 * what came out. Signal: answered, when there is an answer or another one. */
#pragma once

#include "lesson/prism-lesson-answer.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define PRISM_TYPE_LESSON_PAGE (prism_lesson_page_get_type ())

G_DECLARE_FINAL_TYPE (PrismLessonPage, prism_lesson_page, PRISM, LESSON_PAGE, GtkBox)

GtkWidget *prism_lesson_page_new          (const PrismLessonStep *step,
                                           PrismImage            *ground);
gboolean   prism_lesson_page_get_answer   (PrismLessonPage   *self,
                                           PrismLessonAnswer *answer);
void       prism_lesson_page_lock         (PrismLessonPage *self);
void       prism_lesson_page_reveal       (PrismLessonPage         *self,
                                           const PrismLessonAnswer *answer,
                                           const PrismLessonResult *result,
                                           PrismSnapshot           *snapshot);
gboolean   prism_lesson_page_show_question (PrismLessonPage   *self,
                                            GtkScrolledWindow *scroller);
void       prism_lesson_page_show_reveal   (PrismLessonPage   *self,
                                            GtkScrolledWindow *scroller);
PrismImage *prism_lesson_page_dup_picture  (const PrismLessonStep *step,
                                            const PrismSnapshot   *snapshot);
GtkWidget *prism_lesson_page_append_label (GtkWidget  *box,
                                           const char *text,
                                           const char *style);

G_END_DECLS
