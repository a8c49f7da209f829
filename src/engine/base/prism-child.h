/* prism-child: a program that this one has started, and how it ended. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct
{
  int status; /* 0 when a signal has ended it */
  int signal; /* 0: it has ended by itself */
} PrismChildEnd;

void          prism_child_end_with_parent (gpointer signal);
PrismChildEnd prism_child_get_end         (GSubprocess *process);
gboolean      prism_child_was_asked       (const PrismChildEnd *self);
char         *prism_child_dup_message     (const PrismChildEnd *self,
                                           const char          *errors);

G_END_DECLS
