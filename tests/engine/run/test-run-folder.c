#include "test-run-common.h"

#include "run/prism-run-file.h"
#include "run/prism-run-folder.h"

#include <utime.h>

/* A run of twelve steps. */
static void
begin (Run *run)
{
  g_autoptr (PrismConfig) config = make_small_config ();

  run_open (run, config, NULL, 1);
  for (int i = 0; i < 12; i++)
    step (run);
}

static char *
save_snapshot (Run *run, const Fixture *fixture, const char *name, PrismState state,
               gboolean lesson, gboolean empty)
{
  g_autoptr (PrismRunIdentity) identity = prism_run_identity_new (NULL);
  g_autoptr (PrismBundle) bundle = prism_trainer_dup_state (run->trainer, NULL);
  g_autoptr (PrismSnapshot) snapshot = publish (run);
  char *path = g_build_filename (fixture->directory, name, NULL);
  g_autoptr (PrismRunPlace) place = prism_run_place_new (path, NULL, NULL);

  if (empty)
    g_clear_pointer (&snapshot->reconstruction, prism_image_unref);
  snapshot->state = state;
  identity->lesson = lesson;
  g_assert_true (MUST (prism_run_file_save (place, snapshot, bundle, identity, &error)));
  return path;
}

static char *
save_as (Run *run, const Fixture *fixture, const char *name, PrismState state, gboolean lesson)
{
  return save_snapshot (run, fixture, name, state, lesson, FALSE);
}

/* How many go. They are nowhere but in the wastebasket then. */
static guint
prune (const char *directory, guint n_files, guint64 bytes)
{
  const PrismRunLimits limits = { n_files, bytes, NULL };
  guint n_deleted = 0, n_gone = prism_run_folder_prune (directory, &limits, &n_deleted);

  g_assert_cmpuint (n_deleted, <=, n_gone);
  return n_gone;
}

static const PrismRunEntry *
find (GPtrArray *entries, const char *path)
{
  for (guint i = 0; i < entries->len; i++)
    {
      const PrismRunEntry *entry = g_ptr_array_index (entries, i);

      if (strcmp (entry->path, path) == 0)
        return entry;
    }
  g_assert_not_reached ();
}

TEST_FIXTURE (interrupted, "/engine/run-folder/interrupted")
{
  g_auto (Run) run;

  begin (&run);
  g_autofree char *running = save_as (&run, self, "a.prismrun", PRISM_STATE_RUNNING, FALSE);
  g_autofree char *finished = save_as (&run, self, "b.prismrun", PRISM_STATE_FINISHED, FALSE);
  g_autofree char *written = save_as (&run, self, "c.prismrun", PRISM_STATE_PAUSED, FALSE);
  g_autoptr (PrismRunLock) lock = prism_run_lock_new (written, NULL);
  g_autofree char *other = g_build_filename (self->directory, "d.prismrun", NULL);
  g_assert_true (g_file_set_contents (other, "no archive", -1, NULL));

  g_autoptr (GPtrArray) entries = prism_run_folder_list (self->directory);
  g_assert_cmpuint (entries->len, ==, 3);
  g_assert_true (prism_run_entry_is_interrupted (find (entries, running)));
  g_assert_cmpuint (find (entries, running)->step, ==, 12);
  g_assert_cmpstr (find (entries, running)->state_name, ==, "running");
  g_assert_false (prism_run_entry_is_interrupted (find (entries, finished)));
  g_assert_true (find (entries, written)->locked);
  g_assert_false (prism_run_entry_is_interrupted (find (entries, written)));
}

TEST_FIXTURE (no_directory, "/engine/run-folder/no-directory")
{
  g_autoptr (GPtrArray) entries = prism_run_folder_list ("/none/of/these");

  g_autoptr (GPtrArray) paths = prism_run_folder_list_paths ("/none/of/these");

  g_assert_cmpuint (entries->len, ==, 0);
  g_assert_cmpuint (paths->len, ==, 0);
}

