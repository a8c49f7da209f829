/* prism-lesson-panel: a lesson beside the pictures: no step is run before its question is answered.
 * Property: busy, whether there is one. Signals: closed, when it is left; next-lesson, when another
 * one is wanted; asked, with the id of the panel that a question is about, NULL when none is. */
#pragma once

#include "lesson/prism-lesson.h"
#include "session/prism-session.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define PRISM_TYPE_LESSON_PANEL (prism_lesson_panel_get_type ())

G_DECLARE_FINAL_TYPE (PrismLessonPanel, prism_lesson_panel, PRISM, LESSON_PANEL, GtkBox)

void     prism_lesson_panel_begin     (PrismLessonPanel *self,
                                       PrismSession     *session,
                                       PrismLesson      *lesson);
void     prism_lesson_panel_end       (PrismLessonPanel *self);
gboolean prism_lesson_panel_is_busy   (PrismLessonPanel *self);
const char *prism_lesson_panel_run    (PrismLessonPanel *self);
char    *prism_lesson_panel_dup_table (PrismLessonPanel *self,
                                       const char       *who);

G_END_DECLS
