#include "config.h"

#include "prism-test.h"
#include "widget-test.h"
#include "session/prism-session.h"

#include "base/prism-error.h"
#include "run/prism-run-folder.h"
#include "run/prism-run-lock.h"

#include <errno.h>
#include <unistd.h>

static PrismSession *
new_session (void)
{
  g_autoptr (PrismConfig) config = widget_test_new_config ();

  config->backend = PRISM_BACKEND_CPU;
  return widget_test_new_session (config);
}

static void
wait_for_state (PrismSession *session,
                PrismState state)
{
  WAIT_FOR (session->state == state);
}

/* That it runs need not be seen: a snapshot that nobody has collected gives way to the next. */
static void
step (PrismSession *session,
      guint n_samples)
{
  guint64 before = session->snapshot->step;

  prism_session_step (session, n_samples);
  WAIT_FOR (session->state == PRISM_STATE_PAUSED
            && (session->snapshot->step != before || session->snapshot->error >= 0));
}

static PrismRun *
load (const char *path)
{
  return MUST (prism_run_file_load (path, &error));
}

/* A result without a file between, to compare with. */
static PrismSnapshot *
run_to_end (PrismSession *session)
{
  prism_session_run (session);
  wait_for_state (session, PRISM_STATE_FINISHED);
  return prism_snapshot_ref (session->snapshot);
}

static void
assert_equal (const PrismSnapshot *a,
              const PrismSnapshot *b)
{
  gsize bytes = (gsize) a->reconstruction->height * a->reconstruction->width * sizeof (float);

  g_assert_cmpmem (a->reconstruction->pixels, bytes, b->reconstruction->pixels, bytes);
  g_assert_cmpuint (a->n_rows, ==, b->n_rows);
}

/* Nobody asked for it: the run is in the program's folder, with its result at the end. */
TEST (saved_by_itself, "/app/session-files/saved-by-itself")
{
  g_autoptr (PrismSession) session = new_session ();
  g_autofree char *folder = prism_run_folder_dup_path ();

  g_assert_null (session->run_file);
  step (session, 1);
  g_autofree char *path = g_strdup (session->run_file);
  g_assert_true (g_str_has_prefix (path, folder));
  g_assert_true (prism_session_get_saved (session));
  g_assert_true (prism_run_lock_is_taken (path));
  g_autoptr (PrismSnapshot) last = run_to_end (session);
  g_assert_false (prism_session_get_saved (session));
  g_assert_cmpstr (session->run_file, ==, path);
  g_autoptr (PrismRun) run = load (path);
  assert_equal (run->snapshot, last);
}

/* Left in the middle, shown in another session, gone on with: the same bits. */
TEST (open_and_resume, "/app/session-files/open-and-resume")
{
  g_autoptr (PrismSession) plain = new_session ();
  g_autoptr (PrismSnapshot) expected = run_to_end (plain);
  PrismSession *first = new_session ();
  g_autoptr (PrismSession) second = new_session ();
  guint64 n_rows;

  step (first, 2);
  g_autofree char *path = g_strdup (first->run_file);
  n_rows = first->snapshot->n_rows;
  g_object_unref (first);
  g_assert_false (prism_run_lock_is_taken (path));

  g_assert_true (prism_session_open_run (second, load (path), path, FALSE));
  wait_for_state (second, PRISM_STATE_PAUSED);
  g_assert_true (second->resting);
  g_assert_false (second->read_only);
  g_assert_cmpuint (second->snapshot->n_rows, ==, n_rows);
  g_assert_nonnull (second->snapshot->reconstruction);
  g_autoptr (PrismSnapshot) last = run_to_end (second);
  g_assert_false (second->resting);
  g_assert_cmpstr (second->run_file, ==, path);
  assert_equal (last, expected);
}

