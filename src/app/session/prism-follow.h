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

PrismFollow *prism_follow_new         (PrismSession *session);
gboolean     prism_follow_get_active  (PrismFollow *self);
void         prism_follow_set_blocked (PrismFollow *self,
                                       gboolean     blocked);

G_END_DECLS
