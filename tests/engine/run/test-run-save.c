#include "test-saved-run.h"

#include "base/prism-error.h"
#include "run/prism-run-lock.h"

#include <pthread.h>
#include <stdatomic.h>

/* The engine writes its run while it computes, and takes it up again. */

typedef struct
{
  const char *path;
  atomic_bool enough;
} Looking;

static PrismSnapshot *
run_plainly (const PrismConfig *config)
{
  g_autoptr (PrismEngine) engine = make_configured_engine (config);

  prism_engine_run (engine);
  return wait_for (engine, PRISM_STATE_FINISHED);
}

static void
compare_results (const PrismSnapshot *a,
                 const PrismSnapshot *b)
{
  gsize bytes = (gsize) a->reconstruction->height * a->reconstruction->width * sizeof (float);

  g_assert_cmpmem (a->reconstruction->pixels, bytes, b->reconstruction->pixels, bytes);
  g_assert_cmpuint (a->step, ==, b->step);
  g_assert_cmpuint (a->n_rows, ==, b->n_rows);
}

/* Saving after every sample changes no bit of the result. */
static void
test_finished (Fixture *fixture,
               gconstpointer data)
{
  g_autoptr (PrismConfig) config = make_saving_config ();
  g_autoptr (PrismSnapshot) plain = run_plainly (config);
  g_autoptr (PrismSnapshot) saved = NULL;
  g_autoptr (PrismEngine) engine = make_configured_engine (config);
  g_autoptr (PrismRun) run = NULL;

  prism_engine_set_run_file (engine, fixture->path);
  prism_engine_run (engine);
  saved = wait_for (engine, PRISM_STATE_FINISHED);
  compare_results (plain, saved);
  run = load (fixture->path);
  g_assert_cmpstr (run->state_name, ==, "finished");
  g_assert_cmpint (run->snapshot->state, ==, PRISM_STATE_FINISHED);
  compare_results (plain, run->snapshot);
  g_assert_false (prism_run_lock_is_taken (fixture->path));
}

/* Stopped in the middle, resumed in another engine, stopped again. */
static void
test_stopped_and_resumed (Fixture *fixture,
                          gconstpointer data)
{
  g_autoptr (PrismConfig) config = make_saving_config ();
  g_autoptr (PrismSnapshot) plain = run_plainly (config);
  g_autoptr (PrismSnapshot) last = NULL;
  g_autoptr (PrismEngine) first = make_configured_engine (config);
  g_autoptr (GError) error = NULL;

  prism_engine_set_run_file (first, fixture->path);
  prism_engine_step (first, 3);
  prism_snapshot_unref (wait_for (first, PRISM_STATE_PAUSED));
  g_assert_true (prism_run_lock_is_taken (fixture->path));
  prism_engine_stop (first);
  prism_snapshot_unref (wait_for (first, PRISM_STATE_STOPPED));
  for (int i = 0; i < 3; i++)
    {
      g_autoptr (PrismEngine) engine = make_engine ();
      PrismRun *run = load (fixture->path);

      g_assert_true (prism_engine_resume (engine, run, fixture->path, NULL, &error));
      g_assert_no_error (error);
      prism_snapshot_unref (wait_for (engine, PRISM_STATE_PAUSED));
      if (i < 2)
        {
          prism_engine_step (engine, 2);
          prism_snapshot_unref (wait_for (engine, PRISM_STATE_PAUSED));
          continue; /* freed in the middle: saved as it is */
        }
      prism_engine_run (engine);
      last = wait_for (engine, PRISM_STATE_FINISHED);
    }
  compare_results (plain, last);
}

static void
test_locked (Fixture *fixture,
             gconstpointer data)
{
  g_autoptr (PrismConfig) config = make_saving_config ();
  g_autoptr (PrismEngine) first = make_configured_engine (config);
  g_autoptr (PrismEngine) second = make_configured_engine (config);
  g_autoptr (PrismEngine) reader = make_engine ();
  g_autoptr (PrismSnapshot) refused = NULL;
  g_autoptr (PrismSnapshot) opened = NULL;

  prism_engine_set_run_file (first, fixture->path);
  prism_engine_step (first, 2);
  prism_snapshot_unref (wait_for (first, PRISM_STATE_PAUSED));
  prism_engine_set_run_file (second, fixture->path);
  prism_engine_run (second);
  while (refused == NULL || refused->state != PRISM_STATE_FAILED)
    {
      g_clear_pointer (&refused, prism_snapshot_unref);
      refused = prism_engine_wait (second, 10000);
      g_assert_nonnull (refused);
    }
  g_assert_nonnull (strstr (refused->message, "being written by another program"));

  g_assert_true (prism_engine_resume (reader, load (fixture->path), fixture->path, NULL, NULL));
  opened = wait_for (reader, PRISM_STATE_PAUSED);
  g_assert_nonnull (strstr (opened->message, "not saved"));
}

static void *
look_at_lock (void *data)
{
  Looking *looking = data;

  while (!atomic_load (&looking->enough))
    prism_run_lock_is_taken (looking->path);
  return NULL;
}