/* What another program writes is left alone; going on makes a copy. */
TEST (read_only, "/app/session-files/read-only")
{
  g_autoptr (PrismSession) first = new_session ();
  g_autoptr (PrismSession) second = new_session ();
  g_autofree char *before = NULL, *after = NULL;
  gsize length_before, length_after;

  step (first, 2);
  g_autofree char *path = g_strdup (first->run_file);
  g_assert_true (g_file_get_contents (path, &before, &length_before, NULL));
  g_assert_true (prism_session_open_run (second, load (path), path, FALSE));
  wait_for_state (second, PRISM_STATE_PAUSED);
  g_assert_true (second->read_only);
  g_assert_false (prism_session_get_saved (second));

  step (second, 1);
  g_assert_false (second->read_only);
  g_assert_true (prism_session_get_saved (second));
  g_assert_cmpstr (second->run_file, !=, path);
  g_assert_true (g_file_test (second->run_file, G_FILE_TEST_EXISTS));
  g_assert_true (g_file_get_contents (path, &after, &length_after, NULL));
  g_assert_cmpmem (before, length_before, after, length_after);
}

/* Whether the program would find a run when it is interrupted. */
static gboolean
is_listed (const char *path)
{
  g_autofree char *folder = prism_run_folder_dup_path ();
  g_autoptr (GPtrArray) entries = prism_run_folder_list (folder);

  for (guint i = 0; i < entries->len; i++)
    if (strcmp (((PrismRunEntry *) g_ptr_array_index (entries, i))->path, path) == 0)
      return TRUE;
  return FALSE;
}

