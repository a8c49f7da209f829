#include "test-saved-run.h"

#include "base/prism-file.h"

#include <fcntl.h>

/* Which file a run is saved in: links, other files that take its name, what others have left. */

static PrismEngine *
make_saving_engine (void)
{
  g_autoptr (PrismConfig) config = make_saving_config ();

  return test_engine_new (config);
}

static void
check_finished (const char *path)
{
  g_autoptr (PrismRun) run = load (path);

  g_assert_cmpstr (run->state_name, ==, "finished");
}

static void
check_text (const char *path, const char *wanted)
{
  SAYS (file_text (path), wanted);
}

/* A run of two samples in the fixture's file. */
static void
begin (Fixture *fixture)
{
  g_autoptr (PrismEngine) engine = make_saving_engine ();

  prism_engine_set_run_file (engine, fixture->path);
  step_engine (engine, 2);
}

static PrismSnapshot *
resume (PrismEngine *engine, PrismRun *run, const char *path)
{
  g_assert_true (MUST (prism_engine_resume (engine, run, path, NULL, &error)));
  return wait_for_state (engine, PRISM_STATE_PAUSED);
}

static void
finish (PrismEngine *engine)
{
  prism_snapshot_unref (finish_engine (engine));
}

/* The run goes on where the link leads, and there is one lock for both names. */
TEST_FIXTURE (link, "/engine/run-place/link")
{
  g_autofree char *folder = g_build_filename (self->directory, "elsewhere", NULL);
  g_autofree char *link = g_build_filename (folder, "link.prismrun", NULL);
  g_autoptr (PrismEngine) engine = make_saving_engine (), other = make_saving_engine ();

  begin (self);
  g_assert_cmpint (g_mkdir (folder, 0700), ==, 0);
  g_assert_cmpint (symlink ("../a.prismrun", link), ==, 0);
  g_autoptr (PrismSnapshot) first = resume (engine, load (link), link);
  g_assert_null (first->message);
  g_assert_cmpstr (first->run_file, ==, link);
  g_assert_true (prism_run_lock_is_taken (link));
  g_assert_true (prism_run_lock_is_taken (self->path));
  g_autoptr (PrismSnapshot) second = resume (other, load (self->path), self->path);
  HAS (second->message, "being written by another program");

  finish (engine);
  g_assert_true (g_file_test (link, G_FILE_TEST_IS_SYMLINK));
  check_finished (self->path);
}

/* A link whose file is not there yet: it is made where the link leads. */
TEST_FIXTURE (dangling_link, "/engine/run-place/dangling-link")
{
  g_autofree char *link = g_build_filename (self->directory, "link.prismrun", NULL);
  g_autoptr (PrismEngine) engine = make_saving_engine ();

  g_assert_cmpint (symlink ("a.prismrun", link), ==, 0);
  prism_engine_set_run_file (engine, link);
  finish (engine);
  g_assert_true (g_file_test (link, G_FILE_TEST_IS_SYMLINK));
  check_finished (self->path);
}

/* What has taken the run's name meanwhile stays; the run goes on beside it and says so. */
TEST_FIXTURE (foreign_file, "/engine/run-place/foreign-file")
{
  g_autofree char *foreign = g_build_filename (self->directory, "foreign", NULL);
  g_autofree char *beside = g_build_filename (self->directory, "a-3.prismrun", NULL);
  g_autofree char *taken = g_build_filename (self->directory, "a-2.prismrun", NULL);
  g_autoptr (PrismEngine) engine = make_saving_engine ();

  prism_engine_set_run_file (engine, self->path);
  step_engine (engine, 2);
  g_assert_true (g_file_set_contents (foreign, "mine", -1, NULL));
  g_assert_true (g_file_set_contents (taken, "mine, too", -1, NULL));
  g_assert_cmpint (g_rename (foreign, self->path), ==, 0);
  g_autoptr (PrismSnapshot) last = finish_engine (engine);
  check_text (self->path, "mine");
  check_text (taken, "mine, too");
  check_finished (beside);
  g_assert_cmpstr (last->run_file, ==, beside);
  HAS (last->message, "a-3.prismrun");
  g_assert_cmpint (last->error, ==, -1);
  g_assert_false (prism_run_lock_is_taken (self->path));
}

