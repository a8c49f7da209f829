/* prism-watch: tells who watches, a profile as a rule, what large memory and worker threads do.
 * While nobody does that is a load and a branch.
 *
 * Thread: any. */
#pragma once

#include <glib.h>

#include <stdatomic.h>

G_BEGIN_DECLS

typedef struct
{
  void   (*change_memory) (guint64 n_bytes);    /* of all arrays there are now */
  guint  (*get_caller)    (void);               /* who hands a job out, in its thread */
  gint64 (*begin_work)    (guint caller);       /* a worker takes its first chunk of a job */
  void   (*end_work)      (guint  caller,
                           gint64 begun,
                           guint  n_chunks);
} PrismWatch;

extern _Atomic (const PrismWatch *) prism_watch;

static inline const PrismWatch *
prism_watch_get (void)
{
  return atomic_load_explicit (&prism_watch, memory_order_acquire);
}

G_END_DECLS