/* A list of runs that is made at the wrong moment. */
static void
test_looking_locks_nothing (Fixture *fixture,
                            gconstpointer data)
{
  Looking looking = { .path = fixture->path };
  pthread_t thread;

  g_assert_cmpint (pthread_create (&thread, NULL, look_at_lock, &looking), ==, 0);
  for (int i = 0; i < 3000; i++)
    {
      g_autoptr (GError) error = NULL;
      PrismRunLock *lock = prism_run_lock_new (fixture->path, &error);

      g_assert_no_error (error);
      prism_run_lock_free (lock);
    }
  atomic_store (&looking.enough, TRUE);
  pthread_join (thread, NULL);
}

/* A lock file that was left behind by a program which is gone. */
static void
test_stale_lock (Fixture *fixture,
                 gconstpointer data)
{
  g_autofree char *name = g_strconcat (fixture->path, ".lock", NULL);
  g_autofree char *left = g_build_filename (fixture->directory, ".prism-a.prismrun-abcdef", NULL);
  g_autofree char *other = g_build_filename (fixture->directory, ".prism-b.prismrun-abcdef", NULL);
  g_autoptr (PrismRunLock) lock = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_true (g_file_set_contents (name, "", 0, NULL));
  g_assert_true (g_file_set_contents (left, "", 0, NULL));
  g_assert_true (g_file_set_contents (other, "", 0, NULL));
  g_assert_false (prism_run_lock_is_taken (fixture->path));
  lock = prism_run_lock_new (fixture->path, &error);
  g_assert_no_error (error);
  g_assert_true (prism_run_lock_is_taken (fixture->path));
  g_assert_false (g_file_test (left, G_FILE_TEST_EXISTS));
  g_assert_true (g_file_test (other, G_FILE_TEST_EXISTS));
  g_unlink (other);
}

static void
test_no_directory (Fixture *fixture,
                   gconstpointer data)
{
  g_autoptr (PrismConfig) config = make_saving_config ();
  g_autoptr (PrismEngine) engine = make_configured_engine (config);
  g_autofree char *path = g_build_filename (fixture->directory, "none", "a.prismrun", NULL);
  g_autoptr (PrismSnapshot) snapshot = NULL;

  prism_engine_set_run_file (engine, path);
  prism_engine_run (engine);
  while (snapshot == NULL || snapshot->state != PRISM_STATE_FAILED)
    {
      g_clear_pointer (&snapshot, prism_snapshot_unref);
      snapshot = prism_engine_wait (engine, 10000);
      g_assert_nonnull (snapshot);
    }
  g_assert_cmpint (snapshot->error, ==, PRISM_ERROR_IO);
  g_assert_nonnull (strstr (snapshot->message, "cannot be written"));
}

/* The directory goes away in the middle of the run and comes back. */
static void
test_pauses_and_retries (Fixture *fixture,
                         gconstpointer data)
{
  g_autoptr (PrismConfig) config = make_saving_config ();
  g_autoptr (PrismSnapshot) plain = run_plainly (config);
  g_autoptr (PrismSnapshot) last = NULL;
  g_autoptr (PrismSnapshot) paused = NULL;
  g_autoptr (PrismEngine) engine = make_configured_engine (config);
  g_autofree char *moved = g_strconcat (fixture->directory, "-moved", NULL);

  prism_engine_set_run_file (engine, fixture->path);
  prism_engine_step (engine, 2);
  prism_snapshot_unref (wait_for (engine, PRISM_STATE_PAUSED));
  g_assert_cmpint (g_rename (fixture->directory, moved), ==, 0);
  prism_engine_run (engine);
  paused = wait_for (engine, PRISM_STATE_PAUSED);
  g_assert_cmpint (paused->error, ==, PRISM_ERROR_IO);
  prism_engine_run (engine);
  prism_snapshot_unref (wait_for (engine, PRISM_STATE_PAUSED));
  g_assert_cmpint (g_rename (moved, fixture->directory), ==, 0);
  prism_engine_run (engine);
  last = wait_for (engine, PRISM_STATE_FINISHED);
  compare_results (plain, last);
}

/* A run that is moved goes on being the same run; where it cannot be moved, its file stays. */
static void
test_moved (Fixture *fixture,
            gconstpointer data)
{
  g_autoptr (PrismConfig) config = make_saving_config ();
  g_autoptr (PrismEngine) engine = make_configured_engine (config);
  g_autoptr (PrismSnapshot) paused = NULL, refused = NULL, moved = NULL, last = NULL;
  g_autoptr (PrismRun) before = NULL, after = NULL;
  g_autofree char *nowhere = g_build_filename (fixture->directory, "none", "b.prismrun", NULL);
  g_autofree char *path = g_build_filename (fixture->directory, "b.prismrun", NULL);

  prism_engine_set_run_file (engine, fixture->path);
  prism_engine_step (engine, 2);
  paused = wait_for (engine, PRISM_STATE_PAUSED);
  g_assert_cmpstr (paused->run_file, ==, fixture->path);
  g_assert_cmpint (paused->error, ==, -1);
  prism_engine_set_run_file (engine, nowhere);
  refused = wait_for (engine, PRISM_STATE_PAUSED);
  g_assert_cmpint (refused->error, ==, PRISM_ERROR_IO);
  g_assert_cmpstr (refused->run_file, ==, fixture->path);
  prism_engine_set_run_file (engine, path);
  moved = wait_for (engine, PRISM_STATE_PAUSED);
  g_assert_cmpstr (moved->run_file, ==, path);
  g_assert_false (prism_run_lock_is_taken (fixture->path));
  prism_engine_run (engine);
  last = wait_for (engine, PRISM_STATE_FINISHED);
  before = load (fixture->path);
  after = load (path);
  g_assert_cmpstr (before->identity->id, ==, after->identity->id);
  g_assert_cmpint (before->snapshot->state, ==, PRISM_STATE_PAUSED);
  compare_results (last, after->snapshot);
  g_unlink (path);
}

