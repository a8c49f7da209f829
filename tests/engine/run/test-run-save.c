#include "test-saved-run.h"

#include "model/prism-display.h"

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
  g_autoptr (PrismEngine) engine = test_engine_new (config);

  return finish_engine (engine);
}

/* Saving after every sample changes no bit of the result. */
TEST_FIXTURE (finished, "/engine/run-save/finished")
{
  g_autoptr (PrismConfig) config = make_saving_config ();
  g_autoptr (PrismSnapshot) plain = run_plainly (config);
  g_autoptr (PrismEngine) engine = test_engine_new (config);

  prism_engine_set_run_file (engine, self->path);
  g_autoptr (PrismSnapshot) saved = finish_engine (engine);
  compare_results (plain, saved);
  g_autoptr (PrismRun) run = load (self->path);
  g_assert_cmpstr (run->state_name, ==, "finished");
  g_assert_cmpint (run->snapshot->state, ==, PRISM_STATE_FINISHED);
  compare_results (plain, run->snapshot);
  g_assert_false (prism_run_lock_is_taken (self->path));
}

/* Stopped in the middle, resumed in another engine, stopped again. */
TEST_FIXTURE (stopped_and_resumed, "/engine/run-save/stopped-and-resumed")
{
  g_autoptr (PrismConfig) config = make_saving_config ();
  g_autoptr (PrismSnapshot) plain = run_plainly (config), last = NULL;
  g_autoptr (PrismEngine) first = test_engine_new (config);

  prism_engine_set_run_file (first, self->path);
  step_engine (first, 3);
  g_assert_true (prism_run_lock_is_taken (self->path));
  prism_engine_stop (first);
  await_state (first, PRISM_STATE_STOPPED);
  for (int i = 0; i < 3; i++)
    {
      g_autoptr (PrismEngine) engine = test_engine_new (NULL);
      PrismRun *run = load (self->path);

      g_assert_true (MUST (prism_engine_resume (engine, run, self->path, NULL, &error)));
      await_state (engine, PRISM_STATE_PAUSED);
      if (i < 2)
        {
          step_engine (engine, 2);
          continue; /* freed in the middle: saved as it is */
        }
      last = finish_engine (engine);
    }
  compare_results (plain, last);
}

static guint64
get_inode (const char *path)
{
  GStatBuf info;

  g_assert_cmpint (g_stat (path, &info), ==, 0);
  return info.st_ino;
}

/* What rests is in its file: leaving it writes nothing, unless it is looked at otherwise. */
TEST_FIXTURE (left_at_rest, "/engine/run-save/left-at-rest")
{
  g_autoptr (PrismConfig) config = make_saving_config ();
  PrismEngine *engine = test_engine_new (config);
  g_autofree char *kept = g_strconcat (self->path, ".kept", NULL);
  g_autofree char *display = prism_display_set (NULL, "marks", "rectangle 4 4 20 20");

  prism_engine_set_run_file (engine, self->path);
  prism_engine_step (engine, 3);
  prism_snapshot_unref (wait_for_state (engine, PRISM_STATE_PAUSED));
  for (int i = 0; i < 3; i++)
    {
      /* Keeps the number from being given to another file. */
      g_assert_cmpint (link (self->path, kept), ==, 0);
      if (i == 2)
        prism_engine_show (engine, display);
      prism_engine_free (engine);
      g_assert_cmpint (get_inode (self->path) == get_inode (kept), ==, i < 2);
      g_unlink (kept);
      g_autoptr (PrismRun) run = load (self->path);
      g_assert_cmpstr (run->snapshot->display, ==, i < 2 ? NULL : display);
      if (i == 2)
        break;
      engine = test_engine_new (NULL);
      g_assert_true (
          prism_engine_resume (engine, g_steal_pointer (&run), self->path, NULL, NULL));
      prism_snapshot_unref (wait_for_state (engine, PRISM_STATE_PAUSED));
    }
}