/* What is newest comes first; what a link stands for takes its place, where it is there. */
TEST_FIXTURE (paths, "/engine/run-folder/paths")
{
  g_autofree char *folder = g_dir_make_tmp ("prism-XXXXXX", NULL);
  g_autofree char *old = g_build_filename (folder, "old.prismrun", NULL);
  g_autofree char *new = g_build_filename (folder, "new.prismrun", NULL);
  g_autofree char *far = g_build_filename (self->directory, "far.prismrun", NULL);
  const struct utimbuf past = { 1000, 1000 }, later = { 2000, 2000 };

  g_assert_true (g_file_set_contents (old, "", 0, NULL));
  g_assert_true (g_file_set_contents (new, "", 0, NULL));
  g_assert_true (g_file_set_contents (in_folder (folder, "other.txt"), "", 0, NULL));
  g_assert_true (g_file_set_contents (far, "", 0, NULL));
  g_assert_cmpint (g_utime (old, (struct utimbuf *) &past), ==, 0);
  g_assert_cmpint (g_utime (far, (struct utimbuf *) &later), ==, 0);
  prism_run_folder_add_link (folder, far);
  prism_run_folder_add_link (folder, "/none/of/these.prismrun");
  g_autoptr (GPtrArray) paths = prism_run_folder_list_paths (folder);
  g_assert_cmpuint (paths->len, ==, 3);
  g_assert_cmpstr (paths->pdata[0], ==, new);
  g_assert_cmpstr (paths->pdata[1], ==, far);
  g_assert_cmpstr (paths->pdata[2], ==, old);
}

static const PrismRunEntry *
find_first_over (GPtrArray *entries, guint *n_over)
{
  const PrismRunEntry *first = NULL;

  *n_over = 0;
  for (guint i = entries->len; i-- > 0;)
    {
      const PrismRunEntry *entry = g_ptr_array_index (entries, i);

      if (entry->finished && !entry->locked)
        {
          first = entry;
          ++*n_over;
        }
    }
  return first;
}

/* Of the runs that are over the oldest go; what is interrupted or written stays, however old. */
TEST_FIXTURE (prune, "/engine/run-folder/prune")
{
  static const PrismState states[] = { PRISM_STATE_RUNNING, PRISM_STATE_FINISHED,
                                       PRISM_STATE_STOPPED, PRISM_STATE_FAILED,
                                       PRISM_STATE_FINISHED };
  char *paths[G_N_ELEMENTS (states)];
  guint n_over;
  g_auto (Run) run;

  begin (&run);
  for (guint i = 0; i < G_N_ELEMENTS (states); i++)
    {
      g_autofree char *name = g_strdup_printf ("%u.prismrun", i);
      paths[i] = save_as (&run, self, name, states[i], FALSE);
    }
  g_autoptr (PrismRunLock) lock = prism_run_lock_new (paths[2], NULL);
  g_autoptr (GPtrArray) before = prism_run_folder_list (self->directory);
  const PrismRunEntry *kept = find_first_over (before, &n_over);
  g_assert_cmpuint (n_over, ==, 3);
  g_assert_cmpuint (prune (self->directory, 100, G_MAXUINT64), ==, 0);
  g_assert_cmpuint (prune (self->directory, 100, kept->size), ==, 2);
  g_assert_cmpuint (prune (self->directory, 1, G_MAXUINT64), ==, 0);

  g_autoptr (GPtrArray) after = prism_run_folder_list (self->directory);
  g_assert_cmpuint (after->len, ==, 3);
  g_assert_cmpstr (find_first_over (after, &n_over)->path, ==, kept->path);
  g_assert_true (g_file_test (paths[0], G_FILE_TEST_EXISTS));
  g_assert_true (g_file_test (paths[2], G_FILE_TEST_EXISTS));
  for (guint i = 0; i < G_N_ELEMENTS (states); i++)
    g_free (paths[i]);
}

#define N_OLD 6

/* Times of their own, so that the order is known. */
static void
make_entries (PrismRunEntry *entries, GPtrArray *list)
{
  static const char *const names[N_OLD] = { "a", "b", "c", "d", "e", "f" };

  for (guint i = 0; i < N_OLD; i++)
    {
      entries[i] = (PrismRunEntry) {
        .path = (char *) names[i],
        .saved = (char *) names[i],
        .size = 10,
        .finished = TRUE,
        .lesson = i == 3 || i == 4,
      };
      g_ptr_array_add (list, &entries[i]);
    }
}