static void
test_fork (Fixture *fixture,
           gconstpointer data)
{
  g_autoptr (PrismConfig) config = make_saving_config ();
  g_autoptr (PrismConfig) changed = prism_config_dup (config);
  g_autoptr (PrismConfig) impossible = prism_config_dup (config);
  g_autoptr (PrismEngine) engine = make_configured_engine (config);
  g_autoptr (PrismEngine) other = make_engine ();
  g_autoptr (PrismSnapshot) last = NULL;
  g_autoptr (PrismRun) parent = NULL;
  g_autoptr (PrismRun) child = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *path = g_build_filename (fixture->directory, "b.prismrun", NULL);

  prism_engine_set_run_file (engine, fixture->path);
  prism_engine_step (engine, 3);
  prism_snapshot_unref (wait_for (engine, PRISM_STATE_PAUSED));
  impossible->samples = 9;
  g_assert_false (
      prism_engine_resume (other, load (fixture->path), fixture->path, impossible, &error));
  g_assert_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG);
  g_assert_nonnull (strstr (error->message, "samples cannot change from 8 to 9"));

  changed->learning_rate *= 0.1;
  changed->threads = 1;
  prism_engine_set_run_file (other, path);
  g_assert_true (prism_engine_resume (other, load (fixture->path), fixture->path, changed, NULL));
  prism_snapshot_unref (wait_for (other, PRISM_STATE_PAUSED));
  prism_engine_run (other);
  last = wait_for (other, PRISM_STATE_FINISHED);
  parent = load (fixture->path);
  child = load (path);
  g_assert_cmpstr (child->identity->id, !=, parent->identity->id);
  g_assert_nonnull (strstr (child->identity->parent, "a.prismrun"));
  g_assert_cmpuint (child->snapshot->n_rows, >, parent->snapshot->n_rows);
  g_assert_cmpfloat (prism_history_get_row (child->snapshot->history, 10).loss_new, ==,
                     prism_history_get_row (parent->snapshot->history, 10).loss_new);
  g_assert_cmpint (parent->snapshot->state, ==, PRISM_STATE_PAUSED);
  g_unlink (path);
}

/* A fork that has nothing left to do is over in its file, too, which nobody holds then. */
static void
test_fork_of_end (Fixture *fixture,
                  gconstpointer data)
{
  g_autoptr (PrismConfig) config = make_saving_config ();
  g_autoptr (PrismConfig) changed = prism_config_dup (config);
  g_autoptr (PrismEngine) engine = make_configured_engine (config);
  g_autoptr (PrismEngine) other = make_engine ();
  g_autoptr (PrismRun) child = NULL;
  g_autofree char *path = g_build_filename (fixture->directory, "b.prismrun", NULL);

  prism_engine_set_run_file (engine, fixture->path);
  prism_engine_run (engine);
  prism_snapshot_unref (wait_for (engine, PRISM_STATE_FINISHED));
  changed->learning_rate *= 0.1;
  prism_engine_set_run_file (other, path);
  g_assert_true (prism_engine_resume (other, load (fixture->path), fixture->path, changed, NULL));
  prism_snapshot_unref (wait_for (other, PRISM_STATE_FINISHED));
  g_assert_false (prism_run_lock_is_taken (path));
  child = load (path);
  g_assert_cmpint (child->snapshot->state, ==, PRISM_STATE_FINISHED);
  g_unlink (path);
}

int
main (int argc,
      char **argv)
{
  static const struct
  {
    const char *path;
    void (*test) (Fixture *, gconstpointer);
  } tests[] = {
    { "/engine/run-save/finished", test_finished },
    { "/engine/run-save/stopped-and-resumed", test_stopped_and_resumed },
    { "/engine/run-save/locked", test_locked },
    { "/engine/run-save/stale-lock", test_stale_lock },
    { "/engine/run-save/looking", test_looking_locks_nothing },
    { "/engine/run-save/no-directory", test_no_directory },
    { "/engine/run-save/pauses-and-retries", test_pauses_and_retries },
    { "/engine/run-save/moved", test_moved },
    { "/engine/run-save/fork", test_fork },
    { "/engine/run-save/fork-of-end", test_fork_of_end },
  };

  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (tests); i++)
    g_test_add (tests[i].path, Fixture, NULL, set_up, tests[i].test, tear_down);
  return g_test_run ();
}
