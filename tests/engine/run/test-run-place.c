#include "test-saved-run.h"

#include "base/prism-error.h"
#include "base/prism-file.h"
#include "run/prism-run-lock.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* Which file a run is saved in: links, other files that take its name, what others have left. */

static PrismEngine *
make_saving_engine (void)
{
  g_autoptr (PrismConfig) config = make_saving_config ();

  return make_configured_engine (config);
}

static void
check_finished (const char *path)
{
  g_autoptr (PrismRun) run = load (path);

  g_assert_cmpstr (run->state_name, ==, "finished");
}

static void
check_text (const char *path,
            const char *wanted)
{
  g_autofree char *text = NULL;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_cmpstr (text, ==, wanted);
}

/* A run of two samples in the fixture's file. */
static void
begin (Fixture *fixture)
{
  g_autoptr (PrismEngine) engine = make_saving_engine ();

  prism_engine_set_run_file (engine, fixture->path);
  prism_engine_step (engine, 2);
  prism_snapshot_unref (wait_for (engine, PRISM_STATE_PAUSED));
}

static PrismSnapshot *
resume (PrismEngine *engine,
        PrismRun *run,
        const char *path)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (prism_engine_resume (engine, run, path, NULL, &error));
  g_assert_no_error (error);
  return wait_for (engine, PRISM_STATE_PAUSED);
}

static void
finish (PrismEngine *engine)
{
  prism_engine_run (engine);
  prism_snapshot_unref (wait_for (engine, PRISM_STATE_FINISHED));
}