/* Steps of lessons go first, then the oldest; what is marked stays and counts for nothing. */
TEST_FIXTURE (order, "/engine/run-folder/order")
{
  static const struct
  {
    guint n_files;
    guint64 bytes;
    const char *marked;
    gboolean next;
    const char *expected;
  } cases[] = {
    { 4, G_MAXUINT64, "", FALSE, "de" },
    { 4, G_MAXUINT64, "", TRUE, "dea" },
    { 4, G_MAXUINT64, "a", FALSE, "d" },
    { 4, G_MAXUINT64, "a", TRUE, "de" },
    { 2, G_MAXUINT64, "ad", FALSE, "eb" },
    { 100, 35, "", FALSE, "dea" },
    { 100, 5, "", FALSE, "deabc" }, /* the newest stays, though it alone is too much */
    { 100, 5, "", TRUE, "deabcf" },
  };
  PrismRunEntry entries[N_OLD];
  g_autoptr (GPtrArray) list = g_ptr_array_new ();

  make_entries (entries, list);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GHashTable) marked = g_hash_table_new (g_str_hash, g_str_equal);
      const PrismRunLimits limits = { cases[i].n_files, cases[i].bytes, marked };

      for (guint k = 0; k < N_OLD; k++)
        if (strchr (cases[i].marked, *entries[k].path) != NULL)
          g_hash_table_add (marked, entries[k].path);
      g_autoptr (GPtrArray) chosen = prism_run_limits_choose (&limits, list, cases[i].next);
      g_autoptr (GString) names = g_string_new (NULL);
      for (guint i = chosen->len; i > 0; i--)
        g_string_append (names, ((PrismRunEntry *) chosen->pdata[i - 1])->path);
      g_assert_cmpstr (names->str, ==, cases[i].expected);
    }
}

/* On the disk, too: the first and the last are marked, one between them is a step of a lesson. */
TEST_FIXTURE (marked, "/engine/run-folder/marked")
{
  g_autoptr (GHashTable) marked = g_hash_table_new (g_str_hash, g_str_equal);
  PrismRunLimits limits = { 1, G_MAXUINT64, marked };
  char *paths[4];
  guint n_deleted;
  g_auto (Run) run;

  begin (&run);
  for (guint i = 0; i < G_N_ELEMENTS (paths); i++)
    {
      g_autofree char *name = g_strdup_printf ("%u.prismrun", i);
      paths[i] = save_as (&run, self, name, PRISM_STATE_FINISHED, i == 2);
    }
  g_autoptr (GPtrArray) entries = prism_run_folder_list (self->directory);
  g_assert_true (find (entries, paths[2])->lesson);
  g_assert_false (find (entries, paths[3])->lesson);
  g_hash_table_add (marked, paths[0]);
  g_hash_table_add (marked, paths[3]);
  prism_run_folder_prune (self->directory, &limits, &n_deleted);
  for (guint i = 0; i < G_N_ELEMENTS (paths); i++)
    {
      g_assert_cmpint (g_file_test (paths[i], G_FILE_TEST_EXISTS), ==, i != 2);
      g_free (paths[i]);
    }
}

/* What was ended before it had a picture goes once there is a newer run, but what is marked; what
 * was interrupted then stays. */
TEST_FIXTURE (empty, "/engine/run-folder/empty")
{
  static const struct
  {
    const char *name;
    PrismState state;
    gboolean empty, stays;
  } cases[] = {
    { "a.prismrun", PRISM_STATE_STOPPED, TRUE, TRUE }, /* the newest */
    { "b.prismrun", PRISM_STATE_STOPPED, TRUE, FALSE },
    { "c.prismrun", PRISM_STATE_STOPPED, FALSE, TRUE },
    { "d.prismrun", PRISM_STATE_PAUSED, TRUE, TRUE },
    { "e.prismrun", PRISM_STATE_STOPPED, TRUE, TRUE }, /* marked */
  };
  g_autoptr (GHashTable) marked = g_hash_table_new (g_str_hash, g_str_equal);
  const PrismRunLimits limits = { 100, G_MAXUINT64, marked };
  guint n_deleted;
  char *paths[G_N_ELEMENTS (cases)];
  g_auto (Run) run;

  begin (&run);
  for (gsize i = G_N_ELEMENTS (cases); i > 0; i--)
    paths[i - 1] = save_snapshot (&run, self, cases[i - 1].name, cases[i - 1].state, FALSE,
                                  cases[i - 1].empty);
  g_hash_table_add (marked, paths[G_N_ELEMENTS (cases) - 1]);
  prism_run_folder_prune (self->directory, &limits, &n_deleted);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_assert_cmpint (g_file_test (paths[i], G_FILE_TEST_EXISTS), ==, cases[i].stays);
      g_free (paths[i]);
    }
}