TEST_FIXTURE (locked, "/engine/run-save/locked")
{
  g_autoptr (PrismConfig) config = make_saving_config ();
  g_autoptr (PrismEngine) first = test_engine_new (config), second = test_engine_new (config);
  g_autoptr (PrismEngine) reader = test_engine_new (NULL);

  prism_engine_set_run_file (first, self->path);
  step_engine (first, 2);
  prism_engine_set_run_file (second, self->path);
  prism_engine_run (second);
  g_autoptr (PrismSnapshot) refused = wait_for_state (second, PRISM_STATE_FAILED);
  HAS (refused->message, "being written by another program");

  g_assert_true (prism_engine_resume (reader, load (self->path), self->path, NULL, NULL));
  g_autoptr (PrismSnapshot) opened = wait_for_state (reader, PRISM_STATE_PAUSED);
  HAS (opened->message, "not saved");
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
TEST_FIXTURE (looking_locks_nothing, "/engine/run-save/looking")
{
  Looking looking = { .path = self->path };
  pthread_t thread;

  g_assert_cmpint (pthread_create (&thread, NULL, look_at_lock, &looking), ==, 0);
  for (int i = 0; i < 3000; i++)
    {
      PrismRunLock *lock = MUST (prism_run_lock_new (self->path, &error));

      prism_run_lock_free (lock);
    }
  atomic_store (&looking.enough, TRUE);
  pthread_join (thread, NULL);
}

/* A lock file that was left behind by a program which is gone. */
TEST_FIXTURE (stale_lock, "/engine/run-save/stale-lock")
{
  g_autofree char *name = g_strconcat (self->path, ".lock", NULL);
  g_autofree char *left = g_build_filename (self->directory, ".prism-a.prismrun-abcdef", NULL);
  g_autofree char *other = g_build_filename (self->directory, ".prism-b.prismrun-abcdef", NULL);

  g_assert_true (g_file_set_contents (name, "", 0, NULL));
  g_assert_true (g_file_set_contents (left, "", 0, NULL));
  g_assert_true (g_file_set_contents (other, "", 0, NULL));
  g_assert_false (prism_run_lock_is_taken (self->path));
  g_autoptr (PrismRunLock) lock = MUST (prism_run_lock_new (self->path, &error));
  g_assert_true (prism_run_lock_is_taken (self->path));
  g_assert_false (g_file_test (left, G_FILE_TEST_EXISTS));
  g_assert_true (g_file_test (other, G_FILE_TEST_EXISTS));
}

TEST_FIXTURE (no_directory, "/engine/run-save/no-directory")
{
  g_autoptr (PrismConfig) config = make_saving_config ();
  g_autoptr (PrismEngine) engine = test_engine_new (config);

  prism_engine_set_run_file (engine, in_folder (self->directory, "none", "a.prismrun"));
  prism_engine_run (engine);
  g_autoptr (PrismSnapshot) snapshot = wait_for_state (engine, PRISM_STATE_FAILED);
  g_assert_cmpint (snapshot->error, ==, PRISM_ERROR_IO);
  HAS (snapshot->message, "cannot be written");
}

/* The directory goes away in the middle of the run and comes back. */
TEST_FIXTURE (pauses_and_retries, "/engine/run-save/pauses-and-retries")
{
  g_autoptr (PrismConfig) config = make_saving_config ();
  g_autoptr (PrismSnapshot) plain = run_plainly (config);
  g_autoptr (PrismEngine) engine = test_engine_new (config);
  g_autofree char *moved = g_strconcat (self->directory, "-moved", NULL);

  prism_engine_set_run_file (engine, self->path);
  step_engine (engine, 2);
  g_assert_cmpint (g_rename (self->directory, moved), ==, 0);
  prism_engine_run (engine);
  g_autoptr (PrismSnapshot) paused = wait_for_state (engine, PRISM_STATE_PAUSED);
  g_assert_cmpint (paused->error, ==, PRISM_ERROR_IO);
  prism_engine_run (engine);
  await_state (engine, PRISM_STATE_PAUSED);
  g_assert_cmpint (g_rename (moved, self->directory), ==, 0);
  g_autoptr (PrismSnapshot) last = finish_engine (engine);
  compare_results (plain, last);
}

/* A run that is moved goes on being the same run; where it cannot be moved, its file stays. */
TEST_FIXTURE (moved, "/engine/run-save/moved")
{
  g_autoptr (PrismConfig) config = make_saving_config ();
  g_autoptr (PrismEngine) engine = test_engine_new (config);
  g_autofree char *path = g_build_filename (self->directory, "b.prismrun", NULL);

  prism_engine_set_run_file (engine, self->path);
  prism_engine_step (engine, 2);
  g_autoptr (PrismSnapshot) paused = wait_for_state (engine, PRISM_STATE_PAUSED);
  g_assert_cmpstr (paused->run_file, ==, self->path);
  g_assert_cmpint (paused->error, ==, -1);
  prism_engine_set_run_file (engine, in_folder (self->directory, "none", "b.prismrun"));
  g_autoptr (PrismSnapshot) refused = wait_for_state (engine, PRISM_STATE_PAUSED);
  g_assert_cmpint (refused->error, ==, PRISM_ERROR_IO);
  g_assert_cmpstr (refused->run_file, ==, self->path);
  prism_engine_set_run_file (engine, path);
  g_autoptr (PrismSnapshot) moved = wait_for_state (engine, PRISM_STATE_PAUSED);
  g_assert_cmpstr (moved->run_file, ==, path);
  g_assert_false (prism_run_lock_is_taken (self->path));
  g_autoptr (PrismSnapshot) last = finish_engine (engine);
  g_autoptr (PrismRun) before = load (self->path), after = load (path);
  g_assert_cmpstr (before->identity->id, ==, after->identity->id);
  g_assert_cmpint (before->snapshot->state, ==, PRISM_STATE_PAUSED);
  compare_results (last, after->snapshot);
}

TEST_FIXTURE (fork, "/engine/run-save/fork")
{
  g_autoptr (PrismConfig) config = make_saving_config (), changed = prism_config_dup (config);
  g_autoptr (PrismConfig) impossible = prism_config_dup (config);
  g_autoptr (PrismEngine) engine = test_engine_new (config), other = test_engine_new (NULL);
  g_autofree char *path = g_build_filename (self->directory, "b.prismrun", NULL);

  prism_engine_set_run_file (engine, self->path);
  step_engine (engine, 3);
  impossible->samples = 9;
  FAILS (
      prism_engine_resume (other, load (self->path), self->path, impossible,
                           &error),
      CONFIG, "samples cannot change from 8 to 9");

  changed->learning_rate *= 0.1;
  changed->threads = 1;
  prism_engine_set_run_file (other, path);
  g_assert_true (prism_engine_resume (other, load (self->path), self->path, changed, NULL));
  await_state (other, PRISM_STATE_PAUSED);
  g_autoptr (PrismSnapshot) last = finish_engine (other);
  g_autoptr (PrismRun) parent = load (self->path), child = load (path);
  g_assert_cmpstr (child->identity->id, !=, parent->identity->id);
  HAS (child->identity->parent, "a.prismrun");
  g_assert_cmpuint (child->snapshot->n_rows, >, parent->snapshot->n_rows);
  g_assert_cmpfloat (prism_history_get_row (child->snapshot->history, 10).loss_new, ==,
                     prism_history_get_row (parent->snapshot->history, 10).loss_new);
  g_assert_cmpint (parent->snapshot->state, ==, PRISM_STATE_PAUSED);
}

/* A fork that has nothing left to do is over in its file, too, which nobody holds then. */
TEST_FIXTURE (fork_of_end, "/engine/run-save/fork-of-end")
{
  g_autoptr (PrismConfig) config = make_saving_config (), changed = prism_config_dup (config);
  g_autoptr (PrismEngine) engine = test_engine_new (config), other = test_engine_new (NULL);
  g_autofree char *path = g_build_filename (self->directory, "b.prismrun", NULL);

  prism_engine_set_run_file (engine, self->path);
  prism_snapshot_unref (finish_engine (engine));
  changed->learning_rate *= 0.1;
  prism_engine_set_run_file (other, path);
  g_assert_true (prism_engine_resume (other, load (self->path), self->path, changed, NULL));
  await_state (other, PRISM_STATE_FINISHED);
  g_assert_false (prism_run_lock_is_taken (path));
  g_autoptr (PrismRun) child = load (path);
  g_assert_cmpint (child->snapshot->state, ==, PRISM_STATE_FINISHED);
}
