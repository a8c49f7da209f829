/* prism-notice: one sentence and what can be done about it, until closed. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define PRISM_TYPE_NOTICE (prism_notice_get_type ())

G_DECLARE_FINAL_TYPE (PrismNotice, prism_notice, PRISM, NOTICE, GtkWidget)

void prism_notice_show       (PrismNotice *self,
                              const char  *sentence,
                              gboolean     failed);
void prism_notice_add_button (PrismNotice *self,
                              const char  *label,
                              const char  *action);
void prism_notice_set_narrow (PrismNotice *self,
                              gboolean     narrow);
void prism_notice_hide       (PrismNotice *self);

G_END_DECLS