/* What takes the name while the run is prepared keeps it from beginning. */
TEST_FIXTURE (foreign_before_start, "/engine/run-place/foreign-before-start")
{
  g_autoptr (PrismEngine) engine = make_saving_engine ();

  prism_engine_set_run_file (engine, self->path);
  g_assert_true (g_file_set_contents (self->path, "mine", -1, NULL));
  prism_engine_run (engine);
  g_autoptr (PrismSnapshot) snapshot = wait_for_state (engine, PRISM_STATE_FAILED);
  HAS (snapshot->message, "choose another file");
  check_text (self->path, "mine");
}

/* A file that is written over in its place is another one, too. */
TEST_FIXTURE (copied_over, "/engine/run-place/copied-over")
{
  g_autofree char *beside = g_build_filename (self->directory, "a-2.prismrun", NULL);
  g_autoptr (PrismEngine) engine = make_saving_engine ();

  begin (self);
  prism_snapshot_unref (resume (engine, load (self->path), self->path));
  int fd = g_open (self->path, O_WRONLY | O_TRUNC, 0);
  g_assert_cmpint (write (fd, "mine", 4), ==, 4);
  g_assert_cmpint (close (fd), ==, 0);
  finish (engine);
  check_text (self->path, "mine");
  check_finished (beside);
}

/* The run's own file under another number and time, as after a file system is mounted again. */
TEST_FIXTURE (own_file_renewed, "/engine/run-place/own-file-renewed")
{
  const struct timespec times[2] = { { .tv_sec = 1000000 }, { .tv_sec = 1000000 } };
  g_autofree char *bytes = NULL;
  g_autoptr (PrismEngine) engine = make_saving_engine ();
  gsize length;

  prism_engine_set_run_file (engine, self->path);
  step_engine (engine, 2);
  g_assert_true (g_file_get_contents (self->path, &bytes, &length, NULL));
  g_assert_true (prism_file_save (self->path, bytes, length, NULL));
  g_assert_cmpint (utimensat (AT_FDCWD, self->path, times, 0), ==, 0);
  g_autoptr (PrismSnapshot) last = finish_engine (engine);
  g_assert_cmpstr (last->run_file, ==, self->path);
  check_finished (self->path);
}

/* Two programs that go on with one run, one after the other: the second has read too early. */
TEST_FIXTURE (read_too_early, "/engine/run-place/read-too-early")
{
  g_autoptr (PrismEngine) engine = make_saving_engine (), other = make_saving_engine ();

  begin (self);
  PrismRun *early = load (self->path);
  prism_snapshot_unref (resume (engine, load (self->path), self->path));
  finish (engine);
  g_autoptr (PrismSnapshot) late = resume (other, early, self->path);
  HAS (late->message, "by another program meanwhile");
  prism_engine_stop (other);
  await_state (other, PRISM_STATE_STOPPED);
  check_finished (self->path);
}

/* The end of a run writes its file once more: that is nobody else. */
TEST_FIXTURE (written_at_the_end, "/engine/run-place/written-at-the-end")
{
  g_autoptr (PrismEngine) engine = make_saving_engine ();

  prism_engine_set_run_file (engine, self->path);
  step_engine (engine, 2);
  PrismRun *early = load (self->path);
  g_autoptr (PrismSnapshot) resumed = resume (engine, early, self->path);
  g_assert_cmpstr (resumed->message, ==, NULL);
  g_assert_cmpstr (resumed->run_file, ==, self->path);
  prism_engine_stop (engine);
  prism_engine_set_run_file (engine, self->path);
  finish (engine);
  check_finished (self->path);
}

/* A program that was killed between its last save and its end. */
TEST_FIXTURE (left_behind, "/engine/run-place/left-behind")
{
  g_autofree char *lock = g_strconcat (self->path, ".lock", NULL);
  g_autofree char *left = g_build_filename (self->directory, ".prism-a.prismrun-abcdef", NULL);
  g_autoptr (PrismEngine) engine = make_saving_engine (), other = make_saving_engine ();

  prism_engine_set_run_file (engine, self->path);
  finish (engine);
  g_assert_true (g_file_set_contents (lock, "", 0, NULL));
  g_assert_true (g_file_set_contents (left, "", 0, NULL));
  g_assert_true (MUST (prism_engine_resume (other, load (self->path), self->path, NULL, &error)));
  await_state (other, PRISM_STATE_FINISHED);
  g_assert_false (g_file_test (lock, G_FILE_TEST_EXISTS));
  g_assert_false (g_file_test (left, G_FILE_TEST_EXISTS));
}
