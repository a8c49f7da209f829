#include "config.h"

#include "run/prism-mailbox.h"

#include <pthread.h>

#define N_SNAPSHOTS 20000

static PrismSnapshot *
make_snapshot (guint64 serial)
{
  PrismSnapshot *snapshot = prism_snapshot_new ();

  snapshot->serial = serial;
  return snapshot;
}

static void
test_newest_wins (void)
{
  g_autoptr (PrismMailbox) mailbox = prism_mailbox_new ();
  g_autoptr (PrismSnapshot) snapshot = NULL;

  g_assert_null (prism_mailbox_collect (mailbox));
  g_assert_true (prism_mailbox_put (mailbox, make_snapshot (1)));
  g_assert_false (prism_mailbox_put (mailbox, make_snapshot (2)));
  snapshot = prism_mailbox_collect (mailbox);
  g_assert_cmpuint (snapshot->serial, ==, 2);
  g_assert_null (prism_mailbox_collect (mailbox));
  g_assert_true (prism_mailbox_put (mailbox, make_snapshot (3)));
}

static void
test_wait_ends_without_a_snapshot (void)
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

static void
test_serials_grow_and_the_last_arrives (void)
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
  g_assert_null (prism_mailbox_collect (mailbox));
}

int
main (int argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/mailbox/newest-wins", test_newest_wins);
  g_test_add_func ("/engine/mailbox/wait-ends", test_wait_ends_without_a_snapshot);
  g_test_add_func ("/engine/mailbox/two-threads", test_serials_grow_and_the_last_arrives);
  return g_test_run ();
}
