/* prism-notice: one sentence and what can be done about it, until closed. */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

#define PRISM_TYPE_NOTICE (prism_notice_get_type ())

G_DECLARE_FINAL_TYPE (PrismNotice, prism_notice, PRISM, NOTICE, GtkWidget)

void prism_notice_show       (PrismNotice *self,
                              const char  *sentence,
                              gboolean     failed);
void prism_notice_add_button (PrismNotice *self,
                              const char  *label,
                              const char  *action);
void prism_notice_hide       (PrismNotice *self);

/* Asks a question with two or three answers, or says something. The one place that
 * knows which dialog does it. */

typedef struct
{
  const char *heading;
  const char *body;
  const char *dismiss;                  /* label of the harmless answer, also given by Escape */
  const char *confirm;                  /* (nullable): label of the other one */
  gboolean destructive;
  const char *better;                   /* (nullable): label of a third, which is suggested */
} PrismMessage;

typedef enum
{
  PRISM_ANSWER_DISMISS,
  PRISM_ANSWER_CONFIRM,
  PRISM_ANSWER_BETTER,
} PrismAnswer;

/* @func: (nullable): void (parent, PrismAnswer answer, data). */
GtkWindow *prism_message_show (const PrismMessage *message,
                               GtkWindow          *parent,
                               gpointer            func,
                               gpointer            data,
                               gpointer            destroy);

/* One toast after the other, each alone. */

void prism_toaster_add     (AdwToastOverlay *overlay,
                            AdwToast        *toast);
void prism_toaster_tell    (AdwToastOverlay *overlay,
                            const char      *text);
void prism_toaster_tell_saved (AdwToastOverlay *overlay,
                               const char      *path,
                               const GError    *error);
void prism_toaster_dismiss (AdwToastOverlay *overlay,
                            AdwToast        *toast);

G_END_DECLS