/* What keeps the folder from being made is said, not that it is not there. */
TEST_FIXTURE (no_home, "/engine/run-folder/no-home")
{
  g_autofree char *folder = prism_run_folder_dup_path ();
  g_autoptr (GError) error = NULL;

  if (!g_file_test ("/sys/kernel", G_FILE_TEST_IS_DIR))
    {
      g_test_skip ("there is no /sys, in which nobody can make a folder");
      return;
    }
  g_assert_true (MUST (prism_run_folder_make_for ("/none/of/these.prismrun", &error)));
  g_assert_false (prism_run_folder_make_for (in_folder (folder, "a.prismrun"), &error));
  g_assert_error (error, PRISM_ERROR, PRISM_ERROR_IO);
  HAS (error->message, folder);
  LACKS (error->message, g_strerror (ENOENT));
}

/* A run that lies elsewhere stands in the folder as long as it is not over; nothing deletes it. */
TEST_FIXTURE (link, "/engine/run-folder/link")
{
  g_autofree char *folder = g_dir_make_tmp ("prism-XXXXXX", NULL);
  g_auto (Run) run;

  begin (&run);
  g_autofree char *running = save_as (&run, self, "a.prismrun", PRISM_STATE_RUNNING, FALSE);
  g_autofree char *finished = save_as (&run, self, "b.prismrun", PRISM_STATE_FINISHED, FALSE);
  for (int i = 0; i < 2; i++)
    prism_run_folder_add_link (folder, running);
  prism_run_folder_add_link (folder, finished);
  prism_run_folder_add_link (folder, "/none/of/these.prismrun");

  g_autoptr (GPtrArray) entries = prism_run_folder_list (folder);
  g_assert_cmpuint (entries->len, ==, 2);
  g_assert_true (prism_run_entry_is_interrupted (find (entries, running)));
  g_assert_nonnull (find (entries, running)->link);
  g_assert_cmpuint (prune (folder, 0, 0), ==, 0);
  g_autoptr (GPtrArray) after = prism_run_folder_list (folder);
  g_assert_cmpuint (after->len, ==, 1);
  g_assert_nonnull (find (after, running));
  g_assert_true (g_file_test (finished, G_FILE_TEST_EXISTS));
  prism_run_folder_remove_link (folder, running);
  g_autoptr (GPtrArray) last = prism_run_folder_list (folder);
  g_assert_cmpuint (last->len, ==, 0);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

TEST_FIXTURE (new_path, "/engine/run-folder/new-path")
{
  g_autofree char *first
      = prism_run_folder_dup_new_path (self->directory, 7, "/a/b/My Señal_(2).tiff");
  g_autofree char *other = prism_run_folder_dup_new_path (self->directory, 12, "…");
  g_autofree char *base = g_path_get_basename (first), *name = g_path_get_basename (other);

  g_assert_true (g_regex_match_simple ("^7-My-Senal-2-[0-9]{8}-[0-9]{6}\\.prismrun$", base, 0, 0));
  g_assert_true (g_regex_match_simple ("^12-[0-9]{8}-[0-9]{6}\\.prismrun$", name, 0, 0));
  g_assert_cmpuint (prism_run_folder_get_number (first), ==, 7);
  g_assert_cmpuint (prism_run_folder_get_number ("/3-a/20260101.prismrun"), ==, 0);
  g_assert_cmpuint (prism_run_folder_find_last (self->directory), ==, 0);
  g_assert_true (g_file_set_contents (first, "", 0, NULL));
  g_assert_true (g_file_set_contents (other, "", 0, NULL));
  g_assert_cmpuint (prism_run_folder_find_last (self->directory), ==, 12);
}

int
main (int argc, char **argv)
{
  g_autofree char *home = g_dir_make_tmp ("prism-home-XXXXXX", NULL);

  /* The wastebasket is in the home of the test; nobody can make a folder in /sys. */
  g_setenv ("XDG_DATA_HOME", home, TRUE);
  g_setenv ("XDG_STATE_HOME", "/sys/kernel", TRUE);
  g_test_init (&argc, &argv, NULL);
  return prism_test_run ();
}
