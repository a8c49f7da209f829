/* file-answer: answers file dialogs in place of the user. Programs that link it show none. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Whether a file dialog waits for its answer. */
gboolean file_answer_is_wanted (void);
/* Answers the newest dialog; NULL cancels it. */
void     file_answer_give      (GFile *file);

G_END_DECLS
