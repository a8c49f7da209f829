#include "test-run-common.h"

#include "run/prism-run-file.h"
#include "run/prism-run-folder.h"
#include "run/prism-run-lock.h"

#include <utime.h>

static char *
save (Run *run,
      const Fixture *fixture,
      const char *name,
      PrismState state)
{
  g_autoptr (PrismRunIdentity) identity = prism_run_identity_new (NULL);
  g_autoptr (PrismBundle) bundle = prism_trainer_dup_state (run->trainer, NULL);
  g_autoptr (PrismSnapshot) snapshot = publish (run);
  g_autoptr (GError) error = NULL;
  char *path = g_build_filename (fixture->directory, name, NULL);

  snapshot->state = state;
  g_assert_true (prism_run_file_save (path, snapshot, bundle, identity, &error));
  g_assert_no_error (error);
  return path;
}

static const PrismRunEntry *
find (GPtrArray *entries,
      const char *path)
{
  for (guint i = 0; i < entries->len; i++)
    {
      const PrismRunEntry *entry = g_ptr_array_index (entries, i);

      if (strcmp (entry->path, path) == 0)
        return entry;
    }
  g_assert_not_reached ();
}

static void
test_interrupted (Fixture *fixture,
                  gconstpointer data)
{
  g_autoptr (PrismConfig) config = make_small_config ();
  g_autofree char *running = NULL, *finished = NULL, *written = NULL, *other = NULL;
  g_autoptr (GPtrArray) entries = NULL;
  g_autoptr (PrismRunLock) lock = NULL;
  Run run;

  run_open (&run, config, NULL, 1);
  for (int i = 0; i < 12; i++)
    step (&run);
  running = save (&run, fixture, "a.prismrun", PRISM_STATE_RUNNING);
  finished = save (&run, fixture, "b.prismrun", PRISM_STATE_FINISHED);
  written = save (&run, fixture, "c.prismrun", PRISM_STATE_PAUSED);
  run_close (&run);
  lock = prism_run_lock_new (written, NULL);
  other = g_build_filename (fixture->directory, "d.prismrun", NULL);
  g_assert_true (g_file_set_contents (other, "no archive", -1, NULL));

  entries = prism_run_folder_list (fixture->directory);
  g_assert_cmpuint (entries->len, ==, 3);
  g_assert_true (prism_run_entry_is_interrupted (find (entries, running)));
  g_assert_cmpuint (find (entries, running)->step, ==, 11);
  g_assert_cmpstr (find (entries, running)->state_name, ==, "running");
  g_assert_false (prism_run_entry_is_interrupted (find (entries, finished)));
  g_assert_true (find (entries, written)->locked);
  g_assert_false (prism_run_entry_is_interrupted (find (entries, written)));
  g_unlink (finished);
  g_unlink (written);
  g_unlink (other);
}

static void
test_no_directory (Fixture *fixture,
                   gconstpointer data)
{
  g_autoptr (GPtrArray) entries = prism_run_folder_list ("/none/of/these");

  g_autoptr (GPtrArray) paths = prism_run_folder_list_paths ("/none/of/these");

  g_assert_cmpuint (entries->len, ==, 0);
  g_assert_cmpuint (paths->len, ==, 0);
}

/* What is newest comes first; what a link stands for takes its place, where it is there. */
static void
test_paths (Fixture *fixture,
            gconstpointer data)
{
  g_autofree char *folder = g_dir_make_tmp ("prism-XXXXXX", NULL);
  g_autofree char *old = g_build_filename (folder, "old.prismrun", NULL);
  g_autofree char *new = g_build_filename (folder, "new.prismrun", NULL);
  g_autofree char *other = g_build_filename (folder, "other.txt", NULL);
  g_autofree char *far = g_build_filename (fixture->directory, "far.prismrun", NULL);
  const struct utimbuf past = { 1000, 1000 }, later = { 2000, 2000 };
  g_autoptr (GPtrArray) paths = NULL;

  g_assert_true (g_file_set_contents (old, "", 0, NULL));
  g_assert_true (g_file_set_contents (new, "", 0, NULL));
  g_assert_true (g_file_set_contents (other, "", 0, NULL));
  g_assert_true (g_file_set_contents (far, "", 0, NULL));
  g_assert_cmpint (g_utime (old, (struct utimbuf *) &past), ==, 0);
  g_assert_cmpint (g_utime (far, (struct utimbuf *) &later), ==, 0);
  prism_run_folder_add_link (folder, far);
  prism_run_folder_add_link (folder, "/none/of/these.prismrun");
  paths = prism_run_folder_list_paths (folder);
  g_assert_cmpuint (paths->len, ==, 3);
  g_assert_cmpstr (paths->pdata[0], ==, new);
  g_assert_cmpstr (paths->pdata[1], ==, far);
  g_assert_cmpstr (paths->pdata[2], ==, old);
  g_unlink (far);
}

static const PrismRunEntry *
find_first_over (GPtrArray *entries,
                 guint *n_over)
{
  const PrismRunEntry *first = NULL;

  *n_over = 0;
  for (guint i = 0; i < entries->len; i++)
    {
      const PrismRunEntry *entry = g_ptr_array_index (entries, i);

      if (!entry->finished || entry->locked)
        continue;
      if ((*n_over)++ == 0)
        first = entry;
    }
  return first;
}

