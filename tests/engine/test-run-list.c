#include "test-run-common.h"

#include "prism-run-file.h"
#include "prism-run-list.h"
#include "prism-run-lock.h"

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

  entries = prism_run_list_new (fixture->directory);
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
  g_autoptr (GPtrArray) entries = prism_run_list_new ("/none/of/these");

  g_assert_cmpuint (entries->len, ==, 0);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/engine/run-list/interrupted", Fixture, NULL, set_up, test_interrupted, tear_down);
  g_test_add ("/engine/run-list/no-directory", Fixture, NULL, set_up, test_no_directory,
              tear_down);
  return g_test_run ();
}
