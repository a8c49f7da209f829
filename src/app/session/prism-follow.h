/* prism-follow: while it is active, a changed value starts the run again by itself. It keeps the
 * picture of the run before until the new one is worth looking at, and says what the change did.
 *
 * Properties: active; held, the snapshot whose picture is shown in place of the newest one; text,
 * what changed and what it did. Thread: main. */
#pragma once

#include "session/prism-session.h"

G_BEGIN_DECLS

#define PRISM_TYPE_FOLLOW (prism_follow_get_type ())

G_DECLARE_FINAL_TYPE (PrismFollow, prism_follow, PRISM, FOLLOW, GObject)

struct _PrismFollow
{
  GObject parent_instance;

  PrismSession *session;
  gboolean active;
  gboolean blocked;     /* something else needs the engine to stand still */
  PrismConfig *taken;   /* (nullable): what was run last, or what was there in the beginning */
  PrismSnapshot *base;  /* (nullable): numbers of the last run that came to its end */
  PrismSnapshot *held;  /* (nullable) */
  char *text;           /* (nullable) */
  gint64 changed;       /* µs: when a value was changed last */
  gint64 waiting_since; /* µs: the first change that the timer is for */
  gint64 due;           /* µs: when the timer ends */
  guint timer;
};

PrismFollow *prism_follow_new         (PrismSession *session);
void         prism_follow_set_blocked (PrismFollow *self,
                                       gboolean     blocked);

G_END_DECLS