/* The program's own file goes when the user's is there. */
TEST (move, "/app/session-files/move")
{
  g_autoptr (PrismSession) session = new_session ();
  g_autofree char *folder = g_dir_make_tmp ("prism-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "mine.prismrun", NULL);

  step (session, 1);
  g_autofree char *own = g_strdup (session->run_file);
  prism_session_move_run (session, path);
  WAIT_FOR (g_strcmp0 (session->run_file, path) == 0);
  g_assert_false (g_file_test (own, G_FILE_TEST_EXISTS));
  g_assert_true (is_listed (path));
  g_autoptr (PrismSnapshot) last = run_to_end (session);
  g_autoptr (PrismRun) run = load (path);
  assert_equal (run->snapshot, last);
  g_unlink (path);
  g_rmdir (folder);
}

/* The past of a fork is that of its parent, which stays; a finished run goes on before its end, and
 * at the earliest from the first state that was kept. */
TEST (fork, "/app/session-files/fork")
{
  g_autoptr (PrismSession) session = new_session ();
  guint64 n_rows;

  step (session, 2);
  step (session, 2);
  g_autofree char *path = g_strdup (session->run_file);
  prism_snapshot_unref (run_to_end (session));
  FAILS (prism_run_file_load_until (path, 0, &error), FORMAT, "choose a later moment");

  g_autoptr (PrismRun) child = prism_run_file_load_until (path, G_MAXUINT64 - 1, NULL);
  g_assert_nonnull (child);
  n_rows = child->snapshot->n_rows;
  g_assert_true (prism_session_fork_run (session, g_steal_pointer (&child), path));
  wait_for_state (session, PRISM_STATE_PAUSED);
  g_assert_cmpuint (session->snapshot->n_rows, ==, n_rows);
  g_assert_cmpstr (session->run_file, !=, path);
  g_assert_true (prism_draft_set_parameter (session->draft,
                                            prism_config_get_param ("learning_rate"), "0.0001",
                                            NULL));
  g_autoptr (PrismSnapshot) last = run_to_end (session);
  g_autoptr (PrismRun) parent = load (path);
  child = load (session->run_file);
  g_assert_nonnull (child->identity->parent);
  g_assert_cmpstr (child->identity->id, !=, parent->identity->id);
  g_assert_cmpfloat (prism_history_get_row (child->snapshot->history, 5).loss_new, ==,
                     prism_history_get_row (parent->snapshot->history, 5).loss_new);
}

static void
count_notice (PrismSession *session,
              const char *message,
              gboolean failed,
              int code,
              guint *n)
{
  if (failed && code == PRISM_ERROR_IO)
    (*n)++;
}

/* The directory goes away in the middle: the run waits, and goes on elsewhere or unsaved. */
static void
test_vanished_directory (gconstpointer data)
{
  gboolean elsewhere = GPOINTER_TO_INT (data);
  g_autoptr (PrismSession) session = new_session ();
  g_autofree char *folder = prism_run_folder_dup_path ();
  g_autofree char *moved = g_strconcat (folder, "-moved", NULL);
  g_autofree char *other = g_dir_make_tmp ("prism-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (other, "b.prismrun", NULL);
  guint n_notices = 0;

  g_signal_connect (session, "notice", G_CALLBACK (count_notice), &n_notices);
  step (session, 1);
  g_assert_cmpint (g_rename (folder, moved), ==, 0);
  step (session, 1);
  g_assert_cmpuint (n_notices, ==, 1);
  g_assert_true (prism_session_get_unsaved (session));
  g_assert_false (prism_session_get_saved (session));
  if (elsewhere)
    {
      prism_session_move_run (session, path);
      WAIT_FOR (prism_session_get_saved (session));
      prism_snapshot_unref (run_to_end (session));
    }
  else
    {
      prism_session_run_unsaved (session);
      wait_for_state (session, PRISM_STATE_FINISHED);
    }
  g_assert_false (prism_session_get_unsaved (session));
  g_assert_cmpint (g_file_test (path, G_FILE_TEST_EXISTS), ==, elsewhere);
  prism_run_folder_remove_link (folder, path);
  g_rmdir (folder);
  g_assert_cmpint (g_rename (moved, folder), ==, 0);
  g_unlink (path);
  g_rmdir (other);
}

static void
note_damage (PrismSession *session,
             const char *message,
             gboolean failed,
             int code,
             char **noticed)
{
  g_free (*noticed);
  *noticed = g_strdup (message);
}

/* A flipped bit in the newest state: a sentence names it, and the state before is shown. */
TEST (damaged, "/app/session-files/damaged")
{
  g_autoptr (PrismSession) first = new_session ();
  g_autoptr (PrismSession) second = new_session ();
  g_autofree char *path = NULL, *noticed = NULL, *bytes = NULL;
  const char *newest = NULL;
  guint64 step_before, newest_step;
  gsize length;

  step (first, 1);
  step_before = first->snapshot->step;
  step (first, 1);
  newest_step = first->snapshot->step;
  path = g_strdup (first->run_file);
  g_clear_object (&first);
  g_assert_true (g_file_get_contents (path, &bytes, &length, NULL));
  /* The first mention of a member stands before its data; states are numbered from 1. */
  for (guint i = 1; i < 9; i++)
    {
      g_autofree char *member = g_strdup_printf ("snapshots/%u/image.npy", i);
      const char *found = memmem (bytes, length, member, strlen (member));
      newest = found != NULL ? found : newest;
    }
  g_assert_nonnull (newest);
  bytes[newest - bytes + 400] ^= 1;
  g_assert_true (g_file_set_contents (path, bytes, (gssize) length, NULL));

  g_signal_connect (second, "notice", G_CALLBACK (note_damage), &noticed);
  g_assert_true (prism_session_open_run (second, load (path), path, FALSE));
  wait_for_state (second, PRISM_STATE_PAUSED);
  g_assert_cmpuint (second->snapshot->step, >=, step_before);
  g_assert_cmpuint (second->snapshot->step, <=, newest_step);
  WAIT_FOR (noticed != NULL);
  HAS (noticed, "image.npy", "damaged");
}

/* Nobody can make a folder there: the reason is told, and the run begins where the user says. */
TEST (no_home, "/app/session-files/no-home")
{
  g_autoptr (PrismSession) session = new_session ();
  g_autofree char *folder = prism_run_folder_dup_path ();
  g_autofree char *parent = g_path_get_dirname (folder);
  g_autofree char *moved = g_strconcat (parent, "-moved", NULL);
  g_autofree char *other = g_dir_make_tmp ("prism-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (other, "b.prismrun", NULL);
  g_autofree char *noticed = NULL;

  if (!g_file_test ("/sys/kernel", G_FILE_TEST_IS_DIR))
    {
      g_test_skip ("there is no /sys, in which nobody can make a folder");
      return;
    }
  g_signal_connect (session, "notice", G_CALLBACK (note_damage), &noticed);
  g_mkdir_with_parents (folder, 0700);
  g_assert_cmpint (g_rename (parent, moved), ==, 0);
  g_assert_cmpint (symlink ("/sys/kernel", parent), ==, 0);
  prism_session_run (session);
  wait_for_state (session, PRISM_STATE_FAILED);
  WAIT_FOR (noticed != NULL);
  LACKS (noticed, g_strerror (ENOENT));
  HAS (noticed, "elsewhere");
  g_assert_true (prism_session_get_unsaved (session));
  prism_session_run_in (session, path);
  wait_for_state (session, PRISM_STATE_FINISHED);
  g_assert_cmpstr (session->run_file, ==, path);
  g_assert_true (g_file_test (path, G_FILE_TEST_EXISTS));
  g_unlink (parent);
  g_assert_cmpint (g_rename (moved, parent), ==, 0);
  g_unlink (path);
  g_rmdir (other);
}

/* The file of a lesson's step says so, that of a run of one's own does not. */
TEST (lesson, "/app/session-files/lesson")
{
  g_autoptr (PrismSession) session = new_session ();
  g_autofree char *folder = prism_run_folder_dup_path ();

  g_assert_true (
      prism_session_run_config (session,
                                session->draft->config, TRUE));
  wait_for_state (session, PRISM_STATE_FINISHED);
  g_autofree char *lesson = g_strdup (session->run_file);
  prism_session_show_edited (session);
  prism_session_run (session);
  WAIT_FOR (session->state == PRISM_STATE_FINISHED
            && g_strcmp0 (lesson, session->run_file) != 0);
  g_autoptr (GPtrArray) entries = prism_run_folder_list (folder);
  for (guint i = 0; i < entries->len; i++)
    {
      const PrismRunEntry *entry = entries->pdata[i];

      g_assert_cmpint (entry->lesson, ==, g_str_equal (entry->path, lesson));
    }
}

/* Where the folder cannot be made the run does not begin, unless it is wanted without a file. */
TEST (no_folder, "/app/session-files/no-folder")
{
  g_autoptr (PrismSession) session = new_session ();
  g_autofree char *folder = prism_run_folder_dup_path ();
  g_autofree char *moved = g_strconcat (folder, "-moved", NULL);
  guint n_notices = 0;

  g_signal_connect (session, "notice", G_CALLBACK (count_notice), &n_notices);
  g_assert_cmpint (g_rename (folder, moved), ==, 0);
  g_assert_true (g_file_set_contents (folder, "", 0, NULL));
  prism_session_run (session);
  wait_for_state (session, PRISM_STATE_FAILED);
  WAIT_FOR (n_notices != 0);
  g_assert_true (prism_session_get_unsaved (session));
  prism_session_run_unsaved (session);
  wait_for_state (session, PRISM_STATE_FINISHED);
  g_assert_null (session->run_file);
  g_unlink (folder);
  g_assert_cmpint (g_rename (moved, folder), ==, 0);
}

TESTS
{
  g_test_add_data_func ("/app/session-files/vanished/elsewhere", GINT_TO_POINTER (TRUE),
                        test_vanished_directory);
  g_test_add_data_func ("/app/session-files/vanished/unsaved", GINT_TO_POINTER (FALSE),
                        test_vanished_directory);
}
