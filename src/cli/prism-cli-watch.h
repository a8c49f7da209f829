/* prism-cli-watch: cancels what takes a while when a signal comes, beside the thread that waits. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct
{
  GCancellable *cancellable;
  GThread *thread;
  int over; /* atomic */
} PrismCliWatch;

void prism_cli_watch_init  (PrismCliWatch *self);
void prism_cli_watch_clear (PrismCliWatch *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PrismCliWatch, prism_cli_watch_clear)

G_END_DECLS