/* Of the runs that are over the oldest go; what is interrupted or written stays, however old. */
static void
test_prune (Fixture *fixture,
            gconstpointer data)
{
  static const PrismState states[] = { PRISM_STATE_RUNNING, PRISM_STATE_FINISHED,
                                       PRISM_STATE_STOPPED, PRISM_STATE_FAILED,
                                       PRISM_STATE_FINISHED };
  g_autoptr (PrismConfig) config = make_small_config ();
  g_autoptr (PrismRunLock) lock = NULL;
  g_autoptr (GPtrArray) before = NULL, after = NULL;
  char *paths[G_N_ELEMENTS (states)];
  const PrismRunEntry *kept;
  guint n_over;
  Run run;

  run_open (&run, config, NULL, 1);
  for (int i = 0; i < 12; i++)
    step (&run);
  for (guint i = 0; i < G_N_ELEMENTS (states); i++)
    {
      g_autofree char *name = g_strdup_printf ("%u.prismrun", i);
      paths[i] = save (&run, fixture, name, states[i]);
    }
  run_close (&run);
  lock = prism_run_lock_new (paths[2], NULL);
  before = prism_run_folder_list (fixture->directory);
  kept = find_first_over (before, &n_over);
  g_assert_cmpuint (n_over, ==, 3);
  g_assert_cmpuint (prism_run_folder_prune (fixture->directory, 100, G_MAXUINT64), ==, 0);
  g_assert_cmpuint (prism_run_folder_prune (fixture->directory, 100, kept->size), ==, 2);
  g_assert_cmpuint (prism_run_folder_prune (fixture->directory, 1, G_MAXUINT64), ==, 0);

  after = prism_run_folder_list (fixture->directory);
  g_assert_cmpuint (after->len, ==, 3);
  g_assert_cmpstr (find_first_over (after, &n_over)->path, ==, kept->path);
  g_assert_true (g_file_test (paths[0], G_FILE_TEST_EXISTS));
  g_assert_true (g_file_test (paths[2], G_FILE_TEST_EXISTS));
  for (guint i = 0; i < G_N_ELEMENTS (states); i++)
    {
      g_unlink (paths[i]);
      g_free (paths[i]);
    }
}

/* A run that lies elsewhere stands in the folder as long as it is not over; nothing deletes it. */
static void
test_link (Fixture *fixture,
           gconstpointer data)
{
  g_autoptr (PrismConfig) config = make_small_config ();
  g_autofree char *folder = g_dir_make_tmp ("prism-XXXXXX", NULL);
  g_autofree char *running = NULL, *finished = NULL;
  g_autoptr (GPtrArray) entries = NULL, after = NULL, last = NULL;
  Run run;

  run_open (&run, config, NULL, 1);
  for (int i = 0; i < 12; i++)
    step (&run);
  running = save (&run, fixture, "a.prismrun", PRISM_STATE_RUNNING);
  finished = save (&run, fixture, "b.prismrun", PRISM_STATE_FINISHED);
  run_close (&run);
  for (int i = 0; i < 2; i++)
    prism_run_folder_add_link (folder, running);
  prism_run_folder_add_link (folder, finished);
  prism_run_folder_add_link (folder, "/none/of/these.prismrun");

  entries = prism_run_folder_list (folder);
  g_assert_cmpuint (entries->len, ==, 2);
  g_assert_true (prism_run_entry_is_interrupted (find (entries, running)));
  g_assert_nonnull (find (entries, running)->link);
  g_assert_cmpuint (prism_run_folder_prune (folder, 0, 0), ==, 0);
  after = prism_run_folder_list (folder);
  g_assert_cmpuint (after->len, ==, 1);
  g_assert_nonnull (find (after, running));
  g_assert_true (g_file_test (finished, G_FILE_TEST_EXISTS));
  prism_run_folder_remove_link (folder, running);
  last = prism_run_folder_list (folder);
  g_assert_cmpuint (last->len, ==, 0);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
  g_unlink (finished);
}

static void
test_new_path (Fixture *fixture,
               gconstpointer data)
{
  g_autofree char *first
      = prism_run_folder_dup_new_path (fixture->directory, "/a/b/My Moon_(2).tiff");
  g_autofree char *other = prism_run_folder_dup_new_path (fixture->directory, "…");
  g_autofree char *base = g_path_get_basename (first);
  g_autofree char *name = g_path_get_basename (other);

  g_assert_true (g_regex_match_simple ("^My-Moon-2--?[0-9]{8}-[0-9]{6}\\.prismrun$", base, 0, 0));
  g_assert_true (g_str_has_prefix (name, "run-"));
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/engine/run-folder/interrupted", Fixture, NULL, set_up, test_interrupted, tear_down);
  g_test_add ("/engine/run-folder/no-directory", Fixture, NULL, set_up, test_no_directory,
              tear_down);
  g_test_add ("/engine/run-folder/paths", Fixture, NULL, set_up, test_paths, tear_down);
  g_test_add ("/engine/run-folder/prune", Fixture, NULL, set_up, test_prune, tear_down);
  g_test_add ("/engine/run-folder/link", Fixture, NULL, set_up, test_link, tear_down);
  g_test_add ("/engine/run-folder/new-path", Fixture, NULL, set_up, test_new_path, tear_down);
  return g_test_run ();
}
