#include "test-saved-run.h"

/* Marks and limits that change when a run is over. */

static void
finish_run (Fixture *fixture)
{
  g_autoptr (PrismConfig) config = make_saving_config ();
  g_autoptr (PrismEngine) engine = test_engine_new (config);

  prism_engine_set_keeps_states (engine, TRUE);
  prism_engine_set_run_file (engine, fixture->path);
  prism_snapshot_unref (finish_engine (engine));
}

#define MARKED "[display]\nmarks=ruler 1 2 3 4\nlimits=error gamma 2\n"

/* Opens a run that is over, and has it looked at in another way. */
static void
look_at (const char *path, const char *display)
{
  g_autoptr (PrismEngine) engine = test_engine_new (NULL);

  g_assert_true (prism_engine_resume (engine, load (path), path, NULL, NULL));
  prism_engine_show (engine, display);
}

static void
assert_same_parts (PrismArchive *a, PrismArchive *b)
{
  const char *const *names = prism_archive_get_names (a);

  for (gsize i = 0; names[i] != NULL; i++)
    {
      if (g_str_equal (names[i], "display.ini") || g_str_equal (names[i], "manifest.json"))
        continue;
      g_autoptr (GBytes) first = prism_archive_load (a, names[i], G_MAXUINT32, NULL);
      g_autoptr (GBytes) second = prism_archive_load (b, names[i], G_MAXUINT32, NULL);
      g_assert_true (g_bytes_equal (first, second));
    }
}

/* Marks and limits are others, in all states; nothing else is. A state has no names of moments that
 * came after it. */
TEST_FIXTURE (file_takes_marks, "/engine/run-view/file")
{
  finish_run (self);
  g_autoptr (PrismArchive) old = prism_archive_open (self->path, NULL);
  g_autoptr (PrismRun) run = load (self->path);
  g_autofree char *named = g_strdup_printf (MARKED "moments=1 begun\\n%" G_GUINT64_FORMAT " end\n",
                                            run->snapshot->step);
  g_clear_pointer (&run, prism_run_free);
  look_at (self->path, named);
  g_autoptr (PrismArchive) new = prism_archive_open (self->path, NULL);
  assert_same_parts (old, new);
  assert_same_parts (new, old);
  run = load (self->path);
  g_assert_cmpstr (run->snapshot->display, ==, named);
  g_autoptr (PrismRun) early
      = MUST (prism_run_file_load_until (self->path, run->snapshot->step - 1, &error));
  g_assert_cmpstr (early->snapshot->display, ==, MARKED "moments=1 begun\n");
  g_assert_false (prism_run_lock_is_taken (self->path));
}

/* What another program writes stays, and the sentence says so. */
TEST_FIXTURE (file_of_another_program, "/engine/run-view/other-program")
{
  g_autoptr (PrismEngine) engine = test_engine_new (NULL);
  g_autoptr (PrismSnapshot) refused = NULL;

  finish_run (self);
  g_assert_true (prism_engine_resume (engine, load (self->path), self->path, NULL, NULL));
  await_state (engine, PRISM_STATE_FINISHED);
  g_autoptr (PrismRunLock) lock = prism_run_lock_new (self->path, NULL);
  prism_engine_show (engine, MARKED);
  for (; refused == NULL || refused->message == NULL;
       refused = wait_for_state (engine, PRISM_STATE_FINISHED))
    g_clear_pointer (&refused, prism_snapshot_unref);
  g_assert_cmpint (refused->error, ==, PRISM_ERROR_CANCELLED);
  HAS (refused->message, "are not kept: ", "another program");
  g_autoptr (PrismRun) run = load (self->path);
  g_assert_null (run->snapshot->display);
}

/* An engine whose run is over shows them at once, and its file has them when it goes, at the
 * latest. */
TEST_FIXTURE (engine_keeps_marks, "/engine/run-view/engine")
{
  g_autoptr (PrismConfig) config = make_saving_config ();
  PrismEngine *engine = test_engine_new (config);
  g_autoptr (PrismSnapshot) marked = NULL;

  prism_engine_set_run_file (engine, self->path);
  g_autoptr (PrismSnapshot) finished = finish_engine (engine);
  prism_engine_show (engine, "[display]\nmarks=line 1 1 2 2\n");
  prism_engine_show (engine, MARKED);
  do
    {
      g_clear_pointer (&marked, prism_snapshot_unref);
      marked = wait_for_state (engine, PRISM_STATE_FINISHED);
    }
  while (g_strcmp0 (marked->display, MARKED) != 0);
  g_assert_cmpuint (marked->run, ==, finished->run);
  prism_engine_free (engine);
  g_autoptr (PrismRun) run = load (self->path);
  g_assert_cmpstr (run->snapshot->display, ==, MARKED);
  g_assert_cmpstr (run->state_name, ==, "finished");
}

/* Files of earlier versions have marks and limits among the parameters of every state. */
TEST_FIXTURE (former_file_keeps_marks, "/engine/run-view/former")
{
  g_autofree char *former = g_strconcat (self->path, "-former.prismrun", NULL);
  const char *const *names;

  finish_run (self);
  g_autoptr (PrismArchive) archive = prism_archive_open (self->path, NULL);
  g_autoptr (PrismArchiveWriter) writer = MUST (prism_archive_writer_new (former, &error));
  names = prism_archive_get_names (archive);
  for (gsize i = 0; names[i] != NULL; i++)
    if (g_str_has_suffix (names[i], "config.prism"))
      {
        g_autofree char *text = prism_archive_load_text (archive, names[i], NULL);

        prism_archive_writer_take_text (
            writer, names[i],
            g_strconcat (text, "marks=ruler 1 2 3 4\nlimits=error gamma 2\n", NULL));
      }
    else if (!g_str_equal (names[i], "manifest.json"))
      prism_archive_writer_copy (writer, archive, names[i], names[i]);
  g_assert_true (MUST (prism_archive_writer_finish (writer, &error)));
  g_autoptr (PrismRun) run = load (former);
  g_assert_cmpstr (run->snapshot->display, ==, MARKED);
  look_at (former, NULL);
  g_autoptr (PrismRun) after = load (former);
  g_assert_null (after->snapshot->display);
}
