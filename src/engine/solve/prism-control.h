/* prism-control: how a method that is a plain loop can be watched, paused, saved and ended.
 *
 * A method asks prism_control_yield() before each piece of work of some milliseconds. Where the
 * answer is FALSE it returns FALSE without an error; called again, it goes on with that piece, for
 * what it knows is in its structure and not on the stack. Thread: engine. */
#pragma once

#include "base/prism-clock.h"

G_BEGIN_DECLS

typedef struct
{
  PrismPace pace;      /* frames of one piece of work */
  guint n_frames;      /* that were visited since the method was called; it adds them */
  gboolean has_worked; /* since the method was called */
  gboolean is_stepped; /* the method returns after each piece */
  gboolean (*is_asked) (gpointer data); /* (nullable): see prism_control_is_asked() */
  gpointer data;
} PrismControl;

/* Before a method is called. */
static inline void
prism_control_begin (PrismControl *self)
{
  self->n_frames = 0;
  self->has_worked = FALSE;
}

/* Whether to go on. */
static inline gboolean
prism_control_yield (PrismControl *self)
{
  const gboolean ends = self->is_stepped && self->has_worked;

  self->has_worked = TRUE;
  return !ends;
}

/* Whether somebody waits for the method to return: for pieces of work that take seconds, which
 * begin anew then. Thread: any. */
static inline gboolean
prism_control_is_asked (const PrismControl *self)
{
  return self->is_asked != NULL && self->is_asked (self->data);
}

G_END_DECLS
