#include "test-saved-run.h"

#include "base/prism-error.h"
#include "prism-test.h"
#include "run/prism-engine-save.h"
#include "run/prism-run-lock.h"

/* Marks and limits that change when a run is over. */

static void
finish_run (Fixture *fixture)
{
  g_autoptr (PrismConfig) config = make_saving_config ();
  g_autoptr (PrismEngine) engine = make_configured_engine (config);

  prism_engine_set_keeps_states (engine, TRUE);
  prism_engine_set_run_file (engine, fixture->path);
  prism_engine_run (engine);
  prism_snapshot_unref (wait_for (engine, PRISM_STATE_FINISHED));
}

static PrismConfig *
make_viewed_config (const char *marks)
{
  PrismConfig *config = make_saving_config ();

  g_assert_true (prism_config_set_text (config, "marks", marks, NULL));
  g_assert_true (prism_config_set_text (config, "limits", "error gamma 2", NULL));
  config->snr += 1;
  return config;
}

static void
assert_same_parts (PrismArchive *a,
                   PrismArchive *b)
{
  const char *const *names = prism_archive_get_names (a);

  for (gsize i = 0; names[i] != NULL; i++)
    {
      g_autoptr (GBytes) first = NULL;
      g_autoptr (GBytes) second = NULL;

      if (g_str_has_suffix (names[i], "config.prism") || g_str_equal (names[i], "manifest.json"))
        continue;
      first = prism_archive_load (a, names[i], G_MAXUINT32, NULL);
      second = prism_archive_load (b, names[i], G_MAXUINT32, NULL);
      g_assert_true (g_bytes_equal (first, second));
    }
}

/* Marks and limits are others, in all states; nothing else is. */
TEST_FIXTURE (file_takes_marks, "/engine/run-view/file")
{
  g_autoptr (PrismConfig) config = make_viewed_config ("ruler 1 2 3 4");
  g_autoptr (PrismConfig) before = make_saving_config ();
  g_autoptr (PrismArchive) old = NULL;
  g_autoptr (PrismArchive) new = NULL;
  g_autoptr (PrismRun) run = NULL;
  g_autoptr (PrismRun) early = NULL;

  finish_run (self);
  old = prism_archive_open (self->path, NULL);
  g_assert_true (MUST (prism_run_view_save (self->path, config, &error)));
  new = prism_archive_open (self->path, NULL);
  assert_same_parts (old, new);
  assert_same_parts (new, old);
  run = load (self->path);
  g_assert_cmpstr (run->snapshot->config->marks, ==, "ruler 1 2 3 4");
  g_assert_cmpstr (run->snapshot->config->limits, ==, "error gamma 2");
  g_assert_cmpfloat (run->snapshot->config->snr, ==, before->snr);
  early = MUST (prism_run_file_load_until (self->path, run->snapshot->step - 1, &error));
  g_assert_cmpstr (early->snapshot->config->marks, ==, "ruler 1 2 3 4");
  g_assert_false (prism_run_lock_is_taken (self->path));
}

/* What another program writes stays, and the sentence says so. */
TEST_FIXTURE (file_of_another_program, "/engine/run-view/other-program")
{
  g_autoptr (PrismConfig) config = make_viewed_config ("ruler 1 2 3 4");
  g_autoptr (PrismRunLock) lock = NULL;
  g_autoptr (PrismRun) run = NULL;

  finish_run (self);
  lock = prism_run_lock_new (self->path, NULL);
  FAILS (prism_run_view_save (self->path, config, &error), CANCELLED, "");
  run = load (self->path);
  g_assert_cmpstr (run->snapshot->config->marks, ==, "");
}

static void
mark (PrismEngine *engine,
      const char *marks)
{
  g_autoptr (PrismConfig) config = make_viewed_config (marks);

  g_assert_true (MUST (prism_engine_update (engine, config, &error)));
}

/* An engine whose run is over shows them at once, and its file has them when it goes, at the
 * latest; what would compute something else waits for the next run. */
TEST_FIXTURE (engine_keeps_marks, "/engine/run-view/engine")
{
  g_autoptr (PrismConfig) config = make_saving_config ();
  PrismEngine *engine = make_configured_engine (config);
  g_autoptr (PrismSnapshot) finished = NULL;
  g_autoptr (PrismSnapshot) marked = NULL;
  g_autoptr (PrismRun) run = NULL;

  prism_engine_set_run_file (engine, self->path);
  prism_engine_run (engine);
  finished = wait_for (engine, PRISM_STATE_FINISHED);
  mark (engine, "line 1 1 2 2");
  mark (engine, "line 1 1 5 5");
  do
    {
      g_clear_pointer (&marked, prism_snapshot_unref);
      marked = wait_for (engine, PRISM_STATE_FINISHED);
    }
  while (!g_str_equal (marked->config->marks, "line 1 1 5 5"));
  g_assert_cmpfloat (marked->config->snr, ==, config->snr);
  g_assert_cmpuint (marked->run, ==, finished->run);
  prism_engine_free (engine);
  run = load (self->path);
  g_assert_cmpstr (run->snapshot->config->marks, ==, "line 1 1 5 5");
  g_assert_cmpstr (run->state_name, ==, "finished");
}

/* The same for a run that comes out of its file. */
TEST_FIXTURE (opened_run_keeps_marks, "/engine/run-view/opened")
{
  PrismEngine *engine = make_engine ();
  g_autoptr (GError) error = NULL;
  g_autoptr (PrismRun) run = NULL;

  finish_run (self);
  g_assert_true (
      prism_engine_resume (engine, load (self->path), self->path, NULL, &error));
  prism_snapshot_unref (wait_for (engine, PRISM_STATE_FINISHED));
  mark (engine, "ellipse 1 1 5 5");
  prism_engine_free (engine);
  run = load (self->path);
  g_assert_cmpstr (run->snapshot->config->marks, ==, "ellipse 1 1 5 5");
}
