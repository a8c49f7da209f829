#include "config.h"

#include "run/prism-engine-private.h"

#include <pthread.h>
#include <time.h>

struct _PrismMailbox
{
  pthread_mutex_t lock;
  pthread_cond_t filled;
  PrismSnapshot *snapshot; /* (nullable), guarded by lock */
};

/**
 * prism_mailbox_new:
 *
 * Returns: (transfer full): an empty mailbox
 */
PrismMailbox *
prism_mailbox_new (void)
{
  PrismMailbox *self = g_new0 (PrismMailbox, 1);
  pthread_condattr_t attributes;

  pthread_mutex_init (&self->lock, NULL);
  pthread_condattr_init (&attributes);
  pthread_condattr_setclock (&attributes, CLOCK_MONOTONIC);
  pthread_cond_init (&self->filled, &attributes);
  pthread_condattr_destroy (&attributes);
  return self;
}

/**
 * prism_mailbox_free:
 * @self: (nullable): a mailbox that nobody waits for
 */
void
prism_mailbox_free (PrismMailbox *self)
{
  if (self == NULL)
    return;
  g_clear_pointer (&self->snapshot, prism_snapshot_unref);
  pthread_cond_destroy (&self->filled);
  pthread_mutex_destroy (&self->lock);
  g_free (self);
}

/**
 * prism_mailbox_put:
 * @snapshot: (transfer full): the newest state
 *
 * Puts a snapshot in; one that nobody has collected is dropped.
 *
 * Thread: engine.
 *
 * Returns: whether the mailbox was empty, so that its owner has to be woken
 */
gboolean
prism_mailbox_put (PrismMailbox *self,
                   PrismSnapshot *snapshot)
{
  PrismSnapshot *old;

  pthread_mutex_lock (&self->lock);
  old = self->snapshot;
  self->snapshot = snapshot;
  pthread_cond_signal (&self->filled);
  pthread_mutex_unlock (&self->lock);
  prism_snapshot_unref (old);
  return old == NULL;
}

/**
 * prism_mailbox_wait:
 * @milliseconds: how long at most
 *
 * Thread: any but the engine's.
 *
 * Returns: (transfer full) (nullable): the newest snapshot that nobody has taken, NULL when none
 *   came in time
 */
PrismSnapshot *
prism_mailbox_wait (PrismMailbox *self,
                    guint milliseconds)
{
  const gint64 until = g_get_monotonic_time () + (gint64) milliseconds * 1000;
  const struct timespec deadline = { .tv_sec = until / G_USEC_PER_SEC,
                                     .tv_nsec = until % G_USEC_PER_SEC * 1000 };
  PrismSnapshot *snapshot;
  int status = 0;

  pthread_mutex_lock (&self->lock);
  while (self->snapshot == NULL && status != ETIMEDOUT)
    status = pthread_cond_timedwait (&self->filled, &self->lock, &deadline);
  snapshot = g_steal_pointer (&self->snapshot);
  pthread_mutex_unlock (&self->lock);
  return snapshot;
}
