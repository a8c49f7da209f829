/* prism-lesson-picture: a small picture of a run, on which a frame is drawn and another one is
 * revealed. Signal: drawn, when the frame was changed by hand. */
#pragma once

#include "formats/prism-image.h"
#include "lesson/prism-lesson.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define PRISM_TYPE_LESSON_PICTURE (prism_lesson_picture_get_type ())

G_DECLARE_FINAL_TYPE (PrismLessonPicture, prism_lesson_picture, PRISM, LESSON_PICTURE, GtkWidget)

GtkWidget *prism_lesson_picture_new        (void);
void       prism_lesson_picture_set_image  (PrismLessonPicture *self,
                                            PrismImage         *image);
void       prism_lesson_picture_set_open   (PrismLessonPicture *self,
                                            gboolean            open);
void       prism_lesson_picture_set_frame  (PrismLessonPicture      *self,
                                            const PrismLessonRegion *frame);
gboolean   prism_lesson_picture_get_frame  (PrismLessonPicture *self,
                                            PrismLessonRegion  *frame);
void       prism_lesson_picture_set_answer (PrismLessonPicture      *self,
                                            const PrismLessonRegion *answer);

G_END_DECLS