/* The run goes on where the link leads, and there is one lock for both names. */
static void
test_link (Fixture *fixture,
           gconstpointer data)
{
  g_autofree char *folder = g_build_filename (fixture->directory, "elsewhere", NULL);
  g_autofree char *link = g_build_filename (folder, "link.prismrun", NULL);
  g_autoptr (PrismEngine) engine = make_saving_engine ();
  g_autoptr (PrismEngine) other = make_saving_engine ();
  g_autoptr (PrismSnapshot) first = NULL, second = NULL;

  begin (fixture);
  g_assert_cmpint (g_mkdir (folder, 0700), ==, 0);
  g_assert_cmpint (symlink ("../a.prismrun", link), ==, 0);
  first = resume (engine, load (link), link);
  g_assert_null (first->message);
  g_assert_cmpstr (first->run_file, ==, link);
  g_assert_true (prism_run_lock_is_taken (link));
  g_assert_true (prism_run_lock_is_taken (fixture->path));
  second = resume (other, load (fixture->path), fixture->path);
  g_assert_nonnull (strstr (second->message, "being written by another program"));

  finish (engine);
  g_assert_true (g_file_test (link, G_FILE_TEST_IS_SYMLINK));
  check_finished (fixture->path);
  g_unlink (link);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

/* A link whose file is not there yet: it is made where the link leads. */
static void
test_dangling_link (Fixture *fixture,
                    gconstpointer data)
{
  g_autofree char *link = g_build_filename (fixture->directory, "link.prismrun", NULL);
  g_autoptr (PrismEngine) engine = make_saving_engine ();

  g_assert_cmpint (symlink ("a.prismrun", link), ==, 0);
  prism_engine_set_run_file (engine, link);
  finish (engine);
  g_assert_true (g_file_test (link, G_FILE_TEST_IS_SYMLINK));
  check_finished (fixture->path);
  g_unlink (link);
}

/* What has taken the run's name meanwhile stays; the run goes on beside it and says so. */
static void
test_foreign_file (Fixture *fixture,
                   gconstpointer data)
{
  g_autofree char *foreign = g_build_filename (fixture->directory, "foreign", NULL);
  g_autofree char *beside = g_build_filename (fixture->directory, "a-3.prismrun", NULL);
  g_autofree char *taken = g_build_filename (fixture->directory, "a-2.prismrun", NULL);
  g_autoptr (PrismEngine) engine = make_saving_engine ();
  g_autoptr (PrismSnapshot) last = NULL;

  prism_engine_set_run_file (engine, fixture->path);
  prism_engine_step (engine, 2);
  prism_snapshot_unref (wait_for (engine, PRISM_STATE_PAUSED));
  g_assert_true (g_file_set_contents (foreign, "mine", -1, NULL));
  g_assert_true (g_file_set_contents (taken, "mine, too", -1, NULL));
  g_assert_cmpint (g_rename (foreign, fixture->path), ==, 0);
  prism_engine_run (engine);
  last = wait_for (engine, PRISM_STATE_FINISHED);
  check_text (fixture->path, "mine");
  check_text (taken, "mine, too");
  check_finished (beside);
  g_assert_cmpstr (last->run_file, ==, beside);
  g_assert_nonnull (strstr (last->message, "a-3.prismrun"));
  g_assert_cmpint (last->error, ==, -1);
  g_assert_false (prism_run_lock_is_taken (fixture->path));
  g_unlink (taken);
  g_unlink (beside);
}

/* What takes the name while the run is prepared keeps it from beginning. */
static void
test_foreign_before_start (Fixture *fixture,
                           gconstpointer data)
{
  g_autoptr (PrismEngine) engine = make_saving_engine ();
  g_autoptr (PrismSnapshot) snapshot = NULL;

  prism_engine_set_run_file (engine, fixture->path);
  g_assert_true (g_file_set_contents (fixture->path, "mine", -1, NULL));
  prism_engine_run (engine);
  while (snapshot == NULL || snapshot->state != PRISM_STATE_FAILED)
    {
      g_clear_pointer (&snapshot, prism_snapshot_unref);
      snapshot = prism_engine_wait (engine, 10000);
      g_assert_nonnull (snapshot);
      g_assert_cmpint (snapshot->state, !=, PRISM_STATE_FINISHED);
    }
  g_assert_nonnull (strstr (snapshot->message, "choose another file"));
  check_text (fixture->path, "mine");
}

/* A file that is written over in its place is another one, too. */
static void
test_copied_over (Fixture *fixture,
                  gconstpointer data)
{
  g_autofree char *beside = g_build_filename (fixture->directory, "a-2.prismrun", NULL);
  g_autoptr (PrismEngine) engine = make_saving_engine ();
  int fd;

  begin (fixture);
  prism_snapshot_unref (resume (engine, load (fixture->path), fixture->path));
  fd = g_open (fixture->path, O_WRONLY | O_TRUNC, 0);
  g_assert_cmpint (write (fd, "mine", 4), ==, 4);
  g_assert_cmpint (close (fd), ==, 0);
  finish (engine);
  check_text (fixture->path, "mine");
  check_finished (beside);
  g_unlink (beside);
}

/* The run's own file under another number and time, as after a file system is mounted again. */
static void
test_own_file_renewed (Fixture *fixture,
                       gconstpointer data)
{
  const struct timespec times[2] = { { .tv_sec = 1000000 }, { .tv_sec = 1000000 } };
  g_autofree char *bytes = NULL;
  g_autoptr (PrismEngine) engine = make_saving_engine ();
  g_autoptr (PrismSnapshot) last = NULL;
  gsize length;

  prism_engine_set_run_file (engine, fixture->path);
  prism_engine_step (engine, 2);
  prism_snapshot_unref (wait_for (engine, PRISM_STATE_PAUSED));
  g_assert_true (g_file_get_contents (fixture->path, &bytes, &length, NULL));
  g_assert_true (prism_file_save (fixture->path, bytes, length, NULL));
  g_assert_cmpint (utimensat (AT_FDCWD, fixture->path, times, 0), ==, 0);
  prism_engine_run (engine);
  last = wait_for (engine, PRISM_STATE_FINISHED);
  g_assert_cmpstr (last->run_file, ==, fixture->path);
  check_finished (fixture->path);
}

/* Two programs that go on with one run, one after the other: the second has read too early. */
static void
test_read_too_early (Fixture *fixture,
                     gconstpointer data)
{
  g_autoptr (PrismEngine) engine = make_saving_engine ();
  g_autoptr (PrismEngine) other = make_saving_engine ();
  g_autoptr (PrismSnapshot) late = NULL;
  PrismRun *early;

  begin (fixture);
  early = load (fixture->path);
  prism_snapshot_unref (resume (engine, load (fixture->path), fixture->path));
  finish (engine);
  late = resume (other, early, fixture->path);
  g_assert_nonnull (strstr (late->message, "by another program meanwhile"));
  prism_engine_stop (other);
  prism_snapshot_unref (wait_for (other, PRISM_STATE_STOPPED));
  check_finished (fixture->path);
}

/* The end of a run writes its file once more: that is nobody else. */
static void
test_written_at_the_end (Fixture *fixture,
                         gconstpointer data)
{
  g_autoptr (PrismEngine) engine = make_saving_engine ();
  g_autoptr (PrismSnapshot) resumed = NULL;
  PrismRun *early;

  prism_engine_set_run_file (engine, fixture->path);
  prism_engine_step (engine, 2);
  prism_snapshot_unref (wait_for (engine, PRISM_STATE_PAUSED));
  early = load (fixture->path);
  resumed = resume (engine, early, fixture->path);
  g_assert_cmpstr (resumed->message, ==, NULL);
  g_assert_cmpstr (resumed->run_file, ==, fixture->path);
  prism_engine_stop (engine);
  prism_engine_set_run_file (engine, fixture->path);
  finish (engine);
  check_finished (fixture->path);
}

/* A program that was killed between its last save and its end. */
static void
test_left_behind (Fixture *fixture,
                  gconstpointer data)
{
  g_autofree char *lock = g_strconcat (fixture->path, ".lock", NULL);
  g_autofree char *left = g_build_filename (fixture->directory, ".prism-a.prismrun-abcdef", NULL);
  g_autoptr (PrismEngine) engine = make_saving_engine ();
  g_autoptr (PrismEngine) other = make_saving_engine ();
  g_autoptr (GError) error = NULL;

  prism_engine_set_run_file (engine, fixture->path);
  finish (engine);
  g_assert_true (g_file_set_contents (lock, "", 0, NULL));
  g_assert_true (g_file_set_contents (left, "", 0, NULL));
  g_assert_true (prism_engine_resume (other, load (fixture->path), fixture->path, NULL, &error));
  g_assert_no_error (error);
  prism_snapshot_unref (wait_for (other, PRISM_STATE_FINISHED));
  g_assert_false (g_file_test (lock, G_FILE_TEST_EXISTS));
  g_assert_false (g_file_test (left, G_FILE_TEST_EXISTS));
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
    { "/engine/run-place/link", test_link },
    { "/engine/run-place/dangling-link", test_dangling_link },
    { "/engine/run-place/foreign-file", test_foreign_file },
    { "/engine/run-place/foreign-before-start", test_foreign_before_start },
    { "/engine/run-place/copied-over", test_copied_over },
    { "/engine/run-place/own-file-renewed", test_own_file_renewed },
    { "/engine/run-place/read-too-early", test_read_too_early },
    { "/engine/run-place/written-at-the-end", test_written_at_the_end },
    { "/engine/run-place/left-behind", test_left_behind },
  };

  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (tests); i++)
    g_test_add (tests[i].path, Fixture, NULL, set_up, tests[i].test, tear_down);
  return g_test_run ();
}
