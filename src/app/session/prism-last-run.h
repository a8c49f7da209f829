/* prism-last-run: the last run, beside the one on the screen: what differs, what that did.
 *
 * Properties: active, to be switched; available, whether there is a last run and one on the screen,
 * under way or over; snapshot, its result while active; text, what differs and by how much. Thread:
 * main. */
#pragma once

#include "session/prism-session.h"

G_BEGIN_DECLS

#define PRISM_TYPE_LAST_RUN (prism_last_run_get_type ())

G_DECLARE_FINAL_TYPE (PrismLastRun, prism_last_run, PRISM, LAST_RUN, GObject)

struct _PrismLastRun
{
  GObject parent_instance;

  PrismSession *session;
  PrismSnapshot *last; /* (nullable): result of the run before the one on the screen */
  gboolean active;
  gboolean available;
  gboolean live; /* the text says that the run on the screen is not over */
  char *text;    /* (nullable) */
};

PrismLastRun *prism_last_run_new (PrismSession *session);

G_END_DECLS
