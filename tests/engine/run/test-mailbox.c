#include "prism-test.h"
#include "run/prism-engine-private.h"

#include <pthread.h>

#define N_SNAPSHOTS 20000

static PrismSnapshot *
make_snapshot (guint64 serial)
{
  PrismSnapshot *snapshot = prism_snapshot_new ();

  snapshot->serial = serial;
  return snapshot;
}

TEST (newest_wins, "/engine/mailbox/newest-wins")
{
  g_autoptr (PrismMailbox) mailbox = prism_mailbox_new ();

  g_assert_null (prism_mailbox_wait (mailbox, 0));
  g_assert_true (prism_mailbox_put (mailbox, make_snapshot (1)));
  g_assert_false (prism_mailbox_put (mailbox, make_snapshot (2)));
  g_autoptr (PrismSnapshot) snapshot = prism_mailbox_wait (mailbox, 0);
  g_assert_cmpuint (snapshot->serial, ==, 2);
  g_assert_null (prism_mailbox_wait (mailbox, 0));
  g_assert_true (prism_mailbox_put (mailbox, make_snapshot (3)));
}

TEST (wait_ends_without_a_snapshot, "/engine/mailbox/wait-ends")
{
  g_autoptr (PrismMailbox) mailbox = prism_mailbox_new ();

  g_assert_null (prism_mailbox_wait (mailbox, 1));
}

static void *
fill (void *data)
{
  for (guint64 serial = 1; serial <= N_SNAPSHOTS; serial++)
    prism_mailbox_put (data, make_snapshot (serial));
  return NULL;
}

TEST (serials_grow_and_the_last_arrives, "/engine/mailbox/two-threads")
{
  g_autoptr (PrismMailbox) mailbox = prism_mailbox_new ();
  guint64 last = 0;
  pthread_t thread;

  g_assert_cmpint (pthread_create (&thread, NULL, fill, mailbox), ==, 0);
  while (last < N_SNAPSHOTS)
    {
      g_autoptr (PrismSnapshot) snapshot = prism_mailbox_wait (mailbox, 10000);

      g_assert_nonnull (snapshot);
      g_assert_cmpuint (snapshot->serial, >, last);
      last = snapshot->serial;
    }
  pthread_join (thread, NULL);
  g_assert_null (prism_mailbox_wait (mailbox, 0));
}
